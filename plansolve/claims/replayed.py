"""The checker for Python programs: boards and plans in any form, replayed move by move."""

from collections.abc import Iterable

from plansolve import checker
from plansolve.checker import Verdict
from plansolve.formats import BoardLike, as_plan, read_problem

__all__ = ["check_plan"]


def check_plan(problem: BoardLike, plan: str | Iterable[str]) -> Verdict:
    """Replay a plan from the problem's start until its end or its first illegal move.

    `problem` is anything that `read_problem` takes, `plan` a text or the names of moves. Raise
    `PlanError` for a text that is no plan; a move that the rules do not allow is a verdict.

    >>> import plansolve
    >>> board = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
    >>> plansolve.check_plan(board, "DLLUU").solves
    True
    >>> plansolve.check_plan(board, "DR").illegal.reason
    'R cannot be made while the blank is in row 1 column 1; possible there: U L'
    """
    problem = read_problem(problem)
    return checker.check_plan(problem, as_plan(plan, problem.puzzle))
