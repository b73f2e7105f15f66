"""plansolve certify: a plan, and a proof that no shorter plan exists, for others to check."""

import time
from json import dumps
from pathlib import Path
from typing import Any

import click

from plansolve import exit_codes
from plansolve.certcheck.certificate import Certificate
from plansolve.claims.certify import WAYS, Certified, certify, certify_result
from plansolve.cli import options
from plansolve.cli.board import GivenBoard
from plansolve.cli.progress import ProgressReport, tell
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.result import Result, Status
from plansolve.solvers.result_text import only_claimed, such_plans, summary
from plansolve.text import at_least, counted

SCHEMA = "plansolve.certified/1"


@click.command("certify")
@options.board
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=options.FILE,
    required=True,
    help="Write to this new or empty folder.",
)
@click.option(
    "--by",
    type=click.Choice(WAYS),
    default="auto",
    show_default=True,
    help="How to exclude shorter plans: by a search that the checker repeats, or by SAT.",
)
@click.option("--all", "every", is_flag=True, help="Certify the list of all shortest plans too.")
@click.option(
    "--max-horizon",
    type=click.IntRange(min=0),
    metavar="N",
    help="Look for plans of at most N moves; if there are none, certify that.",
)
@options.encoding_alone
@click.option("--backend", metavar="NAME", help="The SAT solver; see `plansolve list engines`.")
@options.time_limit("Stop after this time and certify what is proved by then.", "10m")
@options.memory_limit
@options.threads
@options.json
@options.quiet
@click.option(
    "-v", "--verbose", is_flag=True, help="Show each step, and how each shorter length is excluded."
)
def command(
    board: GivenBoard,
    output: str,
    every: bool,
    json: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Find a shortest plan for BOARD, and write a proof that others can check.

    The folder holds the problem, the plan, and proofs that exclude every shorter length: by SAT, or
    by a search that the checker repeats. `plansolve check FOLDER` checks all of it. If a limit
    leaves some lengths open, the certificate records the engines' higher bounds as claims.

    Exit codes: 0 certified optimal, 2 wrong input or option, 11 proved unsolvable, 12 gave up, 13
    no plan within the horizon, 22 out of memory, 23 out of time, 130 interrupted. With a plan, and
    with 13, certify writes a certificate of what was proved; with 11, only if `check` can prove it.
    """
    begin = time.monotonic()
    problem, reading, _ = board.posed()
    with ProgressReport(quiet=quiet, verbose=verbose) as progress:
        certified = certify(
            problem,
            Path(output),
            every_plan=every,
            progress=progress,
            **given,  # those that have the names of the parameters of `certify`
        )
    seconds = time.monotonic() - begin
    click.echo(
        dumps(_document(certified, output, seconds))
        if json
        else certified_line(problem, certified, output, seconds, every=every)
    )
    if reading and not quiet:
        tell(reading)
    return _exit_code(certified, every)


def _exit_code(certified: Certified, every: bool) -> int:
    certificate = certified.certificate
    if certificate is None:
        return exit_codes.exit_code(certified.result, optimal=True)
    if certificate.is_of_optimality:
        if not (every and _lacks_list(certificate)):
            return exit_codes.SOLVED
        if certified.result.was_interrupted:
            return exit_codes.INTERRUPTED
        return exit_codes.exit_code(certified.result, optimal=True) or exit_codes.GAVE_UP
    unfinished = certified.refutation or certified.result
    return exit_codes.exit_code(unfinished, optimal=True) or exit_codes.GAVE_UP


def _lacks_list(certificate: Certificate) -> bool:
    return certificate.plans is None and bool(certificate.plan)


def keep_certificate(
    result: Result, folder: Path, *, plan: Plan | None = None, quiet: bool, **limits: Any
) -> None:
    """Write a certificate of the result, perhaps with another plan, and announce it."""
    begin = time.monotonic()
    with ProgressReport(quiet=quiet, verbose=False) as progress:
        certified = certify_result(result, folder, plan=plan, progress=progress, **limits)
    if not quiet and result.problem is not None:
        tell(certified_line(result.problem, certified, str(folder), time.monotonic() - begin))


def certified_line(
    problem: Problem, certified: Certified, folder: str, seconds: float, *, every: bool = False
) -> str:
    """Return what was certified, for people; with `every` the list of plans was asked for too."""
    result, certificate = certified.result, certified.certificate
    if certificate is None:
        subject = "the board is " if result.status == Status.UNSOLVABLE else ""
        return f"nothing to certify: {subject}{summary(problem, result, None, seconds)}"
    bound = certificate.lower_bound
    if certificate.plan is None:
        known = "certified: no plan" if bound is None else f"{at_least(bound, 'move')}, certified"
        why = f"; {result.explanation}" if bound is None else ""
        return f"{folder}: {known}{why}; {seconds:.1f} s"
    length = len(certificate.plan)
    what = f"{counted(length, 'move')}, "
    if certificate.is_of_optimality:
        what += "certified optimal"
    else:
        reason = (certified.refutation or result).explanation
        what += f"not certified optimal{f' ({reason})' if reason else ''}: {at_least(bound)}"
    if certificate.plans is not None:
        what += f"; {such_plans(len(certificate.plans))}, also certified"
    elif every and _lacks_list(certificate):
        why = result.explanation
        what += f"; the list of all such plans is NOT certified{f' ({why})' if why else ''}"
    if certificate.claim is not None:
        what += f"; {only_claimed(certificate.claim.lower_bound, certificate.claim.by)}"
    return f"{folder}: {what}; {seconds:.1f} s"


def _document(certified: Certified, folder: str, seconds: float) -> dict[str, Any]:
    result, certificate = certified.result, certified.certificate
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "folder": None,
        "status": result.status.value,
        "explanation": result.explanation,
        "seconds": round(seconds, 3),
    }
    if certificate is None:
        return document | {"lower_bound": result.lower_bound}
    claim = certificate.claim
    return document | {
        "folder": folder,
        "plan": None if certificate.plan is None else list(certificate.plan),
        "length": certificate.length,
        "lower_bound": certificate.lower_bound,
        "is_optimal": certificate.is_of_optimality,
        "plan_count": None if certificate.plans is None else len(certificate.plans),
        "encoding": certificate.made_by["encoding"],
        "lemmas": certificate.made_by["lemmas"],
        "refuted": list(certificate.refuted),
        "searched": certificate.searched,
        "claimed": None if claim is None else {"by": claim.by, "lower_bound": claim.lower_bound},
    }
