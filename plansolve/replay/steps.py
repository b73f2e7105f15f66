"""The boards that a plan goes through."""

from collections.abc import Iterator
from dataclasses import dataclass

from plansolve.checker import check_plan
from plansolve.errors import PlanError
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import BLANK, Plan, State

__all__ = ["Step", "checked_plan", "steps"]


@dataclass(frozen=True)
class Step:
    """One board of a replay.

    `number` counts the moves made, `move` is the last of them, None on the first board, and
    `changed` are the cells of the tiles that it moved.
    """

    number: int
    move: str | None
    board: State
    changed: frozenset[int]


def checked_plan(problem: Problem, plan: Plan) -> bool:
    """Whether the plan reaches the goal; raises `PlanError` for the first illegal move."""
    verdict = check_plan(problem, plan)
    if verdict.illegal is not None:
        raise PlanError(f"step {verdict.illegal.step}: {verdict.illegal.reason}")
    return verdict.reaches_goal


def steps(problem: Problem, plan: Plan) -> Iterator[Step]:
    """The start and the board after each move, which are one more than the moves.

    Raises `PlanError` for an illegal move before the first board.
    """
    checked_plan(problem, plan)
    return _steps(problem, plan)


def _steps(problem: Problem, plan: Plan) -> Iterator[Step]:
    board = problem.start
    yield Step(0, None, board, frozenset())
    for number, operator in enumerate(operators_of(problem, plan), start=1):
        board = operator.apply(board)
        changed = frozenset(cell for cell, _ in operator.moves if board[cell] != BLANK)
        yield Step(number, operator.name, board, changed)
