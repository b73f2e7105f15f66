"""plansolve warm-up: compile and build beforehand what first runs would wait for."""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from plansolve.certcheck.check import check_against
from plansolve.certify.certify import certify
from plansolve.cli.board import load_problem, puzzle_of
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.lemmas.perimeter import DEEP_PERIMETER
from plansolve.encoders.lemmas.worthwhile import FIRST_HORIZON
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.errors import OptionError
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, Puzzle
from plansolve.model.structure import PuzzleKind, Structure
from plansolve.puzzles.registry import FAMILIES, make_puzzle
from plansolve.solvers.engine.follow_up import check_enumerable
from plansolve.solvers.engine.registry import ENGINES, fits
from plansolve.solvers.engine.solve import solve
from plansolve.storage.folder import cache_folder, writable_folder

__all__ = ["command"]

# Everything that a default run needs is begun by then; what has to be made is not counted.
_SECONDS = 2.0
# Far enough for a search that needs all its kernels, near enough to be proved at once.
_NEAR, _FAR = 8, 500


@click.command("warm-up")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--puzzle", metavar="NAME[:KEY=VALUE,...]", help="The rules, as for `solve`.")
@click.option("--size", metavar="MxN", help="Rows and columns of the board.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(file: str | None, puzzle: str | None, size: str | None, quiet: bool) -> None:
    """Compile and build what first runs would wait for.

    Kernels and pattern databases are made when they are first needed, and kept in your cache folder
    for later runs. This makes those for the board in FILE, or for a puzzle of a size, or for all
    sizes that have a name (15-puzzle, 24-puzzle ...): then the first run is as fast as the second.
    What is there already is not made again.

    Exit codes: 0 made, 2 usage or input, 130 interrupted: what was made until then is kept.
    """
    if writable_folder("tables") is None:
        raise OptionError(
            f"the cache folder {cache_folder()} cannot be written, so nothing would be kept: "
            "set PLANSOLVE_CACHE_DIR to one that can"
        )
    begin = time.monotonic()
    for what, make in [*_steps(_puzzles(file, puzzle, size)), ("certificates", _certificates)]:
        since = time.monotonic()
        if not quiet:
            click.echo(f"{what} ... ", nl=False)
        make()
        if not quiet:
            click.echo(f"{time.monotonic() - since:.1f} s")
    if not quiet:
        click.echo(f"ready after {time.monotonic() - begin:.0f} s; kept in {cache_folder()}")


def _puzzles(file: str | None, puzzle: str | None, size: str | None) -> list[Puzzle]:
    if file is not None:
        if size is not None:
            raise click.UsageError("FILE has its own size: leave --size out")
        return [load_problem(file, puzzle, None, None).puzzle]
    if puzzle is not None or size is not None:
        return [puzzle_of(puzzle, size, None)]
    return [
        make_puzzle(family.name, preset.rows, preset.columns)
        for family in FAMILIES.values()
        for preset in family.presets
        if preset.rows * preset.columns > FEW_CELLS
    ]


def _steps(puzzles: list[Puzzle]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield, for each puzzle, what to make and what makes it."""
    for puzzle in puzzles:
        yield f"{puzzle.title}, searches", partial(_search, puzzle)
        if Structure(puzzle).kind == PuzzleKind.BLANK_GRAPH:
            # Only lemmas about a blank graph have tables.
            yield f"{puzzle.title}, formulas", partial(_encode, puzzle)


def _board(puzzle: Puzzle, steps: int) -> Problem:
    return Problem(puzzle, Predecessors(puzzle).walk(puzzle.goal_board, steps, Randomness(1)))


def _search(puzzle: Puzzle) -> None:
    """Begin all that a default run begins, and ask what can be asked about shortest plans."""
    far = _board(puzzle, _FAR)
    engines = ["auto"]
    if fits(ENGINES["beam"], far.structure):
        # On small boards it would have no turn.
        engines.append("beam")
    for engine in engines:
        solve(
            far, engine=engine, optimal=False, time_limit=_SECONDS, setup_counts=False
        ).unless_interrupted()
    near = _board(puzzle, _NEAR)
    try:
        check_enumerable(near)
    except OptionError:
        return
    solve(near, plans="count", time_limit=60, setup_counts=False).unless_interrupted()


def _encode(puzzle: Puzzle) -> None:
    """Make the tables that lemmas are read from, by writing a formula that is worth them."""
    problem = _board(puzzle, _NEAR)
    encoding = choose_encoding(problem.structure)
    lemmas = choose_lemmas(encoding, cells=puzzle.cells, is_distinct=puzzle.is_distinct)
    encoder = encoding.prepare(problem, lemmas - {DEEP_PERIMETER.name})
    encoder.encode(CnfBuilder(), FIRST_HORIZON)


def _certificates() -> None:
    """Write and check a certificate of a small board."""
    family = next(iter(FAMILIES.values()))
    problem = _board(make_puzzle(family.name, 3, 3), _FAR)
    with tempfile.TemporaryDirectory() as folder:
        certified = certify(problem, Path(folder, "certificate"))
        certified.result.unless_interrupted()
        check_against(problem, Path(folder, "certificate"))
