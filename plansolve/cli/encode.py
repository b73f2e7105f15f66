"""plansolve encode: the DIMACS formula of one horizon, for any SAT solver."""

import sys

import click

from plansolve.cli import options
from plansolve.cli.board import load_problem
from plansolve.cli.dimacs import encode
from plansolve.cli.files import write_file
from plansolve.cli.memory import limit_memory

__all__ = ["command"]


@click.command("encode")
@options.board
@options.horizon
@options.encoding
@click.option("-o", "--output", metavar="FILE", default="-", help="Where to write; default stdout.")
def command(
    file: str,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    horizon: int,
    encoding: str | None,
    lemmas: tuple[str, ...] | None,
    output: str,
) -> None:
    """Write the formula "FILE has a plan of exactly T moves" in DIMACS form.

    Lemmas leave out plans with detours, so a formula without a model says that there is no
    shortest plan of T moves (with --lemmas none: no plan of T moves). Its models go back through
    `plansolve decode` with the same options: `plansolve encode B --horizon 31 | kissat |
    plansolve decode B --horizon 31`
    """
    limit_memory()
    problem = load_problem(file, puzzle, goal, format)
    formula = encode(problem, horizon, encoding, lemmas)
    board = " ".join(problem.puzzle.labels[tile] for tile in problem.start)
    lines = formula.builder.dimacs(
        (
            f"plansolve: a {formula.claim}",
            f"puzzle {problem.puzzle.name}, {problem.puzzle.rows}x{problem.puzzle.columns}",
            f"board {board}",
            f"encoding {formula.encoding}",
        )
    )
    if output == "-":
        sys.stdout.writelines(f"{line}\n" for line in lines)
    else:
        write_file(output, (f"{line}\n".encode("ascii") for line in lines))
