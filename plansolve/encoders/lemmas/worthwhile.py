"""From when on the lemmas that need tables pay: these take about a second to make ready."""

from plansolve.bounds.distance import tile_distance_sum
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS, Puzzle

FROM_CELLS = FEW_CELLS + 1
"""Encodings have these lemmas by default on boards of so many cells or more."""

# Smaller boards have no pattern databases.
_LEAST_CELLS = 3
FIRST_HORIZON = 34
"""Shorter horizons are refuted in less time than the tables take: measured on 15-puzzles."""

_LARGE, _LEAST_SLACK = 25, 12
"""On more cells, where tables and perimeters take seconds, so do horizons with less to spare beyond
the tile distances."""

FIRST_DIRECTED_HORIZON = 30
"""The same where moves have a direction: measured on Lloyd's squares."""

FIRST_FREE_HORIZON = 8
"""The same where moves need no blank and move many tiles: measured on 2023 boards."""

_MOST_OPERATORS = 255


def worth_tables(problem: Problem, horizon: int) -> bool:
    """Return True if the formula of this horizon has the clauses of lemmas that need tables.

    On few cells, where tables cost next to nothing, all formulas have them; boards larger than a
    word have no tables.
    """
    cells = problem.puzzle.cells
    if not FEW_CELLS < cells <= WORD_CELLS:
        return _LEAST_CELLS <= cells <= FEW_CELLS
    if not problem.blank_graph.is_symmetric:
        return horizon >= FIRST_DIRECTED_HORIZON
    if cells > _LARGE and horizon < tile_distance_sum(problem) + _LEAST_SLACK:
        return False
    return horizon >= FIRST_HORIZON


def worth_operator_tables(puzzle: Puzzle, horizon: int) -> bool:
    """Return the same for a search along operators, possible only where none needs a blank."""
    operators, cells = puzzle.operators, puzzle.cells
    if any(operator.blank is not None for operator in operators) or not operators:
        return False
    if len(operators) > _MOST_OPERATORS or not _LEAST_CELLS <= cells <= WORD_CELLS:
        return False
    return cells <= FEW_CELLS or horizon >= FIRST_FREE_HORIZON
