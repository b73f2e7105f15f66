"""plansolve generate: random boards, scrambles, and boards of a wanted optimal length."""

import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import click

from plansolve.cli import options
from plansolve.cli.board import WantedPuzzle
from plansolve.cli.files import check_reports, write_file
from plansolve.cli.progress import tell
from plansolve.exit_codes import SOLVED, code_without_answer
from plansolve.instances.board_files import boards_csv, boards_page, boards_text
from plansolve.instances.instance_set import names_of, write_instance_set
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.instances.wanted_length import boards_of_length
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.records.board import Board
from plansolve.solvers.limits import CutShort
from plansolve.solvers.result import StopReason
from plansolve.storage.files import require_new
from plansolve.text import counted

_TABLES = (".csv", ".html")
_FILES = (".txt", *_TABLES)
"""The endings of file names; other names are folders."""

_SEEDS = 1 << 32
_PROGRESS_SECONDS = 2.0


@click.command("generate")
@options.wanted_puzzle
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="S",
    help="The same seed gives the same boards. Default: a random one, which is printed.",
)
@click.option(
    "--count", type=click.IntRange(1, 100_000), default=1, metavar="N", help="The number of boards."
)
@click.option(
    "--scramble",
    type=click.IntRange(0, 1_000_000),
    metavar="N",
    help="Make N random moves back from the goal, without detours of up to three moves.",
)
@click.option(
    "--optimal-length",
    type=options.lengths,
    metavar="N[-M]",
    help="Make boards whose shortest plan provably has N moves, or N to M.",
)
@click.option("--unsolvable", is_flag=True, help="Make random boards that provably have no plan.")
@options.time_limit("With --optimal-length: stop after this time (30, 90s, 10m). Default: none.")
@click.option(
    "--format",
    metavar="NAME",
    help="The format; see `plansolve list formats`. Default: the usual one of the puzzle.",
)
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="OUT",
    help="A new folder with a manifest, or a file: .txt, .csv, or .html (for printing). "
    "Default: standard output.",
)
@options.quiet
def command(
    wanted: WantedPuzzle,
    seed: int | None,
    count: int,
    scramble: int | None,
    optimal_length: range | None,
    unsolvable: bool,
    time_limit: float | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    output: Path | None,
    quiet: bool,
) -> int:
    """Make boards: random, scrambled, or of a given optimal length.

    By default, all boards that have a plan are equally probable, unless pieces have several cells.
    FILE holds a board with the rules, size and goal to use (- for standard input).

    Exit codes: 0 made, 2 wrong input or option, or provably no such board, 12 gave up, 22 out of
    memory, 23 out of time, 130 interrupted. After an early end, OUT gets the boards made so far.
    """
    if (scramble is not None) + (optimal_length is not None) + unsolvable > 1:
        raise click.UsageError("give only one of --scramble, --optimal-length and --unsolvable")
    if time_limit is not None and optimal_length is None:
        raise click.UsageError("--time-limit is for --optimal-length, which searches")
    if str(output) == "-":
        output = None
    kind_of_file = "" if output is None else output.suffix.lower()
    if format is not None and kind_of_file in _TABLES:
        raise click.UsageError(f"--format is for boards as text, not for {kind_of_file}")
    rules = wanted.rules()
    # Refuse a format that cannot hold the boards before they are made.
    copies = min(count, 2) if output is None or kind_of_file == ".txt" else 1
    if not rules.needs_kinds:
        boards_text([Board(Problem(rules, rules.goal_board))] * copies, format)
    if kind_of_file in _FILES:
        check_reports([wanted.file or ""], [str(output)])
    elif output is not None:
        require_new(output)
    chosen = secrets.randbelow(_SEEDS) if seed is None else seed
    if seed is None and not quiet:
        tell(f"seed {chosen}")
    randomness, sampler = Randomness(chosen), BoardSampler(rules)
    boards: Iterator[Board]
    option = proved = ""
    if optimal_length is not None:
        boards = _of_length(rules, optimal_length, count, randomness, time_limit, quiet)
        first, last = optimal_length[0], optimal_length[-1]
        kind = f"boards of {f'{first} to ' * (first < last)}{counted(last, 'move')}"
        option = f" --optimal-length {first}{f'-{last}' * (first < last)}"
        proved = "; the lengths were proved by plansolve"
    elif scramble is not None:
        walk = Predecessors(rules).walk
        starts = (walk(rules.goal_board, scramble, randomness.child()) for _ in range(count))
        boards = (Board(Problem(rules, start)) for start in starts)
        kind, option = f"scrambles of {counted(scramble, 'move')}", f" --scramble {scramble}"
    elif unsolvable:
        unsolvables = (sampler.unsolvable(randomness.child()) for _ in range(count))
        boards = (Board(Problem(rules, b), solvable=False, note=why) for b, why in unsolvables)
        kind, option = "random unsolvable boards", " --unsolvable"
        proved = "; each note gives the proof"
    else:
        starts = (sampler.solvable(randomness.child()) for _ in range(count))
        boards = (Board(Problem(rules, start)) for start in starts)
        kind = "random boards"
    made, cut = _made(boards)
    title = f"{kind[0].upper()}{kind[1:]}: {rules.title}"
    source = f"Made by {_command(rules, count, chosen)}{option}{proved}."
    if made:
        _write(made, output, title, source, format)
        if output is not None and not quiet:
            tell(f"{counted(len(made), 'board')} in {output}")
    if cut is None:
        return SOLVED
    missing = f"; {len(made)} of {count} boards made" if count > 1 else ""
    tell(f"plansolve: {cut}{missing}")
    return code_without_answer(cut.reason)


def _write(
    boards: list[Board], output: Path | None, title: str, source: str, format_: str | None
) -> None:
    if output is None:
        click.echo(boards_text(boards, format_), nl=False)
    elif (kind := output.suffix.lower()) == ".html":
        write_file(str(output), [boards_page(boards, title, source).encode()])
    elif kind in _FILES:
        text = boards_csv(boards) if kind == ".csv" else boards_text(boards, format_)
        write_file(str(output), [text.encode()])
    else:
        write_instance_set(output, boards, title=title, source=source, format_=format_)


def _made(boards: Iterator[Board]) -> tuple[list[Board], CutShort | None]:
    """Return the boards made until they are complete, the search gives up, or Ctrl-C."""
    made: list[Board] = []
    try:
        for board in boards:
            made.append(board)  # noqa: PERF402 - those before an error are kept
    except CutShort as cut:
        return made, cut
    except KeyboardInterrupt:
        return made, CutShort(StopReason.INTERRUPTED, "interrupted")
    return made, None


def _of_length(
    rules: Puzzle,
    lengths: range,
    count: int,
    randomness: Randomness,
    time_limit: float | None,
    quiet: bool,
) -> Iterator[Board]:
    # Most boards have no wanted length.
    from plansolve.apps.judge.optima import OptimumStore

    store, number, told = OptimumStore.of_user(), 1, time.monotonic()

    def progress(length: int, solved: int) -> None:
        nonlocal told
        if quiet or time.monotonic() - told < _PROGRESS_SECONDS:
            return
        told = time.monotonic()
        which = f"board {number} of {count}: " if count > 1 else ""
        tell(f"{which}{counted(solved, 'board')} solved, the last in {counted(length, 'move')}")

    made = boards_of_length(
        rules,
        lengths[0],
        count,
        randomness,
        longest=lengths[-1],
        time_limit=time_limit,
        progress=progress,
    )
    for start, plan in made:
        number += 1
        board = Board(Problem(rules, start), optimal_length=len(plan))
        # `judge` accepts lengths that were proved here.
        store.write(board.problem, plan)
        yield board


def _command(rules: Puzzle, count: int, seed: int) -> str:
    """Return the version, and the command that makes the set again, without the kind of boards."""
    from importlib.metadata import version

    specification, goal = names_of(rules)
    if specification is None:
        # Rules and goal are in each board's file.
        what = f"FILE ({rules.name})"
    else:
        what = f"--puzzle {specification} --size {rules.rows}x{rules.columns} --goal {goal}"
    return (
        f"plansolve {version('plansolve')}: plansolve generate {what} --count {count} --seed {seed}"
    )
