"""A plan for puzzles some of whose moves exchange the blank with a tile: by those moves alone.

They make a puzzle with a blank graph, whose plans are plans of the puzzle itself. The other moves
then cut it short.
"""

from collections.abc import Iterator
from dataclasses import replace

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.constructive.shortcuts import without_detours
from plansolve.solvers.search.constructive.tiles import blank_constructive

__all__ = ["exchange_constructive"]

_BOARDS = 60
"""The boards near each one of the plan that are looked at for a shorter way."""


def exchange_constructive(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """Yield plans; none where the exchanges alone do not solve the board, or pieces are alike."""
    puzzle = problem.puzzle
    exchanges = tuple(operator for operator in puzzle.operators if _is_exchange(operator))
    if not exchanges or not puzzle.is_distinct:
        return
    simple = Problem(replace(puzzle, operators=exchanges), problem.start)
    for report in blank_constructive(simple, Incumbent(), budget):
        if report.plan is None:
            yield report
            continue
        plan = without_detours(problem, report.plan, _BOARDS)
        if len(plan) < incumbent.upper_bound:
            yield replace(report, plan=plan)


def _is_exchange(operator: Operator) -> bool:
    """Whether it exchanges the blank, which it needs in a cell, with one tile."""
    cells = {cell for cell, _ in operator.moves}
    return operator.blank in cells and len(cells) == 2
