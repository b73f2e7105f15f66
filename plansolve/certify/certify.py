"""Make certificates: the plan by any engine, the proofs by SAT or by a search to run again."""

import time
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from plansolve.certcheck.certificate import (
    Certificate,
    Claim,
    proved_lower_bound,
)
from plansolve.certcheck.files import (
    ALL_PLANS,
    SEARCH,
    UNITS,
    formula_file,
    legend_file,
    proof_file,
)
from plansolve.certcheck.unsolvable import why_no_plan
from plansolve.certify.compiling import trimming_compiled_beside
from plansolve.certify.effort import Effort, expected_effort
from plansolve.certify.record import write_certificate
from plansolve.encoders.registry import choose_encoding
from plansolve.errors import InternalError, OptionError, ProofError
from plansolve.formats import BoardLike, path_of, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS, Plan
from plansolve.solvers.engine.progress import Event, Progress
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import as_seconds, cores
from plansolve.solvers.protocol import Options
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import Statistics
from plansolve.storage.new_folder import NewFolder, new_folder
from plansolve.storage.notices import listen
from plansolve.text import counted, one_line

__all__ = ["WAYS", "Certified", "certify", "certify_result"]

WAYS = ("auto", "search", "sat")
"""How the lengths below that of the plan can be excluded."""

# Of the time: what the plan may take, so that some is left for the proofs.
_SHARE_OF_PLAN = 0.5
_LEAST_SECONDS = 0.001
# Shorter work needs no announcement, and no other process.
_WORTH_TELLING = 5.0


@dataclass(frozen=True)
class Certified:
    """What was certified: `certificate` is None, and no folder written, without a plan.

    `result` is what the engines found, `refutation` what the SAT solver added; None where it was
    not asked, since there is no plan, or one of no moves, or the work was interrupted, or a search
    is the proof.
    """

    result: Result
    refutation: Result | None
    certificate: Certificate | None


def certify(
    problem: BoardLike,
    folder: str | Path,
    *,
    by: str = "auto",
    every_plan: bool = False,
    backend: str | None = None,
    encoding: str | None = None,
    lemmas: Iterable[str] | None = None,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    max_horizon: int | None = None,
) -> Certified:
    """Write a certificate that the problem's best plan is optimal, or how far that is proved.

    >>> import plansolve, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plansolve.certify([[1, 2], [0, 3]], folder).certificate.lower_bound
    1

    `problem` is anything that `read_problem` takes. `by` "search", the certificate tells how to
    search for shorter plans again, with tables that the check makes itself; "sat", it holds for
    each shorter length a formula, and the proof that it has no model. "auto" takes what is cheaper
    to check: SAT on boards of up to 9 cells, for other puzzles than those that a search can
    certify, and where options of SAT are given.

    A length that is not excluded within `time_limit` (in seconds, or "90s") stays open; what an
    engine has proved beyond is noted as a claim. `lemmas=()` makes a certificate that rests on the
    plain encoding alone. `every_plan` also certifies, by SAT, the list of all shortest plans. With
    `max_horizon` no longer plan is looked for: where there is none the certificate says so. That of
    an unsolvable board says that it is, where the check can see why. The
    folder appears whole or not at all. Raise `OptionError` for a folder that exists and is not
    empty or cannot be written, `WrongTypeError` for what is no path, and what `solve` raises.
    """
    begin = time.monotonic()
    problem, folder = read_problem(problem), path_of(folder, "folder")
    of_sat = {
        "backend": backend,
        "encoding": encoding,
        "lemmas": None if lemmas is None else tuple(lemmas),
    }
    limits = {"memory_limit": memory_limit, "threads": threads, "progress": progress}
    may_search = _may_search(problem, by, {**of_sat, "every_plan": every_plan or None})
    if every_plan and max_horizon is not None:
        raise OptionError("a list of all shortest plans has no horizon: leave one of them out")
    with new_folder(folder) as made:
        how = _How(by, of_sat, limits, as_seconds(time_limit), begin, max_horizon)
        if every_plan:
            options = {**how.formula(made), **limits}
            result = solve(problem, plans="all", time_limit=how.time_limit, **options)
            return _finished(problem, result, result, made, how.spent())
        return _certified(problem, how, made, may_search=may_search)


def certify_result(
    result: Result,
    folder: str | Path,
    *,
    plan: Plan | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Certified:
    """Write a certificate of what a result says, as `certify` does; the plan is not looked for.

    `plan` is another one than the result's, which solves the same problem. What SAT has to prove
    for it takes at most `time_limit` seconds more. Raise `OptionError` for a result of no problem.
    """
    problem = result.problem
    if problem is None:
        raise OptionError("this result knows no problem: those that `solve` returns do")
    if plan is not None:
        result = _with_plan(result, plan)
    limits = {"memory_limit": memory_limit, "threads": threads, "progress": progress}
    of_sat = {"backend": None, "encoding": None, "lemmas": None}
    with new_folder(path_of(folder, "folder")) as made:
        how = _How("auto", of_sat, limits, time_limit, time.monotonic())
        return _proved(problem, result, how, made, may_search=_may_search(problem, "auto", of_sat))


def _with_plan(result: Result, plan: Plan) -> Result:
    """Return a result as if this plan had been found, where the result's is not shorter."""
    if result.plan is not None and len(result.plan) < len(plan):
        return result
    bound = min(result.lower_bound or 0, len(plan))
    is_best = bound == len(plan)
    return Result(
        status=Status.OPTIMAL if is_best else Status.FEASIBLE,
        plan=plan,
        lower_bound=bound,
        upper_bound=len(plan),
        stop_reason=StopReason.SOLVED if is_best else StopReason.EXHAUSTED,
        engine=result.engine,
        statistics=result.statistics,
        lower_bound_by=result.lower_bound_by,
        upper_bound_by="a claim",
        problem=result.problem,
    )


@dataclass(frozen=True)
class _How:
    """What was asked for: the options of SAT and the limits, by their names, and since when."""

    by: str
    of_sat: dict[str, Any]
    limits: dict[str, Any]
    time_limit: float | None
    begin: float
    max_horizon: int | None = None

    def spent(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self.begin

    def formula(self, made: NewFolder) -> dict[str, Any]:
        """Return the options of a refutation whose proofs are kept."""
        return {"engine": "cnf", "proofs": made.part, **self.of_sat}


def _certified(problem: Problem, how: _How, made: NewFolder, *, may_search: bool) -> Certified:
    share = None if how.time_limit is None else how.time_limit * _SHARE_OF_PLAN
    result = solve(problem, time_limit=share, max_horizon=how.max_horizon, **how.limits)
    return _proved(problem, result, how, made, may_search=may_search)


def _proved(
    problem: Problem, result: Result, how: _How, made: NewFolder, *, may_search: bool
) -> Certified:
    """Certify the plan of a result, or that there is none, by a search or by SAT."""
    is_within = result.status == Status.NO_PLAN_WITHIN_HORIZON
    if result.was_interrupted or not (result.plan or is_within):
        return _finished(problem, result, None, made, how.spent())
    if may_search and (how.by == "search" or is_within or result.status == Status.OPTIMAL):
        try:
            bound = _searched(problem, result, made, how.limits)
        except ProofError as error:
            # Tables or words that the check would not build; SAT needs neither.
            if how.by == "search":
                raise OptionError(f"no search proof: {error}") from None
        else:
            return _finished(problem, result, None, made, how.spent(), searched=bound)
    left = None if how.time_limit is None else how.time_limit - how.spent()
    refutation = _refutation(problem, result, left, how.formula(made), how.limits)
    return _finished(problem, result, refutation, made, how.spent())


def _refutation(
    problem: Problem,
    result: Result,
    seconds_left: float | None,
    formula: dict[str, Any],
    limits: dict[str, Any],
) -> Result:
    """Return what SAT says of all lengths that the result excludes, or below that of its plan."""
    encoding = choose_encoding(problem.structure, formula["encoding"])
    effort = expected_effort(result, encoding) if formula["lemmas"] is None else None
    is_long = effort is not None and effort.seconds >= _WORTH_TELLING
    if effort is not None and is_long and limits["progress"] is not None:
        bound = result.lower_bound or 0
        note = _told(effort, result.length, seconds_left)
        limits["progress"](Event("note", "cnf", bound, result.length, note=note))
    with trimming_compiled_beside() if is_long and limits["threads"] != 1 else nullcontext():
        return solve(
            problem,
            max_horizon=_excluded(result) if result.plan is None else len(result.plan) - 1,
            time_limit=None if seconds_left is None else max(seconds_left, _LEAST_SECONDS),
            **formula,
            **limits,
        )


def _told(effort: Effort, length: int | None, seconds_left: float | None) -> str:
    """Say in advance how long the refutations may take."""
    note = f"refuting the lengths below {length} may take {effort}"
    if seconds_left is not None and effort.seconds > seconds_left:
        note += f"; the time limit leaves {seconds_left:.0f} s"
    return note


def _may_search(problem: Problem, by: str, of_sat: Mapping[str, object]) -> bool:
    """Whether a search can be the proof that is asked for; raise `OptionError` if it must and not.

    `of_sat` are options of SAT, None where they were not given.
    """
    if by not in WAYS:
        raise OptionError(f"by: {by!r} should be one of {', '.join(WAYS)}")
    wants_sat = any(option is not None for option in of_sat.values())
    if by != "search":
        is_large = problem.puzzle.cells > FEW_CELLS
        return by == "auto" and is_large and not wants_sat and _has_search_proofs(problem)
    if wants_sat:
        raise OptionError(
            "encodings, lemmas, backends and lists of all plans are for SAT, not for a search"
        )
    if not _has_search_proofs(problem):
        raise OptionError(f"there are no search proofs for puzzles like {problem.puzzle.title}")
    return True


def _has_search_proofs(problem: Problem) -> bool:
    """Whether there are search proofs for such a puzzle and board."""
    moves_some = any(c != s for op in problem.puzzle.operators for c, s in op.moves)
    return moves_some and 2 < problem.puzzle.cells <= WORD_CELLS


def _searched(
    problem: Problem, result: Result, made: NewFolder, limits: dict[str, Any]
) -> int | None:
    """Write the search for plans below the proved bound; return the most moves that it excludes.

    None, and nothing written, where the rules exclude all of them.
    """
    _, parity, possible = proved_lower_bound(problem, (), result.length)
    bound = _excluded(result)
    if parity is not None:
        bound -= (bound - parity) % 2
    if possible > bound:
        return None
    rounds = result.statistics.nodes_by_bound("idastar")
    progress, threads = limits["progress"], limits["threads"] or cores()

    def tell(note: str) -> None:
        if progress is not None:
            progress(Event("note", "search", result.lower_bound or 0, result.length, note=note))

    tell(f"writing the search to {counted(bound, 'move')}")
    # With numba, which proofs by SAT do without.
    from plansolve.certify.search_proof import write_search_proof

    with listen(tell):
        write_search_proof(problem, bound, made.part, nodes=rounds.get(bound, 0), threads=threads)
    return bound


def _excluded(result: Result) -> int:
    """Return the most moves of the plans that a result excludes."""
    bound = result.lower_bound or 0
    return (bound if result.length is None else min(bound, result.length)) - 1


def _finished(
    problem: Problem,
    result: Result,
    refutation: Result | None,
    made: NewFolder,
    seconds: float,
    *,
    searched: int | None = None,
) -> Certified:
    """Put the rest into the folder and keep it."""
    best = _better(result, refutation)
    is_without = best.status == Status.UNSOLVABLE and why_no_plan(problem) is not None
    if best.plan is None and not is_without and best.status != Status.NO_PLAN_WITHIN_HORIZON:
        return Certified(result, refutation, None)
    statistics = refutation.statistics if refutation else Statistics()
    options = statistics.options or Options()
    refuted = sorted(statistics.refuted)
    bound = 0
    if not is_without:
        _, _, bound = proved_lower_bound(problem, refuted, best.length, searched)
    claim = None
    prover = max(filter(None, (result, refutation)), key=lambda known: known.lower_bound or 0)
    if prover.lower_bound is not None and prover.lower_bound > bound:
        counts = dict(prover.statistics.counts)
        claim = Claim(prover.lower_bound_by, prover.lower_bound, counts)
    certificate = Certificate(
        problem=problem,
        plan=best.plan,
        lower_bound=None if is_without else bound,
        refuted=tuple(refuted),
        claim=claim,
        plans=best.plans if best.is_every_plan and _has_proof_of_list(made) else None,
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
        searched=searched,
    )
    try:
        _drop_leftovers(made.part, certificate)
        write_certificate(made.part, certificate)
    except OSError as error:
        raise OptionError(f"{one_line(str(made.folder))}: {error.strerror}") from None
    made.keep()
    return Certified(result, refutation, certificate)


def _has_proof_of_list(made: NewFolder) -> bool:
    """Whether SAT has shown that a list of plans is complete; what a search says is no proof."""
    return (made.part / proof_file(ALL_PLANS)).exists()


def _drop_leftovers(made: Path, certificate: Certificate) -> None:
    """Delete what a solver that was ended at a limit has left half done."""
    names = [*map(str, certificate.refuted), *([] if certificate.plans is None else [ALL_PLANS])]
    wanted = {file(name) for name in names for file in (formula_file, legend_file, proof_file)}
    if certificate.searched is not None:
        wanted |= {SEARCH, UNITS}
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
