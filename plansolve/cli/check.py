"""plansolve check: whether a certificate proves what it states, step by step."""

import os
import threading
import time
from json import dumps
from pathlib import Path
from typing import Any

import click

from plansolve import exit_codes
from plansolve.certcheck.certificate import Certificate
from plansolve.certcheck.check import CheckReport, CheckStep, CheckVerdict
from plansolve.certcheck.options import CheckOptions
from plansolve.claims.certificate import check_certificate
from plansolve.cli.board import load_problem
from plansolve.cli.dimacs import limit_memory
from plansolve.cli.options import threads_option
from plansolve.cli.progress import tell
from plansolve.cli.values import duration
from plansolve.formats.json_document import puzzle_entry
from plansolve.solvers.limits import cores
from plansolve.text import at_least

__all__ = ["command"]

SCHEMA = "plansolve.check/1"

_PROGRESS_SECONDS = 5.0
# An external checker is ended in good order, some seconds after the limit.
_EXTERNAL_GRACE = 8.0
_TIME_IS_UP = "plansolve: time limit reached before everything was checked"

_CODES = {
    CheckVerdict.PROVED: exit_codes.SOLVED,
    CheckVerdict.BOUNDS: exit_codes.GAVE_UP,
    CheckVerdict.UNDECIDED: exit_codes.GAVE_UP,
    CheckVerdict.REFUTED: exit_codes.REFUTED,
}


@click.command("check")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.argument("board", metavar="[BOARD]", required=False)
@click.option(
    "--puzzle", metavar="NAME[:KEY=VALUE,...]", help="The rules of BOARD, as for `solve`."
)
@click.option("--goal", metavar="NAME|FILE", help="The goal of BOARD, as for `solve`.")
@click.option("--format", metavar="NAME", help="How BOARD is written. Default: found out.")
@click.option(
    "--audit",
    is_flag=True,
    help="Accept only clauses that follow from the rules for one tile and the blank.",
)
@click.option(
    "--with",
    "external",
    metavar="CHECKER",
    help="Have another proof checker agree: drat-trim (on the PATH) or dratify (a package).",
)
@click.option("--time-limit", type=duration, metavar="TIME", help="Stop after this time.")
@threads_option
@click.option("--json", is_flag=True, help="Print one JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="Print the last line only.")
def command(
    folder: Path,
    board: str | None,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    audit: bool,
    external: str | None,
    time_limit: float | None,
    threads: int | None,
    json: bool,
    quiet: bool,
) -> int:
    """Check the certificate in FOLDER; with BOARD, that it is about that board.

    Replays the plan, works out elementary bound and parity, justifies each clause of each formula
    from the rules, and checks each proof step by step. Exit codes: 0 the plan is proved optimal, 1
    something is wrong, 2 it cannot be read, 12 all is right, but less than optimality is proved
    (or CHECKER gave no verdict), 22 memory, 23 time, 130 interrupted.
    """
    begin = time.monotonic()
    problem = None if board is None else load_problem(board, puzzle, goal, format)
    limit_memory()

    told = time.monotonic()

    def show(step: CheckStep) -> None:
        if not (json or quiet):
            click.echo(_step_line(step))

    def progress(what: str, done: int, total: int) -> None:
        nonlocal told
        if not quiet and time.monotonic() - told > _PROGRESS_SECONDS:
            told = time.monotonic()
            tell(f"{done} of {total} {what} checked; {told - begin:.0f} s")

    if time_limit is not None:
        _hold_limit(time_limit + (_EXTERNAL_GRACE if external is not None else 0.0))
    try:
        options = CheckOptions(
            audit,
            external,
            threads or cores(),
            None if time_limit is None else begin + time_limit,
            progress,
            lambda note: None if quiet else tell(note),
        )
        report = check_certificate(folder, options, problem=problem, tell=show)
    except TimeoutError:
        tell(_TIME_IS_UP)
        return exit_codes.TIME
    seconds = time.monotonic() - begin
    if json:
        click.echo(dumps(_document(report, seconds)))
    else:
        click.echo(f"{_summary(report)}; {seconds:.1f} s")
    return _CODES[report.verdict]


def _hold_limit(seconds: float) -> None:
    """End the process, whatever it is doing, after so many seconds.

    The checker looks at the clock only between two pieces of work, and whoever wrote a certificate
    may make one of them long. No exception could end compiled code, nor what loads it.
    """

    def end() -> None:
        try:
            tell(_TIME_IS_UP)
        finally:
            os._exit(exit_codes.TIME)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def _step_line(step: CheckStep) -> str:
    return f"{'' if step.is_right else 'WRONG: '}{step.what}: {step.seen}"


def _summary(report: CheckReport) -> str:
    certificate = report.certificate
    length = len(certificate.plan)
    if report.verdict == CheckVerdict.REFUTED:
        return f"refuted: {_step_line(report.steps[-1])}"
    if report.verdict == CheckVerdict.UNDECIDED:
        return f"not decided: {_step_line(report.steps[-1])}"
    trusted = f"resting on {_foundations(certificate)}"
    every = ""
    if report.is_every_plan and certificate.plans is not None:
        count = len(certificate.plans)
        every = "; there is no other such plan" if count == 1 else f"; these {count} plans are all"
    if report.verdict == CheckVerdict.PROVED:
        moves = "1 move is" if length == 1 else f"{length} moves are"
        return f"proved: {moves} optimal{every}, {trusted}"
    claim = certificate.claim
    claimed = f"; {claim.lower_bound} or more is only claimed, by {claim.by}" if claim else ""
    return (
        f"not decided: a plan of {length} moves; {at_least(report.lower_bound)}, {trusted}{claimed}"
    )


def _foundations(certificate: Certificate) -> str:
    entry = puzzle_entry(certificate.problem.puzzle)
    return f"the rules of {entry}" if isinstance(entry, str) else "the rules in problem.json"


def _document(report: CheckReport, seconds: float) -> dict[str, Any]:
    certificate = report.certificate
    return {
        "schema": SCHEMA,
        "verdict": report.verdict.value,
        "length": len(certificate.plan),
        "lower_bound": report.lower_bound,
        "stated_lower_bound": certificate.lower_bound,
        "is_every_plan": report.is_every_plan,
        "steps": [
            {
                "what": step.what,
                "is_right": step.is_right,
                "seen": step.seen,
                "seconds": round(step.seconds, 3),
            }
            for step in report.steps
        ],
        "seconds": round(seconds, 3),
    }
