"""plansolve judge: run other people's solvers over boards, score them and rank them."""

import re
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from plansolve import exit_codes
from plansolve.apps.judge.protocols import AUTO, PROTOCOLS, Program, make_program
from plansolve.apps.judge.sandbox import (
    INTERPRETER,
    RunLimits,
    Sandbox,
    check_command,
    find_isolation,
)
from plansolve.cli import options
from plansolve.cli.board import goal_of
from plansolve.cli.files import check_reports, write_file
from plansolve.cli.progress import LiveLine, tell
from plansolve.errors import BoardError, OptionError
from plansolve.formats import FORMATS
from plansolve.formats.notation import CONVENTIONS
from plansolve.instances.board_reader import BoardReader
from plansolve.records.board import Board
from plansolve.text import shown

if TYPE_CHECKING:
    from plansolve.apps.judge.referee import JudgeEvent, Judgement

_FEW_RUNS = 24
_LONGEST_NAME = 40
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]{0,39})=(.+)", re.DOTALL)


def _seconds_or_none(text: str) -> float:
    return 0.0 if text.strip() == "0" else options.duration(text)


@click.command("judge")
@click.argument("program", metavar="[NAME=]COMMAND")
@click.argument("instances", metavar="INSTANCES...", nargs=-1, required=True, type=options.FILE)
@click.option(
    "--against",
    metavar="[NAME=]COMMAND",
    multiple=True,
    help="Another program to rank (repeatable).",
)
@click.option(
    "--protocol",
    metavar="NAME",
    help=f"How programs get boards and print moves: {', '.join(PROTOCOLS)}. Default: plain. "
    "A COMMAND python:FILE:FUNCTION always uses python.",
)
@click.option(
    "--moves",
    type=click.Choice((*CONVENTIONS, AUTO)),
    help="Programs name the motion of the tile, the blank, or (auto) either. Default: by protocol.",
)
@click.option(
    "--board-format",
    metavar="NAME",
    help=f"The board format for plain programs: {', '.join(FORMATS)}. "
    "Default: the usual one of the puzzle if it can hold the board, else json.",
)
@click.option(
    "--answer-file",
    metavar="NAME",
    help="Read the answer from this file in the program's folder, not from standard output.",
)
@options.time_limit("The limit for each run (30, 90s, 10m).", "60")
@click.option(
    "--memory-limit",
    type=options.memory,
    default="2G",
    show_default=True,
    metavar="SIZE",
    help="The limit for each run (500M, 2G).",
)
@click.option(
    "--optimum-time-limit",
    type=_seconds_or_none,
    default="30",
    show_default=True,
    metavar="TIME",
    help="The limit for finding each unknown optimum; 0 for no search.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Runs at a time; more than 1 makes times less exact.",
)
@click.option(
    "--isolation",
    metavar="NAME",
    help="bubblewrap, or process group, which gives no protection. Default: the best that works.",
)
@options.rules
@click.option(
    "--csv", "csv_file", metavar="FILE", type=options.FILE, help="Write a row for each run to FILE."
)
@click.option(
    "--html", "html_file", metavar="FILE", type=options.FILE, help="Write a report page to FILE."
)
@options.keep
@click.option("--json", is_flag=True, help="Print one JSON object instead of the tables.")
@options.quiet
@click.option("-v", "--verbose", is_flag=True, help="Print all runs, however many there are.")
def command(
    program: str,
    instances: tuple[str, ...],
    against: tuple[str, ...],
    protocol: str | None,
    moves: str | None,
    board_format: str | None,
    answer_file: str | None,
    time_limit: float,
    memory_limit: int,
    optimum_time_limit: float,
    jobs: int,
    isolation: str | None,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    csv_file: str | None,
    html_file: str | None,
    keep: Path | None,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Run solver programs on boards, check their answers, and rank the programs.

    COMMAND is one argument, such as 'python3 student.py {board}', or python:FILE:FUNCTION. {board}
    becomes the board's file, {board_text} the board itself; no shell is used. INSTANCES are board
    files, folders of them, instance sets (folders with a manifest.json), or folders of sets.

    Exit codes: 0 every answer is optimal or rightly says unsolvable, 1 some are not, 2 wrong input
    or option, 4 a program beat a recorded optimum, 130 interrupted (after a report of the runs so
    far).
    """
    # All this imports numpy, which `--help` does not need.
    from plansolve.apps.judge.optima import OptimumStore
    from plansolve.apps.judge.referee import judge

    programs = _programs((program, *against), protocol, moves, board_format, answer_file)
    reader = BoardReader(puzzle, goal_of(goal, puzzle), format)
    boards = read_boards(reader, instances)
    check_reports(instances, (csv_file, html_file))
    limits = RunLimits(seconds=time_limit, memory=memory_limit)
    sandbox = Sandbox(limits, find_isolation(isolation))
    if not quiet and not sandbox.isolation.filesystem_protected:
        tell(f"warning: {sandbox.isolation.description}")
    for hint in () if quiet else reader.hints.values():
        tell(hint)
    for one in () if quiet else programs:
        if one.reads_standard_input:
            tell(f"{one.name}: no {{board}} in its command: it gets the board on standard input")
    with _JudgeProgress(quiet=quiet, verbose=verbose) as progress:
        judgement = judge(
            programs,
            boards,
            sandbox,
            optimum_time_limit=optimum_time_limit,
            store=OptimumStore.of_user(),
            jobs=jobs,
            progress=progress,
        )
    try:
        _write_files(judgement, csv_file, html_file)
    finally:
        # A full disk must not lose hours of judging.
        _print(judgement, as_json=json, verbose=verbose)
    if keep is not None and judgement.is_complete:
        _keep(judgement, keep, optimum_time_limit, quiet=quiet)
    return _conclusion(judgement)


def _keep(judgement: "Judgement", folder: Path, seconds: float, *, quiet: bool) -> None:
    """Write a certificate of each board's optimum, within the time limit of a search for it."""
    from plansolve.claims.certify import certify
    from plansolve.cli.certify import certified_line

    for number, board in enumerate(judgement.boards, start=1):
        # Names come from a manifest, so the name of a folder also holds the board's number.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", board.name)[:_LONGEST_NAME]
        place, begin = folder / f"{number:04}-{name}", time.monotonic()
        certified = certify(board.problem, place, time_limit=seconds or None)
        certified.result.unless_interrupted()
        if not quiet:
            spent = time.monotonic() - begin
            tell(certified_line(board.problem, certified, str(place), spent))


def _programs(
    commands: Sequence[str],
    protocol: str | None,
    moves: str | None,
    board_format: str | None,
    answer_file: str | None,
) -> list[Program]:
    programs, names = [], set[str]()
    for text in commands:
        named = _NAMED.fullmatch(text)
        name, rest = (named[1], named[2]) if named else ("", text)
        if name in names:
            raise OptionError(f"two programs are called {name!r}: give each a different name")
        is_python = rest.startswith("python:")
        made = make_program(
            rest,
            name=name or _free_name(rest, names),
            # A command that calls a function has its own protocol, whatever other commands use.
            protocol="python" if is_python else protocol,
            convention=moves,
            board_format=board_format,
            answer_file=None if is_python else answer_file,
        )
        if not is_python:
            check_command(made.words)
        names.add(made.name)
        programs.append(made)
    return programs


def _free_name(text: str, taken: set[str]) -> str:
    """Return a short name for a command: the program's file, not its interpreter."""
    command = text.removeprefix("python:")
    try:
        words = shlex.split(command)
    except ValueError:
        # A quotation mark is missing; `make_program` reports that.
        words = command.split()
    words = [word.rpartition("/")[2] or word for word in words if word] or [text]
    if len(words) > 1 and INTERPRETER.fullmatch(words[0]):
        words = [word for word in words[1:] if word[0] != "-"] or words
    name = shown(words[0], _LONGEST_NAME)
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def read_boards(reader: BoardReader, paths: Iterable[str]) -> list[Board]:
    """Return all boards of some paths, under different names; raise the first error."""
    boards = list[Board]()
    for board in reader.boards(paths):
        if isinstance(board, BoardError):
            raise board
        boards.append(board)
    if len({board.name for board in boards}) == len(boards):
        return boards
    return [replace(board, name=board.full_name) for board in boards]


def _write_files(judgement: "Judgement", csv_file: str | None, html_file: str | None) -> None:
    from plansolve.apps.judge.report import csv_text, judgement_page

    for name, text in ((csv_file, csv_text), (html_file, judgement_page)):
        if name is not None:
            write_file(name, [text(judgement).encode("utf-8", "backslashreplace")])


def _print(judgement: "Judgement", *, as_json: bool, verbose: bool) -> None:
    from plansolve.apps.judge.report import goals_line, judgement_document, tables
    from plansolve.tables import as_text, print_tables

    if as_json:
        click.echo(dumps(judgement_document(judgement)))
        return
    details = verbose or len(judgement.outcomes) <= _FEW_RUNS
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console()
        print_tables(tables(judgement, details=details, width=console.width), console)
    else:
        click.echo("\n\n".join(map(as_text, tables(judgement, details=details))))
    click.echo(goals_line(judgement))


def _conclusion(judgement: "Judgement") -> int:
    """Return the exit code; write what must not be overlooked to stderr, even with --quiet."""
    for outcome in judgement.contradictions:
        tell(f"plansolve: {outcome.board}: {outcome.program}: {outcome.score.detail}")
    if not judgement.is_complete:
        tell("plansolve: interrupted: the report is not complete")
        return exit_codes.INTERRUPTED
    if judgement.contradictions:
        return exit_codes.CONTRADICTION
    return exit_codes.SOLVED if judgement.is_all_right else exit_codes.REFUTED


class _JudgeProgress(LiveLine):
    """A live line to pass to `judge`; without a terminal, a line for each event."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet = quiet
        self._update = self.show if sys.stderr.isatty() and not verbose else tell

    def __enter__(self) -> Self:
        if self._update == self.show and not self._quiet:
            self.show("")
        return self

    def __call__(self, event: "JudgeEvent") -> None:
        """Show an event."""
        if not self._quiet:
            note = event.note if event.note.isprintable() else repr(event.note)
            self._update(f"{event.done}/{event.total} {note}")
