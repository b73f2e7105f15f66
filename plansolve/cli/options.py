"""Options that several commands share, as decorators."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plansolve.cli.values import memory, names
from plansolve.formats import FORMATS
from plansolve.formats.notation import CONVENTIONS, STYLES
from plansolve.puzzles.registry import DEFAULT_PUZZLE, FAMILIES, goal_names
from plansolve.solvers.limits import most_memory

__all__ = [
    "board_options",
    "encoding_options",
    "given_plan_options",
    "horizon_option",
    "memory_option",
    "moves_option",
    "new_board_options",
    "plan_options",
    "threads_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])

_LARGEST_HORIZON = 1000


def _default_sizes() -> str:
    """Say which families have boards of which size by default: "4x4 for sliding, 5x5 for ..."."""
    sizes: dict[str, list[str]] = {}
    for family in FAMILIES.values():
        sizes.setdefault("{}x{}".format(*family.default_size), []).append(family.name)
    return ", ".join(f"{size} for {', '.join(names)}" for size, names in sizes.items())


_BOARD = (
    click.argument("file", metavar="FILE"),
    click.option(
        "--puzzle",
        metavar="NAME[:KEY=VALUE,...]",
        help=f"The rules: {', '.join(FAMILIES)}. Default: as the board suggests.",
    ),
    click.option(
        "--goal",
        metavar="NAME|FILE",
        help=f"A named goal ({', '.join(goal_names())}) or a file that holds the goal.",
    ),
    click.option(
        "--format",
        metavar="NAME",
        help=f"How the file is written: {', '.join(FORMATS)}. Default: found out.",
    ),
)

_NEW_BOARD = (
    click.option(
        "--puzzle",
        metavar="NAME[:KEY=VALUE,...]",
        help=f"The rules: {', '.join(FAMILIES)}. "
        f"Default: {DEFAULT_PUZZLE}, or as the given board suggests.",
    ),
    click.option(
        "--size",
        metavar="MxN",
        help=f"Rows and columns. Default: {_default_sizes()}.",
    ),
    click.option("--goal", metavar="NAME|FILE", help="The goal, as for `solve`."),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="S",
        help="The same seed gives the same board. Default: a new one, which is told.",
    ),
)

_ENCODING = (
    click.option(
        "--encoding",
        metavar="NAME",
        help="The encoding; by default chosen by the puzzle's structure.",
    ),
    click.option(
        "--lemmas",
        type=names,
        metavar="LIST",
        help="Lemmas to encode with, separated by commas; `none` for the plain encoding.",
    ),
)

moves_option = click.option(
    "--moves",
    type=click.Choice(CONVENTIONS),
    default="tile",
    show_default=True,
    help="Whether moves are named after the motion of the tile or of the blank.",
)

memory_option = click.option(
    "--memory-limit",
    type=memory,
    callback=lambda ctx, parameter, limit: limit or most_memory(),
    metavar="SIZE",
    help="Stop when the engines need more (500M, 4G). Default: 80% of the machine.",
)

threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cores that a proof or its check may use. Default: all.",
)

_GIVEN_PLAN = (
    click.argument("plan_file", metavar="[PLAN]", required=False),
    click.option("--plan", metavar="MOVES", help="The plan itself, instead of a file."),
)

_PLAN = (
    moves_option,
    click.option(
        "--style",
        type=click.Choice(STYLES),
        default="letters",
        show_default=True,
        help="How the plan is written.",
    ),
)


def board_options(command: Command) -> Command:
    """Return the argument FILE, and --puzzle, --goal and --format: what `load_problem` takes."""
    return _decorated(command, _BOARD)


def new_board_options(command: Command) -> Command:
    """Return the options --puzzle, --size, --goal and --seed of a board that is to be made."""
    return _decorated(command, _NEW_BOARD)


def encoding_options(command: Command) -> Command:
    """Return the options --encoding and --lemmas."""
    return _decorated(command, _ENCODING)


def given_plan_options(command: Command) -> Command:
    """Return the argument PLAN, a file, and the option --plan instead of it."""
    return _decorated(command, _GIVEN_PLAN)


def plan_options(command: Command) -> Command:
    """Return the options --moves and --style: what `format_plan` takes."""
    return _decorated(command, _PLAN)


horizon_option = click.option(
    "--horizon",
    type=click.IntRange(0, _LARGEST_HORIZON),
    required=True,
    metavar="T",
    help="The number of moves.",
)


def _decorated(command: Command, options: tuple[Callable[[Command], Command], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
