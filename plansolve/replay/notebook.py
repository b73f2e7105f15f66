"""Boards and plans in notebooks: `plansolve.show(problem)`, `plansolve.show(problem, plan)`."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from plansolve.formats import BoardLike, as_plan, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.replay.page import html_page
from plansolve.replay.steps import checked_plan
from plansolve.replay.svg import board_svg

__all__ = ["BoardPicture", "PlanPage", "show"]

_HEIGHT = 720


@dataclass(frozen=True)
class BoardPicture:
    """A problem's board, as notebooks show it."""

    problem: Problem

    def _repr_svg_(self) -> str:
        return board_svg(self.problem.puzzle, self.problem.start)

    def __str__(self) -> str:
        return self.problem.puzzle.board_text(self.problem.start)


@dataclass(frozen=True)
class PlanPage:
    """A plan, as notebooks show it: the page to watch and to play, in a frame of its own."""

    problem: Problem
    plan: Plan

    def _repr_html_(self) -> str:
        page = escape(html_page(self.problem, self.plan))
        return f'<iframe srcdoc="{page}" width="100%" height="{_HEIGHT}" style="border:0"></iframe>'


def show(problem: BoardLike, plan: str | Iterable[str] | None = None) -> BoardPicture | PlanPage:
    """Return what a notebook shows as the board, or as the plan that leads on from it.

    `problem` is anything that `read_problem` takes, `plan` a text or the names of moves. Raise
    `PlanError` for a plan that is not legal.

    >>> import plansolve
    >>> print(plansolve.show([[4, 1, 2], [0, 5, 3], [7, 8, 6]]))
    4 1 2
    0 5 3
    7 8 6
    >>> plansolve.show([[4, 1, 2], [0, 5, 3], [7, 8, 6]], "DLLUU").plan
    ('D', 'L', 'L', 'U', 'U')
    """
    problem = read_problem(problem)
    if plan is None:
        return BoardPicture(problem)
    moves = as_plan(plan, problem.puzzle)
    checked_plan(problem, moves)
    return PlanPage(problem, moves)
