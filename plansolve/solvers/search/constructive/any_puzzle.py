"""A plan at once for puzzles of any kind, by the first method that finds one."""

from collections.abc import Iterator
from dataclasses import replace

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
    if problem.puzzle.gaps < 2 or problem.is_solved:
        return
    # The methods move one gap alone, and parity may ask for a move of another one.
    for name, operator in problem.puzzle.applicable(problem.start).items():
        after = Problem(problem.puzzle, operator.apply(problem.start))
        for report in exchange_constructive(after, Incumbent(), budget):
            if report.plan is not None and len(report.plan) + 1 < incumbent.upper_bound:
                yield replace(report, plan=(name, *report.plan))
                return
            yield Report(report.by)
