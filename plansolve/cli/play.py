"""plansolve play: a board to play in the terminal."""

import secrets
import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from plansolve.apps.play.advice import Adviser
from plansolve.apps.play.game import Game
from plansolve.apps.play.session import Session
from plansolve.cli import options
from plansolve.cli.board import load_problem, puzzle_of
from plansolve.cli.progress import ProgressReport
from plansolve.errors import OptionError
from plansolve.exit_codes import INTERRUPTED, SOLVED
from plansolve.formats import FORMATS, format_plan
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    from plansolve.apps.play.keys import Arrow, Keyboard
    from plansolve.apps.play.terminal_screen import TerminalScreen

__all__ = ["command"]

_SEEDS = 10_000
_LONGEST_LINE = 1 << 20
_PROMPT = "> "


@click.command("play")
@click.argument("file", metavar="[BOARD]", required=False)
@options.new_board
@click.option(
    "--format",
    metavar="NAME",
    help=f"How the file is written: {', '.join(FORMATS)}. Default: found out.",
)
@options.moves
@options.time_limit("How long plansolve may look for a plan when it is asked.", "10s")
def command(
    file: str | None,
    puzzle: str | None,
    size: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    seed: int | None,
    moves: str,
    time_limit: float,
) -> int:
    """Play the board in BOARD, or a random one (--puzzle, --size, --goal and --seed).

    Type moves, `undo`, `hint`, `solve`, `reset`, `help` or `quit`; on a terminal the arrow keys
    move as well, as --moves says. The lines may come from a pipe; the game ends where they end.
    """
    if file is not None and (size is not None or seed is not None):
        raise click.UsageError("--size and --seed are for a random board: leave BOARD out")
    if file is None and format is not None:
        raise click.UsageError("--format tells how BOARD is written: give one")
    if file == "-":
        raise OptionError("standard input holds what is typed: give the board as a file")
    if sys.stdin is None:
        raise OptionError("standard input is closed: nothing can be typed")
    problem, note = _problem(file, puzzle, size, goal, format, seed)
    format_plan((), problem.puzzle, "letters", moves)
    # Not before the options are known to be right.
    from rich.console import Console

    from plansolve.apps.play.terminal_screen import TerminalScreen

    console = Console(highlight=False)
    progress = partial(ProgressReport, quiet=False, verbose=False)
    screen = TerminalScreen(console, moves, progress)
    has_keys = console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty()
    keyboard = _keyboard(screen) if has_keys else None
    with Adviser(time_limit) as adviser:
        session = Session(Game(problem), adviser, screen, moves, keyboard is not None)
        if note:
            screen.say(note)
        try:
            _run(session, screen, keyboard)
        except KeyboardInterrupt:
            screen.say("")
            session.leave()
            return INTERRUPTED
    return SOLVED


def _problem(
    file: str | None,
    puzzle: str | None,
    size: str | None,
    goal: str | None,
    format_: str | None,
    seed: int | None,
) -> tuple[Problem, str]:
    """Return the board to play, and how to get it again."""
    if file is not None:
        return load_problem(file, puzzle, goal, format_), ""
    rules = puzzle_of(puzzle, size, goal)
    chosen = secrets.randbelow(_SEEDS) if seed is None else seed
    start = BoardSampler(rules).solvable(Randomness(chosen).child())
    return Problem(rules, start), f"{rules.title}, seed {chosen}"


def _keyboard(screen: "TerminalScreen") -> "Keyboard | None":
    """Return the terminal key by key; None on systems that have no such terminals."""
    try:
        from plansolve.apps.play.keys import Keyboard
    except ImportError:
        return None
    return Keyboard(sys.stdin.fileno(), screen.echo)


def _run(session: Session, screen: "TerminalScreen", keyboard: "Keyboard | None") -> None:
    """Play until the end of the game or of the input."""
    goes_on = session.begin()
    inputs = _lines() if keyboard is None else _keys(keyboard)
    while goes_on:
        typed = next(inputs, None)
        if typed is None:
            session.leave()
            return
        if isinstance(typed, str):
            screen.typed()
            goes_on = session.enter(typed)
        else:
            goes_on = session.arrow(typed.direction)


def _lines() -> Iterator[str]:
    while line := sys.stdin.buffer.readline(_LONGEST_LINE):
        yield line.decode("utf-8", "replace")


def _keys(keyboard: "Keyboard") -> "Iterator[str | Arrow]":
    while (typed := keyboard.read(_PROMPT)) is not None:
        yield typed
