"""A plan as a self-contained HTML page, to watch and to play; also in notebooks.

Untrusted text (labels, names of files and moves) is escaped, and the security policy allows only
the page's own script and style sheet, by hash, and no network.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from plansolve.errors import OptionError
from plansolve.formats import BoardLike, as_plan, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Plan, Puzzle
from plansolve.puzzles.registry import to_goal
from plansolve.replay.drawing import geometry, shown_labels
from plansolve.replay.steps import checked_plan
from plansolve.replay.svg import MARGIN, PITCH, TILE, board_svg
from plansolve.text import PROVED, at_least, counted, shown, suffice

_STYLES = ("page.css", "board.css", "controls.css", "media.css")
_SCRIPTS = ("rules.js", "board.js", "game.js", "arrows.js", "hand.js", "page.js")
_LONGEST_TITLE = 120
_FRAME_HEIGHT = 720


def html_page(
    problem: Problem,
    plan: Plan | None = None,
    *,
    title: str = "",
    optimal_length: int | None = None,
    lower_bound: int | None = None,
    convention: str = "tile",
) -> str:
    """Return the whole page, as text without surrogates, so that it can be written as UTF-8.

    Without a plan, the board can be played. `optimal_length` is the proved length of a shortest
    plan, or else `lower_bound` is proved. `convention` names the moves. Raise `PlanError` for an
    illegal move, and `OptionError` for an optimum or a bound that a plan contradicts.
    """
    reaches_goal = plan is not None and checked_plan(problem, plan)
    if optimal_length is None and plan is not None and lower_bound == len(plan):
        optimal_length = lower_bound
    for what, bound in (("optimal length", optimal_length), ("lower bound", lower_bound)):
        if plan is not None and reaches_goal and (bound or 0) > len(plan):
            moves = counted(len(plan), "move")
            raise OptionError(f"the {what} cannot be {bound}: the plan has {moves}")
    style = "\n".join(["", *map(static, _STYLES)])
    script = "\n".join(['"use strict";', "{", *map(static, _SCRIPTS), "}", ""])
    names = problem.puzzle.blank_names if convention == "blank" else {}
    data = page_data(problem, plan, optimum=optimal_length, names=names)
    page = Template(static("page.html")).substitute(
        policy=f"default-src 'none'; script-src {source_hash(script)}; "
        f"style-src {source_hash(style)}; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        title=escape(shown(title, _LONGEST_TITLE) or problem.puzzle.name),
        subtitle=escape(_subtitle(problem, plan, reaches_goal, optimal_length, lower_bound)),
        board=board_svg(problem.puzzle, problem.start),
        data=_script_json(data),
        mode="play" if plan is None else "watch",
    )
    return page.encode("utf-8", "backslashreplace").decode()


def static(name: str) -> str:
    """Return a style sheet, a script or a page that comes with plansolve."""
    return files("plansolve.replay").joinpath("static", name).read_text(encoding="utf-8")


def source_hash(text: str) -> str:
    """Return the source expression that allows a script or style sheet in a security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def sized_name(puzzle: Puzzle) -> str:
    """Return the name and the size of a puzzle, as a page shows them."""
    return f"{puzzle.name}, {puzzle.rows} × {puzzle.columns}"  # noqa: RUF001 - as it is set in print


def _subtitle(
    problem: Problem,
    plan: Plan | None,
    reaches_goal: bool,
    optimal_length: int | None,
    lower_bound: int | None,
) -> str:
    """Return the puzzle, its size, and what is known about the plan."""
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


def page_data(
    problem: Problem, plan: Plan | None, *, optimum: int | None, names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the object that the page's script reads; all its values can be written as JSON.

    `operators` is a list of [name, ground operators], and a ground operator is [need, cycle, ...]
    where `need` is the blank's cell, null, or the pairs [cell, kind] that the operator needs, and
    the content of each cell of a cycle goes to the next one.
    `plan` holds indices into that list, or is null. `names` renames moves.
    """
    puzzle = problem.puzzle
    index = {name: i for i, name in enumerate(puzzle.move_names)}
    operators: list[tuple[str, list[Any]]] = [
        (names.get(name, name), []) for name in puzzle.move_names
    ]
    for operator in puzzle.operators:
        needs = operator.needs if operator.needs_kinds else operator.blank
        operators[index[operator.name]][1].append([needs, *_cycles(operator)])
    return {
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "labels": shown_labels(puzzle),
        "start": problem.start,
        "goal": puzzle.goal,
        "operators": operators,
        "plan": None if plan is None else [index[move] for move in plan],
        "optimum": optimum,
        "picture": {"pitch": PITCH, "tile": TILE, "margin": MARGIN},
        "layout": _layout(puzzle),
    }


def _layout(puzzle: Puzzle) -> dict[str, Any] | None:
    """Return the positions of the cells and the joined pairs, null for a grid."""
    if puzzle.layout is None:
        return None
    shape = geometry(puzzle)
    return {
        "positions": shape.positions,
        "width": shape.width,
        "height": shape.height,
        "edges": puzzle.layout.edges,
        "holes": puzzle.layout.holes,
    }


def _script_json(data: Mapping[str, Any]) -> str:
    """Return the object as JSON that cannot end the `<script>` element around it."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _cycles(operator: Operator) -> Iterator[list[int]]:
    """Yield the cycles of the cells that change, each from a cell to where its content goes."""
    goes_to = {source: cell for cell, source in operator.moves if cell != source}
    while goes_to:
        cell, after = goes_to.popitem()
        cycle = [cell]
        while after != cycle[0]:
            cycle.append(after)
            after = goes_to.pop(after)
        yield cycle


@dataclass(frozen=True)
class PlanPage:
    """A plan as notebooks show it: the page to watch and to play, in a frame."""

    problem: Problem
    plan: Plan
    lower_bound: int | None = None

    def _repr_html_(self) -> str:
        page = escape(html_page(self.problem, self.plan, lower_bound=self.lower_bound))
        frame = f'width="100%" height="{_FRAME_HEIGHT}" style="border:0"'
        return f'<iframe srcdoc="{page}" {frame}></iframe>'


def show(problem: BoardLike, plan: str | Iterable[object] | None = None) -> Problem | PlanPage:
    """Return an object that a notebook shows as a board, or as a plan to play.

    `problem` is anything that `read_problem` takes, `plan` a text or a list, see `read_plan`. Raise
    `PlanError` for a plan that is not legal.

    >>> import plansolve
    >>> print(plansolve.show([[4, 1, 2], [0, 5, 3], [7, 8, 6]]))
    4 1 2
    0 5 3
    7 8 6
    >>> print(plansolve.show([[4, 1, 2], [0, 5, 3], [7, 8, 6]], "DLLUU").plan)
    DLLUU
    """
    problem = read_problem(problem)
    if plan is None:
        return problem
    moves = as_plan(plan, problem)
    checked_plan(problem, moves)
    return PlanPage(problem, moves)
