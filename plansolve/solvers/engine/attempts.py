"""What a store keeps of an attempt at a board."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from socket import gethostname
from typing import Any

from plansolve.formats.identity import problem_key, problem_text
from plansolve.model.problem import Problem
from plansolve.records.records import Records
from plansolve.records.rows import AttemptRow, BoardRow, ProblemRow
from plansolve.solvers.result import Result

__all__ = [
    "SolvedBoard",
    "attempt_of",
    "canonical_options",
    "failed_attempt",
    "keep_result",
    "now",
    "problem_row",
]

_SINGLE = "solve"
"""The set of boards that were solved one by one."""


@dataclass(frozen=True)
class SolvedBoard:
    """The result of a board, without its problem; when and where the attempt began."""

    result: Result
    began: str
    host: str = field(default_factory=gethostname)


def now() -> str:
    """Return the time as a store has it: ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def canonical_options(options: Mapping[str, Any]) -> str:
    """Return the JSON text of the options that are given, in one spelling."""
    given = {name: value for name, value in options.items() if value is not None}
    return json.dumps(given, sort_keys=True, separators=(",", ":"))


def keep_result(store: str, options: Mapping[str, Any], result: Result, began: str) -> None:
    """Keep the result of a single board; raise `StoreError` where that cannot be."""
    assert result.problem is not None
    row = problem_row(result.problem)
    with Records(store) as records:
        records.add_boards([(row, BoardRow(_SINGLE, row.key[:12], row.key))])
        text = canonical_options(options)
        records.keep(attempt_of(row.key, text, SolvedBoard(result, began)))


def problem_row(problem: Problem) -> ProblemRow:
    """Return the row of a problem in a store."""
    return ProblemRow(problem_key(problem), problem_text(problem), problem.puzzle.title)


def attempt_of(problem: str, options: str, solved: SolvedBoard) -> AttemptRow:
    """Return the row of an attempt at the problem of that key, with the options' canonical text."""
    result = solved.result
    counts = result.statistics.counts.values()
    return AttemptRow(
        problem=problem,
        options=options,
        engine=result.engine,
        version=_version(),
        status=result.status.value,
        stop_reason=result.stop_reason.value,
        lower_bound=result.lower_bound,
        length=result.length,
        plan=None if result.plan is None else " ".join(result.plan),
        lower_bound_by=result.lower_bound_by,
        upper_bound_by=result.upper_bound_by,
        seconds=result.statistics.seconds,
        nodes=_sum(count.get("nodes", count.get("expansions")) for count in counts),
        conflicts=_sum(count.get("conflicts") for count in counts),
        host=solved.host,
        began=solved.began,
        error=result.explanation,
    )


def failed_attempt(problem: str, options: str, engine: str, error: Exception) -> AttemptRow:
    """Return the row of an attempt that has no result."""
    what = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    return AttemptRow(
        problem, options, engine, _version(), "error", "crash", None, None, None, "", "", 0.0,
        None, None, gethostname(), now(), what,
    )  # fmt: skip


def _sum(counts: Any) -> int | None:
    """Return the sum of those that there are, None where there is none."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else None


@cache
def _version() -> str:
    # Only stores need it, and it takes a while to load.
    from importlib.metadata import version

    return version("plansolve")
