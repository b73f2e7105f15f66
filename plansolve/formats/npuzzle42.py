"""42 school's n-puzzle: # comments, the size n, n rows of n numbers; the goal is the snail."""

from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import (
    board_lines,
    content_lines,
    looks_like_tiles,
    read_sized,
    write_sized,
)
from plansolve.model.problem import Problem

__all__ = ["NPUZZLE42"]


def _recognises(text: str) -> bool:
    lines = content_lines(text, comments=True)
    return (
        "#" in text
        and looks_like_tiles(lines)
        and len(lines) > 1
        and len(lines[0].tokens) == 1
        and len(lines[1].tokens) > 1
    )


def _read(text: str) -> BoardDocument:
    return read_sized(board_lines(text, comments=True), goal="snail")


def _write(problem: Problem) -> str:
    # The comment tells these files from Princeton's, whose goal is another.
    return f"# the goal is the snail\n{write_sized(problem)}"


NPUZZLE42 = BoardFormat(
    "npuzzle42", "# comments, the size n, n rows of n numbers", _recognises, _read, _write
)
