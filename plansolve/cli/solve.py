"""plansolve solve: find a plan and prove what can be proved about the shortest one."""

import sys
import time
from contextlib import suppress
from json import dumps
from types import SimpleNamespace
from typing import Any

import click
from click.core import ParameterSource

from plansolve.analysis.solvability import goals_within_reach
from plansolve.cli import options
from plansolve.cli.board import GivenBoard
from plansolve.cli.progress import ProgressReport, tell
from plansolve.exit_codes import exit_code
from plansolve.formats import format_plan
from plansolve.solvers.engine.solve import SolveOptions, solve
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Status
from plansolve.solvers.result_text import summary


@click.command("solve", cls=options.EverydayCommand)
@click.option("--optimal", is_flag=True, help="Find a shortest plan and prove it shortest.")
@options.time_limit(
    "Stop after this time (30, 90s, 10m, 2h). Default: 10s, plus one-time setup on a first run; "
    "none with --optimal, --all, --count or --max-horizon."
)
@options.memory_limit
@options.board
@click.option("--all", "every", is_flag=True, help="Print every shortest plan, one per line.")
@click.option("--count", is_flag=True, help="Print the number of shortest plans.")
@options.plan_style
@options.json
@options.quiet
@click.option("-v", "--verbose", is_flag=True, help="Show each step, and how the answer was found.")
@options.help_all
@click.option(
    "--scramble",
    metavar="MOVES",
    help="Make these moves from the goal and start there, not from the start in BOARD.",
    **options.READING,
)
@options.engine
@click.option(
    "--backend",
    metavar="NAME",
    help="The solver behind the engine; see `plansolve list engines`.",
    **options.SEARCH,
)
@options.encoding
@options.bound
@options.max_horizon
@options.threads
@options.work("search the parts of a proof", "threads", "finished parts of a proof")
@options.keep
def command(board: GivenBoard, **asked: Any) -> int:
    """Find a plan for BOARD, and prove a lower bound on the number of moves.

    BOARD is a file, - for standard input, or the board itself: 867254301 or '8 6 7/2 5 4/3 . 1'.
    Without --optimal, plansolve improves the plan and the bound for ten seconds.

    The plan goes to standard output, everything else to standard error. Exit codes: 0 plan found
    (with --optimal: proved shortest), 2 wrong input or option, 3 internal error, 11 proved
    unsolvable, 12 gave up without a proof, 13 proved that no plan has at most --max-horizon moves,
    22 out of memory, 23 out of time, 130 interrupted.
    """
    begin = time.monotonic()
    its = SimpleNamespace(**asked)
    if its.every and its.count:
        raise click.UsageError("give only one of --all and --count")
    context = click.get_current_context()
    if its.json and context.get_parameter_source("style") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--style is for plans as text, not for --json")
    asked["optimal"] = its.optimal or its.every or its.count
    hint = ""
    if its.scramble is None:
        problem, reading, hint = board.posed()
    else:
        problem, reading = board.scrambled(its.scramble)
    # Raise the error for a wrong convention before the work, not after it.
    format_plan((), problem, its.style, its.moves)
    if reading and not its.quiet:
        tell(reading)
    with context.obj or Workers(for_one_call=True) as workers:
        with ProgressReport(quiet=its.quiet, verbose=its.verbose) as progress:
            result = solve(
                problem,
                plans="all" if its.every else "count" if its.count else "one",
                progress=progress,
                workers=workers,
                **{
                    name: asked[name] for name in asked.keys() & SolveOptions.__annotations__.keys()
                },
            )
        seconds = time.monotonic() - begin
        if its.json:
            click.echo(dumps(result.to_dict(its.moves) | {"seconds": round(seconds, 3)}))
        elif result.plan_count is not None and result.plans is None:
            click.echo(result.plan_count)
        else:
            one = () if result.plan is None else (result.plan,)
            for plan in one if result.plans is None else result.plans:
                click.echo(format_plan(plan, problem, its.style, its.moves))
        if not its.quiet:
            tell(summary(problem, result, its.max_horizon, seconds, verbose=its.verbose))
            if result.status == Status.UNSOLVABLE and (goals := goals_within_reach(problem)):
                tell(f"did you mean another goal? Try --goal {', --goal '.join(goals)}")
            elif hint:
                tell(hint)
        if its.keep is not None:
            from plansolve.cli.certify import keep_certificate  # few runs keep one

            limits = {name: asked[name] for name in ("memory_limit", "threads")}
            keep_certificate(result, its.keep, quiet=its.quiet, time_limit=its.time_limit, **limits)
        _keep_what_was_begun(workers)
    return exit_code(result, asked["optimal"])


def _keep_what_was_begun(workers: Workers) -> None:
    """Wait for kernels and tables that the next run would have to begin again; Ctrl-C ends that."""
    if not workers.is_making:
        return
    from plansolve.storage.folder import writable_folder  # few runs build anything

    if writable_folder("tables") is None:
        return
    # The reader of the output need not wait for this.
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        workers.finish()
