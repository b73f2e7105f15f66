"""The shortest plans that a certificate lists: that they differ, and the least penalty among them.

Plans are told apart by what their moves do to the cells: two operators that do the same in one
place count once. Where no pieces are alike, these are the plans that pass different boards.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from plansolve.certcheck.options import CheckFailed
from plansolve.checker import check_plan
from plansolve.model.problem import Problem, boards_of, operators_of
from plansolve.model.puzzle import Plan, State
from plansolve.text import counted

__all__ = ["least_penalty", "naming_moves", "require_different"]


def naming_moves(problem: Problem) -> Callable[[Plan], tuple[int, ...]]:
    """Return a function that numbers what each move of a legal plan does to the cells."""
    number: dict[tuple[int, ...], int] = {}
    numbers = {
        id(operator): number.setdefault(operator.destinations(problem.puzzle.cells), len(number))
        for operator in problem.puzzle.operators
    }
    return lambda plan: tuple(numbers[id(operator)] for operator in operators_of(problem, plan))


def require_different(problem: Problem, plans: Sequence[Plan], length: int) -> None:
    """Raise `CheckFailed` where one is no plan of that length, or two make the same moves."""
    for number, plan in enumerate(plans, start=1):
        if len(plan) != length or not check_plan(problem, plan).solves:
            raise CheckFailed(f"plan {number} is not a plan of {counted(length, 'move')}")
    if len({*map(naming_moves(problem), plans)}) < len(plans):
        raise CheckFailed("two of the plans make the same moves")


def least_penalty(problem: Problem, plans: Iterable[Plan]) -> int:
    """Return the least penalty of all plans that pass the same boards as one of these.

    Several operators may have the same effect and different penalties, and a list names only one.
    """
    return min(
        sum(_lightest(problem, *step) for step in pairwise(boards_of(problem, plan)))
        for plan in plans
    )


def _lightest(problem: Problem, before: State, after: State) -> int:
    return min(
        operator.penalty
        for operator in problem.puzzle.operators
        if operator.applies_to(before) and operator.apply(before) == after
    )
