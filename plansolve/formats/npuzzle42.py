"""42 school's n-puzzle: # comments, the size n, n rows of n numbers; the goal is the snail."""

from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.model.problem import Problem

__all__ = ["NPUZZLE42"]


def _recognises(text: str) -> bool:
    return "#" in text and grid.looks_sized(grid.content_lines(text, comments=True))


def _read(text: str) -> BoardDocument:
    return grid.read_sized(grid.board_lines(text, comments=True), goal="snail")


def _write(problem: Problem) -> str:
    # The comment tells these files from Princeton's, whose goal is another.
    return f"# the goal is the snail\n{grid.write_sized(problem)}"


NPUZZLE42 = BoardFormat(
    "npuzzle42", "# comments, the size n, n rows of n numbers", _recognises, _read, _write
)
