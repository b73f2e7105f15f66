"""The one funnel: validate, pick an engine, solve, replay the plan, return a result."""

import time
from collections.abc import Iterable

from plansolve.checker import check_plan
from plansolve.errors import InternalError, OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.model.solvability import why_unsolvable
from plansolve.solvers.attempt import Job
from plansolve.solvers.child import Limits
from plansolve.solvers.horizon import (
    Event,
    Outcome,
    Progress,
    interrupted_before_start,
    raise_horizon,
)
from plansolve.solvers.result import Result, Status, StopReason

__all__ = ["solve"]


def solve(
    problem: Problem,
    *,
    optimal: bool = True,
    engine: str = "cnf",
    backend: str | None = None,
    encoding: str | None = None,
    lemmas: Iterable[str] | None = None,
    max_horizon: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Finds a plan and proves what it can about the shortest one.

    With `optimal` the plan is a shortest one; without, any plan that is found quickly. `engine`
    is "cnf" or "cp-sat", `backend` one of its solvers. `encoding` and `lemmas` override the
    choice by structure; `lemmas=()` is the plain encoding. `max_horizon` asks only whether there
    is a plan of at most so many moves. `time_limit` is in seconds, `memory_limit` in bytes of the
    solver's process. `progress` is called with an `Event` now and then.

    Every plan has been replayed by the checker. A limit, or Ctrl-C, ends the work with a result
    that holds what was proved until then.

    Raises `OptionError` for options that do not exist or do not go together, `EngineError` where
    a back end is not installed, and `InternalError` where a plan fails the replay.
    """
    begin = time.monotonic()
    if isinstance(lemmas, str):
        raise OptionError(f"lemmas is the text {lemmas!r}: give a list of names")
    names = None if lemmas is None else tuple(lemmas)
    job = Job(problem, engine, backend, encoding, names)
    _check_limits(max_horizon, time_limit, memory_limit)
    if problem.start == problem.goal:
        return Result(Status.OPTIMAL, (), 0, 0, StopReason.SOLVED, engine)
    try:
        if explanation := why_unsolvable(problem):
            return Result(
                Status.UNSOLVABLE, None, None, None, StopReason.UNSOLVABLE, engine, explanation
            )
        outcome = raise_horizon(
            job,
            optimal=optimal,
            max_horizon=max_horizon,
            limits=Limits(None if time_limit is None else begin + time_limit, memory_limit),
            progress=progress or _ignore,
        )
    except KeyboardInterrupt:
        # The loop handles its own: this one came before it began.
        outcome = interrupted_before_start(job)
    if outcome.plan is not None:
        _replay(problem, outcome.plan)
    return Result(
        status=outcome.status,
        plan=outcome.plan,
        lower_bound=outcome.lower_bound,
        upper_bound=None if outcome.plan is None else len(outcome.plan),
        stop_reason=outcome.stop_reason,
        engine=engine,
        explanation=outcome.explanation,
        statistics=_statistics(outcome, time.monotonic() - begin),
    )


def _ignore(event: Event) -> None:
    """Progress that nobody watches."""


def _check_limits(
    max_horizon: int | None, time_limit: float | None, memory_limit: int | None
) -> None:
    if max_horizon is not None and not (isinstance(max_horizon, int) and max_horizon >= 0):
        raise OptionError(f"the largest horizon is {max_horizon}: it must be 0, 1, 2 ...")
    if time_limit is not None and not time_limit > 0:
        raise OptionError(f"the time limit is {time_limit} seconds: it must be more than 0")
    if memory_limit is not None and memory_limit <= 0:
        raise OptionError(f"the memory limit is {memory_limit} bytes: it must be more than 0")


def _replay(problem: Problem, plan: Plan) -> None:
    verdict = check_plan(problem, plan)
    if not verdict.solves:
        raise InternalError(f"the plan found does not solve the board: {plan!r}, {verdict!r}")


def _statistics(outcome: Outcome, seconds: float) -> dict[str, object]:
    backend, encoding, lemmas = outcome.job.resolve()
    return {
        "backend": backend.name,
        "encoding": encoding.name,
        "lemmas": sorted(lemmas),
        "initial_bound": outcome.initial.value,
        "initial_bound_by": outcome.initial.by,
        "first_horizon": outcome.first_horizon,
        "refuted": [a.horizon for a in outcome.attempts if a.refuted],
        "conflicts": sum(a.solution.conflicts or 0 for a in outcome.attempts),
        "horizons": [a.statistics() for a in outcome.attempts],
        "seconds": round(seconds, 3),
    }
