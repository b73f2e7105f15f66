"""Options that several commands share, as decorators, and the values that options take."""

import os
import re
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

from plansolve.cli.board import GivenBoard, GivenPlan, WantedPuzzle
from plansolve.cli.files import is_piped
from plansolve.errors import OptionError
from plansolve.formats import FORMATS
from plansolve.formats.notation import CONVENTIONS, STYLES
from plansolve.puzzles.registry import DEFAULT_PUZZLE, FAMILIES, goal_names
from plansolve.solvers.limits import most_memory, read_bytes, read_seconds

Command: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[Command], Command]
Value = TypeVar("Value")

_LARGEST_HORIZON = 1000
_LONGEST = 10_000


class _File(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        # An empty name would be that of the current folder.
        if not os.fspath(value):
            self.fail("the name of a file is empty", param, ctx)
        return super().convert(value, param, ctx)


FILE = _File(readable=False)
"""A file name or -, which shells complete; errors are reported when it is opened."""
PATH = _File(path_type=Path, readable=False)
"""The same as a `Path`."""


class RareOption(click.Option):
    """An option that an `EverydayCommand` shows with --help-all, under its title."""

    def __init__(self, *args: Any, title: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.title = title


READING: dict[str, Any] = {"cls": RareOption, "title": "Reading the board"}
SEARCH: dict[str, Any] = {"cls": RareOption, "title": "Search"}
WORK: dict[str, Any] = {"cls": RareOption, "title": "Proof and machines"}
"""Arguments of `click.option` that put a rare option under a title."""


class EverydayCommand(click.Command):
    """A command whose --help shows all but its rare options, and --help-all those too."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                title = option.title if isinstance(option, RareOption) else "Options"
                sections.setdefault(title, []).append(record)
        for title, rows in sections.items():
            if title == "Options" or ctx.meta.get(_SHOWS_ALL):
                with formatter.section(title):
                    formatter.write_dl(rows)


_SHOWS_ALL = f"{__name__}.help_all"


def _show_all(context: click.Context, option: click.Parameter, is_asked: bool) -> None:
    if is_asked and not context.resilient_parsing:
        context.meta[_SHOWS_ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


help_all = click.option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show every option and exit.",
)


def one_of(names: Iterable[str]) -> Callable[..., list[str]]:
    """Return the completion function for the names that an option takes."""
    return lambda context, option, begun: [name for name in names if name.startswith(begun)]


def _read_by(read: Callable[[str], Value]) -> Callable[[str], Value]:
    """Return a `type` for click that reads text, and raises click's error for others."""

    def value(text: str) -> Value:
        try:
            return read(text)
        except OptionError as error:
            raise click.BadParameter(str(error)) from None

    return value


duration = _read_by(read_seconds)
"""Seconds, from "30", "90s", "10m" or "2h"."""


def lengths(text: str) -> range:
    """Return the lengths in "20" or "20-30"."""
    match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text)
    found = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
    if not found or found[-1] > _LONGEST:
        raise click.BadParameter(f"{text!r} is not a length: write 20 or 20-30, at most {_LONGEST}")
    return found


memory = _read_by(read_bytes)
"""Bytes, from "500M" or "4G"."""


def _names(text: str) -> tuple[str, ...]:
    """Return the names between commas; "none" means no names."""
    found = tuple(filter(None, map(str.strip, text.split(","))))
    if not found:
        raise click.BadParameter("the list is empty: name lemmas, or write `none`")
    return () if found == ("none",) else found


def _several(*options: Decorator) -> Decorator:
    """Return one decorator for several options, in the order of the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _as_one(
    name: str, make: Callable[..., object], fields: Iterable[str], *options: Decorator
) -> Decorator:
    """Return a decorator for options whose values the command gets as one argument."""

    def decorate(command: Command) -> Any:
        @wraps(command)
        def with_one(**values: Any) -> Any:
            made = make(*(values.pop(field) for field in fields))
            return command(**values, **{name: made})

        return _several(*options)(with_one)

    return decorate


def time_limit(text: str, default: str | None = None) -> Decorator:
    """Return the option --time-limit with this text of help; seconds, None without a default."""
    return click.option(
        "--time-limit",
        type=duration,
        default=default,
        show_default=default is not None,
        metavar="TIME",
        help=text,
    )


def _puzzle(default: str) -> Decorator:
    return click.option(
        "--puzzle",
        metavar="NAME[:KEY=VALUE,...]",
        shell_complete=one_of(FAMILIES),
        help=f"The rules; see `plansolve list puzzles`. Default: {default}.",
    )


_goal = click.option(
    "--goal",
    metavar="NAME|BOARD",
    shell_complete=one_of(goal_names()),
    help="The goal: a name (see `plansolve list goals`), a board, or a file with one.",
)

format = click.option(  # noqa: A001 - the option's name
    "--format",
    metavar="NAME",
    shell_complete=one_of(FORMATS),
    help="The format of the board; see `plansolve list formats`. Default: detected.",
    **READING,
)

rules = _several(_puzzle("as the board suggests"), _goal, format)
"""The options for reading a board's file."""


def _given_or_piped(context: click.Context, argument: click.Parameter, file: str | None) -> str:
    if file is None and not is_piped():
        raise click.UsageError(
            "give BOARD: a file, - for standard input, or the board itself: '8 6 7/2 5 4/3 . 1'"
        )
    return "-" if file is None else file


board = _as_one(
    "board",
    GivenBoard,
    GivenBoard._fields,
    click.argument("file", metavar="BOARD", required=False, type=FILE, callback=_given_or_piped),
    rules,
)
"""A board, which the command gets as a `GivenBoard`."""


def _board_if_given(file: str | None, *how: str | None) -> GivenBoard | None:
    if file is not None:
        return GivenBoard(file, *how)
    if any(how):
        raise click.UsageError("--puzzle, --goal and --format are for BOARD: give BOARD too")
    return None


board_if_given = _as_one(
    "board",
    _board_if_given,
    GivenBoard._fields,
    click.argument("file", metavar="[BOARD]", required=False, type=FILE),
    rules,
)
"""A board, which the command gets as a `GivenBoard`, or None without one."""


wanted_puzzle = _as_one(
    "wanted",
    WantedPuzzle,
    WantedPuzzle._fields,
    click.argument("file", metavar="[FILE]", required=False, type=FILE),
    _puzzle(f"{DEFAULT_PUZZLE}, or as the board in FILE suggests"),
    click.option(
        "--size",
        metavar="MxN",
        help="Rows and columns, or N for NxN, if there is no FILE; `plansolve list goals` shows "
        "the usual size.",
    ),
    _goal,
)
"""A puzzle, of a board's file or by its name, which the command gets as a `WantedPuzzle`."""

given_plan = _as_one(
    "plan",
    GivenPlan,
    GivenPlan._fields,
    click.argument("plan_file", metavar="[PLAN]", required=False, type=FILE),
    click.option("--plan", metavar="MOVES", help="The plan itself, never a file name."),
)
"""A plan, the name of its file, or --plan, which the command gets as a `GivenPlan`."""

encoding_alone = click.option(
    "--encoding",
    metavar="NAME",
    help="The encoding. Default: by the puzzle's structure.",
    **SEARCH,
)

encoding = _several(
    encoding_alone,
    click.option(
        "--lemmas",
        type=_names,
        metavar="LIST",
        help="Lemmas to add to the encoding, separated by commas; `none` for the plain encoding.",
        **SEARCH,
    ),
)

moves = click.option(
    "--moves",
    type=click.Choice(CONVENTIONS),
    default="tile",
    show_default=True,
    help="Moves name the motion of the tile or of the blank.",
)

plan_style = _several(
    moves,
    click.option(
        "--style",
        type=click.Choice(STYLES),
        default="letters",
        show_default=True,
        help="How to write the plan.",
    ),
)
"""The arguments of `format_plan`."""

memory_limit = click.option(
    "--memory-limit",
    type=memory,
    callback=lambda ctx, parameter, limit: limit or most_memory(),
    metavar="SIZE",
    help="Stop when more memory is needed (500M, 4G). Default: 80% of the machine's.",
)

threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Cores that a proof or its check may use. Default: all.",
    **WORK,
)

horizon = click.option(
    "--horizon",
    type=click.IntRange(0, _LARGEST_HORIZON),
    required=True,
    metavar="T",
    help="The number of moves.",
)


def engine(command: Command) -> Command:
    """Add the option --engine."""
    # Not for every command.
    from plansolve.solvers.engine.registry import ENGINES

    return click.option(
        "--engine",
        metavar="NAME",
        default="auto",
        show_default=True,
        shell_complete=one_of(["auto", *ENGINES]),
        help=f"The engine: auto, {', '.join(ENGINES)}.",
        **SEARCH,
    )(command)


def bound(command: Command) -> Command:
    """Add the option --bound."""
    from plansolve.bounds.registry import BOUNDS

    return click.option(
        "--bound",
        metavar="NAME",
        shell_complete=one_of(BOUNDS),
        help=f"The lower bound that astar or idastar uses at nodes: {', '.join(BOUNDS)}.",
        **SEARCH,
    )(command)


max_horizon = click.option(
    "--max-horizon",
    type=click.IntRange(min=0),
    metavar="N",
    help="Look only for plans of at most N moves.",
    **SEARCH,
)


def work(what: str, default: str, kept: str) -> Decorator:
    """Return the options --executor and --store; the help says what is distributed and kept."""
    return _several(
        click.option(
            "--executor",
            metavar="EXECUTOR",
            help=f"Where to {what}: local:N, dask://HOST:PORT, dask-local:N. Default: {default}.",
            **WORK,
        ),
        click.option(
            "--store",
            metavar="FILE",
            type=FILE,
            help=f"Keep {kept} in FILE; the same command resumes.",
            **WORK,
        ),
    )


def _new_folder(context: click.Context, option: click.Parameter, folder: Path | None) -> Any:
    if folder is not None:
        # Few runs use a store.
        from plansolve.storage.files import require_new

        # Raise the error before the work, and not after it.
        require_new(folder)
    return folder


keep = click.option(
    "--keep",
    metavar="FOLDER",
    type=PATH,
    callback=_new_folder,
    help="Write certificates for `plansolve check` to a new or empty folder.",
    **WORK,
)

json = click.option("--json", is_flag=True, help="Print one JSON object instead of text.")
quiet = click.option("-q", "--quiet", is_flag=True, help="On stderr, print only errors.")
