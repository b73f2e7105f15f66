"""A plan at once for puzzles of any kind, by the first method that finds one."""

from collections.abc import Iterator

from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.constructive.exchanges import exchange_constructive
from plansolve.solvers.search.constructive.group import group_constructive

__all__ = ["any_constructive"]


def any_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever shorter plans; that there is none does not say that the board has none."""
    found = False
    for method in (exchange_constructive, group_constructive):
        for report in method(problem, incumbent, budget):
            found = found or report.plan is not None
            yield report
        if found:
            return
