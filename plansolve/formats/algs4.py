"""Princeton's 8-puzzle files (algs4): the size n, then n rows of n numbers, 0 for the gap."""

from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import (
    board_lines,
    content_lines,
    follows_allowed_length,
    has_gap,
    looks_like_tiles,
    read_sized,
    write_sized,
)

__all__ = ["ALGS4"]


def _recognises(text: str) -> bool:
    lines = content_lines(text)
    return (
        looks_like_tiles(lines)
        and len(lines) > 1
        and len(lines[0].tokens) == 1
        and len(lines[1].tokens) > 1
        and (has_gap(lines[1:]) or not follows_allowed_length(lines))
    )


def _read(text: str) -> BoardDocument:
    return read_sized(board_lines(text))


ALGS4 = BoardFormat(
    "algs4", "the size n, then n rows of n numbers", _recognises, _read, write_sized
)
