"""Boards and plans in notebooks: `plansolve.show(problem)`, `plansolve.show(problem, plan)`."""

from dataclasses import dataclass
from html import escape

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


def show(problem: Problem, plan: Plan | None = None) -> BoardPicture | PlanPage:
    """Return what a notebook shows as the board, or as the plan that leads on from it.

    Raise `PlanError` for a plan that is not legal.
    """
    if plan is None:
        return BoardPicture(problem)
    checked_plan(problem, plan)
    return PlanPage(problem, plan)
