"""What a store keeps of an attempt at a problem."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from socket import gethostname
from typing import Any

from plansolve.records.board import Attempt, Board
from plansolve.records.records import Records
from plansolve.solvers.result import Result


def now() -> str:
    """Return the time as a store has it: ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def canonical_options(options: Mapping[str, Any]) -> str:
    """Return the JSON text of the options that are given, in one spelling."""
    given = {name: value for name, value in options.items() if value is not None}
    return json.dumps(given, sort_keys=True, separators=(",", ":"))


def keep_result(store: str, options: Mapping[str, Any], result: Result, began: str) -> None:
    """Keep the result of a single board, in a set "solve"; raise `StoreError` for a bad store."""
    assert result.problem is not None
    board = Board(result.problem, set_name="solve")
    with Records(store) as records:
        records.add_boards([replace(board, name=board.key[:12])])
        records.keep(attempt_of(result, board.key, canonical_options(options), began))


def attempt_of(result: Result, problem: str, options: str, began: str) -> Attempt:
    """Return the attempt, made here, at the problem of that key with those canonical options."""
    counts = result.statistics.counts.values()
    return Attempt(
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
        host=gethostname(),
        began=began,
        error=result.explanation,
    )


def failed_attempt(problem: str, options: str, engine: str, error: Exception) -> Attempt:
    """Return an attempt that has no result."""
    what = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    return Attempt(
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
