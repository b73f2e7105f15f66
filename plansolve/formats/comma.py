"""A comma separated list on one line, as R. Clausecker's 24puzzle takes it; the goal: gap first."""

from plansolve.errors import BoardError
from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat

__all__ = ["COMMA"]


def _read(text: str) -> BoardDocument:
    lines = grid.board_lines(text.replace(",", " "))
    if len(lines) > 1:
        raise BoardError(f"line {lines[1].number}: the list goes on: it must be on one line")
    return grid.read_square(lines, goal="blank-first" if grid.has_gap(lines) else None)


COMMA = BoardFormat(
    "comma",
    "one line of numbers with commas between them",
    recognises=lambda text: (
        "," in text and grid.looks_like_tiles(grid.content_lines(text.replace(",", " ")))
    ),
    read=_read,
    write=lambda problem: f"{','.join(map(str, problem.start))}\n",
)
