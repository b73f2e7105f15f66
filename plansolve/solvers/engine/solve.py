"""The one funnel: validate, pick an engine, solve, replay the plan, return a result."""

import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from socket import gethostname
from typing import Any, Literal, TypedDict, Unpack

from plansolve.analysis.solvability import why_unsolvable
from plansolve.bounds.registry import best_lower_bound
from plansolve.certcheck.elementary import LowerBound, elementary_bound
from plansolve.formats import BoardLike, read_problem
from plansolve.model.problem import Problem
from plansolve.model.structure import raised_to_parity
from plansolve.records.board import Attempt, Board
from plansolve.solvers.engine.choice import Choice, Stage, choose, refute_by
from plansolve.solvers.engine.follow_up import Enumeration, least_penalty
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.registry import Engine
from plansolve.solvers.engine.request import Request, checked_distribution
from plansolve.solvers.engine.scheduler import Scheduler
from plansolve.solvers.evidence import units_in_use
from plansolve.solvers.limits import CutShort, LinkedEvent, cores
from plansolve.solvers.processes.workers import Workers, shared_workers
from plansolve.solvers.protocol import NO_PLAN, Distribution, Progress
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import Statistics


class BoardOptions(TypedDict, total=False):
    """The options of `solve` for one of many boards."""

    optimal: bool
    engine: str
    backend: str | None
    encoding: str | None
    bound: str | None
    lemmas: Iterable[str] | None
    proofs: str | Path | None
    max_horizon: int | None
    time_limit: float | str | None
    setup_counts: bool
    memory_limit: int | str | None
    threads: int | None
    plans: Literal["one", "all", "count"]
    most_plans: int | None
    progress: Progress | None
    workers: Workers | None
    cancel: threading.Event | None


class SolveOptions(BoardOptions, total=False):
    """The options of `solve`, for functions that pass them on."""

    executor: str | None
    store: str | os.PathLike[str] | None
    goal: BoardLike | None


def solve(
    problem: BoardLike,
    *,
    goal: BoardLike | None = None,
    optimal: bool = False,
    engine: str = "auto",
    backend: str | None = None,
    encoding: str | None = None,
    bound: str | None = None,
    lemmas: Iterable[str] | None = None,
    proofs: str | Path | None = None,
    max_horizon: int | None = None,
    time_limit: float | str | None = None,
    setup_counts: bool = True,
    memory_limit: int | str | None = None,
    threads: int | None = None,
    executor: str | None = None,
    store: str | os.PathLike[str] | None = None,
    plans: Literal["one", "all", "count"] = "one",
    most_plans: int | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
    cancel: threading.Event | None = None,
) -> Result:
    """Find a plan, and prove a lower bound on the number of moves.

    >>> import plansolve
    >>> plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]], time_limit="90s")
    <Result optimal: 5 moves, lower bound 5>

    - `problem` is anything that `read_problem` takes, `goal` the name of a goal or its board.
    - With `optimal` the plan is shortest, unless a limit comes first; without it the result is the
      best plan and lower bound within the time. See `Result.is_least_penalty` on penalties.
    - `plans` requests "all" shortest plans or their "count", up to `most_plans`. With
      `max_horizon`, only plans of at most so many moves are sought.
    - `time_limit` is in seconds or "90s"; by default none with `optimal`, `plans` or `max_horizon`,
      otherwise ten seconds. In those ten, or without `setup_counts`, the clock stops while kernels
      and tables are made for the first time. `memory_limit`, bytes or "4G", is for all processes.
    - `engine` is "auto" or one of `ENGINES`. `backend`, `encoding` and `lemmas` are for the formula
      engines (`lemmas=()` is the plain encoding); `bound` is the lower bound that "astar" or
      "idastar" evaluates at its nodes. `proofs` is a folder to which "cnf" writes each refuted
      formula and its proof.
    - `threads` is the number of cores for a proof (default: all), `executor` names other workers:
      "local:4", or "dask://host:8786". `store` is a file that keeps finished parts of the proof and
      the result; the same call resumes.
    - `progress` is called with each `Event`; `workers` are processes to use instead of shared ones.
      Another thread may set `cancel`, which ends the work like Ctrl-C: the result holds the plan
      and the bounds so far.

    Raise `OptionError`, `BoardError` or `WrongTypeError` for arguments that cannot be used,
    `EngineError` if a back end is missing, `InternalError` if a plan is wrong.
    """
    begin, problem = time.monotonic(), read_problem(problem, goal=goal)
    request = Request(
        optimal=optimal or plans != "one", engine=engine, backend=backend, encoding=encoding,
        bound=bound, lemmas=lemmas, proofs=proofs, max_horizon=max_horizon, time_limit=time_limit,
        setup_counts=setup_counts, memory_limit=memory_limit, threads=threads, plans=plans,
        most_plans=most_plans, progress=progress, workers=workers, cancel=cancel,
    )  # fmt: skip
    return solve_request(problem, request, checked_distribution(executor, store), begin)


async def solve_async(problem: BoardLike, **options: Unpack[SolveOptions]) -> Result:
    """Return the result of `solve`, with its options, and leave the event loop free.

    `progress` is called from another thread. Cancelling the task ends the engines.

    >>> import asyncio, plansolve
    >>> asyncio.run(plansolve.solve_async([[4, 1, 2], [0, 5, 3], [7, 8, 6]])).length
    5
    """
    # Few programs have an event loop.
    import asyncio

    # The caller's event may be that of other tasks too.
    cancel = LinkedEvent(options.get("cancel"))
    options["cancel"] = cancel
    work = asyncio.ensure_future(asyncio.to_thread(solve, problem, **options))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        cancel.set()
        # No engine is at work once the task has ended.
        await asyncio.wait([work])
        raise


def solve_request(
    problem: Problem, request: Request, distribution: Distribution, begin: float | None = None
) -> Result:
    """Return the result of a request; its clock began at `begin` (`time.monotonic`), or now.

    Raise what `solve` raises.
    """
    begin = time.monotonic() if begin is None else begin
    engine, options = request.engine_for(problem)
    by_formula = engine is not None and engine.name == "cnf"
    enumeration = request.enumeration(problem, by_formula=by_formula)
    cap = NO_PLAN if request.horizon is None else request.horizon + 1
    ledger = Ledger(problem, options, cap=cap)
    name = "auto" if engine is None else engine.name
    if problem.is_solved:
        return _nothing_to_do(problem, name, enumeration)
    workers = request.workers or shared_workers()
    scheduler = Scheduler(
        ledger,
        request.limits_from(begin),
        request.progress or (lambda event: None),
        workers,
        distribution=distribution,
        keep_children=not workers.for_one_call or enumeration is not None,
        optimal=request.optimal,
    )
    solving = _Solving(scheduler, request, engine, enumeration)
    began = now()
    reason, explanation = solving.run()
    if distribution.executor and not any(c.get("units") for c in ledger.counts.values()):
        what = f"{distribution.executor} had nothing to do: no proof was long enough to split"
        scheduler.tell("choice", name, note=what)
    ledger.rest_on(*units_in_use(ledger.counts, distribution.store))
    result = solving.result(name, reason, explanation, round(time.monotonic() - begin, 3))
    if distribution.store and distribution.keeps_result and not result.was_interrupted:
        _keep(distribution.store, request.for_store(name), result, began)
    return result


class _Solving:
    """One request, from the first bound to the result."""

    def __init__(
        self,
        scheduler: Scheduler,
        request: Request,
        engine: Engine | None,
        enumeration: Enumeration | None,
    ) -> None:
        self._scheduler, self._ledger = scheduler, scheduler.ledger
        self._problem, self._request = scheduler.ledger.problem, request
        self._engine, self._enumeration = engine, enumeration
        self._threads = request.threads or cores()
        # Only plans within the horizon are wanted.
        self._any_plan = request.horizon is not None
        # A board that is not the goal needs a move; better bounds follow soon.
        self._initial = LowerBound(1, "the board is not the goal")
        self._first = 1
        self._choice: Choice | None = None
        self._is_least_penalty = False

    def run(self) -> tuple[StopReason, str]:
        """Work until all is proved or a limit is reached; return why it ended.

        This is the one place where Ctrl-C becomes an ordinary end.
        """
        ledger, scheduler = self._ledger, self._scheduler
        optimal, limits = self._request.optimal, scheduler.limits
        ledger.proved(1, self._initial.by)
        try:
            if explanation := why_unsolvable(self._problem, limits.check):
                return StopReason.UNSOLVABLE, explanation
            self._prove_first_bound()
            seconds = None if limits.deadline is None else limits.deadline - time.monotonic()
            self._choice = self._choose(seconds)
            if self._engine is None:
                scheduler.tell("choice", "auto", note=self._choice.reason)
            limits.check()
            scheduler.run(self._choice.tracks, any_plan=self._any_plan and not optimal)
            if ledger.is_closed and optimal and ledger.plan is not None:
                self._follow_up()
        except CutShort as cut:
            return cut.reason, cut.detail
        except KeyboardInterrupt:
            return StopReason.INTERRUPTED, "interrupted"
        return StopReason.EXHAUSTED, "all engines reached their limits"

    def _prove_first_bound(self) -> None:
        if self._ledger.options.proofs is None:
            self._initial = best_lower_bound(self._problem)
        else:
            # A certificate rests on bounds that its checker computes itself.
            self._initial = elementary_bound(self._problem)
        parity = self._problem.structure.plan_parity(self._problem.start)
        self._first = raised_to_parity(self._initial.value, parity)
        self._ledger.proved(self._first, self._initial.by)

    def _choose(self, seconds: float | None) -> Choice:
        problem, threads = self._problem, self._threads
        if self._engine is None:
            return choose(
                problem,
                self._initial,
                optimal=self._request.optimal,
                seconds=seconds,
                threads=threads,
            )
        # Lists of plans by formulas, and plans within a horizon, must be SAT's own answer.
        alone = self._enumeration is not None or self._any_plan
        if self._engine.by_formula and not alone:
            return refute_by(self._engine, problem, seconds=seconds, threads=threads)
        stage = Stage(self._engine, threads=threads, memory=0.8)
        return Choice(((stage,),), f"{self._engine.name} was requested")

    def _follow_up(self) -> None:
        """Answer the questions about the shortest plans, now that one is proved."""
        scheduler, threads = self._scheduler, self._threads
        self._is_least_penalty = self._ledger.penalty == 0
        if self._enumeration is not None:
            self._enumeration.run(scheduler, threads)
            self._is_least_penalty |= self._enumeration.rank(scheduler)
        elif not self._is_least_penalty:
            self._is_least_penalty = least_penalty(scheduler, threads)

    def _why_no_plan(self) -> str:
        by = self._ledger.bound_by
        if self._first >= NO_PLAN:
            return f"{by}: a piece cannot reach its goal cell"
        return f"{by} has searched every reachable board"

    def result(self, engine: str, reason: StopReason, explanation: str, seconds: float) -> Result:
        """Return the result after the work has ended for the given reason."""
        ledger = self._ledger
        plan, lower = ledger.plan, ledger.lower_bound
        was_interrupted = reason == StopReason.INTERRUPTED
        if lower >= NO_PLAN:
            reason = StopReason.UNSOLVABLE
            explanation = self._why_no_plan()
        if reason == StopReason.UNSOLVABLE:
            return Result(
                Status.UNSOLVABLE,
                None,
                None,
                None,
                reason,
                engine,
                explanation,
                rests_on=ledger.rests_on,
                was_interrupted=was_interrupted,
                problem=self._problem,
            )
        if plan is None and ledger.is_closed:
            status, reason = Status.NO_PLAN_WITHIN_HORIZON, StopReason.HORIZON
        elif plan is None:
            status = Status.UNKNOWN
        elif lower == len(plan):
            status, reason = Status.OPTIMAL, StopReason.SOLVED
        else:
            status = Status.FEASIBLE
        cut_short = reason not in (StopReason.SOLVED, StopReason.HORIZON)
        found: dict[str, Any] = {}
        if self._enumeration is not None and status == Status.OPTIMAL:
            found = self._enumeration.document()
            cut_short = not (self._enumeration.is_complete or self._enumeration.is_enough)
        return Result(
            status=status,
            plan=plan,
            lower_bound=lower,
            upper_bound=None if plan is None else len(plan),
            stop_reason=reason,
            engine=engine,
            explanation=explanation if cut_short else "",
            statistics=self._statistics(seconds),
            lower_bound_by=ledger.bound_by,
            upper_bound_by=ledger.plan_by,
            penalty=ledger.penalty,
            is_least_penalty=self._is_least_penalty,
            rests_on=ledger.rests_on,
            was_interrupted=was_interrupted,
            problem=self._problem,
            **found,
        )

    def _statistics(self, seconds: float) -> Statistics:
        ledger, choice = self._ledger, self._choice
        by_formula = self._engine is not None and self._engine.by_formula
        return Statistics(
            initial_bound=self._initial.value,
            initial_bound_by=self._initial.by,
            first_horizon=self._first,
            seconds=seconds,
            counts=dict(ledger.counts),
            choice="" if choice is None else choice.reason,
            tracks=() if choice is None else choice.names,
            plan_technique=ledger.plan_technique,
            bound_technique=ledger.bound_technique,
            options=ledger.options if by_formula or ledger.horizons else None,
            horizons=tuple(ledger.horizons),
        )


def _nothing_to_do(problem: Problem, engine: str, enumeration: Enumeration | None) -> Result:
    found: dict[str, Any] = {}
    if enumeration is not None:
        found = {"plan_count": 1, "is_every_plan": True}
        if not enumeration.count_only:
            found["plans"] = ((),)
    return Result(
        Status.OPTIMAL,
        (),
        0,
        0,
        StopReason.SOLVED,
        engine,
        lower_bound_by="the board is the goal",
        penalty=0,
        is_least_penalty=True,
        problem=problem,
        **found,
    )


def now() -> str:
    """Return the time as a store has it: ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def canonical_options(options: Mapping[str, Any]) -> str:
    """Return the canonical JSON text of the given options."""
    given = {name: value for name, value in options.items() if value is not None}
    return json.dumps(given, sort_keys=True, separators=(",", ":"))


def _keep(store: str, options: Mapping[str, Any], result: Result, began: str) -> None:
    """Keep the result of a single board, in a set "solve"; raise `StoreError` for a bad store."""
    # Most calls keep nothing, and need no SQLite.
    from plansolve.records.records import Records

    assert result.problem is not None
    board = Board(result.problem, set_name="solve")
    with Records(store) as records:
        records.add_boards([replace(board, name=board.key[:12])])
        records.keep(attempt_of(result, board.key, canonical_options(options), began))


def attempt_of(result: Result, problem: str, options: str, began: str) -> Attempt:
    """Return the attempt, on this machine, at the problem with this key and these options."""
    counts = result.statistics.counts.values()
    return Attempt(
        problem=problem,
        options=options,
        engine=result.engine,
        version=own_version(),
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


def _sum(counts: Any) -> int | None:
    """Return the sum of the known counts, None if there are none."""
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else None


@cache
def own_version() -> str:
    # Only stores need it, and it loads slowly.
    from importlib.metadata import version

    return version("plansolve")
