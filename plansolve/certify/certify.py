"""Make certificates: the plan by any engine, the proofs by a SAT solver."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from plansolve.certcheck.certificate import Certificate, Claim, proved_lower_bound
from plansolve.certcheck.files import ALL_PLANS, formula_file, legend_file, proof_file
from plansolve.certify.effort import expected_effort
from plansolve.certify.record import write_certificate
from plansolve.encoders.registry import choose_encoding
from plansolve.errors import InternalError, OptionError
from plansolve.formats import BoardLike, path_of, read_problem
from plansolve.model.problem import Problem
from plansolve.solvers.engine.progress import Event, Progress
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import as_seconds
from plansolve.solvers.protocol import Options
from plansolve.solvers.result import Result, Status
from plansolve.solvers.statistics import Statistics
from plansolve.storage.new_folder import NewFolder, new_folder
from plansolve.text import one_line

__all__ = ["Certified", "certify"]

# Of the time: what the plan may take, so that some is left for the proofs.
_SHARE_OF_PLAN = 0.5
_LEAST_SECONDS = 0.001
# Shorter work needs no announcement.
_WORTH_TELLING = 5.0


@dataclass(frozen=True)
class Certified:
    """What was certified: `certificate` is None, and no folder written, without a plan.

    `result` is what the engines found, `refutation` what the SAT solver added; None where it was
    not asked, since there is no plan, or one of no moves, or the work was interrupted.
    """

    result: Result
    refutation: Result | None
    certificate: Certificate | None


def certify(
    problem: BoardLike,
    folder: str | Path,
    *,
    every_plan: bool = False,
    backend: str | None = None,
    encoding: str | None = None,
    lemmas: Iterable[str] | None = None,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Certified:
    """Write a certificate that the problem's best plan is optimal, or how far that is proved.

    >>> import plansolve, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plansolve.certify([[1, 2], [0, 3]], folder).certificate.lower_bound
    1

    `problem` is anything that `read_problem` takes. A length that SAT cannot refute within
    `time_limit` (in seconds, or "90s") stays open; what another engine has proved beyond is noted
    as a claim. `lemmas=()` makes a certificate that rests on the plain encoding alone. `every_plan`
    also certifies the list of all shortest plans. The folder appears whole or not at all. Raise
    `OptionError` for a folder that exists and is not empty or cannot be written, `WrongTypeError`
    for what is no path, and what `solve` raises.
    """
    begin = time.monotonic()
    problem, folder = read_problem(problem), path_of(folder, "folder")
    time_limit = as_seconds(time_limit)

    def spent() -> float:
        return time.monotonic() - begin

    with new_folder(folder) as made:
        limits: dict[str, Any] = {
            "memory_limit": memory_limit,
            "threads": threads,
            "progress": progress,
        }
        formula: dict[str, Any] = {
            "engine": "cnf",
            "backend": backend,
            "encoding": encoding,
            "lemmas": None if lemmas is None else tuple(lemmas),
            "proofs": made.part,
        }
        if every_plan:
            result = solve(problem, plans="all", time_limit=time_limit, **formula, **limits)
            return _finished(problem, result, result, made, spent())
        share = None if time_limit is None else time_limit * _SHARE_OF_PLAN
        result = solve(problem, time_limit=share, **limits)
        if not result.plan or result.was_interrupted:
            return _finished(problem, result, None, made, spent())
        left = None if time_limit is None else time_limit - spent()
        refutation = _refutation(problem, result, left, formula, limits)
        return _finished(problem, result, refutation, made, spent())


def _refutation(
    problem: Problem,
    result: Result,
    seconds_left: float | None,
    formula: dict[str, Any],
    limits: dict[str, Any],
) -> Result:
    """Return what SAT says of all lengths below that of the result's plan."""
    if limits["progress"] is not None and formula["lemmas"] is None:
        _tell_effort(problem, result, formula["encoding"], seconds_left, limits["progress"])
    return solve(
        problem,
        max_horizon=len(result.plan or ()) - 1,
        time_limit=None if seconds_left is None else max(seconds_left, _LEAST_SECONDS),
        **formula,
        **limits,
    )


def _tell_effort(
    problem: Problem,
    result: Result,
    encoding: str | None,
    seconds_left: float | None,
    progress: Progress,
) -> None:
    """Say in advance how long the refutations may take, where that is long."""
    fitting = choose_encoding(problem.structure, encoding)
    effort = expected_effort(result, fitting)
    if result.length is None or effort is None or effort.seconds < _WORTH_TELLING:
        return
    note = f"refuting the lengths below {result.length} may take {effort}"
    if seconds_left is not None and effort.seconds > seconds_left:
        note += f"; the time limit leaves {seconds_left:.0f} s"
    bound = result.lower_bound or 0
    progress(Event("note", "cnf", bound, result.length, note=note))


def _finished(
    problem: Problem,
    result: Result,
    refutation: Result | None,
    made: NewFolder,
    seconds: float,
) -> Certified:
    """Put the rest into the folder and keep it."""
    best = _better(result, refutation)
    if best.plan is None:
        return Certified(result, refutation, None)
    statistics = refutation.statistics if refutation else Statistics()
    options = statistics.options or Options()
    refuted = sorted(statistics.refuted)
    _, _, bound = proved_lower_bound(problem, refuted, len(best.plan))
    claim = None
    prover = max(filter(None, (result, refutation)), key=lambda known: known.lower_bound or 0)
    if prover.lower_bound is not None and prover.lower_bound > bound:
        counts = dict(prover.statistics.counts)
        claim = Claim(prover.lower_bound_by, prover.lower_bound, counts)
    certificate = Certificate(
        problem=problem,
        plan=best.plan,
        lower_bound=bound,
        refuted=tuple(refuted),
        claim=claim,
        # The plan of no moves is the only one of its length.
        plans=best.plans if best.is_every_plan and best.plan else None,
        made_by={
            "plansolve": version("plansolve"),
            "plan": best.upper_bound_by,
            "encoding": options.encoding or "",
            "lemmas": list(options.lemmas or ()),
            "solver": options.backend or "",
            "python-sat": version("python-sat"),
            "conflicts": statistics.conflicts,
            "seconds": round(seconds, 3),
        },
    )
    try:
        _drop_leftovers(made.part, certificate)
        write_certificate(made.part, certificate)
    except OSError as error:
        raise OptionError(f"{one_line(str(made.folder))}: {error.strerror}") from None
    made.keep()
    return Certified(result, refutation, certificate)


def _drop_leftovers(made: Path, certificate: Certificate) -> None:
    """Delete what a solver that was ended at a limit has left half done."""
    names = [*map(str, certificate.refuted), *([] if certificate.plans is None else [ALL_PLANS])]
    wanted = {file(name) for name in names for file in (formula_file, legend_file, proof_file)}
    for path in made.iterdir():
        if path.name not in wanted:
            path.unlink()


def _better(result: Result, refutation: Result | None) -> Result:
    """Return the result with the shorter plan; raise `InternalError` for a contradiction."""
    if refutation is None:
        return result
    if refutation.status == Status.UNSOLVABLE and result.plan is not None:
        raise InternalError(f"a board with the plan {result.plan!r} was called unsolvable")
    if refutation.plan is None:
        return result
    if len(refutation.plan) < (result.lower_bound or 0):
        raise InternalError(
            f"{result.lower_bound_by} proved {result.lower_bound} moves, and {refutation.plan!r} "
            "has fewer"
        )
    return refutation
