"""A plan where some moves exchange the blank with a tile along a grid: by those moves alone.

They make a puzzle with a blank graph, whose plans are plans of the puzzle itself. The other moves
then cut it short.
"""

from collections.abc import Iterator
from dataclasses import replace

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.constructive.labelled import labelled_soon
from plansolve.solvers.search.constructive.shortcuts import without_detours
from plansolve.solvers.search.constructive.tiles import constructive

__all__ = ["exchange_constructive"]

_BOARDS = 60
"""The boards near each one of the plan that are looked at for a shorter way."""
_MOVES = 3000
"""Longer plans are left as they are: each board takes too long to look round."""


def exchange_constructive(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Yield a plan, and a shorter one; none where the exchanges make no grid, or do not solve the
    board alone.
    """
    puzzle = problem.puzzle
    exchanges = tuple(operator for operator in puzzle.operators if _is_exchange(operator))
    if not exchanges:
        return
    simple = Problem(replace(puzzle, operators=exchanges), problem.start)
    ways = [((), simple)] if puzzle.is_distinct else labelled_soon(simple)
    for first, told_apart in ways:
        for report in constructive(told_apart, Incumbent(), budget):
            assert report.plan is not None
            plan = without_detours(problem, (*first, *report.plan), 0)
            if len(plan) < incumbent.upper_bound:
                yield replace(report, plan=plan)
            if len(plan) <= _MOVES:
                shorter = without_detours(problem, plan, _BOARDS)
                if len(shorter) < min(len(plan), incumbent.upper_bound):
                    yield replace(report, plan=shorter)
            return


def _is_exchange(operator: Operator) -> bool:
    """Whether it exchanges the blank, which it needs in a cell, with one tile."""
    cells = {cell for cell, _ in operator.moves}
    return operator.blank in cells and len(cells) == 2
