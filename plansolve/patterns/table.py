"""The frame of all pattern databases: how a table is loaded or built.

A table is a row of bytes. Its key holds all that they depend on: files of equal keys hold equal
bytes, and `verify` computes them again from the key alone, by the checker's code.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from plansolve.storage.store import Bytes, Store, StoreKey, Tell

Pattern: TypeAlias = tuple[int, ...]
"""The tiles that a table is about, by their goal cells; or kinds of pieces, without the blank."""

NO_WAY = 255
"""The entry of a placement from which the goal cannot be reached."""

LARGEST = 254
"""The entry for this distance or any larger one."""

QUICK = 1 << 20
"""Tables of at most so many bytes are built faster than a file is read."""

_SMALL = 1 << 16
"""Tables of at most so many entries are built faster than threads start."""


@dataclass(frozen=True)
class Table:
    """The bytes of a key, `length` of them, and how they are built."""

    key: StoreKey
    length: int
    build: Callable[[], Bytes]

    def load(self, store: Store, tell: Tell, *, kept_above: int = QUICK) -> Bytes:
        """Return the bytes from the store, or build them, and keep more than `kept_above`."""
        if self.length <= kept_above:
            return self.build()
        return store.load_or_build(self.key, self.length, self.build, tell)


@contextmanager
def in_parts(
    size: int, threads: int, *, entries: int | None = None
) -> Iterator[Callable[..., int]]:
    """Yield a function that runs a kernel over all of range(size), and returns the sum.

    It takes the kernel and its further arguments; the first two are the begin and end of each part.
    `threads` share the parts, if that pays for so many `entries`.
    """
    is_small = (size if entries is None else entries) < _SMALL
    parts = 1 if threads == 1 or is_small else 16 * threads
    bounds = [*pairwise(np.linspace(0, size, parts + 1, dtype=int).tolist())]
    with ExitStack() as stack:
        mapped = stack.enter_context(ThreadPoolExecutor(threads)).map if parts > 1 else map
        yield lambda kernel, *rest: sum(mapped(lambda part: kernel(*part, *rest), bounds))
