"""The result of `solve`: a status, a checked plan, and both bounds."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from plansolve.errors import InternalError, OptionError, ResultError
from plansolve.model.puzzle import Plan
from plansolve.solvers.evidence import Evidence, suspects
from plansolve.solvers.statistics import Statistics
from plansolve.text import at_least, counted

if TYPE_CHECKING:
    # `plansolve --help` does without; documents are written and read by few programs.
    from plansolve.model.problem import Problem


class Status(StrEnum):
    """The final status of a problem.

    >>> import plansolve
    >>> plansolve.solve([[1, 2], [0, 3]]).status is plansolve.Status.OPTIMAL
    True
    """

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    UNSOLVABLE = "unsolvable"
    NO_PLAN_WITHIN_HORIZON = "no plan within horizon"
    UNKNOWN = "unknown"


class StopReason(StrEnum):
    """The reason why the work ended.

    >>> import plansolve
    >>> plansolve.solve([[2, 1, 3], [4, 5, 6], [7, 8, 0]]).stop_reason.value
    'unsolvable'
    """

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    HORIZON = "horizon"
    TIME = "time"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    CRASH = "crash"
    LOST = "lost"
    EXHAUSTED = "exhausted"


_CUT_SHORT = {*StopReason} - {StopReason.SOLVED, StopReason.UNSOLVABLE, StopReason.HORIZON}


@dataclass(frozen=True, repr=False)
class Result:
    """The outcome of `solve`; `str` gives it in a line.

    >>> import plansolve
    >>> result = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    >>> print(result)
    5 moves, proved shortest: DLLUU
    >>> result
    <Result optimal: 5 moves, lower bound 5>
    >>> plansolve.Result.from_json(result.to_json()) == result
    True

    `lower_bound` is proved: no plan has fewer moves; it is None only if the board is unsolvable.
    `upper_bound` is the length of `plan`, None without one. `explanation` says why a board is
    unsolvable, or what ended the work early. `lower_bound_by` and `upper_bound_by` name the engine
    or bound that found each.

    `penalty` is the sum of the penalties of the plan's operators, and `is_least_penalty` is True if
    no shortest plan can have a smaller one. `plans` holds the shortest plans, if they were
    requested, `plan_count` their number so far, and `is_every_plan` is True if these are all. Two
    plans differ if their moves permute the cells differently.

    `rests_on` names the kept tables and records that the lower bound and the list of plans rest on,
    see `Evidence`.

    `problem` is None only in results that were not made by `solve`. `was_interrupted` is True after
    Ctrl-C, even if the board was solved already: a caller with more boards should stop. It is not
    part of a document. Raises `InternalError` if the fields contradict each other.
    """

    status: Status
    plan: Plan | None
    lower_bound: int | None
    upper_bound: int | None
    stop_reason: StopReason
    engine: str
    explanation: str = ""
    statistics: Statistics = field(default_factory=Statistics)
    lower_bound_by: str = ""
    upper_bound_by: str = ""
    penalty: int | None = None
    is_least_penalty: bool = False
    plans: tuple[Plan, ...] | None = None
    plan_count: int | None = None
    is_every_plan: bool = False
    rests_on: tuple[Evidence, ...] = ()
    was_interrupted: bool = field(default=False, compare=False)
    problem: "Problem | None" = None

    def __post_init__(self) -> None:
        if self.problem is not None:
            from plansolve.model.problem import MoveNames

            if self.plan is not None:
                object.__setattr__(self, "plan", MoveNames.of(self.plan, self.problem.puzzle))
            if self.plans is not None:
                plans = tuple(MoveNames.of(plan, self.problem.puzzle) for plan in self.plans)
                object.__setattr__(self, "plans", plans)
        if self.stop_reason == StopReason.INTERRUPTED:
            object.__setattr__(self, "was_interrupted", True)
        if problem := next(self._contradictions(), None):
            raise InternalError(
                f"contradictory result ({problem}): {self!r}{suspects(self.rests_on)}"
            )

    @property
    def length(self) -> int | None:
        """The number of moves of the plan."""
        return None if self.plan is None else len(self.plan)

    @property
    def seconds(self) -> float:
        """The duration of the search."""
        return self.statistics.seconds

    def _repr_html_(self) -> str | None:
        if self.problem is None or self.plan is None:
            return None
        # Notebooks call this; the import is late because pages are a layer above the solvers.
        pages = import_module("plansolve.replay.page")
        page = pages.PlanPage(self.problem, self.plan, self.lower_bound)
        return f"<p>{escape(str(self))}</p>{page._repr_html_()}"

    def __str__(self) -> str:
        from plansolve.puzzles.registry import to_goal

        goal = "" if self.problem is None else to_goal(self.problem.puzzle)
        least = at_least(self.lower_bound, "move")
        if self.plan is not None:
            is_best = self.status == Status.OPTIMAL
            moves = " ".join(self.plan) if self.problem is None else self.plan
            what = "proved shortest" if is_best else f"not proved shortest, {least}"
            return f"{counted(len(self.plan), 'move')}{goal}, {what}: {moves}"
        if self.status == Status.UNSOLVABLE:
            return f"unsolvable{goal and f', no plan{goal}'}: {self.explanation}"
        if self.status == Status.NO_PLAN_WITHIN_HORIZON:
            return f"no plan{goal} within the horizon: {least}"
        return f"no plan{goal} yet ({self.explanation or self.stop_reason.value}): {least}"

    def __repr__(self) -> str:
        plan = "no plan" if self.plan is None else counted(len(self.plan), "move")
        return f"<Result {self.status}: {plan}, lower bound {self.lower_bound}>"

    def to_dict(self, moves: str = "tile") -> dict[str, Any]:
        """Return what `plansolve solve --json` prints, as a dictionary of plain values.

        `moves` is the convention, "tile" or "blank". Raise `OptionError` for a result without a
        problem, and for a convention that the puzzle does not have.
        """
        from plansolve.formats.notation import names_in
        from plansolve.solvers.result_document import SCHEMA, puzzle_fields

        if self.problem is None:
            raise OptionError("this result has no problem: use one that `solve` returned")
        names = names_in(self.problem.puzzle, moves)
        return {
            "schema": SCHEMA,
            **puzzle_fields(self.problem, moves),
            "status": self.status.value,
            "plan": None if self.plan is None else [names.get(move, move) for move in self.plan],
            "plans": self.plans and [[names.get(m, m) for m in plan] for plan in self.plans],
            "plan_count": self.plan_count,
            "is_every_plan": self.is_every_plan,
            "length": self.length,
            "lower_bound": self.lower_bound,
            "upper_bound": self.upper_bound,
            "lower_bound_by": self.lower_bound_by,
            "upper_bound_by": self.upper_bound_by,
            "penalty": self.penalty,
            "is_least_penalty": self.is_least_penalty,
            "rests_on": [*map(asdict, self.rests_on)],
            "engine": self.engine,
            "stop_reason": self.stop_reason.value,
            "explanation": self.explanation,
            "seconds": self.statistics.seconds,
            "statistics": self.statistics.document(),
        }

    def to_json(self, moves: str = "tile") -> str:
        """Return the document of `to_dict` as JSON, on one line."""
        import json

        return json.dumps(self.to_dict(moves))

    @classmethod
    def from_json(cls, text: str) -> "Result":
        """Return the result in a document, which may be untrusted.

        This replays the plans but trusts the bounds; `verify` proves them again. Raise
        `ResultError` for anything but a consistent document of a result.
        """
        from plansolve.json_reader import read
        from plansolve.json_text import JsonError
        from plansolve.solvers.result_document import checked_fields

        fields = checked_fields(text)
        try:
            for key, kind in (("status", Status), ("stop_reason", StopReason)):
                fields[key] = read(kind, fields[key], key)
            return cls(**fields)
        except (JsonError, InternalError) as error:
            raise ResultError(str(error)) from None

    def unless_interrupted(self) -> "Result":
        """Return this result; raise `KeyboardInterrupt` if it was interrupted."""
        if self.was_interrupted:
            raise KeyboardInterrupt
        return self

    def _contradictions(self) -> Iterator[str]:
        plan, lower, reason = self.plan, self.lower_bound, self.stop_reason
        if self.upper_bound != self.length:
            yield "the upper bound is not the plan's length"
        if (lower is None) != (self.status == Status.UNSOLVABLE):
            yield "a lower bound is missing, or stands where there is no plan at all"
        if lower is not None and lower < 0:
            yield "the lower bound is negative"
        if self.status != Status.OPTIMAL and (self.is_least_penalty or self.plan_count is not None):
            yield "only shortest plans can be counted or have the least penalty"
        match self.status:
            case Status.OPTIMAL:
                if plan is None or lower != self.upper_bound:
                    yield "optimal means that both bounds are the plan's length"
                if self.is_every_plan and not self.plan_count:
                    yield "there is a shortest plan, and none was counted"
                if any(len(shortest) != self.length for shortest in self.plans or ()):
                    yield "one of the shortest plans has another length"
                if self.plans is not None and self.plan_count != len(self.plans):
                    yield "the number of plans differs from plan_count"
                if reason != StopReason.SOLVED:
                    yield "optimal needs the stop reason solved"
            case Status.FEASIBLE:
                if plan is None or lower is None or len(plan) <= lower:
                    yield "feasible means a plan longer than the lower bound"
                if reason in (StopReason.UNSOLVABLE, StopReason.HORIZON):
                    yield "the stop reason says that there is no plan"
            case Status.UNSOLVABLE:
                if plan is not None or reason != StopReason.UNSOLVABLE:
                    yield "unsolvable means no plan, and the stop reason unsolvable"
                if not self.explanation:
                    yield "unsolvable needs an explanation"
            case Status.NO_PLAN_WITHIN_HORIZON:
                if plan is not None or reason != StopReason.HORIZON:
                    yield "no plan within the horizon means no plan, and the stop reason horizon"
            case Status.UNKNOWN:
                if plan is not None or reason not in _CUT_SHORT:
                    yield "unknown means no plan yet, and a reason that cut the work short"
