"""plansolve convert: a board in another format, or a plan in another convention and style."""

from pathlib import Path

import click

from plansolve.cli import options
from plansolve.cli.board import load_problem
from plansolve.cli.files import write_file
from plansolve.cli.given_plan import read_given_plan
from plansolve.errors import OptionError
from plansolve.formats import FORMATS, format_plan, write_problem
from plansolve.formats.extract import read_plan_file
from plansolve.formats.notation import CONVENTIONS, STYLES
from plansolve.formats.pddl import pddl_of
from plansolve.model.problem import Problem
from plansolve.storage.new_folder import new_folder

__all__ = ["command"]

_PDDL = "pddl"


@click.command("convert")
@options.board
@options.given_plan
@click.option(
    "--to",
    metavar="NAME",
    help=f"Write the board as {', '.join(FORMATS)}; or as pddl, a folder for planners.",
)
@options.moves
@click.option(
    "--to-moves", type=click.Choice(CONVENTIONS), help="The same of the moves that are written."
)
@click.option("--style", type=click.Choice(STYLES), help="How the plan is written.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="The file to write. Default: standard output.",
)
def command(
    file: str,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    plan_file: str | None,
    plan: str | None,
    to: str | None,
    moves: str,
    to_moves: str | None,
    style: str | None,
    output: Path | None,
) -> None:
    """Write the board in FILE in another format, or a PLAN for it with other names of the moves.

    Without a PLAN: the board, as --to says. With one (a file, or --plan MOVES): the plan, its moves
    read as --moves and written as --to-moves and --style say; plansolve's own JSON results are
    plans too. A plan is not checked: `plansolve verify` does that.
    """
    if plan_file is not None and plan is not None:
        raise click.UsageError("give the plan either as a file or with --plan")
    has_plan = plan_file is not None or plan is not None
    if has_plan and to is not None:
        raise click.UsageError("--to is for boards: a plan has --to-moves and --style")
    if not has_plan and to is None:
        raise click.UsageError("say what to write: --to NAME for the board, or give a plan")
    if not has_plan and (to_moves is not None or style is not None):
        raise click.UsageError("--to-moves and --style are for a plan: give one")
    if file == plan_file == "-":
        raise OptionError("the board and the plan cannot both come from standard input")
    problem = load_problem(file, puzzle, goal, format)
    if to == _PDDL:
        _write_pddl(problem, output)
        return
    if to is not None:
        text = write_problem(problem, to)
    else:
        text = _plan_text(problem, plan_file, plan, moves, to_moves, style or "letters")
    if output is None or str(output) == "-":
        click.echo(text, nl=False)
    else:
        write_file(str(output), [text.encode()])


def _write_pddl(problem: Problem, output: Path | None) -> None:
    """Write a domain and a problem into a new folder."""
    if output is None or str(output) == "-":
        raise click.UsageError("--to pddl writes two files: name their folder with -o FOLDER")
    domain, task = pddl_of(problem)
    with new_folder(output) as folder:
        (folder.part / "domain.pddl").write_text(domain, encoding="utf-8")
        (folder.part / "problem.pddl").write_text(task, encoding="utf-8")
        folder.keep()


def _plan_text(
    problem: Problem,
    plan_file: str | None,
    plan: str | None,
    moves: str,
    to_moves: str | None,
    style: str,
) -> str:
    """Return the plan as a line; without `to_moves` it keeps the convention that it came in."""
    # Raise the error for a convention that the puzzle lacks, whatever the plan is.
    for convention in (moves, to_moves or moves):
        format_plan((), problem.puzzle, style, convention)
    found = read_given_plan(
        plan_file, plan, lambda text: read_plan_file(text, problem.puzzle, moves)
    )
    return f"{format_plan(found.plan, problem.puzzle, style, to_moves or found.convention)}\n"
