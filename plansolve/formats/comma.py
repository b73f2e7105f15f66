"""A comma separated list on one line, as R. Clausecker's 24puzzle takes it; the goal: gap first."""

from plansolve.errors import BoardError
from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.model.problem import Problem

__all__ = ["COMMA"]


def _recognises(text: str) -> bool:
    return "," in text and grid.looks_like_tiles(grid.content_lines(text.replace(",", " ")))


def _read(text: str) -> BoardDocument:
    lines = grid.board_lines(text.replace(",", " "))
    if len(lines) > 1:
        raise BoardError(f"line {lines[1].number}: the list goes on: it must be on one line")
    return grid.read_square(lines, goal="blank-first" if grid.has_gap(lines) else None)


def _write(problem: Problem) -> str:
    return f"{','.join(map(str, problem.start))}\n"


COMMA = BoardFormat(
    "comma", "one line of numbers with commas between them", _recognises, _read, _write
)
