"""plansolve check: check certificates step by step."""

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Any

import click

from plansolve import exit_codes
from plansolve.certcheck.certificate import Certificate
from plansolve.certcheck.check import CheckReport, CheckStep, CheckVerdict
from plansolve.certcheck.files import PLAN, PROBLEM, RECORD
from plansolve.certcheck.options import CheckOptions
from plansolve.claims.certificate import check_certificate
from plansolve.cli import options
from plansolve.cli.board import GivenBoard
from plansolve.cli.progress import tell
from plansolve.errors import ProofError
from plansolve.formats.json_document import puzzle_entry
from plansolve.model.problem import penalty as penalty_of
from plansolve.program import data_in_use, limit_memory
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.limits import CutShort, cores, most_memory
from plansolve.solvers.result import StopReason
from plansolve.solvers.result_text import fewest, only_claimed, penalty, such_plans
from plansolve.text import at_least, counted, visible

SCHEMA = "plansolve.check/1"

_PROGRESS_SECONDS = 5.0
# With less time left, nothing can be checked.
_ROOM = 32 << 20

_CODES = {
    CheckVerdict.REFUTED: exit_codes.REFUTED,
    None: exit_codes.USAGE,
    CheckVerdict.BOUNDS: exit_codes.GAVE_UP,
    CheckVerdict.UNDECIDED: exit_codes.GAVE_UP,
    CheckVerdict.UNSOLVABLE: exit_codes.UNSOLVABLE,
    CheckVerdict.PROVED: exit_codes.SOLVED,
}
"""The exit code of each verdict, or None for an unreadable certificate; of several certificates,
the first code that applies counts.
"""

_PROOFS = (CheckVerdict.PROVED, CheckVerdict.UNSOLVABLE)

_WORDS = {
    CheckVerdict.PROVED: "proved optimal",
    CheckVerdict.UNSOLVABLE: "proved to have no plan",
    CheckVerdict.BOUNDS: "correct but not proved optimal",
    CheckVerdict.UNDECIDED: "not decided",
    CheckVerdict.REFUTED: "REFUTED",
    None: "unreadable",
}


def _share(text: str) -> float:
    """Return a part of a whole above 0 and up to 1, from "5%" or "0.05"."""
    number, percent, rest = text.partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if rest or not 0 < value <= 1:
        raise click.BadParameter(f"{text!r} is not a share: write 5% or 0.05")
    return value


@click.command("check")
@click.argument("folder", metavar="FOLDER", type=options.PATH)
@options.board_if_given
@click.option(
    "--with",
    "external",
    metavar="CHECKER",
    shell_complete=options.one_of(("cake_lpr", "drat-trim", "dratify", "lrat-check")),
    help="Another proof checker must also agree: cake_lpr, drat-trim, lrat-check (on the PATH), "
    "or dratify (a package).",
)
@click.option(
    "--sample",
    metavar="SHARE",
    type=_share,
    help="Repeat only a random share of the search, such as 5%; the exit code is then 12.",
)
@options.work("repeat the search", "threads", "finished parts of the search")
@options.time_limit("Stop after this time.")
@options.memory_limit
@options.threads
@click.option(
    "--json", is_flag=True, help="Print one JSON object, or one line of JSON for each certificate."
)
@click.option("-q", "--quiet", is_flag=True, help="Print the last line only.")
def command(
    folder: Path,
    board: GivenBoard | None,
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
    """Check the certificate in FOLDER, or all certificates below it.

    With BOARD, the certificate must be for this board. check replays the plan, computes the
    elementary bound and parity, derives each clause of each formula from the rules, follows each
    proof step by step, and repeats searches.

    Exit codes: 0 the plan is proved optimal, 1 something is wrong, 2 unreadable, 11 proved
    unsolvable, 12 correct, but proves less than optimality (or CHECKER gave no verdict), 13 proved
    that there is no plan within the stated horizon, 22 out of memory, 23 out of time, 130
    interrupted. For several certificates: 0 if each gives 0 or 11, else the first of 1, 2 and 12
    that applies.
    """
    begin = time.monotonic()
    problem = None if board is None else board.problem()
    many = _certificates_below(folder)
    if many and problem is not None:
        raise click.UsageError(f"{folder} holds many certificates: leave BOARD out")
    told = time.monotonic()

    def show(step: CheckStep) -> None:
        if not (json or quiet or many):
            click.echo(_step_line(step))

    def show_note(note: str) -> None:
        if not quiet:
            tell(note)

    def show_progress(what: str, done: int, total: int) -> None:
        nonlocal told
        if not quiet and time.monotonic() - told > _PROGRESS_SECONDS:
            told = time.monotonic()
            of = f" of {total}" if total else ""
            tell(f"{done}{of} {what} checked; {told - begin:.0f} s")

    deadline = None if time_limit is None else begin + time_limit
    how = CheckOptions(
        external, threads or cores(), deadline, sample, progress=show_progress, note=show_note
    )

    def check(one: Path) -> CheckReport:
        _limit_memory(memory_limit)
        try:
            return check_certificate(
                one, how, problem=problem, executor=executor, store=store, tell=show
            )
        except TimeoutError:
            raise CutShort(StopReason.TIME, "time limit reached") from None

    def show_one(one: Path, seen: CheckReport | ProofError, seconds: float) -> None:
        where = os.fsencode(one.relative_to(folder)).decode(errors="backslashreplace")
        if json:
            click.echo(dumps({"folder": where, **_document(seen, seconds)}))
        elif not quiet:
            line = f"unreadable: {seen}" if isinstance(seen, ProofError) else _summary(seen)
            click.echo(f"{visible(where)}: {visible(line)}")

    try:
        if many:
            code, line = _check_each(many, check, show_one)
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


def _certificates_below(folder: Path) -> list[Path]:
    """Return the folders of certificates below a folder, by name; none for a certificate.

    Remains of a certificate count, and so do folders that cannot be listed. Links are not followed.
    """
    try:
        if _holds_certificate(os.listdir(folder)):
            return []
    except OSError:  # which is reported when it is checked
        return []
    found: list[Path] = []

    def take(error: OSError) -> None:
        found.append(Path(error.filename))

    for where, folders, names in os.walk(folder, onerror=take):
        if _holds_certificate([*folders, *names]):
            found.append(Path(where))
            folders.clear()
    return sorted(found)


def _holds_certificate(names: Iterable[str]) -> bool:
    return not {RECORD, PROBLEM, PLAN}.isdisjoint(names)


def _check_each(
    folders: list[Path],
    check: Callable[[Path], CheckReport],
    show: Callable[[Path, CheckReport | ProofError, float], None],
) -> tuple[int, str]:
    """Check certificates one by one, show each, and return the exit code and a line about all."""
    counts: Counter[CheckVerdict | None] = Counter()
    for done, folder in enumerate(folders):
        begin = time.monotonic()
        report: CheckReport | ProofError
        try:
            report = check(folder)
        except CutShort as cut:
            before = f"{done} of {counted(len(folders), 'certificate')} checked"
            raise CutShort(cut.reason, f"{cut.detail} in {folder} ({before})") from None
        except ProofError as error:
            report = error
        counts[None if isinstance(report, ProofError) else report.verdict] += 1
        show(folder, report, time.monotonic() - begin)
    words = [f"{counts[verdict]} {word}" for verdict, word in _WORDS.items() if counts[verdict]]
    codes = (code for verdict, code in _CODES.items() if counts[verdict] and verdict not in _PROOFS)
    line = f"{counted(len(folders), 'certificate')}: {', '.join(words)}"
    return next(codes, exit_codes.SOLVED), line


def _limit_memory(limit: int) -> None:
    """Set a memory limit below the machine's; raise `MemoryError` if loaded modules exceed it."""
    room = 0
    if limit < most_memory():
        # A module that runs out of memory while it is loaded ends the process, or hangs it forever.
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
    trusted = f"given {_foundations(certificate)}"
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
        known: dict[str, Any] = {
            "verdict": "unreadable",
            **dict.fromkeys(("length", "lower_bound", "stated_lower_bound")),
            **dict.fromkeys(("is_every_plan", "is_least_penalty"), False),
            "steps": [step],
        }
    else:
        certificate = report.certificate
        known = {
            "verdict": report.verdict.value,
            "length": certificate.length,
            "lower_bound": report.lower_bound,
            "stated_lower_bound": certificate.lower_bound,
            "is_every_plan": report.is_every_plan,
            "is_least_penalty": report.is_least_penalty,
            "steps": [asdict(step) | {"seconds": round(step.seconds, 3)} for step in report.steps],
        }
    return {"schema": SCHEMA, **known, "seconds": round(seconds, 3)}
