"""plansolve verify: check a claimed plan."""

from collections.abc import Iterator
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Any

import click

from plansolve.checker import IllegalStep
from plansolve.claims.claim import Verification, losing_step, verify
from plansolve.claims.diagnosis import MOST_REREAD
from plansolve.cli import options
from plansolve.cli.board import GivenBoard, GivenPlan
from plansolve.cli.progress import ProgressReport, tell
from plansolve.errors import PlanError
from plansolve.exit_codes import GAVE_UP, INTERRUPTED, REFUTED, SOLVED, exit_code
from plansolve.formats.extract import FoundPlan, extract_plan, line_range, read_plan_file
from plansolve.formats.notation import names_in
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.solvers.result_document import puzzle_fields
from plansolve.text import counted

SCHEMA = "plansolve.verification/1"

_SHOWN_OTHERS = 3


@click.command("verify")
@options.board
@options.given_plan
@click.option("--optimal", is_flag=True, help="Prove the plan shortest, or find a shorter one.")
@click.option("--extract", is_flag=True, help="Find the plan within a program's output.")
@click.option(
    "--cross-check",
    "with_cross_check",
    is_flag=True,
    help="Like --optimal, but two engines of different kinds must agree.",
)
@options.keep
@options.moves
@options.time_limit("Stop each search after this time (30, 90s, 10m, 2h). Default: none.")
@options.memory_limit
@options.json
@options.quiet
def command(
    board: GivenBoard,
    plan: GivenPlan,
    optimal: bool,
    extract: bool,
    with_cross_check: bool,
    keep: Path | None,
    moves: str,
    json: bool,
    quiet: bool,
    **limits: Any,
) -> int:
    """Check a PLAN for BOARD: is it legal, does it reach the goal, is it optimal?

    PLAN is a file, - for standard input, or the plan itself: moves (RDL, R2 D, right down), tiles
    (3 1 2, 7L 5U), boards one after the other, or a result of `plansolve solve --json`, which can
    replace both BOARD and PLAN. If the plan is wrong, verify names the first bad step, and says
    whether the plan is right in another convention, for another goal, or backwards.

    Exit codes: 0 confirmed, 1 refuted, 2 wrong input, 3 internal error; with --optimal also, if
    undecided, 12 gave up, 22 out of memory, 23 out of time, 130 interrupted.
    """
    if keep is not None and not (optimal or with_cross_check):
        raise click.UsageError("--keep writes proofs that no plan is shorter: it needs --optimal")
    plan = plan.or_that_of(board)
    if not plan:
        raise click.UsageError("give the plan as a file or with --plan")
    problem, reading, _ = board.posed()
    found = _found_plan(problem, plan, moves, extract)
    with ProgressReport(quiet=quiet, verbose=False) as progress:
        verification = verify(
            problem,
            found.plan,
            convention=found.convention,
            optimal=optimal,
            with_cross_check=with_cross_check,
            progress=progress,
            **limits,
        )
    if json:
        loses = losing_step(verification, **limits)
        click.echo(dumps(_document(verification, found, extract, loses)))
    else:
        for line in _lines(verification, found, extract):
            click.echo(line)
    if reading and not quiet:
        tell(reading)
    if keep is not None and verification.result is not None:
        from plansolve.cli.certify import keep_certificate  # few runs keep one

        claimed = verification.diagnosis.plan
        keep_certificate(verification.result, keep, plan=claimed, quiet=quiet, **limits)
    return _exit_code(verification)


def _found_plan(problem: Problem, plan: GivenPlan, moves: str, extract: bool) -> FoundPlan:
    """Return the plan from its file or the command line; a `PlanError` begins with its place."""
    # Raise the error for a wrong convention whatever the plan is.
    names_in(problem.puzzle, moves)

    def read(text: str) -> FoundPlan:
        if extract:
            return extract_plan(text, problem, moves)
        try:
            return read_plan_file(text, problem, moves)
        except PlanError as error:
            hint = "--extract finds a plan within other text"
            raise PlanError(f"{error}; {hint}") from None

    return plan.read_by(read)


def _exit_code(verification: Verification) -> int:
    if verification.confirmed:
        return SOLVED
    if verification.confirmed is False:
        return REFUTED
    results = [verification.result, *(verification.check.results if verification.check else ())]
    codes = [exit_code(result, True) for result in results if result is not None]
    if any(result is not None and result.was_interrupted for result in results):
        return INTERRUPTED
    return next(filter(None, codes), GAVE_UP)


def _lines(verification: Verification, found: FoundPlan, extract: bool) -> Iterator[str]:
    """Yield the verdict for people; the first line is about the claim."""
    diagnosis = verification.diagnosis
    yield str(verification)
    if illegal := diagnosis.verdict.illegal:
        yield f"the board before move {illegal.step}:"
        yield diagnosis.problem.puzzle.board_text(illegal.board)
    for reading in diagnosis.other_readings:
        yield reading.told(diagnosis.convention)
    if not verification.solves and not diagnosis.is_reread:
        yield f"no other reading was tried, since the plan has more than {MOST_REREAD} moves"
    if verification.lighter_plan is not None:
        yield f"same length, smaller penalty: {verification.written(verification.lighter_plan)}"
    if verification.check is not None:
        names = " and ".join(verification.check.engines)
        result = f"{names} agree" if verification.check.agreed else f"not finished ({names})"
        yield f"cross-check: {result}"
    if extract:
        yield f"taken from {line_range(found.lines)}{_doubts(found)}"


def _doubts(found: FoundPlan) -> str:
    """Return reasons to doubt the choice of these lines."""
    doubts = ""
    if found.stated not in (None, len(found.plan)):
        doubts += f"; the text says {counted(found.stated, 'move')}, the plan has {len(found.plan)}"
    if found.others:
        more = len(found.others) - _SHOWN_OTHERS
        shown = ", ".join(found.others[:_SHOWN_OTHERS]) + (f" and {more} more" if more > 0 else "")
        doubts += f"; not taken: {shown}"
    return doubts


def _document(
    verification: Verification, found: FoundPlan, extract: bool, loses: int | None
) -> dict[str, Any]:
    """Return the verification for machines; `moves` is the convention of all moves in it."""
    diagnosis, check = verification.diagnosis, verification.check
    puzzle, verdict, result = diagnosis.problem.puzzle, diagnosis.verdict, verification.result
    shorter, lighter = verification.shorter_plan, verification.lighter_plan
    return {
        "schema": SCHEMA,
        **puzzle_fields(diagnosis.problem, diagnosis.convention),
        "plan": diagnosis.told(diagnosis.plan),
        "confirmed": verification.confirmed,
        "legal": verdict.legal,
        "first_bad_step": verdict.illegal and _bad_step(puzzle, verdict.illegal),
        "reaches_goal": verdict.reaches_goal,
        "placed": verdict.placed,
        "tiles": puzzle.goal_tiles,
        "length": verdict.length,
        "penalty": diagnosis.penalty,
        "least_penalty": verification.least_penalty,
        "lighter_plan": None if lighter is None else diagnosis.told(lighter),
        "optimal": verification.optimal,
        "shorter_plan": None if shorter is None else diagnosis.told(shorter),
        "losing_step": loses,
        "lower_bound": verification.lower_bound,
        "upper_bound": verification.upper_bound,
        "lower_bound_by": verification.lower_bound_by or None,
        "rests_on": [*map(asdict, verification.rests_on)],
        "stop_reason": result and result.stop_reason.value,
        "other_readings": [
            {
                "text": reading.told(diagnosis.convention),
                "moves": reading.convention,
                "goal": reading.goal,
                "order": reading.order,
            }
            for reading in diagnosis.other_readings
        ],
        "extracted_from": {
            "lines": found.lines,
            "stated_length": found.stated,
            "not_taken": found.others,
        }
        if extract
        else None,
        "cross_check": check
        and {
            "engines": check.engines,
            "agreed": check.agreed,
            "length": check.length,
            "bounds": [[r.lower_bound, r.upper_bound] for r in check.results],
        },
        "seconds": round(verification.seconds, 3),
    }


def _bad_step(puzzle: Puzzle, illegal: IllegalStep) -> dict[str, Any]:
    return {
        "step": illegal.step,
        "move": illegal.move,
        "board": puzzle.in_rows(illegal.board),
        "reason": illegal.reason,
    }
