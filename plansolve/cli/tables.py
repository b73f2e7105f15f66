"""plansolve tables: the pattern databases in the user's cache folder."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from json import dumps
from typing import TYPE_CHECKING

import click

from plansolve.cli.board import load_problem, puzzle_of
from plansolve.errors import OptionError
from plansolve.exit_codes import REFUTED
from plansolve.model.problem import Problem
from plansolve.storage.folder import cache_folder, writable_folder
from plansolve.text import counted

if TYPE_CHECKING:
    from plansolve.storage.store import Store, StoredFile

__all__ = ["command"]

_quiet = click.option("-q", "--quiet", is_flag=True, help="No notes on stderr.")


@click.group("tables", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Build and look after pattern databases, kept in your cache folder.

    They are built by themselves when a search needs them. Build the large ones beforehand.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("list")
@click.option("--json", is_flag=True, help="Print one JSON object.")
def list_tables(json: bool) -> None:
    """List the tables: name, size in MB, when built, what for."""
    store = _store()
    entries = store.files()
    if json:
        click.echo(
            dumps(
                {
                    "schema": "plansolve.tables/1",
                    "folder": str(store.folder),
                    "tables": [
                        {
                            "name": entry.name,
                            "kind": entry.key.kind if entry.key else None,
                            "title": entry.key.title if entry.key else None,
                            "bytes": entry.size,
                            "built": _time(entry).isoformat(),
                            "damage": entry.damage or None,
                        }
                        for entry in entries
                    ],
                }
            )
        )
        return
    for entry in entries:
        title = entry.key.title if entry.key and not entry.damage else f"damaged: {entry.damage}"
        click.echo(
            f"{_shown(entry.name)}  {entry.size / 1e6:.1f} MB  {_time(entry):%Y-%m-%d %H:%M}  "
            f"{_shown(title)}"
        )
    total = sum(entry.size for entry in entries)
    click.echo(f"{counted(len(entries), 'table')}, {total / 1e6:.1f} MB in {store.folder}")


@command.command("build")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--puzzle", metavar="NAME[:KEY=VALUE,...]", help="The rules, as for `solve`.")
@click.option("--size", metavar="MxN", help="Without a FILE: rows and columns of the board.")
@click.option("--goal", metavar="NAME|FILE", help="The goal, as for `solve`.")
@click.option("--format", metavar="NAME", help="How the file is written. Default: found out.")
@click.option(
    "--pattern-size",
    type=click.IntRange(1, 12),
    metavar="K",
    help="Tiles in the largest pattern. Default: by the number of cells (16: 6, 25: 5). "
    "6 on 25 cells takes half a minute and 0.5 GB, and is what hard 24-puzzles need.",
)
@_quiet
def build_tables(
    file: str | None,
    puzzle: str | None,
    size: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - the option's name
    pattern_size: int | None,
    quiet: bool,
) -> None:
    """Build the tables for the goal of the board in FILE, or of a puzzle of the given size."""
    if (file is None) == (size is None):
        raise click.UsageError("give either a FILE or --size MxN")
    if file is not None:
        problem = load_problem(file, puzzle, goal, format)
    else:
        rules = puzzle_of(puzzle, size, goal)
        problem = Problem(rules, rules.goal_board)
    from plansolve.patterns.registry import build_for

    store = _store()
    if writable_folder("tables") is None:
        raise OptionError(
            f"the cache folder {cache_folder()} cannot be written, so tables would be lost: "
            "set PLANSOLVE_CACHE_DIR to one that can"
        )
    build_for(problem, pattern_size, store, _teller(quiet))


@command.command("verify")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@_quiet
def verify_tables(names: tuple[str, ...], quiet: bool) -> int:
    """Check the checksums and every entry of all tables, or of those named.

    Tables of more than 64 cells, or that would take more than 2 GB of memory, are tried at some
    entries only. Exit code 1 if one is damaged: it is not used, and built again when needed.
    """
    from plansolve.patterns.verify import verify

    store, tell = _store(), _teller(quiet)
    if not names and not store.files():
        tell(f"there are no tables in {store.folder}")
    code = 0
    for name in _chosen(store, names):
        tell(f"{_shown(name)}: reading")
        found = store.read(name)
        if isinstance(found, str):
            problems = [found]
        else:
            problems = verify(found[0].kind, found[0].content, found[1], tell)
        click.echo(f"{_shown(name)}: {'; '.join(problems) or 'ok'}")
        code = REFUTED if problems else code
    return code


@command.command("clear")
@click.argument("names", metavar="[NAME]...", nargs=-1)
def clear_tables(names: tuple[str, ...]) -> None:
    """Delete all tables, or those named. They are built again when a search needs them."""
    store = _store()
    sizes = {entry.name: entry.size for entry in store.files()}
    chosen = _chosen(store, names)
    for name in chosen:
        try:
            store.remove(name)
        except OSError as error:
            raise OptionError(f"{_shown(name)}: {error.strerror}") from None
    freed = sum(sizes[name] for name in chosen)
    click.echo(f"{counted(len(chosen), 'table')} deleted, {freed / 1e6:.1f} MB")


def _store() -> "Store":
    # Numpy takes a tenth of a second, and `--help` does not need it.
    from plansolve.storage.store import Store

    return Store()


def _teller(quiet: bool) -> Callable[[str], None]:
    def tell(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    return tell


def _chosen(store: "Store", names: Iterable[str]) -> list[str]:
    """Return the named tables, or all; raise `OptionError` for a name that there is not."""
    known = [entry.name for entry in store.files()]
    chosen = list(dict.fromkeys(names)) or known
    for name in chosen:
        if name not in known:
            raise OptionError(f"there is no table {name!r}; see `plansolve tables list`")
    return chosen


def _time(entry: "StoredFile") -> datetime:
    return datetime.fromtimestamp(entry.built, UTC).astimezone()


def _shown(text: str) -> str:
    """Return text from a file or its name, safe for a terminal."""
    return text if text.isprintable() else repr(text)
