"""What `solve` returns: a status, a checked plan, and both bounds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from plansolve.errors import InternalError
from plansolve.model.puzzle import Plan
from plansolve.solvers.protocol import HorizonRecord, Options

__all__ = ["Result", "Statistics", "Status", "StopReason"]


class Status(StrEnum):
    """What is known at the end."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    UNSOLVABLE = "unsolvable"
    NO_PLAN_WITHIN_HORIZON = "no plan within horizon"
    UNKNOWN = "unknown"


class StopReason(StrEnum):
    """Why the work ended."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    HORIZON = "horizon"
    TIME = "time"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    CRASH = "crash"
    EXHAUSTED = "exhausted"


_CUT_SHORT = {
    StopReason.TIME,
    StopReason.MEMORY,
    StopReason.INTERRUPTED,
    StopReason.CRASH,
    StopReason.EXHAUSTED,
}


@dataclass(frozen=True)
class Statistics:
    """How a result came about; empty where no engine had to work.

    `initial_bound` is the lower bound before any search, `first_horizon` the least length that
    parity allows from there on. `counts` holds the figures of each engine, ready for JSON. `choice`
    says why the engines of `tracks` were chosen; a track's engines work one after the other.
    `plan_technique` and `bound_technique` say more closely than the engines' names what found the
    plan and proved the lower bound.
    `options` are those of the formula engine that took part, `horizons` what it came to.
    """

    initial_bound: int = 0
    initial_bound_by: str = ""
    first_horizon: int = 0
    seconds: float = 0.0
    counts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choice: str = ""
    tracks: tuple[tuple[str, ...], ...] = ()
    plan_technique: str = ""
    bound_technique: str = ""
    options: Options | None = None
    horizons: tuple[HorizonRecord, ...] = ()

    @property
    def refuted(self) -> list[int]:
        """The lengths of which a formula engine has proved that no plan has them."""
        return [record.horizon for record in self.horizons if record.refuted]

    @property
    def conflicts(self) -> int:
        """The conflicts of all formulas, as far as they were counted."""
        return sum(record.conflicts or 0 for record in self.horizons)

    def nodes_by_bound(self, engine: str) -> Mapping[int, int]:
        """How many boards a search by rounds has visited within each bound; empty for others."""
        rounds = self.counts.get(engine, {}).get("nodes_by_bound", {})
        return {int(bound): count for bound, count in rounds.items()}

    def document(self) -> dict[str, Any]:
        """The statistics as they stand in the JSON document of a result."""
        if not self.initial_bound_by:
            return {}
        document: dict[str, Any] = {
            "initial_bound": self.initial_bound,
            "initial_bound_by": self.initial_bound_by,
            "first_horizon": self.first_horizon,
            "counts": {engine: dict(counts) for engine, counts in self.counts.items()},
            "seconds": self.seconds,
            "plan_technique": self.plan_technique,
            "bound_technique": self.bound_technique,
        }
        if self.choice:
            document["choice"] = {"reason": self.choice, "tracks": [*map(list, self.tracks)]}
        if self.options is not None:
            document |= {
                "backend": self.options.backend,
                "encoding": self.options.encoding,
                "lemmas": list(self.options.lemmas or ()),
                "refuted": self.refuted,
                "conflicts": self.conflicts,
                "horizons": [asdict(record) for record in self.horizons],
            }
        # Kept for those who read it: no engine tells of its rounds one by one.
        return document | {"rounds": []}


@dataclass(frozen=True)
class Result:
    """The outcome of one solve.

    `lower_bound` is proved: no plan has fewer moves; it is None only where there is no plan at
    all. `upper_bound` is the length of `plan`, None without one. `explanation` says why a board
    is unsolvable, or what cut the work short. `statistics` tells how the result came about.
    `lower_bound_by` and `upper_bound_by` name the engine or bound that gave each.

    `penalty` is the sum of the plan's operators' penalties, and `is_least_penalty` tells whether
    it is proved that no shortest plan has a smaller one. `plans` holds the shortest plans, where
    all or some were asked for, `plan_count` their number so far, and `is_every_plan` whether these
    are all; plans are told apart by the boards that they pass.

    `was_interrupted` tells that Ctrl-C came, even where it came too late to matter for this board:
    whoever has more boards to solve should stop.

    Raises `InternalError` where the fields contradict each other.
    """

    status: Status
    plan: Plan | None
    lower_bound: int | None
    upper_bound: int | None
    stop_reason: StopReason
    engine: str
    explanation: str = ""
    statistics: Statistics = Statistics()
    lower_bound_by: str = ""
    upper_bound_by: str = ""
    penalty: int | None = None
    is_least_penalty: bool = False
    plans: tuple[Plan, ...] | None = None
    plan_count: int | None = None
    is_every_plan: bool = False
    was_interrupted: bool = False

    def __post_init__(self) -> None:
        if self.stop_reason == StopReason.INTERRUPTED:
            object.__setattr__(self, "was_interrupted", True)
        if problem := self._contradiction():
            raise InternalError(f"contradictory result ({problem}): {self!r}")

    @property
    def length(self) -> int | None:
        """The number of moves of the plan."""
        return None if self.plan is None else len(self.plan)

    def unless_interrupted(self) -> "Result":
        """Return this result; raise `KeyboardInterrupt` where Ctrl-C came, for those who go on."""
        if self.was_interrupted:
            raise KeyboardInterrupt
        return self

    def _contradiction(self) -> str | None:
        if self.upper_bound != self.length:
            return "the upper bound is not the plan's length"
        if (self.lower_bound is None) != (self.status == Status.UNSOLVABLE):
            return "a lower bound is missing, or stands where there is no plan at all"
        if self.lower_bound is not None and self.lower_bound < 0:
            return "the lower bound is negative"
        if self.status != Status.OPTIMAL and (self.is_least_penalty or self.plan_count is not None):
            return "only shortest plans can be counted or have the least penalty"
        return {
            Status.OPTIMAL: self._not_optimal,
            Status.FEASIBLE: self._not_feasible,
            Status.UNSOLVABLE: self._not_unsolvable,
            Status.NO_PLAN_WITHIN_HORIZON: self._not_beyond_horizon,
            Status.UNKNOWN: self._not_unknown,
        }[self.status]()

    def _not_optimal(self) -> str | None:
        if self.plan is None or self.lower_bound != self.upper_bound:
            return "optimal means that both bounds are the plan's length"
        if problem := self._wrong_plans(len(self.plan)):
            return problem
        return None if self.stop_reason == StopReason.SOLVED else "optimal means solved"

    def _wrong_plans(self, length: int) -> str | None:
        if self.is_every_plan and not self.plan_count:
            return "there is a shortest plan, and none was counted"
        if self.plans is None:
            return None
        if any(len(plan) != length for plan in self.plans):
            return "one of the shortest plans has another length"
        return (
            None if self.plan_count == len(self.plans) else "the plans are not as many as counted"
        )

    def _not_feasible(self) -> str | None:
        if self.plan is None or self.lower_bound is None or len(self.plan) <= self.lower_bound:
            return "feasible means a plan longer than the lower bound"
        wrong = self.stop_reason in (StopReason.UNSOLVABLE, StopReason.HORIZON)
        return "a plan is no reason to stop without one" if wrong else None

    def _not_unsolvable(self) -> str | None:
        if self.plan is not None or self.stop_reason != StopReason.UNSOLVABLE:
            return "unsolvable means no plan, and no other reason"
        return None if self.explanation else "unsolvable needs its reason"

    def _not_beyond_horizon(self) -> str | None:
        if self.plan is not None or self.stop_reason != StopReason.HORIZON:
            return "no plan within the horizon means no plan, and no other reason"
        return None

    def _not_unknown(self) -> str | None:
        if self.plan is not None or self.stop_reason not in _CUT_SHORT:
            return "unknown means no plan yet, and a reason that cut the work short"
        return None
