"""Princeton's 8-puzzle files (algs4): the size n, then n rows of n numbers, 0 for the gap."""

from plansolve.formats import grid
from plansolve.formats.document import BoardFormat

__all__ = ["ALGS4"]


def _recognises(text: str) -> bool:
    lines = grid.content_lines(text)
    return grid.looks_sized(lines) and (
        grid.has_gap(lines[1:]) or not grid.follows_allowed_length(lines)
    )


ALGS4 = BoardFormat(
    "algs4",
    "the size n, then n rows of n numbers",
    _recognises,
    read=lambda text: grid.read_sized(grid.board_lines(text)),
    write=grid.write_sized,
)
