"""The form of the store's files: a header, zeros up to a multiple of a page, and the content.

The header is a magic number, the length of the description, and the description in JSON: kind,
title, content (what the bytes depend on), the length of the bytes and their SHA-256. A file may be
damaged or foreign, so no number in it is trusted before it is compared, and nothing is executed.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from plansolve.errors import InternalError

_MAGIC = b"plansolve table 1\n"
_PAGE = 4096
_LONGEST_HEADER = 1 << 20


@dataclass(frozen=True)
class StoreKey:
    """What a file holds: files with equal keys hold equal bytes.

    `kind` says who can make and verify them, `title` is for people, and `content` is everything
    that the bytes depend on, as JSON.
    """

    kind: str
    title: str
    content: Mapping[str, Any]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of kind and content, in hexadecimal digits."""
        return hashlib.sha256(_canonical([self.kind, self.content])).hexdigest()

    @property
    def name(self) -> str:
        """A file name without suffix: readable, and different for different contents."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")[:48]
        return f"{self.kind}-{slug}-{self.digest[:16]}"


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def described(key: StoreKey, length: int, digest: str) -> dict[str, Any]:
    """The description of a key and its content, as a file has it."""
    description = {"kind": key.kind, "title": key.title, "content": key.content}
    text = _canonical({**description, "length": length, "sha256": digest})
    # As it looks after the way through a file.
    result: dict[str, Any] = json.loads(text)
    return result


def header(key: StoreKey, length: int, digest: str) -> bytes:
    """The bytes of a file before its content; `digest` is the SHA-256 of the content."""
    text = _canonical(described(key, length, digest))
    if len(text) > _LONGEST_HEADER:
        raise InternalError(f"the table {key.title} has too long a description")
    head = _MAGIC + len(text).to_bytes(4, "little") + text
    return head + bytes(-len(head) % _PAGE)


def read_header(file: int) -> tuple[dict[str, Any], int, os.stat_result]:
    """Return the description, where the content begins, and the file's status.

    Raise `OSError` or `ValueError` where the file has no such header.
    """
    head = os.pread(file, len(_MAGIC) + 4, 0)
    size = int.from_bytes(head[len(_MAGIC) :], "little")
    if head[: len(_MAGIC)] != _MAGIC or size > _LONGEST_HEADER:
        raise ValueError("not a table")
    try:
        description = json.loads(os.pread(file, size, len(head)))
    except RecursionError:
        raise ValueError("not a table") from None
    end = len(head) + size
    padding = -end % _PAGE
    if not isinstance(description, dict) or any(os.pread(file, padding, end)):
        raise ValueError("not a table")
    return description, end + padding, os.fstat(file)


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Yield the descriptor of a regular file of ours; raise `OSError` for anything else.

    Without O_NONBLOCK a named pipe would wait for a writer.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError("not a regular file of this user")
        yield descriptor
    finally:
        os.close(descriptor)


def stamp(status: os.stat_result) -> bytes:
    """What a file that was neither written to, copied nor replaced has in common with itself."""
    changes = (status.st_mtime_ns, status.st_ctime_ns)
    return _canonical([status.st_dev, status.st_ino, status.st_size, *changes])
