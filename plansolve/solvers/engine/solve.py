"""The one funnel: validate, pick an engine, solve, replay the plan, return a result."""

import threading
import time
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.solvers.engine.child import Workers
from plansolve.solvers.engine.follow_up import Enumeration
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.progress import Event, Progress
from plansolve.solvers.engine.request import check_limits, checked_engine, checked_enumeration
from plansolve.solvers.engine.scheduler import Scheduler
from plansolve.solvers.engine.solving import Solving
from plansolve.solvers.limits import Limits, cores
from plansolve.solvers.protocol import NO_PLAN, Options
from plansolve.solvers.result import Result, Status, StopReason

__all__ = ["solve"]


def solve(
    problem: Problem,
    *,
    optimal: bool = True,
    engine: str = "auto",
    backend: str | None = None,
    encoding: str | None = None,
    bound: str | None = None,
    lemmas: Iterable[str] | None = None,
    proofs: Path | None = None,
    max_horizon: int | None = None,
    time_limit: float | None = None,
    setup_counts: bool = True,
    memory_limit: int | None = None,
    threads: int | None = None,
    plans: Literal["one", "all", "count"] = "one",
    most_plans: int | None = None,
    progress: Progress | None = None,
    workers: Workers | None = None,
    cancel: threading.Event | None = None,
) -> Result:
    """Find a plan and prove what can be proved about the shortest one.

    With `optimal` the plan is a shortest one, and among those one of the least penalty, unless a
    limit comes first. Without, short plans and the bound are improved side by side until they
    meet or `time_limit` is over. `engine` is "auto" or one of `ENGINES`; `backend`, `encoding`
    and `lemmas` are for the formula engines (`lemmas=()` is the plain encoding), `bound` is the
    lower bound that "astar" or "idastar" evaluates at its nodes, see `BOUNDS`. `proofs` is a
    folder in which `cnf` puts each formula that it refutes, from an elementary bound on, and the
    proof. `max_horizon` asks only whether there is a plan of at most so many moves. `time_limit`
    is in seconds; without `setup_counts` its clock stands still while kernels are compiled and
    tables built for the first time. `memory_limit` is in bytes of all the engines' processes,
    `threads` how many cores a proof may use (default: all). `plans` asks for all shortest plans,
    or how many there are, up to `most_plans`. `progress` is called with an `Event` now and then.
    `workers` are processes to use again and again, for those who solve many boards.

    Every plan has been replayed by the checker. A limit, Ctrl-C, or another thread that sets
    `cancel` ends the work with a result that holds the best plan and what was proved until then;
    after Ctrl-C and `cancel` its stop reason is `INTERRUPTED`.

    Raise `OptionError` for options that do not exist or do not go together, `EngineError` where
    a back end is not installed, and `InternalError` where a plan fails the replay.
    """
    begin = time.monotonic()
    options = _options(backend, encoding, bound, lemmas, proofs)
    chosen, options = checked_engine(problem, engine, options, optimal)
    name = "auto" if chosen is None else chosen.name
    check_limits(max_horizon, time_limit, memory_limit, threads, cancel)
    enumeration = checked_enumeration(problem, plans, most_plans, optimal, name == "cnf")
    if problem.start == problem.goal:
        return _nothing_to_do(name, enumeration)
    deadline = None if time_limit is None else begin + time_limit
    limits = Limits(deadline, memory_limit, cancel=cancel, pauses=not setup_counts)
    ledger = Ledger(problem, options, cap=NO_PLAN if max_horizon is None else max_horizon + 1)
    keep = workers is not None or enumeration is not None
    with Workers() if workers is None else nullcontext(workers) as pool:
        scheduler = Scheduler(ledger, limits, progress or _ignore, pool, keep_children=keep)
        solving = Solving(scheduler, chosen, enumeration, max_horizon is not None)
        reason, explanation = solving.run(optimal, limits, threads or cores())
    return solving.result(name, reason, explanation, round(time.monotonic() - begin, 3))


def _options(
    backend: str | None,
    encoding: str | None,
    bound: str | None,
    lemmas: Iterable[str] | None,
    proofs: Path | None,
) -> Options:
    if isinstance(lemmas, str):
        raise OptionError(f"lemmas is the text {lemmas!r}: give a list of names")
    return Options(
        backend,
        encoding,
        None if lemmas is None else tuple(lemmas),
        None if proofs is None else str(proofs),
        bound,
    )


def _ignore(event: Event) -> None:
    """Progress that nobody watches."""


def _nothing_to_do(engine: str, enumeration: Enumeration | None) -> Result:
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
        **found,
    )
