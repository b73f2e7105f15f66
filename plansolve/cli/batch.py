"""plansolve batch: many boards side by side, kept as they are done."""

import json
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from types import FrameType
from typing import Any

import click

from plansolve.bounds.registry import BOUNDS
from plansolve.cli import options
from plansolve.cli.batch_progress import BatchProgress
from plansolve.cli.board import goal_of
from plansolve.cli.progress import tell
from plansolve.cli.values import memory
from plansolve.errors import OptionError
from plansolve.exit_codes import GAVE_UP, INTERNAL, INTERRUPTED, SOLVED, USAGE
from plansolve.instances.many_boards import BoardReader
from plansolve.instances.report.table_rows import attempt_text, fields_of
from plansolve.puzzles.registry import goal_text
from plansolve.records.contradictions import contradictions_of
from plansolve.records.records import Records
from plansolve.records.rows import BoardResult, Contradiction
from plansolve.solvers.engine.attempts import problem_row
from plansolve.solvers.engine.batch import Again, Batch, BatchRow, NamedBoard, board_row
from plansolve.solvers.engine.registry import ENGINES, find_engine
from plansolve.solvers.engine.solve_many import crew_for_boards
from plansolve.solvers.result import StopReason
from plansolve.solvers.result_text import units_of_store
from plansolve.text import one_line

__all__ = ["command"]

_SHORT_SECONDS = 10.0
_MOST_COUNTED = 5000
"""Boards that are read before the first is solved, so that the bar knows how many there are."""


@click.command("batch")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@options.rules
@click.option("--optimal", is_flag=True, help="Prove each plan shortest.")
@click.option(
    "--engine",
    metavar="NAME",
    default="auto",
    show_default=True,
    help=f"What finds and proves: auto, {', '.join(ENGINES)}.",
)
@click.option(
    "--bound",
    metavar="NAME",
    help=f"The lower bound at the nodes of astar or idastar: {', '.join(BOUNDS)}.",
)
@click.option(
    "--max-horizon",
    type=click.IntRange(min=0),
    metavar="N",
    help="Only ask whether there is a plan of at most N moves.",
)
@options.time_limit(
    "Give a board up after so long (30, 90s, 10m, 2h). Default: 10s; with --optimal none."
)
@click.option(
    "--memory-limit",
    type=memory,
    metavar="SIZE",
    help="Give a board up that needs more (500M, 4G). Default: none.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 9999),
    metavar="N",
    help="Work on N boards at a time. Default: as many as there are cores.",
)
@click.option(
    "--executor",
    metavar="WHO",
    help="Who works on them: local:N, dask://HOST:PORT, dask-local:N. Default: local.",
)
@click.option(
    "--store",
    metavar="FILE",
    help="Keep what is found in FILE; the same command goes on where it ended.",
)
@click.option(
    "--again",
    type=click.Choice([Again.UNPROVED.value, Again.ALL.value]),
    help="Compute boards again that the store has: those without a proof, or all.",
)
@click.option("--json-lines", is_flag=True, help="Print a JSON object a board, one a line.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing on stderr but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each board with --store too.")
def command(
    paths: tuple[str, ...],
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    jobs: int | None,
    executor: str | None,
    store: str | None,
    again: str | None,
    json_lines: bool,
    quiet: bool,
    verbose: bool,
    **asked: Any,
) -> int:
    """Solve many boards: files, folders, instance sets, tables (CSV), - for standard input.

    Prints a line for each board as it is done. With --store each result is kept at once instead:
    whatever ends the work, the same command goes on, and `plansolve report` makes a page of it.

    Ctrl-C once lets the boards at work come to their end, twice ends them too. Exit codes: 0 every
    board has what was asked for, 2 some input is no board, 3 two statements contradict each other,
    12 some boards are without a plan or proof, 130 interrupted.
    """
    if jobs is not None and executor is not None:
        raise click.UsageError("--jobs is for this machine: write --executor local:N instead")
    if again is not None and store is None:
        raise click.UsageError("--again is about what a store has: give --store too")
    if asked["time_limit"] is None and not asked["optimal"] and asked["max_horizon"] is None:
        asked["time_limit"] = _SHORT_SECONDS
        asked["setup_counts"] = False
    if asked["engine"] != "auto":
        find_engine(asked["engine"])
    if asked["bound"] is not None and asked["bound"] not in BOUNDS:
        raise OptionError(f"unknown bound {asked['bound']!r}: choose from {', '.join(BOUNDS)}")
    reader = BoardReader(puzzle, goal_of(goal, puzzle), format)
    boards = reader.boards(paths)
    first = [*islice(boards, _MOST_COUNTED)]
    total = len(first) if len(first) < _MOST_COUNTED else None
    lines = _Lines(store, as_json=json_lines) if verbose or json_lines or store is None else None
    with ExitStack() as stack:
        records = None if store is None else stack.enter_context(Records(store))
        crew = stack.enter_context(crew_for_boards(executor, jobs))
        batch = Batch(crew, asked, records, Again(again) if again else Again.NOTHING)
        has_bar = not quiet and not (lines and sys.stdout.isatty())
        progress = stack.enter_context(BatchProgress(total, bar=has_bar))
        interrupts = stack.enter_context(_first_interrupt_drains(batch, progress))
        contradictions = 0
        for row in filter(None, batch.run(chain(first, boards))):
            if row.result is not None and row.result.stop_reason == StopReason.INTERRUPTED:
                continue
            for found in _contradictions(row, records):
                contradictions += 1
                progress.tell(f"CONTRADICTION: {one_line(found.board)}: {found.what}")
            if row.forged:
                continue
            progress.count(row)
            if row.attempt is None:
                progress.tell(f"no board: {row.problem_with_board}")
            elif lines is not None:
                lines.write(row)
    if not quiet:
        tell("\n".join([*reader.hints, progress.summary()]))
    if interrupts:
        return INTERRUPTED
    return INTERNAL if contradictions else _exit_code(progress.counts, optimal=asked["optimal"])


class _Lines:
    """Writes a line to stdout for each board."""

    def __init__(self, store: str | None, *, as_json: bool) -> None:
        self._store, self._as_json = store, as_json

    def write(self, row: BatchRow) -> None:
        """Write the line of a board that was attempted."""
        board, attempt = row.board, row.attempt
        assert isinstance(board, NamedBoard) and attempt is not None
        if self._as_json:
            result = BoardResult(board_row(board), problem_row(board.problem), attempt)
            click.echo(json.dumps({"schema": "plansolve.row/1", **fields_of(result)}))
            return
        end = f"the word of {self._store}" if row.from_store else f"{attempt.seconds:.2f} s"
        if row.result is not None:
            end += units_of_store(row.result)
        name = one_line(f"{board.set_name}/{board.name}")
        goal = goal_text(board.problem.puzzle)
        click.echo(f"{name}: {attempt_text(attempt, goal)}; {end}")


def _contradictions(row: BatchRow, records: Records | None) -> list[Contradiction]:
    """Return what is said against one another of the board of a row."""
    if not isinstance(row.board, NamedBoard) or row.attempt is None:
        return []
    board = board_row(row.board)
    if row.forged:
        return [Contradiction(f"{board.set_name}/{board.name}", board.problem, row.forged)]
    attempts = [row.attempt] if records is None else records.attempts(board.problem)
    return [*contradictions_of(board.problem, [board], attempts)]


def _exit_code(counts: Mapping[str, int], *, optimal: bool) -> int:
    if counts["bad"]:
        return USAGE
    if counts["open"] or counts["failed"] or (optimal and counts["planned"]):
        return GAVE_UP
    return SOLVED


@contextmanager
def _first_interrupt_drains(batch: Batch, progress: BatchProgress) -> Iterator[list[int]]:
    """Let the first Ctrl-C begin no more boards; the second one ends the work as usual."""
    seen: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)
        batch.drain()
        progress.tell("the boards at work come to their end; Ctrl-C again ends them")

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
