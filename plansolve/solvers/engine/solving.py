"""What `solve` does: first bounds, choice, engines, questions about shortest plans, result."""

import time
from typing import Any

from plansolve.analysis.solvability import why_unsolvable
from plansolve.bounds.registry import LowerBound, best_lower_bound
from plansolve.certcheck.elementary import elementary_bound
from plansolve.model.structure import raised_to_parity
from plansolve.solvers.engine.choice import Choice, Stage, choose, refute_by
from plansolve.solvers.engine.follow_up import Enumeration, least_penalty
from plansolve.solvers.engine.registry import Engine
from plansolve.solvers.engine.scheduler import Scheduler
from plansolve.solvers.limits import CutShort, Limits
from plansolve.solvers.protocol import NO_PLAN
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import Statistics

__all__ = ["Solving"]


class Solving:
    """One call of `solve`, from the first bound to the result.

    `engine` is None for "auto". With `any_plan` a plan within the horizon is all that is wanted.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        engine: Engine | None,
        enumeration: Enumeration | None,
        any_plan: bool,
    ) -> None:
        self._scheduler, self._ledger = scheduler, scheduler.ledger
        self._problem, self._engine = scheduler.ledger.problem, engine
        self._enumeration = enumeration
        self._any_plan = any_plan
        # A board that is not the goal needs a move; more is known soon.
        self._initial = LowerBound(1, "the board is not the goal")
        self._first = 1
        self._choice: Choice | None = None
        self._is_least_penalty = False

    def run(self, optimal: bool, limits: Limits, threads: int) -> tuple[StopReason, str]:
        """Work until all is proved or a limit is reached, and tell why it ended.

        This is the one place where Ctrl-C becomes an ordinary end.
        """
        ledger, scheduler = self._ledger, self._scheduler
        ledger.proved(1, self._initial.by)
        try:
            if explanation := why_unsolvable(self._problem, limits.check):
                return StopReason.UNSOLVABLE, explanation
            self._prove_first_bound()
            seconds = None if limits.deadline is None else limits.deadline - time.monotonic()
            self._choice = self._choose(optimal, seconds, threads)
            if self._engine is None:
                scheduler.tell("choice", "auto", note=self._choice.reason)
            limits.check()
            scheduler.run(self._choice.tracks, any_plan=self._any_plan and not optimal)
            if ledger.is_closed and optimal and ledger.plan is not None:
                self._follow_up(threads)
        except CutShort as cut:
            return cut.reason, cut.detail
        except KeyboardInterrupt:
            return StopReason.INTERRUPTED, "interrupted"
        return StopReason.EXHAUSTED, "the engines have done what they can within their limits"

    def _prove_first_bound(self) -> None:
        if self._ledger.options.proofs is None:
            self._initial = best_lower_bound(self._problem)
        else:
            # A certificate rests on what its checker sees by itself.
            self._initial = LowerBound(*elementary_bound(self._problem))
        parity = self._problem.structure.plan_parity(self._problem.start)
        self._first = raised_to_parity(self._initial.value, parity)
        self._ledger.proved(self._first, self._initial.by)

    def _choose(self, optimal: bool, seconds: float | None, threads: int) -> Choice:
        if self._engine is None:
            return choose(
                self._problem, self._initial, optimal=optimal, seconds=seconds, threads=threads
            )
        # Who lists plans by formulas, or asks for one within a horizon, wants SAT's own answer.
        alone = self._enumeration is not None or self._any_plan
        if self._engine.by_formula and not alone:
            return refute_by(self._engine, self._problem, seconds=seconds, threads=threads)
        stage = Stage(self._engine, threads=threads, memory=0.8)
        return Choice(((stage,),), f"{self._engine.name} was asked for")

    def _follow_up(self, threads: int) -> None:
        """Ask what was asked about the shortest plans, now that one is proved."""
        scheduler = self._scheduler
        self._is_least_penalty = self._ledger.penalty == 0
        if self._enumeration is not None:
            self._enumeration.run(scheduler, threads)
            self._is_least_penalty |= self._enumeration.rank(scheduler)
        elif not self._is_least_penalty:
            self._is_least_penalty = least_penalty(scheduler, threads)

    def _why_no_plan(self) -> str:
        by = self._ledger.bound_by
        if self._first >= NO_PLAN:
            return f"{by}: a piece has no way to a place that the goal has for it"
        return f"{by} has searched every board that can be reached"

    def result(self, engine: str, reason: StopReason, explanation: str, seconds: float) -> Result:
        """Return what is known at the end, after the work has ended for the given reason."""
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
