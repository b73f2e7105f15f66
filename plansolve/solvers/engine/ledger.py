"""The ledger of one problem: the best plan, both bounds, and their sources."""

from collections.abc import Mapping
from typing import Any

from plansolve.checker import check_plan
from plansolve.errors import InternalError
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Plan
from plansolve.solvers.evidence import Evidence, suspects
from plansolve.solvers.protocol import NO_PLAN, HorizonRecord, Incumbent, Options, Report
from plansolve.text import counted


class Ledger:
    """The best plan and bounds of a problem; each plan is replayed before it counts.

    `plan_by` and `bound_by` name the engines that found the plan and the lower bound (or the
    technique, if the engine itself proves nothing), `plan_technique` and `bound_technique` their
    techniques. `counts` holds each engine's latest figures, `horizons` the outcome of each formula,
    and `options` the options that the engines were given or chose. `rests_on` is what the lower
    bound and complete lists of plans rest on. Only plans shorter than `cap` count.
    """

    def __init__(
        self, problem: Problem, options: Options | None = None, *, cap: int = NO_PLAN
    ) -> None:
        self.problem = problem
        self.options = options or Options()
        self.lower_bound = 0
        self.plan_by = self.bound_by = ""
        self.plan_technique = self.bound_technique = ""
        self.counts: dict[str, Mapping[str, Any]] = {}
        self.horizons: list[HorizonRecord] = []
        self.rests_on: tuple[Evidence, ...] = ()
        self.plan: Plan | None = None
        self._cap = cap

    @property
    def penalty(self) -> int | None:
        return None if self.plan is None else penalty(self.problem, self.plan)

    @property
    def upper_bound(self) -> int:
        """The length of the best plan, or the limit below which a plan must be."""
        return self._cap if self.plan is None else len(self.plan)

    @property
    def is_closed(self) -> bool:
        """Return True if no plan can be better than what is known."""
        return self.lower_bound >= self.upper_bound

    def incumbent(self) -> Incumbent:
        return Incumbent(self.lower_bound, self.upper_bound, self.penalty)

    def take(self, report: Report, engine: str, *, proves: bool = True) -> tuple[bool, bool]:
        """Enter an engine's report; return whether it improved the plan, and the lower bound.

        The bound of an engine that does not prove by itself is that of the technique in the report.
        """
        if report.options is not None:
            self.options = report.options
        if report.counts:
            self.counts[engine] = report.counts
        if report.record is not None:
            self.horizons.append(report.record)
        if report.is_complete or report.lower_bound > self.lower_bound:
            self.rest_on(*report.rests_on)
        # The plan first: a bound that is equal to its length follows from it.
        is_better = report.plan is not None and self.found(report.plan, engine, report.by)
        by = engine if proves else report.by
        return is_better, self.proved(report.lower_bound, by, report.by)

    def rest_on(self, *evidence: Evidence) -> None:
        """Enter evidence on which the bounds and lists of plans rest from now on."""
        self.rests_on = tuple(dict.fromkeys((*self.rests_on, *evidence)))

    def found(self, plan: Plan, by: str, technique: str = "") -> bool:
        """Replay and enter a plan; return True if it is the shortest so far.

        Raises `InternalError` if the plan is wrong, or a plan of its length was excluded.
        """
        self._replay(plan, by)
        if len(plan) < self.lower_bound:
            raise InternalError(
                f"{by} found {plan!r}, but {self.bound_by} proved "
                f"{counted(self.lower_bound, 'move')} or more{suspects(self.rests_on)}"
            )
        if len(plan) >= self.upper_bound:
            return False
        self.plan, self.plan_by, self.plan_technique = plan, by, technique or by
        return True

    def prefer(self, plan: Plan, by: str) -> None:
        """Replace the best plan by one of the same length.

        Raises `InternalError` if the plan is wrong, or has another length or a greater penalty.
        """
        self._replay(plan, by)
        best = self.penalty
        if len(plan) != self.upper_bound or best is None or penalty(self.problem, plan) > best:
            raise InternalError(f"the plan of {by} is no better than {self.plan!r}: {plan!r}")
        self.plan = plan

    def proved(self, bound: int, by: str, technique: str = "") -> bool:
        """Enter a lower bound; return True if it is the best so far.

        Raises `InternalError` if a known plan has fewer moves.
        """
        if bound <= self.lower_bound:
            return False
        if self.plan is not None and bound > len(self.plan):
            raise InternalError(
                f"{by} proved {counted(bound, 'move')} or more, but {self.plan!r} has fewer"
                f"{suspects(self.rests_on)}"
            )
        self.lower_bound, self.bound_by, self.bound_technique = bound, by, technique or by
        return True

    def _replay(self, plan: Plan, by: str) -> None:
        verdict = check_plan(self.problem, plan)
        if not verdict.solves:
            raise InternalError(f"the plan of {by} does not solve the board: {plan!r}, {verdict!r}")
