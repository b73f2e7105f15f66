"""Construction as an engine: a plan at once, by the first method that finds one.

Where some moves exchange the blank with a tile along a grid, those make a puzzle with a blank graph
whose plans are plans of the puzzle itself; the other moves then cut it short. Else group theory
finds one.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator
from plansolve.solvers.protocol import Budget, Incumbent, Report, Search
from plansolve.solvers.search.constructive.group import group_constructive
from plansolve.solvers.search.constructive.labelled import labelled_soon
from plansolve.solvers.search.constructive.shortcuts import without_detours
from plansolve.solvers.search.constructive.tiles import constructive

_BOARDS = 60
"""The boards near each one of the plan that are looked at for a shorter way."""
_MOVES = 3000
"""Longer plans are left as they are: each board takes too long to look round."""


def blank_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield one plan tile by tile, or some by group theory, the later ones shorter."""
    yield from _first_of((constructive, group_constructive), problem, incumbent, budget)


def any_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever shorter plans; that there is none does not say that the board has none."""
    methods = exchange_constructive, group_constructive
    found = yield from _first_of(methods, problem, incumbent, budget)
    if not found and problem.puzzle.gaps > 1 and not problem.is_solved:
        yield from _after_a_move(problem, incumbent, budget)


def _first_of(
    methods: Iterable[Search], problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, bool]:
    """Yield what the first method tells that finds a plan; return False if none does."""
    found = False
    for method in methods:
        for report in method(problem, incumbent, budget):
            found = found or report.plan is not None
            yield report
        if found:
            break
    return found


def _after_a_move(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Plans by group theory after a first move: one gap moves, and parity may ask for another."""
    for name, operator in problem.puzzle.applicable(problem.start).items():
        found, after = False, Problem(problem.puzzle, operator.apply(problem.start))
        known = Incumbent(upper_bound=incumbent.upper_bound - 1)
        for report in group_constructive(after, known, budget):
            plan = None if report.plan is None else (name, *report.plan)
            found = found or plan is not None
            yield replace(report, plan=plan)
        if found:
            return


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
    """Return True if it exchanges the blank, which it needs in a cell, with one tile."""
    cells = {cell for cell, _ in operator.moves}
    return operator.blank in cells and len(cells) == 2
