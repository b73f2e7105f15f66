"""plansolve check: whether a certificate proves what it states, step by step."""

import os
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from json import dumps
from pathlib import Path
from typing import Any, TypeAlias

import click

from plansolve import exit_codes
from plansolve.certcheck.certificate import Certificate
from plansolve.certcheck.check import CheckReport, CheckStep, CheckVerdict
from plansolve.certcheck.options import CheckOptions
from plansolve.claims.certificate import check_certificate
from plansolve.cli import options, values
from plansolve.cli.board import load_problem
from plansolve.cli.check_many import certificates_below, check_each
from plansolve.cli.memory import data_in_use, limit_memory
from plansolve.cli.progress import tell
from plansolve.errors import ProofError
from plansolve.formats.json_document import puzzle_entry
from plansolve.model.problem import Problem
from plansolve.model.problem import penalty as penalty_of
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.limits import CutShort, Limits, cores, most_memory
from plansolve.solvers.result import StopReason
from plansolve.solvers.result_text import fewest, only_claimed, penalty, such_plans
from plansolve.text import at_least, counted, visible

__all__ = ["command"]

SCHEMA = "plansolve.check/1"

_PROGRESS_SECONDS = 5.0
# An external checker is ended in good order, some seconds after the limit.
_EXTERNAL_GRACE = 8.0
# With less left than that nothing can be checked.
_ROOM = 32 << 20

# What the checker sees on its way: steps, progress (of what, how many of how many), and notes.
_Seen: TypeAlias = CheckStep | tuple[str, int, int] | str

_CODES = {
    CheckVerdict.PROVED: exit_codes.SOLVED,
    CheckVerdict.UNSOLVABLE: exit_codes.UNSOLVABLE,
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
    "--with",
    "external",
    metavar="CHECKER",
    help="Have another proof checker agree: cake_lpr, drat-trim, lrat-check (on the PATH), or "
    "dratify (a package).",
)
@click.option(
    "--sample",
    metavar="SHARE",
    type=values.share,
    help="Re-execute a share of a search's units, such as 5%, drawn from their list; exit code 12.",
)
@click.option(
    "--executor",
    metavar="WHO",
    help="Who searches the units of a search: local:N, dask://HOST:PORT, dask-local:N.",
)
@click.option(
    "--store",
    metavar="FILE",
    help="Keep the units that are done in FILE; the same command goes on from there.",
)
@options.time_limit("Stop after this time.")
@options.memory_limit
@options.threads
@click.option(
    "--json", is_flag=True, help="Print one JSON object; of many certificates one a line."
)
@click.option("-q", "--quiet", is_flag=True, help="Print the last line only.")
def command(
    folder: Path,
    board: str | None,
    puzzle: str | None,
    goal: str | None,
    format: str | None,  # noqa: A002 - click names it, and its variable in the environment
    external: str | None,
    sample: float | None,
    executor: str | None,
    store: str | None,
    time_limit: float | None,
    memory_limit: int,
    threads: int | None,
    json: bool,
    quiet: bool,
) -> int:
    """Check the certificate in FOLDER, or all in folders below it; with BOARD, that it is about it.

    Replays the plan, works out elementary bound and parity, justifies each clause of each formula
    from the rules, checks each proof step by step, and runs searches again. Exit codes: 0 the plan
    is proved optimal, 1 something is wrong, 2 it cannot be read, 11 it is proved that there is no
    plan, 13 that there is none within the stated horizon, 12 all is right, but less than optimality
    is proved (or CHECKER gave no verdict), 22 memory, 23 time, 130 interrupted. Of many: 0 each of
    them proves its plan optimal or that there is none, else 1, 2 or 12, the first that applies.
    """
    begin = time.monotonic()
    if board is None and (puzzle or goal or format):
        raise click.UsageError("--puzzle, --goal and --format are for BOARD: give one")
    problem = None if board is None else load_problem(board, puzzle, goal, format)
    many = certificates_below(folder)
    if many and problem is not None:
        raise click.UsageError(f"{folder} holds many certificates, and BOARD is one board")

    told = time.monotonic()

    def show(seen: _Seen) -> None:
        nonlocal told
        if isinstance(seen, CheckStep):
            if not (json or quiet or many):
                click.echo(_step_line(seen))
        elif isinstance(seen, str):
            if not quiet:
                tell(seen)
        elif not quiet and time.monotonic() - told > _PROGRESS_SECONDS:
            told = time.monotonic()
            what, done, total = seen
            of = f" of {total}" if total else ""
            tell(f"{done}{of} {what} checked; {told - begin:.0f} s")

    deadline = None if time_limit is None else begin + time_limit
    asked = CheckOptions(external, threads or cores(), deadline, sample)

    began = begin

    def check(one: Path) -> CheckReport:
        nonlocal began
        began = time.monotonic()
        return _check(one, problem, asked, (executor, store), memory_limit, show)

    def tell_one(one: Path, seen: CheckReport | ProofError) -> None:
        where = os.fsencode(one.relative_to(folder)).decode(errors="backslashreplace")
        if json:
            click.echo(dumps({"folder": where, **_document(seen, time.monotonic() - began)}))
        elif not quiet:
            line = f"unreadable: {seen}" if isinstance(seen, ProofError) else _summary(seen)
            click.echo(f"{visible(where)}: {visible(line)}")

    try:
        if many:
            code, line = check_each(many, check, tell_one)
            (tell if json else click.echo)(f"{line}; {time.monotonic() - begin:.1f} s")
            return code
        report = check(folder)
    except CutShort as cut:
        is_late = cut.reason == StopReason.TIME
        tell(f"plansolve: {cut}{' before everything was checked' * is_late}")
        return exit_codes.code_without_answer(cut.reason)
    seconds = time.monotonic() - begin
    if json:
        click.echo(dumps(_document(report, seconds)))
    else:
        click.echo(f"{_summary(report)}; {seconds:.1f} s")
    if report.verdict == CheckVerdict.BOUNDS and report.certificate.plan is None:
        return exit_codes.NO_PLAN_WITHIN_HORIZON
    return _CODES[report.verdict]


def _check(
    folder: Path,
    problem: Problem | None,
    asked: CheckOptions,
    spread: tuple[str | None, str | None],
    memory: int,
    tell: Callable[[_Seen], None],
) -> CheckReport:
    """Check a certificate, with a deadline in a child process.

    The checker looks at the clock only between two pieces of work, and whoever wrote a certificate
    may make one of them long. No exception could end compiled code, nor what loads it.
    """
    if asked.deadline is None:
        return _checked(folder, problem, asked, spread, memory, tell)
    # Where there is no deadline, and kernels are compiled, nothing of the engines is loaded.
    from plansolve.solvers.processes.call import call_in_child

    grace = 0.0 if asked.external is None else _EXTERNAL_GRACE
    limits = Limits(asked.deadline + grace)
    return call_in_child(_checked, folder, problem, asked, spread, memory, limits=limits, tell=tell)


def _checked(
    folder: Path,
    problem: Problem | None,
    asked: CheckOptions,
    spread: tuple[str | None, str | None],
    memory: int,
    tell: Callable[[_Seen], None],
) -> CheckReport:
    _have_no_more_memory(memory)

    def progress(what: str, done: int, total: int) -> None:
        tell((what, done, total))

    how = replace(asked, progress=progress, note=tell)
    try:
        executor, store = spread
        return check_certificate(
            folder, how, problem=problem, executor=executor, store=store, tell=tell
        )
    except TimeoutError:
        raise CutShort(StopReason.TIME, "time limit reached") from None


def _have_no_more_memory(limit: int) -> None:
    """Let this process run out of memory before the machine does, or beyond a smaller limit.

    Raise `MemoryError` where what is loaded leaves no room.
    """
    room = 0
    if limit < most_memory():
        # What finds no memory while it is loaded ends the process, or hangs it for ever.
        import plansolve.certcheck.refutation
        import plansolve.certcheck.search.check  # noqa: F401

        room = _ROOM
    limit_memory(limit)
    if room and data_in_use() + room > limit:
        raise MemoryError


def _step_line(step: CheckStep) -> str:
    return f"{'' if step.is_right else 'WRONG: '}{step.what}: {step.seen}"


def _summary(report: CheckReport) -> str:
    certificate = report.certificate
    length = certificate.length
    if report.verdict == CheckVerdict.REFUTED:
        return f"refuted: {_step_line(report.steps[-1])}"
    if report.verdict == CheckVerdict.UNDECIDED:
        return f"not decided: {_step_line(report.steps[-1])}"
    trusted = f"resting on {_foundations(certificate)}"
    if report.verdict == CheckVerdict.UNSOLVABLE:
        return f"proved: there is no plan, {trusted}"
    every = ""
    if report.is_every_plan and certificate.plans is not None:
        every = f", {such_plans(len(certificate.plans))}"
        told = penalty(
            certificate.problem.puzzle,
            penalty_of(certificate.problem, certificate.plan or ()),
            fewest(report.is_least_penalty),
        )
        every += f", {told}" if told else ""
    if report.verdict == CheckVerdict.PROVED:
        moves = "1 move is" if length == 1 else f"{length} moves are"
        return f"proved: {moves} optimal{every}, {trusted}"
    claim = certificate.claim
    claimed = f"; {only_claimed(claim.lower_bound, claim.by)}" if claim else ""
    if length is None:
        return f"proved: {at_least(report.lower_bound, 'move')}, {trusted}{claimed}"
    known = f"a plan of {counted(length, 'move')}; {at_least(report.lower_bound)}"
    return f"not decided: {known}, {trusted}{claimed}"


def _foundations(certificate: Certificate) -> str:
    puzzle = certificate.problem.puzzle
    entry = puzzle_entry(puzzle)
    if not isinstance(entry, str):
        return "the rules in problem.json"
    usual = make_puzzle(entry, puzzle.rows, puzzle.columns).goal
    other = "" if puzzle.goal == usual else f" with the goal {puzzle.line_text(puzzle.goal)}"
    return f"the rules of {entry}{other}"


def _document(report: CheckReport | ProofError, seconds: float) -> dict[str, Any]:
    if isinstance(report, ProofError):
        step = {"what": "the certificate", "is_right": False, "seen": str(report), "seconds": 0.0}
        nothing = dict.fromkeys(("length", "lower_bound", "stated_lower_bound"))
        return {
            "schema": SCHEMA,
            "verdict": "unreadable",
            **nothing,
            "is_every_plan": False,
            "is_least_penalty": False,
            "steps": [step],
            "seconds": round(seconds, 3),
        }
    certificate = report.certificate
    return {
        "schema": SCHEMA,
        "verdict": report.verdict.value,
        "length": certificate.length,
        "lower_bound": report.lower_bound,
        "stated_lower_bound": certificate.lower_bound,
        "is_every_plan": report.is_every_plan,
        "is_least_penalty": report.is_least_penalty,
        "steps": [asdict(step) | {"seconds": round(step.seconds, 3)} for step in report.steps],
        "seconds": round(seconds, 3),
    }
