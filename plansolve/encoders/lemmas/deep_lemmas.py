"""Where the lemmas that need tables are taken up: they cost about a second before they save any."""

from plansolve.bounds.distance import tile_distance_sum
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS

__all__ = ["is_deep"]

# Measured on 15-puzzles: below, a formula without tables is refuted in less time than they take.
_FIRST_HORIZON = 34
_LEAST_SLACK = 12


def is_deep(problem: Problem, horizon: int) -> bool:
    """Whether the formula of this horizon is worth tables; nothing else decides about that."""
    cells = problem.puzzle.cells
    # On few cells tables cost next to nothing, and only those who ask for the lemmas have them;
    # boards larger than a word have no tables.
    if cells <= FEW_CELLS or cells > WORD_CELLS:
        return cells <= FEW_CELLS
    return horizon >= max(_FIRST_HORIZON, tile_distance_sum(problem) + _LEAST_SLACK)
