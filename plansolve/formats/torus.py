"""The 2023 puzzle's boards: numbers without a gap (Indiana University, CSCI B551).

25 numbers may be broken into lines anyhow, and a first line may hold the number of moves that the
course allows; another board has one line a row.
"""

from plansolve.errors import BoardError
from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat

__all__ = ["TORUS"]


def _recognises(text: str) -> bool:
    lines = grid.content_lines(text)
    return grid.looks_like_tiles(lines) and not grid.has_gap(lines)


def _read(text: str) -> BoardDocument:
    lines = grid.board_lines(text)
    for line in lines:
        if grid.has_gap([line]):
            raise BoardError(f"line {line.number}: a gap, but these boards hold 1 to n and none")
    if grid.follows_allowed_length(lines):
        lines = lines[1:]
    if sum(len(line.tokens) for line in lines) == grid.COURSE_CELLS:
        return grid.read_square(lines)
    return grid.read_rows(lines)


TORUS = BoardFormat(
    "torus",
    "rows of the numbers 1 to n, no gap",
    _recognises,
    _read,
    grid.write_rows,
    is_common=True,
)
