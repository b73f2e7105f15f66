"""IDA* with a bound that is chosen by name, or else tile distances, on puzzles of any kind."""

from collections.abc import Iterator

from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.idastar.bound_tree import bound_tree
from plansolve.solvers.search.idastar.idastar import idastar, settled

__all__ = ["bounded_idastar"]


def bounded_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* with the bound of the options until a plan is found.

    The bound has to be admissible, and need not be consistent. The search ends at once where the
    tables do not fit into the memory.
    """
    name = budget.options.bound
    bound = TileDistances() if name is None else admissible_bound(name, problem)
    if report := settled(problem):
        yield report
    elif (tree := bound_tree(problem, bound, budget)) is not None:
        yield from idastar(tree, incumbent, budget)
