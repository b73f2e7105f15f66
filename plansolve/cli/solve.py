"""plansolve solve: find a plan and prove what can be proved about the shortest one."""

import time
from json import dumps

import click

from plansolve.cli.board import load_problem
from plansolve.cli.exit_codes import exit_code
from plansolve.cli.options import board_options, encoding_options, plan_options
from plansolve.cli.progress import ProgressReport
from plansolve.cli.report import result_document, summary
from plansolve.cli.values import duration, memory, most_memory
from plansolve.formats import format_plan
from plansolve.solvers.backends import ENGINES
from plansolve.solvers.solve import solve

__all__ = ["command"]


@click.command("solve")
@board_options
@click.option("--optimal", is_flag=True, help="Find a shortest plan and prove that it is one.")
@click.option(
    "--engine",
    metavar="NAME",
    default="cnf",
    show_default=True,
    help=f"What finds and proves: {', '.join(ENGINES)}.",
)
@click.option(
    "--backend", metavar="NAME", help="The solver behind the engine; see `plansolve engines`."
)
@encoding_options
@click.option(
    "--max-horizon",
    type=click.IntRange(min=0),
    metavar="N",
    help="Only ask whether there is a plan of at most N moves.",
)
@click.option(
    "--time-limit",
    type=duration,
    metavar="TIME",
    help="Stop after so long (30, 90s, 10m, 2h) and report the bounds. Default: none.",
)
@click.option(
    "--memory-limit",
    type=memory,
    metavar="SIZE",
    help="Stop when the solver needs more (500M, 4G). Default: 80% of the machine.",
)
@plan_options
@click.option("--json", is_flag=True, help="Print one JSON object instead of the plan.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing on stderr but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each horizon on stderr.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    optimal: bool,
    engine: str,
    backend: str | None,
    encoding: str | None,
    lemmas: tuple[str, ...] | None,
    max_horizon: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    moves: str,
    style: str,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Find a plan for the board in FILE (- for standard input).

    The plan goes to standard output, everything else to standard error. Exit codes: 0 plan
    found (and proved optimal if that was asked), 2 usage or input, 3 internal error, 11 proved
    unsolvable, 13 proved that there is no plan within the horizon, 22 memory, 23 time, 130
    interrupted.
    """
    begin = time.monotonic()
    problem = load_problem(file, puzzle, goal, format)
    # The same error for a wrong convention before the work as after it.
    format_plan((), problem.puzzle, style, moves)
    with ProgressReport(quiet=quiet, verbose=verbose) as progress:
        result = solve(
            problem,
            optimal=optimal,
            engine=engine,
            backend=backend,
            encoding=encoding,
            lemmas=lemmas,
            max_horizon=max_horizon,
            time_limit=time_limit,
            memory_limit=memory_limit or most_memory(),
            progress=progress,
        )
    seconds = time.monotonic() - begin
    if json:
        click.echo(dumps(result_document(problem, result, moves, seconds)))
    elif result.plan is not None:
        click.echo(format_plan(result.plan, problem.puzzle, style, moves))
    if not quiet:
        click.echo(summary(result, max_horizon, seconds), err=True)
    return exit_code(result, optimal)
