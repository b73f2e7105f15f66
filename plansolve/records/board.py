"""A board, an attempt at it, and contradictions between claims about one problem."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from plansolve.checker import check_plan
from plansolve.formats.json_document import problem_key
from plansolve.model.problem import Problem
from plansolve.text import counted


@dataclass(frozen=True)
class Board:
    """A problem, its name and that of its set, and what the set records about it.

    `optimal_length` is None if it is unknown or, with `solvable` False, if there is no plan.
    `optimal_plans` counts the plans of that length that pass through different boards; None if
    unknown. `note` is one line about the board, or empty.
    """

    problem: Problem
    name: str = ""
    set_name: str = ""
    optimal_length: int | None = None
    solvable: bool = True
    optimal_plans: int | None = None
    note: str = ""

    @cached_property
    def key(self) -> str:
        return problem_key(self.problem)

    @property
    def full_name(self) -> str:
        """The name of the set and that of the board in it."""
        return f"{self.set_name}/{self.name}"


@dataclass(frozen=True)
class Attempt:
    """One attempt at a problem that has come to an end: a row of a store.

    `problem` is the key of the problem, `options` the canonical JSON of the options. `status` and
    `stop_reason` are those of a result; without one they are "error", and `error` holds the
    message. `plan` holds the names of the moves, separated by spaces. `began` is ISO 8601 in UTC.
    """

    problem: str
    options: str
    engine: str
    version: str
    status: str
    stop_reason: str
    lower_bound: int | None
    length: int | None
    plan: str | None
    lower_bound_by: str
    upper_bound_by: str
    seconds: float
    nodes: int | None
    conflicts: int | None
    host: str
    began: str
    error: str = ""

    @property
    def is_proved(self) -> bool:
        """Return True if the result is proved."""
        return self.status in ("optimal", "unsolvable")

    def what_is_wrong(self, problem: Problem) -> str:
        """Return what is wrong with the plan, which may be untrusted; empty for a right one."""
        if self.plan is None:
            return "" if self.length is None else "it has a length but no plan"
        plan = tuple(self.plan.split())
        if len(plan) != self.length:
            return f"its plan has {counted(len(plan), 'move')}, and its length is {self.length}"
        if not check_plan(problem, plan).solves:
            return f"its plan of {counted(len(plan), 'move')} does not solve the board"
        if self.status == "optimal" and self.lower_bound != self.length:
            return "it is called optimal, but its bounds differ"
        return ""


def best_attempt(attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the best: a proof, else the shortest plan, then the highest bound, then the first."""
    return max(
        attempts,
        key=lambda a: (
            a.is_proved,
            a.length is not None,
            0 if a.length is None else -a.length,
            a.lower_bound or 0,
        ),
        default=None,
    )


def contradictions(
    recorded: Sequence[tuple[str, int | None]], attempts: Sequence[Attempt]
) -> Iterator[str]:
    """Yield the contradictions between attempts at a problem and the records of its boards.

    `recorded` holds each name of the problem, at least one, with the optimal length recorded there.
    Each line begins with a name.
    """
    name = recorded[0][0]
    plans = [(a.length, a) for a in attempts if a.length is not None]
    bounds = [(a.lower_bound, a) for a in attempts if a.lower_bound is not None]
    if plans and bounds:
        shortest, finder = min(plans, key=lambda item: item[0])
        bound, prover = max(bounds, key=lambda item: item[0])
        if shortest < bound:
            yield (
                f"{name}: {finder.engine} found {counted(shortest, 'move')}, and {prover.engine} "
                f"proved that every plan has {bound} or more"
            )
    unsolvable = next((a for a in attempts if a.status == "unsolvable"), None)
    if plans and unsolvable is not None:
        yield (
            f"{name}: {unsolvable.engine} proved that there is no plan, and {plans[0][1].engine} "
            "found one"
        )
    for name, length in recorded:
        if length is not None:
            against = (_against_record(length, attempt) for attempt in attempts)
            if (what := next(filter(None, against), None)) is not None:
                yield f"{name}: the set records {counted(length, 'move')}, and {what}"


def _against_record(recorded: int, attempt: Attempt) -> str | None:
    if attempt.status == "unsolvable":
        return f"{attempt.engine} proved that there is no plan"
    if attempt.length is not None and attempt.length < recorded:
        return f"{attempt.engine} found {attempt.length}"
    if attempt.lower_bound is not None and attempt.lower_bound > recorded:
        return f"{attempt.engine} proved that every plan has {attempt.lower_bound} or more"
    return None
