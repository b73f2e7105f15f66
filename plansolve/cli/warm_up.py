"""plansolve warm-up: compile and build beforehand what first searches would wait for."""

import time
from typing import Any

import click

from plansolve.cli.board import load_problem, puzzle_of
from plansolve.errors import OptionError
from plansolve.instances.predecessors import Predecessors
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, Puzzle
from plansolve.puzzles.registry import FAMILIES, make_puzzle
from plansolve.solvers.engine.registry import ENGINES, fits
from plansolve.solvers.engine.solve import solve
from plansolve.storage.folder import cache_folder, writable_folder

__all__ = ["command"]

_FAR, _NEAR = 500, 8
"""Random moves from the goal. A search finds the near board's plan at once and proves it."""
_SECONDS = 30.0
"""More than any search takes that is not stuck; compiling and building do not count."""


@click.command("warm-up")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--puzzle", metavar="NAME[:KEY=VALUE,...]", help="The rules, as for `solve`.")
@click.option("--size", metavar="MxN", help="Rows and columns of the board.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def command(file: str | None, puzzle: str | None, size: str | None, quiet: bool) -> None:
    """Compile and build what first searches would wait for.

    Kernels and pattern databases are made when they are first needed, and kept in your cache folder
    for later runs. This makes those of the searches for the board in FILE, or for a puzzle of a
    size, or for all sizes that have a name (15-puzzle, 24-puzzle ...): then `solve` is as fast the
    first time as the second. What is there already is not made again.

    Exit codes: 0 made, 2 usage or input, 130 interrupted: what was made until then is kept.
    """
    if writable_folder("tables") is None:
        raise OptionError(
            f"the cache folder {cache_folder()} cannot be written, so nothing would be kept: "
            "set PLANSOLVE_CACHE_DIR to one that can"
        )
    begin = time.monotonic()
    for one in _puzzles(file, puzzle, size):
        since = time.monotonic()
        if not quiet:
            click.echo(f"{one.title} ... ", nl=False)
        _search(one)
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


def _search(puzzle: Puzzle) -> None:
    """Have one plan proved and one found, by the engines with kernels that `auto` would start."""
    if puzzle.cells <= FEW_CELLS:
        return
    far, near = (
        Problem(puzzle, Predecessors(puzzle).walk(puzzle.goal_board, moves, Randomness(1)))
        for moves in (_FAR, _NEAR)
    )
    prover = "idastar" if fits(ENGINES["idastar"], near.structure) else "astar"
    limits: dict[str, Any] = {"time_limit": _SECONDS, "setup_counts": False}
    solve(near, engine=prover, **limits).unless_interrupted()
    if fits(ENGINES["beam"], far.structure):
        # There is a plan of so many moves: the first one that is found ends the search.
        solve(far, engine="beam", optimal=False, max_horizon=_FAR, **limits).unless_interrupted()
