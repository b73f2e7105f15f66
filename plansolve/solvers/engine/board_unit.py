"""A whole board as a work unit, and the row that a store keeps of the attempt."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from threading import Event
from typing import Any, cast

from plansolve.formats.identity import problem_key, problem_text
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS
from plansolve.records.rows import Attempt, ProblemRow
from plansolve.solvers.engine.solve import SolveOptions, solve
from plansolve.solvers.limits import LinkedEvent
from plansolve.solvers.processes.stopping import is_unwanted
from plansolve.solvers.result import Result

__all__ = ["BoardUnit", "SolvedBoard", "attempt_of", "failed_attempt", "problem_row"]


@dataclass(frozen=True)
class SolvedBoard:
    """The result of a board, without its problem; when and where the attempt began."""

    result: Result
    began: str
    host: str


@dataclass(frozen=True)
class BoardUnit:
    """One board, to be solved by whoever takes it; `options` are those of `solve`.

    The event `cancel` is for threads: it cannot be sent to another process.
    """

    problem: Problem
    options: Mapping[str, Any]
    cancel: Event | None = None

    def run(self) -> SolvedBoard:
        """Solve the board, with one thread unless the options say more."""
        began = datetime.now(UTC).isoformat(timespec="milliseconds")
        options = {"threads": 1, **self.options, "cancel": _Unwanted(self.cancel)}
        if options.get("engine", "auto") == "auto" and not options.keys() & _FOR_FORMULAS:
            options["engine"] = _for_one_of_many(self.problem)
        result = solve(self.problem, **cast(SolveOptions, options))
        # Who asked has the problem.
        return SolvedBoard(replace(result, problem=None), began, socket.gethostname())


_FOR_FORMULAS = {"backend", "bound", "encoding", "lemmas", "proofs"}


def _for_one_of_many(problem: Problem) -> str:
    """Return the engine for a board that is one of many, whose kernels are loaded once for all."""
    return "astar" if problem.puzzle.cells <= FEW_CELLS else "auto"


class _Unwanted(LinkedEvent):
    """Is set where nobody waits for this thread's work any more."""

    def is_set(self) -> bool:
        """Return whether the work is unwanted."""
        return is_unwanted() or super().is_set()


def problem_row(problem: Problem) -> ProblemRow:
    """Return the row of a problem in a store."""
    return ProblemRow(problem_key(problem), problem_text(problem), problem.puzzle.title)


def attempt_of(problem: str, options: str, solved: SolvedBoard) -> Attempt:
    """Return the row of an attempt at the problem of that key, with the options' canonical text."""
    result = solved.result
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
        host=solved.host,
        began=solved.began,
        error=result.explanation,
    )


def failed_attempt(problem: str, options: str, engine: str, error: Exception) -> Attempt:
    """Return the row of an attempt that has no result."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    what = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    return Attempt(
        problem, options, engine, _version(), "error", "crash", None, None, None, "", "", 0.0,
        None, None, socket.gethostname(), now, what,
    )  # fmt: skip


def _sum(counts: Any) -> int | None:
    """Return the sum of those that there are, None where there is none."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else None


@cache
def _version() -> str:
    return version("plansolve")
