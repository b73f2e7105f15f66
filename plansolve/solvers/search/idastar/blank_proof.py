"""Proofs by IDA* on blank graphs with the best heuristic that the board's size allows."""

from collections.abc import Generator, Iterator

from plansolve.model.problem import Problem
from plansolve.patterns.additive import AdditiveSets
from plansolve.patterns.goal_tables import goal_tables
from plansolve.patterns.partition import MOST_CELLS, default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.blank import all_plans, count_plans, fewest_penalty, idastar

__all__ = ["blank_all_plans", "blank_count_plans", "blank_idastar", "blank_least_penalty"]

_NAME = "idastar"
# Patterns of two tiles see little more than single ones, and cost much more at each node.
_SMALLEST_PATTERN = 3
# So small a board is searched through before a table is built.
_FEW_CELLS = 9


def blank_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* until a plan is found; the problem must have a blank graph."""
    sets = yield from _tables(problem)
    yield from idastar(problem, incumbent, budget, sets)


def blank_least_penalty(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Shortest plans of less and less penalty; their length is the incumbent's bound."""
    sets = yield from _tables(problem)
    yield from fewest_penalty(problem, incumbent.lower_bound, budget, sets, below=incumbent.penalty)


def blank_all_plans(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    sets = yield from _tables(problem)
    yield from all_plans(problem, incumbent.lower_bound, budget, sets)


def blank_count_plans(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound."""
    sets = yield from _tables(problem)
    yield from count_plans(problem, incumbent.lower_bound, budget, sets)


def _tables(problem: Problem) -> Generator[Report, None, AdditiveSets | None]:
    """The pattern databases, or None for boards too small to need any or too large to have any."""
    cells = problem.puzzle.cells
    small = cells <= _FEW_CELLS
    if small or cells > MOST_CELLS or default_size(cells) < _SMALLEST_PATTERN:
        return None
    return (yield from run_in_background(lambda tell: goal_tables(problem, tell), _NAME))
