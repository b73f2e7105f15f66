"""Writes compressed texts: those that are kept, and the parts of a proof."""

import gzip
from collections.abc import Iterable
from pathlib import Path

from plansolve.storage.atomic import replacing

# What is read once and deleted need not be small: the others are, for six times the time.
FAST, _SMALL = 1, 9


def write_lines(path: Path, lines: Iterable[str], level: int = _SMALL) -> None:
    """Write a compressed file, which appears when it is whole; the level is that of gzip."""
    # Without a time and a name inside, equal contents are equal files.
    with replacing(path) as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
