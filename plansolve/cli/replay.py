"""plansolve replay: a plan to look at, as a page, as pictures, or board by board."""

from contextlib import suppress
from pathlib import Path

import click

from plansolve.cli import options
from plansolve.cli.board import load_problem
from plansolve.cli.files import write_file
from plansolve.cli.given_plan import holds_plan, read_given_plan
from plansolve.cli.values import NumberRange
from plansolve.errors import OptionError, ResultError
from plansolve.formats.extract import read_plan_file
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan

__all__ = ["command"]

_LONGEST_OPTIMUM = 1_000_000


@click.command("replay")
@options.board
@options.given_plan
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    help="Write one page, to watch and to play with (- for standard output).",
)
@click.option(
    "--svg", "svg_folder", metavar="FOLDER", help="Write a picture of each board, as SVG."
)
@click.option(
    "--gif",
    "gif_file",
    metavar="FILE",
    help="Write an animated GIF (- for standard output); needs Pillow.",
)
@click.option(
    "--speed",
    type=NumberRange(0.1, 50),
    default=2.0,
    show_default=True,
    metavar="N",
    help="Moves a second, in the terminal and in a GIF.",
)
@click.option("--no-animation", is_flag=True, help="Print the boards one after the other.")
@click.option(
    "--optimal-length",
    type=click.IntRange(0, _LONGEST_OPTIMUM),
    metavar="N",
    help="The proved length of a shortest plan. Default: as a result of `solve --json` says.",
)
@options.moves
def command(
    file: str,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    plan_file: str | None,
    plan: str | None,
    html_file: str | None,
    svg_folder: str | None,
    gif_file: str | None,
    speed: float,
    no_animation: bool,
    optimal_length: int | None,
    moves: str,
) -> None:
    """Show what a PLAN does to the board in FILE (- for standard input).

    PLAN holds moves in any notation, or is a result of `plansolve solve --json`; such a result may
    also stand for FILE and PLAN. Without --html,
    --svg and --gif the plan is played in the terminal, or printed board by board where there is
    none. Without a plan there is one board; the page then lets you play.
    """
    if plan_file is not None and plan is not None:
        raise OptionError("give the plan either as a file or with --plan, not both")
    if file == plan_file == "-":
        raise OptionError("the board and the plan cannot both come from standard input")
    if plan_file is None and plan is None and holds_plan(file, format):
        plan_file = file
    if html_file == gif_file == "-":
        raise OptionError("the page and the GIF cannot both go to standard output")
    problem = load_problem(file, puzzle, goal, format)
    found, lower_bound = _plan(problem, plan_file, plan, moves)
    if optimal_length is None and found is not None and lower_bound == len(found):
        optimal_length = lower_bound
    if html_file is not None:
        from plansolve.replay.page import html_page

        title = Path(file).stem if file != "-" else ""
        page = html_page(
            problem,
            found,
            title=title,
            optimal_length=optimal_length,
            lower_bound=lower_bound,
            convention=moves,
        )
        _write(html_file, page.encode())
    if svg_folder is not None:
        _write_pictures(Path(svg_folder), problem, found or ())
    if gif_file is not None:
        from plansolve.replay.gif import plan_gif

        _write(gif_file, plan_gif(problem, found or (), speed))
    if html_file is svg_folder is gif_file is None:
        _play(problem, found or (), speed, moves, animation=not no_animation)


def _write(name: str, data: bytes) -> None:
    if name == "-":
        click.echo(data, nl=False)
    else:
        write_file(name, [data])


def _play(problem: Problem, plan: Plan, speed: float, moves: str, *, animation: bool) -> None:
    from rich.console import Console

    from plansolve.replay.terminal import animate

    animate(problem, plan, Console(highlight=False), speed, animation=animation, convention=moves)


def _plan(
    problem: Problem, plan_file: str | None, plan: str | None, moves: str
) -> tuple[Plan | None, int | None]:
    """Return the legal plan, and the lower bound where a result of `solve` proves one."""
    from plansolve.replay.steps import checked_plan

    if plan_file is None and plan is None:
        return None, None

    def read(text: str) -> tuple[Plan, int | None]:
        found = read_plan_file(text, problem.puzzle, moves).plan
        return found, _lower_bound(text, problem, found) if checked_plan(problem, found) else None

    return read_given_plan(plan_file, plan, read)


def _lower_bound(text: str, problem: Problem, plan: Plan) -> int | None:
    """Return the bound that a result of `solve` tells with that plan, if it is about that problem.

    A document that contradicts itself, or lacks something, tells nothing.
    """
    if text.lstrip()[:1] != "{":
        return None
    # Not for every replay.
    from plansolve.solvers.result import Result

    with suppress(ResultError):
        result = Result.from_json(text)
        if (result.problem, result.plan) == (problem, plan):
            return result.lower_bound
    return None


def _write_pictures(folder: Path, problem: Problem, plan: Plan) -> None:
    """Write one file a board; their names sort by the number of moves made."""
    from plansolve.replay.steps import steps
    from plansolve.replay.svg import board_svg
    from plansolve.storage.new_folder import new_folder

    digits = max(3, len(str(len(plan))))
    # In a new folder: pictures left from a longer plan would look like this plan's.
    with new_folder(folder) as made:
        for step in steps(problem, plan):
            picture = board_svg(problem.puzzle, step.board, highlight=step.changed)
            write_file(str(made.part / f"step-{step.number:0{digits}}.svg"), [picture.encode()])
        made.keep()
