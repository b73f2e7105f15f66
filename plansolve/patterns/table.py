"""The frame of all pattern databases: their kinds, and how a table is loaded or built.

A table is a row of bytes. What they depend on is all in its key: files of equal keys hold equal
bytes, and `verify` makes them once more from the key alone, by the code of the sceptic.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pkgutil import resolve_name
from typing import NamedTuple

import numpy as np

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import WORD_CELLS
from plansolve.storage.store import Bytes, Store, StoreKey, Tell

NO_WAY = 255
"""The entry of a placement from which the goal cannot be reached."""

LARGEST = 254
"""The entry for this distance or any larger one."""

QUICK = 1 << 20
"""Tables of so many bytes are built in less time than a file takes."""

_SMALL = 1 << 16
"""So many entries are built in less time than threads take to start."""


@dataclass(frozen=True)
class Table:
    """The bytes of a key, `length` of them, and how they are built."""

    key: StoreKey
    length: int
    build: Callable[[], Bytes]

    def load(self, store: Store, tell: Tell, *, kept_above: int = QUICK) -> Bytes:
        """Return the bytes from the store, or build them; kept are more than `kept_above`."""
        if self.length <= kept_above:
            return self.build()
        return store.load_or_build(self.key, self.length, self.build, tell)


@contextmanager
def in_parts(
    size: int, threads: int, *, entries: int | None = None
) -> Iterator[Callable[..., int]]:
    """Yield a function that runs a kernel over all of range(size), and returns the sum.

    It takes the kernel, which is called with the begin and the end of each part first, and the
    other arguments. `threads` share the parts, if that pays for so many `entries`.
    """
    is_small = (size if entries is None else entries) < _SMALL
    parts = 1 if threads == 1 or is_small else 16 * threads
    bounds = [*pairwise(np.linspace(0, size, parts + 1, dtype=int).tolist())]
    with ExitStack() as stack:
        mapped = stack.enter_context(ThreadPoolExecutor(threads)).map if parts > 1 else map
        yield lambda kernel, *rest: sum(mapped(lambda part: kernel(*part, *rest), bounds))


class TableKind(NamedTuple):
    """One kind of tables, for the problems that it `fits`.

    `builder` names the function that puts theirs into a store: its module loads numba.
    """

    fits: Callable[[Problem], bool]
    builder: str


_PERMUTATIONS = TableKind(
    lambda problem: problem.structure.is_free, "plansolve.patterns.reach_choice:build_permutation"
)
KINDS: Mapping[str, TableKind] = {
    "additive": TableKind(
        lambda problem: problem.structure.blank_graph is not None,
        "plansolve.patterns.additive:goal_sets",
    ),
    "permutation": _PERMUTATIONS,
    "reach": _PERMUTATIONS,
    "placement": TableKind(
        lambda problem: problem.puzzle.cells <= WORD_CELLS,
        "plansolve.patterns.placement_tables:build_placements",
    ),
}


def build_for(problem: Problem, size: int | None, store: Store, tell: Tell) -> None:
    """Put the tables of a problem's goal into the store, of the first kind that fits.

    Patterns have at most `size` tiles, or the default for None. Raise `OptionError` where no kind
    fits, or nothing can move.
    """
    if not problem.puzzle.operators:
        raise OptionError(f"no tables: {problem.puzzle.name} has no moves")
    builder = next((kind.builder for kind in KINDS.values() if kind.fits(problem)), None)
    if builder is None:
        raise OptionError(f"there are no pattern databases for puzzles like {problem.puzzle.name}")
    resolve_name(builder)(problem, size=size, store=store, tell=tell)
