"""Where the lemmas that need tables are taken up: they cost about a second before they save any."""

from plansolve.bounds.distance import tile_distance_sum
from plansolve.model.problem import Problem

__all__ = ["is_deep"]

# On smaller boards tables cost next to nothing, and only those who ask for the lemmas have them.
_SMALL = 9
# Measured on 15-puzzles: below, a formula without tables is refuted in less time than they take.
_FIRST_HORIZON = 34
_LEAST_SLACK = 12
# Larger boards have no pattern databases.
_MOST_CELLS = 64


def is_deep(problem: Problem, horizon: int) -> bool:
    """Whether the formula of this horizon is worth tables; nothing else decides about that."""
    cells = problem.puzzle.cells
    if cells <= _SMALL or cells > _MOST_CELLS:
        return cells <= _SMALL
    return horizon >= max(_FIRST_HORIZON, tile_distance_sum(problem) + _LEAST_SLACK)
