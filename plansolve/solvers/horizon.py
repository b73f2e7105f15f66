"""The raising loop: one horizon after the other, from an admissible bound until there is a plan."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from plansolve.heuristics.registry import LowerBound, best_lower_bound
from plansolve.model.puzzle import Plan
from plansolve.solvers.attempt import Attempt, Job
from plansolve.solvers.child import CutShort, HorizonChild, Limits
from plansolve.solvers.result import Status, StopReason

__all__ = ["Event", "Outcome", "Progress", "interrupted_before_start", "raise_horizon"]


@dataclass(frozen=True)
class Event:
    """Something to tell while the work goes on.

    "started" and "waiting" concern `horizon`; "refuted" and "found" end it, with its `attempt`.
    """

    kind: Literal["started", "waiting", "refuted", "found"]
    horizon: int
    lower_bound: int
    attempt: Attempt | None = None


Progress: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True)
class Outcome:
    """What the loop came to.

    `job` is the one that was worked on, with the lemmas that the loop kept; `first_horizon` is the
    initial bound raised to the fixed parity.
    """

    job: Job
    status: Status
    stop_reason: StopReason
    plan: Plan | None
    lower_bound: int
    initial: LowerBound
    first_horizon: int
    attempts: tuple[Attempt, ...]
    explanation: str = ""


def interrupted_before_start(job: Job) -> Outcome:
    """What is known of a board that is not the goal."""
    trivial = LowerBound(1, "the board is not the goal")
    return Outcome(
        job, Status.UNKNOWN, StopReason.INTERRUPTED, None, 1, trivial, 1, (), "interrupted"
    )


def raise_horizon(
    job: Job,
    *,
    optimal: bool,
    max_horizon: int | None,
    limits: Limits,
    progress: Progress,
) -> Outcome:
    """Attempts horizons until there is a plan, the limits are reached or `max_horizon` is refuted.

    With `optimal` (or a `max_horizon`) no horizon is left out, so that the first plan is a
    shortest one. Otherwise the gaps grow, and only lemmas that keep every plan are used. That
    needs moves that can be taken back: then a plan of L moves makes one of L + 2, so no plan is
    missed for good, and where plans have one parity, the refutation of a horizon is one of all
    shorter ones. For other puzzles no horizon is left out.
    """
    structure = job.problem.structure
    contiguous = optimal or max_horizon is not None or not structure.is_inverse_closed
    if not contiguous:
        job = job.keeping_every_plan()
    with HorizonChild(job, limits) as child:
        # The child starts up while the bound is worked out.
        problem, attempts = job.problem, list[Attempt]()
        initial = best_lower_bound(problem)
        parity = structure.plan_parity(problem.start)
        step = 1 if parity is None else 2
        covers_gaps = not contiguous and parity is not None
        lower_bound = first = _raise_to_parity(initial.value, parity)

        def outcome(
            status: Status, reason: StopReason, plan: Plan | None = None, explanation: str = ""
        ) -> Outcome:
            return Outcome(
                job, status, reason, plan, lower_bound, initial, first, tuple(attempts), explanation
            )

        def found() -> Outcome:
            status = Status.OPTIMAL if attempts[-1].horizon == lower_bound else Status.FEASIBLE
            return outcome(status, StopReason.SOLVED, attempts[-1].solution.plan)

        try:
            for horizon in _horizons(first, step, contiguous):
                if max_horizon is not None and horizon > max_horizon:
                    return outcome(Status.NO_PLAN_WITHIN_HORIZON, StopReason.HORIZON)
                progress(Event("started", horizon, lower_bound))
                waiting = partial(progress, Event("waiting", horizon, lower_bound))
                attempt = child.attempt(horizon, waiting)
                attempts.append(attempt)
                if not attempt.refuted:
                    progress(Event("found", horizon, lower_bound, attempt))
                    return found()
                if covers_gaps or horizon == lower_bound:
                    lower_bound = horizon + step
                progress(Event("refuted", horizon, lower_bound, attempt))
        except CutShort as cut:
            return outcome(Status.UNKNOWN, cut.reason, explanation=cut.detail)
        except KeyboardInterrupt:
            if attempts and not attempts[-1].refuted:
                return found()
            return outcome(Status.UNKNOWN, StopReason.INTERRUPTED, explanation="interrupted")
    raise AssertionError("the horizons are endless")


def _raise_to_parity(bound: int, parity: int | None) -> int:
    """The least number from `bound` on that a plan's length can be, given its parity."""
    return bound if parity is None else bound + (bound - parity) % 2


def _horizons(first: int, step: int, contiguous: bool) -> Iterator[int]:
    horizon, gap = first, step
    while True:
        yield horizon
        horizon += gap
        if not contiguous:
            gap += step
