"""The shortest plans that a certificate lists: that they differ, and the least penalty among them.

Plans are told apart by what their moves do to the cells: two operators that do the same in one
place count once. Where no pieces are alike, these are the plans that pass different boards.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from plansolve.certcheck.options import CheckFailed
from plansolve.checker import check_plan
from plansolve.model.problem import Problem, boards_of, operators_of
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.text import counted

if TYPE_CHECKING:
    from plansolve.certcheck.justify.formula import Listed

__all__ = ["least_penalty", "listed", "require_different"]


def require_different(problem: Problem, plans: Sequence[Plan], length: int) -> None:
    """Raise `CheckFailed` where one is no plan of that length, or two make the same moves."""
    cells = problem.puzzle.cells
    effects = {id(operator): operator.destinations(cells) for operator in problem.puzzle.operators}
    made = set[tuple[tuple[int, ...], ...]]()
    for number, plan in enumerate(plans, start=1):
        if len(plan) != length or not check_plan(problem, plan).solves:
            raise CheckFailed(f"plan {number} is not a plan of {counted(length, 'move')}")
        made.add(tuple(effects[id(operator)] for operator in operators_of(problem, plan)))
    if len(made) < len(plans):
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


def listed(problem: Problem, plans: Sequence[Plan]) -> "Listed":
    """Return the plans as the justification of a formula wants them."""
    from plansolve.certcheck.justify.formula import Listed

    # Operators may share a name; each plan's are told apart by where the one blank is.
    number = {id(operator): i for i, operator in enumerate(problem.puzzle.operators)}
    sequences = frozenset(tuple(number[id(o)] for o in operators_of(problem, p)) for p in plans)
    if not problem.puzzle.has_one_blank:
        return Listed(frozenset(), sequences)
    walks = frozenset(
        tuple(board.index(BLANK) for board in boards_of(problem, plan)) for plan in plans
    )
    return Listed(walks, sequences)
