"""The one funnel: validate, pick an engine, solve, replay the plan, return a result."""

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

from plansolve.formats import BoardLike, read_problem
from plansolve.model.problem import Problem
from plansolve.solvers.engine.attempts import keep_result, now
from plansolve.solvers.engine.follow_up import Enumeration
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.progress import Event, Progress
from plansolve.solvers.engine.request import (
    AskedLimits,
    check_types,
    checked_engine,
    checked_enumeration,
    checked_limits,
    checked_spread,
)
from plansolve.solvers.engine.scheduler import Scheduler
from plansolve.solvers.engine.solving import Solving
from plansolve.solvers.evidence import units_in_use
from plansolve.solvers.limits import Limits, cores
from plansolve.solvers.processes.shared_workers import shared_workers
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import NO_PLAN, Options, Spread
from plansolve.solvers.result import Result, Status, StopReason

__all__ = ["BoardOptions", "SolveOptions", "solve"]


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


def solve(
    problem: BoardLike,
    *,
    optimal: bool = True,
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
    """Find a plan and prove what can be proved about the shortest one.

    >>> import plansolve
    >>> plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]], time_limit="90s")
    <Result optimal: 5 moves, lower bound 5>

    `problem` is anything that `read_problem` takes. With `optimal` the plan is a shortest one, and
    among those one of the least penalty, unless a limit comes first. Without, short plans and the
    bound are improved side by side until they meet or the time is over. `engine` is "auto" or one
    of `ENGINES`; `backend`, `encoding` and `lemmas` are for the formula engines (`lemmas=()` is the
    plain encoding), `bound` is the lower bound that "astar" or "idastar" evaluates at its nodes.
    `proofs` is a folder in which `cnf` puts each formula that it refutes, from an elementary bound
    on, and the proof. `max_horizon` asks only whether there is a plan of at most so many moves.
    `time_limit` is in seconds or "90s"; without `setup_counts` its clock stands still while kernels
    are compiled and tables built for the first time. `memory_limit` is in bytes of all engines'
    processes or "4G"; `threads` is how many cores a proof may use (default: all). `executor` names
    others who work on its parts: "local:4" processes, or "dask://host:8786"; `store` is a file that
    keeps the finished parts and the result: the same call goes on there. `plans` asks for all
    shortest plans, or their number, up to `most_plans`. `progress` is called with an `Event` now
    and then, `workers` are processes to use instead of kept ones. Another thread may set `cancel`;
    it, Ctrl-C or a limit ends the work, and the result holds what is known by then.

    Raise `OptionError`, `BoardError` or `WrongTypeError` for what cannot be used, `EngineError`
    where a back end is missing, `InternalError` where a plan is wrong.
    """
    begin, problem = time.monotonic(), read_problem(problem)
    names = {"engine": engine, "backend": backend, "encoding": encoding, "bound": bound}
    check_types(optimal, progress, workers, lemmas, plans=plans, executor=executor, **names)
    asked = checked_limits(max_horizon, time_limit, memory_limit, threads, cancel)
    limits = asked.from_now(begin, cancel, pauses=not setup_counts)
    spread, crew = checked_spread(executor, store), workers or shared_workers()
    options = _options(backend, encoding, bound, lemmas, proofs)
    ledger = Ledger(problem, options, cap=NO_PLAN if asked.horizon is None else asked.horizon + 1)
    call = _Call(ledger, optimal, asked, spread, progress or _ignore, crew)
    return call.run(engine, plans, most_plans, limits, begin)


@dataclass(frozen=True)
class _Call:
    """One call, whose arguments have the right types."""

    ledger: Ledger
    optimal: bool
    asked: AskedLimits
    spread: Spread
    progress: Progress
    workers: Workers

    def run(
        self, engine: str, plans: str, most_plans: int | None, limits: Limits, begin: float
    ) -> Result:
        """Check what goes together, and work."""
        ledger, problem, asked = self.ledger, self.ledger.problem, self.asked
        chosen, ledger.options = checked_engine(problem, engine, ledger.options, self.optimal)
        name = "auto" if chosen is None else chosen.name
        by_formula = name == "cnf"
        enumeration = checked_enumeration(problem, plans, most_plans, self.optimal, by_formula)
        if problem.is_solved:
            return _nothing_to_do(problem, name, enumeration)
        keep = not self.workers.for_one_call or enumeration is not None
        scheduler = Scheduler(
            ledger,
            limits,
            self.progress,
            self.workers,
            spread=self.spread,
            keep_children=keep,
            optimal=self.optimal,
        )
        solving = Solving(scheduler, chosen, enumeration, asked.horizon is not None)
        began = now()
        reason, explanation = solving.run(self.optimal, limits, asked.threads or cores())
        ledger.rest_on(*units_in_use(ledger.counts, self.spread.store))
        result = solving.result(name, reason, explanation, round(time.monotonic() - begin, 3))
        store = self.spread.store if self.spread.keeps_result else None
        if store is not None and not result.was_interrupted:
            asked_for = {**asked._asdict(), "engine": name, "optimal": self.optimal}
            keep_result(store, asked_for, result, began)
        return result


def _options(
    backend: str | None,
    encoding: str | None,
    bound: str | None,
    lemmas: Iterable[str] | None,
    proofs: str | Path | None,
) -> Options:
    return Options(
        backend,
        encoding,
        None if lemmas is None else tuple(lemmas),
        # The engines' processes may have been started in another folder.
        None if proofs is None else os.path.abspath(proofs),
        bound,
    )


def _ignore(event: Event) -> None:
    """Progress that nobody watches."""


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
