"""Make certificates: the plan by any engine, the proofs by SAT or by a repeatable search."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from plansolve.certcheck.certificate import Certificate, Claim, proved_lower_bound
from plansolve.certcheck.files import SEARCH, UNITS, formula_file, legend_file, proof_file
from plansolve.certcheck.search.visit import write_visit
from plansolve.certcheck.unsolvable import why_no_plan
from plansolve.claims.certificate import write_certificate
from plansolve.errors import InternalError, OptionError, ProofError
from plansolve.formats import BoardLike, path_of, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS, Plan
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import as_seconds, cores
from plansolve.solvers.protocol import Event, Options, Progress
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import Statistics
from plansolve.storage.files import NewFolder, new_folder
from plansolve.storage.notices import listen
from plansolve.text import counted, one_line

WAYS = ("auto", "search", "sat")
"""The ways to exclude the lengths below that of the plan."""

# The share of the time for the plan, so that some is left for the proofs.
_SHARE_OF_PLAN = 0.5
_LEAST_SECONDS = 0.001


@dataclass(frozen=True)
class Certified:
    """The outcome: `certificate` is None, and no folder written, if nothing was certified.

    `result` is what the engines found, `refutation` what the SAT solver added; None if it was not
    asked: there is no plan, or one without moves, or the work was interrupted, or the proof is a
    search.
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
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    max_horizon: int | None = None,
) -> Certified:
    """Write a certificate that the best plan is optimal, or of the lower bound that was proved.

    >>> import plansolve, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plansolve.certify([[1, 2], [0, 3]], folder).certificate.lower_bound
    1

    `problem` is anything that `read_problem` takes. With `by` "search", the certificate describes a
    search for shorter plans, which the check repeats with its own tables. With "sat", it holds a
    formula for each shorter length, and a proof that it has no model. "auto" chooses the one that
    is cheaper to check: SAT on boards of up to 9 cells, for puzzles that a search cannot certify,
    and if options of SAT are given.

    Lengths that are not excluded within `time_limit` (in seconds, or "90s") stay open; higher
    bounds that an engine proved are recorded as claims. `every_plan` also certifies the list of all
    shortest plans, by search. With `max_horizon` the certificate may say that there is no plan of
    so few moves. It may also say that a board is unsolvable, if the check can prove that. The
    folder appears whole or not at all.

    Raise `OptionError` for a folder that is not empty or cannot be written, `WrongTypeError` if it
    is not a path, and the errors of `solve`.
    """
    begin, problem, folder = time.monotonic(), read_problem(problem), path_of(folder, "folder")
    of_sat = {"backend": backend, "encoding": encoding}
    limits: dict[str, Any] = {
        "memory_limit": memory_limit,
        "threads": threads,
        "progress": progress,
    }
    if every_plan and max_horizon is not None:
        raise OptionError("all shortest plans and a horizon exclude each other: leave one out")
    if every_plan and (by == "sat" or any(of_sat.values())):
        raise OptionError("a list of all shortest plans is certified by a search, not by SAT")
    may_search = _may_search(problem, "search" if every_plan else by, of_sat)
    seconds = as_seconds(time_limit)
    with new_folder(folder) as made:
        result = solve(
            problem,
            plans="all" if every_plan else "one",
            time_limit=None if seconds is None else seconds * _SHARE_OF_PLAN,
            max_horizon=max_horizon,
            optimal=True,
            **limits,
        )
        work = _Work(problem, result, made, by, of_sat, limits, seconds, begin, every_plan)
        return work.certified(may_search=may_search)


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
    """Write a certificate for a result, as `certify` does, but without a search for a plan.

    `plan` is used in place of the result's plan. Proofs by SAT take at most `time_limit` seconds
    more. Raise `OptionError` for a result without a problem.
    """
    problem = result.problem
    if problem is None:
        raise OptionError("this result has no problem: use one that `solve` returned")
    if plan is not None:
        result = _with_plan(result, plan)
    limits: dict[str, Any] = {
        "memory_limit": memory_limit,
        "threads": threads,
        "progress": progress,
    }
    with new_folder(path_of(folder, "folder")) as made:
        work = _Work(problem, result, made, "auto", {}, limits, time_limit, time.monotonic())
        return work.certified(may_search=_may_search(problem, "auto", {}))


def _with_plan(result: Result, plan: Plan) -> Result:
    """Return a result as if this plan had been found, if the result's is not shorter."""
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


def _may_search(problem: Problem, by: str, of_sat: Mapping[str, object]) -> bool:
    """Return True if a search can be the proof; raise `OptionError` if it must be and cannot.

    `of_sat` are options of SAT, None if they were not given.
    """
    if by not in WAYS:
        raise OptionError(f"by: {by!r} should be one of {', '.join(WAYS)}")
    wants_sat = any(option is not None for option in of_sat.values())
    if problem.puzzle.needs_kinds and (wants_sat or by == "sat"):
        raise OptionError(
            "formulas about moves that need pieces in certain cells cannot be checked: leave out "
            "SAT and its options"
        )
    if problem.puzzle.needs_kinds:
        return True
    moves_some = any(c != s for op in problem.puzzle.operators for c, s in op.moves)
    has_proofs = moves_some and problem.puzzle.cells <= WORD_CELLS
    if by != "search":
        return by == "auto" and problem.puzzle.cells > FEW_CELLS and has_proofs and not wants_sat
    if wants_sat:
        raise OptionError("encodings and backends are for SAT, not for a search")
    if not has_proofs:
        raise OptionError(f"there are no search proofs for puzzles like {problem.puzzle.title}")
    return True


@dataclass(frozen=True)
class _Work:
    """A result to certify, with the options: those of SAT, and limits by name."""

    problem: Problem
    result: Result
    made: NewFolder
    by: str
    of_sat: Mapping[str, Any]
    limits: Mapping[str, Any]
    time_limit: float | None
    begin: float
    every_plan: bool = False

    def certified(self, *, may_search: bool) -> Certified:
        """Certify the plan of the result, or that there is none, by a search or by SAT."""
        result = self.result
        is_within = result.status == Status.NO_PLAN_WITHIN_HORIZON
        if result.was_interrupted or not (result.plan or is_within):
            return self._finished()
        is_visit = self.problem.puzzle.needs_kinds
        if may_search and (
            is_visit or self.by == "search" or is_within or result.status == Status.OPTIMAL
        ):
            try:
                searched, plans = self._searched()
            except TimeoutError:
                return self._finished()
            except ProofError as error:
                # The check would not build these tables or words; SAT needs neither.
                if is_visit or self.by == "search":
                    raise OptionError(f"no search proof: {error}") from None
            else:
                return self._finished(searched=searched, plans=plans)
        limit = self.time_limit
        left = None if limit is None else max(limit - self._spent(), _LEAST_SECONDS)
        refutation = solve(
            self.problem,
            engine="cnf",
            proofs=self.made.part,
            max_horizon=_excluded(result) if result.plan is None else len(result.plan) - 1,
            time_limit=left,
            optimal=True,
            **self.of_sat,
            **self.limits,
        )
        return self._finished(refutation)

    def _spent(self) -> float:
        return time.monotonic() - self.begin

    def _is_late(self) -> bool:
        return self.time_limit is not None and self._spent() >= self.time_limit

    def _searched(self) -> tuple[int | None, tuple[Plan, ...] | None]:
        """Write the search for plans below the proved bound, or for all plans if they are listed.

        Return its limit of moves, and these plans. If the rules exclude all shorter plans, write
        nothing and return None for both.
        """
        result = self.result
        _, parity, possible = proved_lower_bound(self.problem, (), result.length)
        plans = result.plans if self.every_plan and result.is_every_plan and result.length else None
        bound = _excluded(result)
        if plans is not None:
            bound += 1
        elif parity is not None:
            bound -= (bound - parity) % 2
        if plans is None and possible > bound:
            return None, None
        progress, threads = self.limits["progress"], self.limits["threads"] or cores()

        def tell(note: str) -> None:
            if progress is not None:
                progress(Event("note", "search", result.lower_bound or 0, result.length, note=note))

        tell(f"writing the search for plans of up to {counted(bound, 'move')}")
        if self.problem.puzzle.needs_kinds:
            write_visit(self.problem, bound, self.made.part, self._is_late)
            return bound, None
        # This loads numba, which proofs by SAT do not need.
        from plansolve.claims.search_proof import write_search_proof

        count = None if plans is None else len(plans)
        nodes = result.statistics.nodes_by_bound("idastar").get(bound, 0)
        with listen(tell):
            write_search_proof(
                self.problem,
                bound,
                self.made.part,
                plans=count,
                nodes=nodes,
                threads=threads,
                is_unwanted=self._is_late,
            )
        return bound, plans

    def _finished(
        self,
        refutation: Result | None = None,
        searched: int | None = None,
        plans: tuple[Plan, ...] | None = None,
    ) -> Certified:
        problem, result = self.problem, self.result
        best = _better(result, refutation)
        is_without = best.status == Status.UNSOLVABLE and why_no_plan(problem) is not None
        if best.plan is None and not is_without and best.status != Status.NO_PLAN_WITHIN_HORIZON:
            return Certified(result, refutation, None)
        statistics = refutation.statistics if refutation else Statistics()
        options = statistics.options or Options()
        refuted, bound, claim = tuple(sorted(statistics.refuted)), 0, None
        if not is_without:
            excluded = None if searched is None else searched - (plans is not None)
            _, _, bound = proved_lower_bound(problem, refuted, best.length, excluded)
        prover = max(filter(None, (result, refutation)), key=lambda known: known.lower_bound or 0)
        if prover.lower_bound is not None and prover.lower_bound > bound:
            counts = dict(prover.statistics.counts)
            claim = Claim(prover.lower_bound_by, prover.lower_bound, counts)
        certificate = Certificate(
            problem=problem,
            plan=best.plan,
            lower_bound=None if is_without else bound,
            refuted=refuted,
            claim=claim,
            plans=plans,
            made_by={
                "plansolve": version("plansolve"),
                "plan": best.upper_bound_by,
                "encoding": options.encoding or "",
                "lemmas": list(options.lemmas or ()),
                "solver": options.backend or "",
                "python-sat": version("python-sat"),
                "conflicts": statistics.conflicts,
                "seconds": round(self._spent(), 3),
            },
            searched=searched,
        )
        made = self.made
        try:
            _drop_leftovers(made.part, certificate)
            write_certificate(made.part, certificate)
        except OSError as error:
            raise OptionError(f"{one_line(str(made.folder))}: {error.strerror}") from None
        made.keep()
        return Certified(result, refutation, certificate)


def _excluded(result: Result) -> int:
    """Return the largest length up to which a result excludes plans."""
    bound = result.lower_bound or 0
    return (bound if result.length is None else min(bound, result.length)) - 1


def _drop_leftovers(made: Path, certificate: Certificate) -> None:
    """Delete the incomplete files of a solver that was ended at a limit."""
    names = map(str, certificate.refuted)
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
            f"{result.lower_bound_by} proved {result.lower_bound} moves or more, but "
            f"{refutation.plan!r} "
            "has fewer"
        )
    return refutation
