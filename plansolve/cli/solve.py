"""plansolve solve: find a plan and prove what can be proved about the shortest one."""

import sys
import time
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from plansolve.analysis.solvability import goals_within_reach
from plansolve.cli import options
from plansolve.cli.board import GivenBoard
from plansolve.cli.progress import ProgressReport, tell
from plansolve.exit_codes import exit_code
from plansolve.formats import format_plan
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Status
from plansolve.solvers.result_text import summary

_SHORT_SECONDS = 10.0


class _SolveCommand(click.Command):
    """`--count` may stand without its number, before the board as well."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for i, word in enumerate(args):
            if word == "--count" and not (i + 1 < len(args) and args[i + 1].isdecimal()):
                args[i] = "--count=0"
        return super().parse_args(ctx, args)


@click.command("solve", cls=_SolveCommand)
@options.board
@click.option(
    "--scramble",
    metavar="MOVES",
    help="Start from the goal after these moves; FILE need not hold a board.",
)
@click.option("--optimal", is_flag=True, help="Find a shortest plan and prove that it is one.")
@options.engine
@click.option(
    "--backend", metavar="NAME", help="The solver behind the engine; see `plansolve engines`."
)
@options.encoding
@options.bound
@options.max_horizon
@options.time_limit(
    "Stop after so long (30, 90s, 10m, 2h) and report the bounds. Default: 10s, besides what "
    "is compiled and built for the first time; with --optimal, --all, --count or --max-horizon "
    "none."
)
@options.memory_limit
@options.threads
@options.work("works on the parts of the proof", "threads", "each finished part of the proof")
@click.option("--all", "every", is_flag=True, help="Print every shortest plan, one a line.")
@click.option(
    "--count",
    type=click.IntRange(min=0),
    metavar="[N]",
    help="Print how many shortest plans there are, counting no further than N.",
)
@options.keep
@options.plan_style
@options.json
@options.quiet
@click.option("-v", "--verbose", is_flag=True, help="Print a line for each step on stderr.")
def command(
    board: GivenBoard,
    scramble: str | None,
    optimal: bool,
    max_horizon: int | None,
    time_limit: float | None,
    every: bool,
    count: int | None,
    keep: Path | None,
    moves: str,
    style: str,
    json: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Find a plan for the board in FILE (- for standard input).

    Without --optimal: a short plan soon, and the best plan and bounds that ten seconds allow.

    The plan goes to standard output, everything else to standard error. Exit codes: 0 plan
    found (and proved optimal if that was asked), 2 usage or input, 3 internal error, 11 proved
    unsolvable, 12 gave up without a proof, 13 proved that there is no plan within the horizon,
    22 memory, 23 time, 130 interrupted.
    """
    begin = time.monotonic()
    if every and count is not None:
        raise click.UsageError("--all prints what --count counts: give one of them")
    context = click.get_current_context()
    if json and context.get_parameter_source("style") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--style is for the plan as text: --json lists its moves")
    optimal = optimal or every or count is not None
    is_default = time_limit is None and not optimal and max_horizon is None
    hint = ""
    if scramble is None:
        problem, hint = board.posed()
    else:
        problem = board.scrambled(scramble)
    # Raise the error for a wrong convention before the work, not after it.
    format_plan((), problem.puzzle, style, moves)
    with context.obj or Workers(for_one_call=True) as workers:
        with ProgressReport(quiet=quiet, verbose=verbose) as progress:
            result = solve(
                problem,
                optimal=optimal,
                max_horizon=max_horizon,
                time_limit=_SHORT_SECONDS if is_default else time_limit,
                setup_counts=not is_default,
                plans="all" if every else "one" if count is None else "count",
                most_plans=count or None,
                progress=progress,
                workers=workers,
                **given,  # those that have the names of the parameters of `solve`
            )
        seconds = time.monotonic() - begin
        if json:
            click.echo(dumps(result.to_dict(moves) | {"seconds": round(seconds, 3)}))
        elif result.plan_count is not None and result.plans is None:
            click.echo(result.plan_count)
        else:
            one = () if result.plan is None else (result.plan,)
            for plan in one if result.plans is None else result.plans:
                click.echo(format_plan(plan, problem.puzzle, style, moves))
        if not quiet:
            tell(summary(problem, result, max_horizon, seconds))
            if result.status == Status.UNSOLVABLE and (goals := goals_within_reach(problem)):
                tell(f"is another goal meant? Not excluded: --goal {', --goal '.join(goals)}")
            elif hint:
                tell(hint)
        if keep is not None:
            from plansolve.cli.certify import keep_certificate  # few runs keep anything

            limits = {name: given[name] for name in ("memory_limit", "threads")}
            keep_certificate(result, keep, quiet=quiet, time_limit=time_limit, **limits)
        _keep_what_was_begun(workers, quiet)
    return exit_code(result, optimal)


def _keep_what_was_begun(workers: Workers, quiet: bool) -> None:
    """Wait for kernels and tables that the next run would have to begin again; Ctrl-C ends that."""
    if not workers.is_making:
        return
    from plansolve.storage.folder import writable_folder  # few runs begin anything

    if writable_folder("tables") is None:
        return
    # Whoever reads the answer need not wait.
    sys.stdout.flush()
    if not quiet:
        tell("finishing what was begun for later runs; Ctrl-C leaves it")
    with suppress(KeyboardInterrupt):
        workers.finish()
