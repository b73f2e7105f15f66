"""plansolve tables: the pattern databases in the user's cache folder."""

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from plansolve.cli import options
from plansolve.cli.board import GivenBoard, WantedPuzzle
from plansolve.cli.progress import tell
from plansolve.errors import OptionError
from plansolve.exit_codes import REFUTED
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, Puzzle
from plansolve.puzzles.registry import FAMILIES, make_puzzle
from plansolve.storage.folder import cache_folder, writable_folder
from plansolve.text import counted, one_line

if TYPE_CHECKING:
    from plansolve.storage.store import Store

_FAR, _NEAR = 500, 8
"""Random moves from the goal. A search finds the near board's plan at once and proves it."""
_SECONDS = 30.0
"""More than any search takes; compiling and building do not count."""


@click.group("tables", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Build and manage the pattern databases in your cache folder.

    A search builds the tables that it needs. Build large ones beforehand.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("list")
def list_tables() -> None:
    """List the tables: name, size in MB, date, purpose."""
    store = _store()
    entries = store.files()
    for entry in entries:
        title = entry.key.title if entry.key and not entry.damage else f"damaged: {entry.damage}"
        built = datetime.fromtimestamp(entry.built, UTC).astimezone()
        click.echo(
            f"{one_line(entry.name)}  {entry.size / 1e6:.1f} MB  {built:%Y-%m-%d %H:%M}  "
            f"{one_line(title)}"
        )
    total = sum(entry.size for entry in entries)
    click.echo(f"{counted(len(entries), 'table')}, {total / 1e6:.1f} MB in {store.folder}")


@command.command("build")
@options.wanted_puzzle
@options.format
@click.option(
    "--pattern-size",
    type=click.IntRange(1, 12),
    metavar="K",
    help="Tiles in the largest pattern. Default: by the number of cells (16 cells: 6, 25: 5). "
    "Hard 24-puzzles need 6, which takes half a minute and 0.5 GB.",
)
@options.quiet
def build_tables(
    wanted: WantedPuzzle,
    format: str | None,  # noqa: A002 - the option's name
    pattern_size: int | None,
    quiet: bool,
) -> None:
    """Build the tables for the goal of the board in FILE, or for a size."""
    if (wanted.file is None) == (wanted.size is None):
        raise click.UsageError("give either a FILE or --size MxN")
    if wanted.file is not None:
        problem = GivenBoard(wanted.file, wanted.puzzle, wanted.goal, format).problem()
    else:
        rules = wanted.rules()
        problem = Problem(rules, rules.goal_board)
    from plansolve.patterns.goal_tables import build_for

    _require_cache("tables would be lost")
    build_for(problem, pattern_size, _store(), _teller(quiet))


@command.command("verify")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@options.quiet
def verify_tables(names: tuple[str, ...], quiet: bool) -> int:
    """Verify all tables, or those named.

    The check covers the checksum and every entry; for boards of more than 64 cells, and tables that
    would need more than 2 GB of memory, only some entries. Exit code 1: a table is wrong: delete
    it with `plansolve tables clear NAME`, and the next search that needs it builds it again.
    """
    from plansolve.patterns.verify import verify

    store, note = _store(), _teller(quiet)
    if not names and not store.files():
        note(f"there are no tables in {store.folder}")
    code = 0
    for name in _chosen(store, names):
        note(f"{one_line(name)}: reading")
        found = store.read(name)
        if isinstance(found, str):
            problems = [found]
        else:
            problems = verify(found[0].kind, found[0].content, found[1], note)
        click.echo(f"{one_line(name)}: {'; '.join(problems) or 'ok'}")
        code = REFUTED if problems else code
    return code


@command.command("clear")
@click.argument("names", metavar="[NAME]...", nargs=-1)
def clear_tables(names: tuple[str, ...]) -> None:
    """Delete all tables, or those named. Searches rebuild the tables that they need."""
    store = _store()
    sizes = {entry.name: entry.size for entry in store.files()}
    chosen = _chosen(store, names)
    for name in chosen:
        try:
            store.remove(name)
        except OSError as error:
            raise OptionError(f"{one_line(name)}: {error.strerror}") from None
    freed = sum(sizes[name] for name in chosen)
    click.echo(f"{counted(len(chosen), 'table')} deleted, {freed / 1e6:.1f} MB")


@command.command("warm")
@options.wanted_puzzle
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def warm(wanted: WantedPuzzle, quiet: bool) -> None:
    """Compile kernels and build tables before the first search.

    This prepares for the board in FILE, for a size, or for all common sizes (15-puzzle, 24-puzzle
    ...). The first `solve` is then as fast as the second.

    Exit codes: 0 ready, 2 wrong input or option, 130 interrupted; finished parts are kept.
    """
    _require_cache("nothing would be kept")
    begin = time.monotonic()
    for puzzle in [wanted.rules()] if any(wanted) else _named_puzzles():
        since = time.monotonic()
        if not quiet:
            click.echo(f"{puzzle.title} ... ", nl=False)
        _search(puzzle)
        if not quiet:
            click.echo(f"{time.monotonic() - since:.1f} s")
    if not quiet:
        click.echo(f"ready after {time.monotonic() - begin:.0f} s; kept in {cache_folder()}")


def _named_puzzles() -> list[Puzzle]:
    return [
        make_puzzle(family.name, preset.rows, preset.columns)
        for family in FAMILIES.values()
        for preset in family.presets
        # Pieces of several cells take breadth-first search, which builds no tables.
        if preset.rows * preset.columns > FEW_CELLS and not family.pose
    ]


def _search(puzzle: Puzzle) -> None:
    """Prove one plan and find one, by the engines with kernels that `auto` would start."""
    if puzzle.cells <= FEW_CELLS:
        return
    from plansolve.instances.predecessors import Predecessors
    from plansolve.instances.randomness import Randomness
    from plansolve.solvers.engine.registry import ENGINES, fits
    from plansolve.solvers.engine.solve import solve

    far, near = (
        Problem(puzzle, Predecessors(puzzle).walk(puzzle.goal_board, moves, Randomness(1)))
        for moves in (_FAR, _NEAR)
    )
    prover = "idastar" if fits(ENGINES["idastar"], near.structure) else "astar"
    limits: dict[str, Any] = {"time_limit": _SECONDS, "setup_counts": False}
    solve(near, engine=prover, optimal=True, **limits).unless_interrupted()
    if fits(ENGINES["beam"], far.structure):
        # There is a plan of at most so many moves: the first one found ends the search.
        solve(far, engine="beam", optimal=False, max_horizon=_FAR, **limits).unless_interrupted()


def _require_cache(what: str) -> None:
    if writable_folder("tables") is None:
        raise OptionError(
            f"the cache folder {cache_folder()} cannot be written, so {what}: set "
            "PLANSOLVE_CACHE_DIR to a writable folder"
        )


def _store() -> "Store":
    # Numpy takes a tenth of a second, and `--help` does not need it.
    from plansolve.storage.store import Store

    return Store()


def _teller(quiet: bool) -> Callable[[str], None]:
    return (lambda line: None) if quiet else tell


def _chosen(store: "Store", names: Iterable[str]) -> list[str]:
    """Return the named tables, or all; raise `OptionError` for an unknown name."""
    known = [entry.name for entry in store.files()]
    chosen = list(dict.fromkeys(names)) or known
    for name in chosen:
        if name not in known:
            raise OptionError(f"there is no table {name!r}; see `plansolve tables list`")
    return chosen
