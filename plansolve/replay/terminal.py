"""A plan in the terminal: board after board in place, or as text without a terminal."""

import time
from collections.abc import Iterable

from rich.console import Console
from rich.live import Live
from rich.text import Text

from plansolve.formats.notation import format_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, Puzzle, State
from plansolve.replay.drawing import colour_of, painted, shown_labels
from plansolve.replay.steps import ReplayStep, steps
from plansolve.text import counted

# A terminal may have no colours, so tiles in place are also bold.
_IN_PLACE = "bold green"
_MOVED = "reverse"


def animate(
    problem: Problem,
    plan: Plan,
    console: Console,
    speed: float = 2.0,
    *,
    animation: bool = True,
    convention: str = "tile",
) -> None:
    """Show a legal plan, `speed` moves a second, with tiles in place and the last move marked.

    If boards do not fit (see `can_redraw`), or without `animation`, they are printed one after the
    other. Raise `PlanError` first for an illegal plan, and `OptionError` for an unknown convention.
    """
    format_plan(plan, problem.puzzle, "letters", convention)

    def picture(step: ReplayStep, marked: bool = True) -> Text:
        puzzle, board = problem.puzzle, step.board
        view = board_view(puzzle, board, step.changed) if marked else Text(puzzle.board_text(board))
        return Text.assemble(_title(problem, plan, step, convention), "\n", view, "\n")

    if not (animation and can_redraw(problem.puzzle, console)):
        for step in steps(problem, plan):
            console.print(picture(step, marked=console.is_terminal), soft_wrap=True)
        return
    with Live(console=console, auto_refresh=False) as live:
        for step in steps(problem, plan):
            if step.number:
                time.sleep(1 / speed)
            live.update(picture(step), refresh=True)


def board_view(puzzle: Puzzle, board: State, changed: Iterable[int] = ()) -> Text:
    """Return the board, its tiles in place and the cells of the last move marked."""
    labels = shown_labels(puzzle)
    width = max(map(len, labels))
    marked = frozenset(changed)
    view = Text()
    for cell, tile in enumerate(board):
        label = labels[tile].rjust(width)
        style = _IN_PLACE if tile == puzzle.goal[cell] and tile != BLANK else ""
        if tile == BLANK:
            label, style = (
                ("." if puzzle.labels[BLANK] == "0" else label.strip()).rjust(width),
                "dim",
            )
        elif colour := colour_of(puzzle, tile):
            kind = painted(colour, is_marked=False)
            style = f"{kind.ink} on {kind.fill}" + " bold underline" * (cell in marked)
        elif puzzle.layout and cell in puzzle.layout.holes:
            style = "dim"
        elif cell in marked:
            style = f"{style} {_MOVED}".strip()
        view.append(f" {label} ", style)
        if (cell + 1) % puzzle.columns == 0 and cell + 1 < len(board):
            view.append("\n")
    return view


def can_redraw(puzzle: Puzzle, console: Console) -> bool:
    """Return True if boards can be shown in place: on a terminal that a board and its title fit."""
    width = puzzle.columns * (2 + max(map(len, shown_labels(puzzle))))
    return (
        console.is_terminal
        and not console.is_dumb_terminal
        and width <= console.width
        and puzzle.rows + 2 <= console.height
    )


def _title(problem: Problem, plan: Plan, step: ReplayStep, convention: str) -> str:
    """Return the line above a board."""
    if step.move is None:
        return f"start, {counted(len(plan), 'move')} to come"
    name = format_plan((step.move,), problem.puzzle, "letters", convention)
    end = ": the goal" if step.number == len(plan) and problem.puzzle.is_goal(step.board) else ""
    return f"move {step.number} of {len(plan)}: {name}{end}"
