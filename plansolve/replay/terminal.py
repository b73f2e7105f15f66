"""A plan in the terminal: board after board in place, or as text where there is no terminal."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.live import Live
from rich.text import Text

from plansolve.formats.notation import format_plan
from plansolve.model.problem import Problem, operators_of
from plansolve.model.puzzle import BLANK, Plan, Puzzle, State

__all__ = ["animate", "board_view", "can_redraw"]

# Colours alone would say nothing where there are none: what is in place is bold as well.
_IN_PLACE = "bold green"
_MOVED = "reverse"


@dataclass(frozen=True)
class _Frame:
    """The board after a step, the cells that it changed, and the line above the board."""

    board: State
    changed: frozenset[int]
    title: str


def animate(
    problem: Problem,
    plan: Plan,
    console: Console,
    speed: float = 2.0,
    *,
    animation: bool = True,
    convention: str = "tile",
) -> None:
    """Shows a legal plan, `speed` moves a second, with tiles in place and the last move marked.

    Where boards cannot be shown in one place (see `can_redraw`), or without `animation`, they are
    printed one after the other. Moves are named in `convention`. Raises `PlanError`, before
    anything is shown, for a plan that is not legal, and `OptionError` for a convention that the
    puzzle does not have.
    """
    frames = list(_frames(problem, plan, convention))
    if not (animation and can_redraw(problem.puzzle, console)):
        for frame in frames:
            console.print(_frame_text(problem.puzzle, frame, console.is_terminal), soft_wrap=True)
        return
    with Live(console=console, auto_refresh=False) as live:
        for number, frame in enumerate(frames):
            if number:
                time.sleep(1 / speed)
            live.update(_frame_text(problem.puzzle, frame, marked=True), refresh=True)


def board_view(puzzle: Puzzle, board: State, changed: Iterable[int] = ()) -> Text:
    """The board with its tiles in place marked, and the cells that the last move has changed."""
    width = max(len(label) for label in puzzle.labels)
    marked = frozenset(changed)
    view = Text()
    for cell, tile in enumerate(board):
        label = puzzle.labels[tile].rjust(width)
        style = _IN_PLACE if tile == puzzle.goal[cell] and tile != BLANK else ""
        if tile == BLANK:
            label, style = (
                ("." if puzzle.labels[BLANK] == "0" else label.strip()).rjust(width),
                "dim",
            )
        elif cell in marked:
            style = f"{style} {_MOVED}".strip()
        view.append(f" {label} ", style)
        if (cell + 1) % puzzle.columns == 0 and cell + 1 < len(board):
            view.append("\n")
    return view


def can_redraw(puzzle: Puzzle, console: Console) -> bool:
    """Whether boards can be shown in one place: on a terminal that a board and its title fit."""
    width = puzzle.columns * (2 + max(len(label) for label in puzzle.labels))
    return (
        console.is_terminal
        and not console.is_dumb_terminal
        and width <= console.width
        and puzzle.rows + 2 <= console.height
    )


def _frames(problem: Problem, plan: Plan, convention: str) -> Iterator[_Frame]:
    puzzle, board = problem.puzzle, problem.start
    operators = operators_of(problem, plan)
    format_plan(plan, puzzle, "letters", convention)
    yield _Frame(board, frozenset(), f"start, {_moves(len(plan))} to come")
    for step, operator in enumerate(operators, start=1):
        board = operator.apply(board)
        name = format_plan((operator.name,), puzzle, "letters", convention)
        end = ": the goal" if step == len(plan) and board == puzzle.goal else ""
        changed = frozenset(cell for cell, _ in operator.moves)
        yield _Frame(board, changed, f"move {step} of {len(plan)}: {name}{end}")


def _frame_text(puzzle: Puzzle, frame: _Frame, marked: bool) -> Text:
    board = (
        board_view(puzzle, frame.board, frame.changed)
        if marked
        else Text(puzzle.board_text(frame.board))
    )
    return Text.assemble(frame.title, "\n", board, "\n")


def _moves(count: int) -> str:
    return f"{count} move{'s' * (count != 1)}"
