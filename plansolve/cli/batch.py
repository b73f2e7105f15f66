"""plansolve batch: many boards side by side, kept as they are done."""

import json
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from math import inf
from types import FrameType
from typing import Any, Literal

import click

from plansolve.bounds.registry import BOUNDS
from plansolve.cli import options
from plansolve.cli.board import goal_of
from plansolve.cli.progress import LiveLine, tell
from plansolve.errors import BoardError, OptionError, StoreError
from plansolve.exit_codes import CONTRADICTION, GAVE_UP, INTERRUPTED, SOLVED, USAGE
from plansolve.instances.batch import Batch, Outcome, executor_for_boards
from plansolve.instances.board_reader import BoardReader
from plansolve.instances.report.tables import ROW_SCHEMA, attempt_text, fields_of
from plansolve.puzzles.registry import goal_text
from plansolve.records.board import Board, contradictions
from plansolve.records.records import Records
from plansolve.solvers.engine.registry import find_engine
from plansolve.solvers.limits import CutShort
from plansolve.solvers.result_text import units_of_store
from plansolve.text import counted, one_line

_LINE_SECONDS = 10.0
"""The seconds between lines of progress without a terminal."""
_MOST_COUNTED = 5000
"""The most boards that are read before the first is solved, to know their number."""


@click.command("batch")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=options.FILE)
@options.rules
@click.option("--optimal", is_flag=True, help="Prove each plan shortest.")
@options.engine
@options.bound
@options.max_horizon
@options.time_limit(
    "Give up on a board after this time (30, 90s, 10m, 2h). Default: 10s; none with --optimal or "
    "--max-horizon."
)
@click.option(
    "--memory-limit",
    type=options.memory,
    metavar="SIZE",
    help="Give up on a board that needs more memory (500M, 4G). Default: none.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 9999),
    metavar="N",
    help="Solve N boards at a time. Default: the number of cores.",
)
@options.work("solve the boards", "local", "results")
@click.option(
    "--again",
    type=click.Choice(["unproved", "all"]),
    help="Solve boards in the store again: those without a proof, or all.",
)
@click.option("--json-lines", is_flag=True, help="Print one line of JSON for each board.")
@options.quiet
@click.option(
    "-v", "--verbose", is_flag=True, help="Print a line for each board, even with --store."
)
def command(
    paths: tuple[str, ...],
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    jobs: int | None,
    executor: str | None,
    store: str | None,
    again: Literal["unproved", "all"] | None,
    json_lines: bool,
    quiet: bool,
    verbose: bool,
    **asked: Any,
) -> int:
    """Solve many boards: files, folders, instance sets, CSV tables, or - for standard input.

    batch prints a line for each board. With --store it saves each result instead: the same command
    resumes an interrupted batch, and `plansolve report` makes a page of the results.

    The first Ctrl-C lets the boards in progress finish, the second stops them. Exit codes: 0 every
    board has the requested plan or proof, 2 some input is not a board, 4 two claims contradict each
    other, 12 some boards still lack a plan or proof, or the executor is lost, 130 interrupted.
    """
    if jobs is not None and executor is not None:
        raise click.UsageError("give --jobs or --executor, not both (--jobs N is local:N)")
    if again is not None and store is None:
        raise click.UsageError("--again needs a store: give --store too")
    if asked["engine"] != "auto":
        find_engine(asked["engine"])
    if asked["bound"] is not None and asked["bound"] not in BOUNDS:
        raise OptionError(f"unknown bound {asked['bound']!r}: choose from {', '.join(BOUNDS)}")
    reader = BoardReader(puzzle, goal_of(goal, puzzle, format), format)
    boards = reader.boards(paths)
    first = [*islice(boards, _MOST_COUNTED)]
    total = len(first) if len(first) < _MOST_COUNTED else None
    has_lines = verbose or json_lines or store is None
    with ExitStack() as stack:
        records = None if store is None else stack.enter_context(Records(store))
        if records is not None:
            # A report must also know of boards that are never begun.
            records.add_boards(board for board in first if isinstance(board, Board))
        workers = stack.enter_context(executor_for_boards(executor, jobs))
        is_live = not quiet and not (has_lines and sys.stdout.isatty())
        progress = stack.enter_context(_Progress(total, is_live=is_live, quiet=quiet))
        batch = Batch(workers, asked, records, again, tell=progress.tell)
        interrupts = stack.enter_context(_first_interrupt_drains(batch, progress))
        against, lost = 0, ""
        try:
            for outcome in batch.run(_readable(chain(first, boards), progress)):
                progress.tell_now_and_then()
                if outcome is None:
                    continue
                for line in _contradictions(outcome, records):
                    against += 1
                    progress.tell(f"CONTRADICTION: {one_line(line)}")
                if isinstance(outcome, StoreError) or outcome.is_interrupted:
                    continue
                progress.count(outcome)
                if has_lines:
                    click.echo(_line(outcome, store, as_json=json_lines))
        except CutShort as cut:
            lost = str(cut)
        except KeyboardInterrupt:
            if not quiet:
                progress.tell(progress.summary())
            raise
    if not quiet:
        for hint in reader.hints.values():
            tell(hint)
        tell(progress.summary("interrupted; " if interrupts else ""))
    if lost:
        tell(f"plansolve: {lost}")
    if interrupts:
        return INTERRUPTED
    code = CONTRADICTION if against else _exit_code(progress.counts, optimal=asked["optimal"])
    return code or (GAVE_UP if lost else SOLVED)


class _Progress(LiveLine):
    """A live line on a terminal, elsewhere a line every few seconds.

    `total` is None if it is not known. `counts` holds how many boards were proved, have only a
    plan, have neither, have failed, or are invalid; `known` how many of them the store had.
    """

    def __init__(self, total: int | None, *, is_live: bool, quiet: bool = False) -> None:
        self._total, self._begin = total, time.monotonic()
        self._next = inf if quiet or sys.stderr.isatty() else self._begin + _LINE_SECONDS
        self.counts = dict.fromkeys(("proved", "planned", "open", "failed", "bad"), 0)
        self.known = 0
        self._is_live = is_live and sys.stderr.isatty()

    @property
    def done(self) -> int:
        """Return the number of finished boards."""
        return sum(self.counts.values())

    def count(self, outcome: Outcome | None) -> None:
        """Count the outcome of a board, None for an input that is not a board."""
        self.counts[_kind(outcome)] += 1
        self.known += outcome is not None and outcome.from_store
        if self._is_live:
            self.show(self.summary())

    def tell_now_and_then(self) -> None:
        """Write a line about the progress, if it is time for one."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_SECONDS
            tell(self.summary())

    def summary(self, why: str = "") -> str:
        """Return a line about the progress, or the last line; `why` precedes its time."""
        seconds = time.monotonic() - self._begin
        fresh, left = self.done - self.known, (self._total or self.done) - self.done
        rate = f", {fresh / seconds:.1f} a second" if fresh and seconds > 1 else ""
        store = f" ({self.known} already in the store)" if self.known else ""
        of_all = f"{self.done} of " if left else ""
        boards = f"{of_all}{counted(self.done + left, 'board')}{store}: {self._figures()}"
        return f"{boards}{f', {left} left' if left else ''}; {why}{seconds:.1f} s{rate}"

    def _figures(self) -> str:
        words = {
            "proved": "proved",
            "planned": "with a plan but no proof",
            "open": "without a plan",
            "failed": "failed",
            "bad": "unreadable",
        }
        told = [f"{self.counts[kind]} {word}" for kind, word in words.items() if self.counts[kind]]
        return ", ".join(told) or "none done"


def _kind(outcome: Outcome | None) -> str:
    if outcome is None or outcome.attempt is None:
        return "bad"
    attempt = outcome.attempt
    if attempt.status in ("optimal", "unsolvable", "no plan within horizon"):
        return "proved"
    if attempt.status == "error":
        return "failed"
    return "open" if attempt.length is None else "planned"


def _readable(boards: Iterable[Board | BoardError], progress: _Progress) -> Iterator[Board | None]:
    """Yield the boards, and None after the message about an input that is not a board."""
    for board in boards:
        if isinstance(board, Board):
            yield board
        else:
            progress.count(None)
            progress.tell(f"not a board: {board}")
            yield None


def _line(outcome: Outcome, store: str | None, *, as_json: bool) -> str:
    board, attempt = outcome.board, outcome.attempt
    if as_json:
        return json.dumps({"schema": ROW_SCHEMA, **fields_of(outcome)})
    assert attempt is not None
    end = f"from {store}" if outcome.from_store else f"{attempt.seconds:.2f} s"
    if outcome.result is not None:
        end += units_of_store(outcome.result)
    goal = goal_text(board.problem.puzzle)
    return f"{one_line(board.full_name)}: {attempt_text(attempt, goal)}; {end}"


def _contradictions(outcome: Outcome | StoreError, records: Records | None) -> Iterator[str]:
    if isinstance(outcome, StoreError):
        yield str(outcome)
    elif not outcome.is_interrupted and outcome.attempt is not None:
        board = outcome.board
        attempts = [outcome.attempt] if records is None else records.attempts(board.key)
        yield from contradictions([(board.full_name, board.optimal_length)], attempts)


def _exit_code(counts: Mapping[str, int], *, optimal: bool) -> int:
    if counts["bad"]:
        return USAGE
    if counts["open"] or counts["failed"] or (optimal and counts["planned"]):
        return GAVE_UP
    return SOLVED


@contextmanager
def _first_interrupt_drains(batch: Batch, progress: _Progress) -> Iterator[list[int]]:
    """Let the first Ctrl-C stop new boards; the second one ends the work as usual."""
    seen: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if seen:
            signal.signal(number, signal.SIG_IGN)
            raise KeyboardInterrupt
        seen.append(number)
        batch.drain()
        progress.tell("finishing the boards in progress; press Ctrl-C again to stop them")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield seen
    finally:
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, before)
