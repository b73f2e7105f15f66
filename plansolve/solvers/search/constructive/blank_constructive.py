"""A plan at once on a blank graph: tile by tile on grids, by group theory elsewhere."""

from collections.abc import Iterator

from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report

__all__ = ["blank_constructive"]


def blank_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """One plan or some, the later ones shorter; none where neither method applies."""
    from plansolve.solvers.search.constructive.tiles import constructive

    found = False
    for report in constructive(problem, incumbent, budget):
        found |= report.plan is not None
        yield report
    if not found:
        from plansolve.solvers.search.constructive.group import group_constructive

        yield from group_constructive(problem, incumbent, budget)
