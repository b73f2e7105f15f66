"""The shortest plans that a certificate lists: what they pass, and the least penalty among them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from plansolve.certcheck.options import CheckFailed
from plansolve.checker import check_plan
from plansolve.model.problem import Problem, boards_of, operators_of
from plansolve.model.puzzle import BLANK, Plan, State

if TYPE_CHECKING:
    from plansolve.certcheck.justify.formula import Listed

__all__ = ["boards_passed", "least_penalty", "listed"]

Boards: TypeAlias = tuple[State, ...]


def boards_passed(problem: Problem, plans: Sequence[Plan], length: int) -> set[Boards]:
    """Return the boards that each of the plans passes.

    Raise `CheckFailed` where one is no plan of that length, or two pass the same boards.
    """
    passed = set()
    for number, plan in enumerate(plans, start=1):
        if len(plan) != length or not check_plan(problem, plan).solves:
            raise CheckFailed(f"plan {number} is not a plan of {length} moves")
        passed.add(tuple(boards_of(problem, plan)))
    if len(passed) < len(plans):
        raise CheckFailed("two of the plans pass the same boards")
    return passed


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


def listed(problem: Problem, boards: Iterable[Boards], plans: Iterable[Plan]) -> "Listed":
    """Return the plans as the justification of a formula wants them."""
    from plansolve.certcheck.justify.formula import Listed

    # Operators may share a name; each plan's are told apart by where the blank is.
    number = {id(operator): i for i, operator in enumerate(problem.puzzle.operators)}
    sequences = frozenset(tuple(number[id(o)] for o in operators_of(problem, p)) for p in plans)
    if not problem.puzzle.has_blank:
        return Listed(frozenset(), sequences)
    walks = frozenset(tuple(board.index(BLANK) for board in passed) for passed in boards)
    return Listed(walks, sequences)
