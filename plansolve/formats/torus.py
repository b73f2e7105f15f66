"""The 2023 puzzle's boards: numbers without a gap (Indiana University, CSCI B551).

25 numbers may be broken into lines anyhow, and a first line may hold the number of moves that the
course allows; another board has one line a row.
"""

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import (
    COURSE_CELLS,
    board_lines,
    content_lines,
    follows_allowed_length,
    has_gap,
    looks_like_tiles,
    read_rows,
    read_square,
    write_rows,
)

__all__ = ["TORUS"]


def _recognises(text: str) -> bool:
    lines = content_lines(text)
    return looks_like_tiles(lines) and not has_gap(lines)


def _read(text: str) -> BoardDocument:
    lines = board_lines(text)
    for line in lines:
        if has_gap([line]):
            raise BoardError(f"line {line.number}: a gap, but these boards hold 1 to n and none")
    if follows_allowed_length(lines):
        lines = lines[1:]
    if sum(len(line.tokens) for line in lines) == COURSE_CELLS:
        return read_square(lines)
    return read_rows(lines)


TORUS = BoardFormat(
    "torus", "rows of the numbers 1 to n, no gap", _recognises, _read, write_rows, is_common=True
)
