"""Where the lemmas that need tables are taken up: they cost about a second before they save any."""

from plansolve.model.problem import Problem

__all__ = ["is_deep"]

# On smaller boards tables cost next to nothing, and only those who ask for the lemmas have them.
_SMALL = 9
_FIRST_HORIZON = 34
# Larger boards have no pattern databases.
_MOST_CELLS = 64


def is_deep(problem: Problem, horizon: int) -> bool:
    """Whether the formula of this horizon is worth tables; nothing else decides about that."""
    cells = problem.puzzle.cells
    return cells <= _SMALL or (horizon >= _FIRST_HORIZON and cells <= _MOST_CELLS)
