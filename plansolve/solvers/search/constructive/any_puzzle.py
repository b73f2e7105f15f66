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
    if problem.puzzle.gaps > 1 and not problem.is_solved:
        yield from _after_a_move(problem, incumbent, budget)


def _after_a_move(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Plans by group theory after a first move: one gap moves, and parity may ask for another."""
    for name, operator in problem.puzzle.applicable(problem.start).items():
        found = False
        after = Problem(problem.puzzle, operator.apply(problem.start))
        known = Incumbent(upper_bound=incumbent.upper_bound - 1)
        for report in group_constructive(after, known, budget):
            plan = None if report.plan is None else (name, *report.plan)
            found = found or plan is not None
            yield replace(report, plan=plan)
        if found:
            return
