"""Maps of 42 school's generator: its comment, the size n, n rows of n numbers; goal: the snail.

The comment, "# This puzzle is solvable" or "unsolvable", tells them from other boards with a size.
"""

import re

from plansolve.formats import grid
from plansolve.formats.document import BoardFormat
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import permutation_parity
from plansolve.puzzles.sliding import snail

_COMMENT = re.compile(r"^\s*#\s*this puzzle is (?:un)?solvable\s*$", re.IGNORECASE | re.MULTILINE)


def _write(problem: Problem) -> str:
    puzzle, start = problem.puzzle, problem.start
    word = "solvable"
    if problem.goal == snail(puzzle.rows, puzzle.columns):
        # Each move exchanges two pieces and takes the gap one cell further.
        gaps = (cells.index(BLANK) for cells in (start, problem.goal))
        way = sum(sum(divmod(gap, puzzle.columns)) for gap in gaps)
        if (way ^ permutation_parity(start, problem.goal)) & 1:
            word = "unsolvable"
    return f"# This puzzle is {word}\n{grid.write_sized(problem)}"


NPUZZLE42 = BoardFormat(
    "npuzzle42",
    "# This puzzle is solvable, the size n, n rows of n numbers",
    recognises=lambda text: (
        bool(_COMMENT.search(text)) and grid.looks_sized(grid.content_lines(text))
    ),
    read=lambda text: grid.read_sized(grid.board_lines(text), goal="snail"),
    write=_write,
)
