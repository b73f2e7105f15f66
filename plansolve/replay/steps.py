"""The boards that a plan goes through."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from plansolve.checker import check_plan
from plansolve.errors import PlanError
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import BLANK, Plan, State


@dataclass(frozen=True)
class ReplayStep:
    """A board after `number` moves, the last `move`, and the cells of the tiles it moved."""

    number: int
    move: str | None
    board: State
    changed: frozenset[int]


def checked_plan(problem: Problem, plan: Plan) -> bool:
    """Return True if the plan reaches the goal; raise `PlanError` for the first illegal move."""
    verdict = check_plan(problem, plan)
    if verdict.illegal is not None:
        raise PlanError(f"step {verdict.illegal.step}: {verdict.illegal.reason}")
    return verdict.reaches_goal


def steps(problem: Problem, plan: Plan) -> Iterator[ReplayStep]:
    """Yield the start and the board after each move of a plan; raise `PlanError` first."""
    checked_plan(problem, plan)
    return _steps(problem, plan)


def _steps(problem: Problem, plan: Plan) -> Iterator[ReplayStep]:
    yield ReplayStep(0, None, problem.start, frozenset())
    for number, (before, board) in enumerate(pairwise(boards_of(problem, plan)), start=1):
        changed = (cell for cell, tile in enumerate(board) if tile not in (BLANK, before[cell]))
        yield ReplayStep(number, plan[number - 1], board, frozenset(changed))
