"""plansolve convert: a board in another format, or a plan in another convention and style."""

from pathlib import Path

import click

from plansolve.cli import options
from plansolve.cli.board import GivenBoard, GivenPlan
from plansolve.cli.files import write_output
from plansolve.formats import FORMATS, format_plan, write_problem
from plansolve.formats.extract import read_plan_file
from plansolve.formats.notation import CONVENTIONS, STYLES
from plansolve.formats.pddl import pddl_of
from plansolve.model.problem import Problem
from plansolve.storage.files import new_folder

_PDDL = "pddl"


@click.command("convert")
@options.board
@options.given_plan
@click.option(
    "--to",
    metavar="NAME",
    shell_complete=options.one_of((*FORMATS, _PDDL)),
    help=f"The format to write: {', '.join(FORMATS)}, or pddl (two files for planners).",
)
@options.moves
@click.option(
    "--to-moves",
    type=click.Choice(CONVENTIONS),
    help="The convention to write. Default: that of the plan.",
)
@click.option("--style", type=click.Choice(STYLES), help="How to write the plan.")
@click.option(
    "-o",
    "--output",
    type=options.FILE,
    metavar="OUT",
    help="The file to write. Default: standard output.",
)
def command(
    board: GivenBoard,
    plan: GivenPlan,
    to: str | None,
    moves: str,
    to_moves: str | None,
    style: str | None,
    output: str | None,
) -> None:
    """Write BOARD in another format, or a PLAN for it in another convention or style.

    --to writes BOARD in another format. With a PLAN (a file, a result of `plansolve solve --json`,
    or --plan MOVES), --moves names its convention; --to-moves and --style say how to write it.
    convert does not check the plan; `plansolve verify` does.
    """
    plan = plan.checked_for(board)
    if plan and to is not None:
        raise click.UsageError("--to is for boards: use --to-moves and --style for a plan")
    if not plan and to is None:
        raise click.UsageError("give --to NAME to write the board, or give a plan")
    if not plan and (to_moves is not None or style is not None):
        raise click.UsageError("--to-moves and --style are for a plan: give a plan too")
    problem = board.problem()
    if to == _PDDL:
        _write_pddl(problem, output)
        return
    if to is not None:
        text = write_problem(problem, to)
    else:
        text = _plan_text(problem, plan, moves, to_moves, style or "letters")
    write_output(output, [text.encode()])


def _write_pddl(problem: Problem, output: str | None) -> None:
    """Write a domain and a problem into a new folder."""
    if output is None or output == "-":
        raise click.UsageError("--to pddl writes two files: name their folder with -o FOLDER")
    domain, task = pddl_of(problem)
    with new_folder(Path(output)) as folder:
        (folder.part / "domain.pddl").write_text(domain, encoding="utf-8")
        (folder.part / "problem.pddl").write_text(task, encoding="utf-8")
        folder.keep()


def _plan_text(
    problem: Problem, plan: GivenPlan, moves: str, to_moves: str | None, style: str
) -> str:
    """Return the plan as a line; without `to_moves` it keeps its convention."""
    # Raise the error for a convention that the puzzle lacks, whatever the plan is.
    for convention in (moves, to_moves or moves):
        format_plan((), problem, style, convention)
    found = plan.read_by(lambda text: read_plan_file(text, problem, moves))
    return f"{format_plan(found.plan, problem, style, to_moves or found.convention)}\n"
