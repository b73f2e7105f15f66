"""A plan as one HTML page that needs nothing else: to watch, and to play with.

Whatever comes from outside (labels, names of files and moves) is escaped, and as a second guard
the page's security policy allows its own script and style sheet, by their hashes, and no network.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, Puzzle
from plansolve.puzzles.registry import to_goal
from plansolve.replay.page_data import page_data, script_json
from plansolve.replay.steps import checked_plan
from plansolve.replay.svg import board_svg
from plansolve.text import PROVED, at_least, counted, suffice

__all__ = ["html_page", "shared_style", "sized_name"]

_STYLES = ("page.css", "board.css", "controls.css", "media.css")
_SCRIPTS = ("rules.js", "board.js", "game.js", "arrows.js", "hand.js", "page.js")
_LONGEST_TITLE = 120


def html_page(
    problem: Problem,
    plan: Plan | None = None,
    *,
    title: str = "",
    optimal_length: int | None = None,
    lower_bound: int | None = None,
    convention: str = "tile",
) -> str:
    """Return the whole page, as text without surrogates, ready to be written as UTF-8.

    Without a plan the board is there to be played. `optimal_length` is the proved length of a
    shortest plan, where it is known, and `lower_bound` what is proved where it is not. Under the
    `blank` convention the moves are named after the motion of the blank. Raise `PlanError` for an
    illegal move, and `OptionError` for an optimum or a bound that a plan contradicts.
    """
    reaches_goal = plan is not None and checked_plan(problem, plan)
    for what, bound in (("optimal length", optimal_length), ("lower bound", lower_bound)):
        if plan is not None and reaches_goal and (bound or 0) > len(plan):
            moves = counted(len(plan), "move")
            raise OptionError(f"the {what} cannot be {bound}: the plan has {moves}")
    style = "\n".join(["", *map(_static, _STYLES)])
    script = "\n".join(['"use strict";', "{", *map(_static, _SCRIPTS), "}", ""])
    names = problem.puzzle.blank_names if convention == "blank" else {}
    data = page_data(problem, plan, optimum=optimal_length, names=names)
    page = Template(_static("page.html")).substitute(
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        title=escape(_shown(title) or problem.puzzle.name),
        subtitle=escape(_subtitle(problem, plan, reaches_goal, optimal_length, lower_bound)),
        board=board_svg(problem.puzzle, problem.start),
        data=script_json(data),
        mode="play" if plan is None else "watch",
    )
    return page.encode("utf-8", "backslashreplace").decode()


def shared_style() -> str:
    """Return the style sheet that all pages share: their colours, their face, their headings."""
    return _static("page.css")


def _static(name: str) -> str:
    return files("plansolve.replay").joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _shown(title: str) -> str:
    """Return the title on one line, and not longer than a line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in title).split())
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…"


def sized_name(puzzle: Puzzle) -> str:
    """Return what a page says of a puzzle: its name and its size."""
    return f"{puzzle.name}, {puzzle.rows} × {puzzle.columns}"  # noqa: RUF001 - as it is set in print


def _subtitle(
    problem: Problem,
    plan: Plan | None,
    reaches_goal: bool,
    optimal_length: int | None,
    lower_bound: int | None,
) -> str:
    """Return the puzzle, its size, and what is known of the plan."""
    parts = [sized_name(problem.puzzle), *filter(None, [to_goal(problem.puzzle).strip()])]
    if plan is None:
        if optimal_length is not None:
            parts.append(suffice(optimal_length))
        return ", ".join(parts)
    moves = counted(len(plan), "move")
    if not reaches_goal:
        what = f"{moves} that {'does' if len(plan) == 1 else 'do'} not reach the goal"
    elif optimal_length == len(plan):
        what = f"a plan of {moves}, {PROVED}"
    elif optimal_length is not None:
        what = f"a plan of {moves}; {suffice(optimal_length, '')}"
    elif lower_bound is not None:
        what = f"a plan of {moves}, not {PROVED}: {at_least(lower_bound)}"
    else:
        what = f"a plan of {moves}"
    return ", ".join((*parts, what))
