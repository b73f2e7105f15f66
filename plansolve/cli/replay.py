"""plansolve replay: show a plan as a page, as pictures, or board by board."""

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from plansolve.cli import options
from plansolve.cli.board import GivenBoard, GivenPlan
from plansolve.cli.files import write_file, write_output
from plansolve.errors import OptionError, PlanError, ResultError
from plansolve.formats import numbered
from plansolve.formats.extract import read_plan_file
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan

_LONGEST_OPTIMUM = 1_000_000


class _NumberRange(click.FloatRange):
    """Numbers of a range, without `nan`, which is neither below nor above it."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


@click.command("replay")
@options.board
@options.given_plan
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    type=options.FILE,
    help="Write a page to watch and to play (- for standard output).",
)
@click.option(
    "--svg",
    "svg_path",
    metavar="PATH",
    help="Write a picture of each board to a new folder, or of BOARD alone if PATH ends in .svg.",
)
@click.option(
    "--png",
    "png_file",
    metavar="FILE",
    type=options.FILE,
    help="Write a picture of BOARD (- for standard output); needs Pillow.",
)
@click.option(
    "--gif",
    "gif_file",
    metavar="FILE",
    type=options.FILE,
    help="Write an animated GIF (- for standard output); needs Pillow.",
)
@click.option(
    "--speed",
    type=_NumberRange(0.1, 50),
    default=2.0,
    show_default=True,
    metavar="N",
    help="Moves per second in the terminal and in a GIF.",
)
@click.option("--no-animation", is_flag=True, help="Print the boards instead of playing the plan.")
@click.option(
    "--optimal-length",
    type=click.IntRange(0, _LONGEST_OPTIMUM),
    metavar="N",
    help="The proved length of a shortest plan. Default: that of the result.",
)
@options.moves
def command(
    board: GivenBoard,
    plan: GivenPlan,
    html_file: str | None,
    svg_path: str | None,
    png_file: str | None,
    gif_file: str | None,
    speed: float,
    no_animation: bool,
    optimal_length: int | None,
    moves: str,
) -> None:
    """Show what a PLAN does to BOARD (- for standard input).

    PLAN holds moves in any notation, or is a result of `plansolve solve --json`, which can replace
    both BOARD and PLAN. Without an output file, replay plays the plan in the terminal, or prints
    it board by board. Without a PLAN it shows BOARD alone, which you can play on the page.
    """
    plan = plan.or_that_of(board)
    if [html_file, png_file, gif_file].count("-") > 1:
        raise OptionError("only one file can go to standard output")
    problem = board.problem()
    found, lower_bound = _read(problem, plan, moves) if plan else (None, None)
    if html_file is not None:
        from plansolve.replay.page import html_page

        title = Path(board.file).stem if Path(numbered(board.file)[0]).is_file() else ""
        page = html_page(
            problem,
            found,
            title=title,
            optimal_length=optimal_length,
            lower_bound=lower_bound,
            convention=moves,
        )
        write_output(html_file, [page.encode()])
    if svg_path is not None:
        _write_svg(Path(svg_path), problem, found or ())
    if png_file is not None:
        from plansolve.replay.gif import board_png

        write_output(png_file, [board_png(problem)])
    if gif_file is not None:
        from plansolve.replay.gif import plan_gif

        write_output(gif_file, [plan_gif(problem, found or (), speed)])
    if html_file is svg_path is png_file is gif_file is None:
        _play(problem, found or (), speed, moves, animation=not no_animation)


def _play(problem: Problem, plan: Plan, speed: float, moves: str, *, animation: bool) -> None:
    from rich.console import Console

    from plansolve.replay.terminal import animate

    animate(problem, plan, Console(highlight=False), speed, animation=animation, convention=moves)


def _read(problem: Problem, plan: GivenPlan, moves: str) -> tuple[Plan, int | None]:
    """Return the legal plan, and the lower bound if a result of `solve` proves one."""
    from plansolve.replay.steps import checked_plan

    text, found = plan.read_by(lambda text: (text, read_plan_file(text, problem, moves).plan))
    try:
        reaches_goal = checked_plan(problem, found)
    except PlanError as error:
        raise PlanError(f"{plan.place}: {error}") from None
    return found, _lower_bound(text, problem, found) if reaches_goal else None


def _lower_bound(text: str, problem: Problem, plan: Plan) -> int | None:
    """Return the bound in a consistent result of `solve` for this problem and plan, or None."""
    if text.lstrip()[:1] != "{":
        return None
    # Not every replay needs it.
    from plansolve.solvers.result import Result

    with suppress(ResultError):
        result = Result.from_json(text)
        if (result.problem, result.plan) == (problem, plan):
            return result.lower_bound
    return None


def _write_svg(path: Path, problem: Problem, plan: Plan) -> None:
    """Write the first board to a file, or all to a folder, with names in the order of the moves."""
    from plansolve.replay.steps import steps
    from plansolve.replay.svg import board_svg
    from plansolve.storage.files import new_folder

    if path.suffix == ".svg":
        write_file(str(path), [board_svg(problem.puzzle, problem.start).encode()])
        return
    digits = max(3, len(str(len(plan))))
    # In a new folder: pictures left from a longer plan would look like this plan's.
    with new_folder(path) as made:
        for step in steps(problem, plan):
            picture = board_svg(problem.puzzle, step.board, highlight=step.changed)
            write_file(str(made.part / f"step-{step.number:0{digits}}.svg"), [picture.encode()])
        made.keep()
