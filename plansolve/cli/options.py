"""Options that several commands share, as decorators."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plansolve.cli.values import duration, memory, names
from plansolve.formats import FORMATS
from plansolve.formats.notation import CONVENTIONS, STYLES
from plansolve.puzzles.registry import DEFAULT_PUZZLE, FAMILIES, goal_names
from plansolve.solvers.limits import most_memory

__all__ = [
    "board",
    "encoding",
    "encoding_alone",
    "given_plan",
    "horizon",
    "memory_limit",
    "moves",
    "new_board",
    "plan_style",
    "rules",
    "threads",
    "time_limit",
]

Command = TypeVar("Command", bound=Callable[..., Any])

_LARGEST_HORIZON = 1000


def _default_sizes() -> str:
    """Say which families have boards of which size by default: "4x4 for sliding, 5x5 for ..."."""
    sizes: dict[str, list[str]] = {}
    for family in FAMILIES.values():
        sizes.setdefault("{}x{}".format(*family.default_size), []).append(family.name)
    return ", ".join(f"{size} for {', '.join(names)}" for size, names in sizes.items())


def _several(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return one decorator for options that go together, in the order of the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def time_limit(text: str, default: str | None = None) -> Callable[[Command], Command]:
    """Return the option --time-limit with this text of help; seconds, None without a default."""
    return click.option(
        "--time-limit",
        type=duration,
        default=default,
        show_default=default is not None,
        metavar="TIME",
        help=text,
    )


rules = _several(
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
"""What a board's file is read as."""

board = _several(click.argument("file", metavar="FILE"), rules)
"""What `load_problem` takes."""

new_board = _several(
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
"""For a board that is to be made."""

encoding_alone = click.option(
    "--encoding",
    metavar="NAME",
    help="The encoding; by default chosen by the puzzle's structure.",
)

encoding = _several(
    encoding_alone,
    click.option(
        "--lemmas",
        type=names,
        metavar="LIST",
        help="Lemmas to encode with, separated by commas; `none` for the plain encoding.",
    ),
)

moves = click.option(
    "--moves",
    type=click.Choice(CONVENTIONS),
    default="tile",
    show_default=True,
    help="Whether moves are named after the motion of the tile or of the blank.",
)

memory_limit = click.option(
    "--memory-limit",
    type=memory,
    callback=lambda ctx, parameter, limit: limit or most_memory(),
    metavar="SIZE",
    help="Stop when the engines need more (500M, 4G). Default: 80% of the machine.",
)

threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cores that a proof or its check may use. Default: all.",
)

given_plan = _several(
    click.argument("plan_file", metavar="[PLAN]", required=False),
    click.option("--plan", metavar="MOVES", help="The plan itself, instead of a file."),
)
"""A plan in a file, or in --plan."""

plan_style = _several(
    moves,
    click.option(
        "--style",
        type=click.Choice(STYLES),
        default="letters",
        show_default=True,
        help="How the plan is written.",
    ),
)
"""What `format_plan` takes."""

horizon = click.option(
    "--horizon",
    type=click.IntRange(0, _LARGEST_HORIZON),
    required=True,
    metavar="T",
    help="The number of moves.",
)
