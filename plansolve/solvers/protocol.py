"""The interface of searches: their input, their reports, and the events that callers get."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from plansolve.json_reader import Seconds, Whole
from plansolve.model.puzzle import Plan
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.evidence import Evidence

if TYPE_CHECKING:
    # `plansolve --help` does without.
    from plansolve.model.problem import Problem

NO_PLAN = UNREACHABLE
"""The length of the best plan while there is none, and a lower bound if there can be none."""


@dataclass(frozen=True)
class Options:
    """The options of engines; None leaves the choice to the engine.

    `backend`, `encoding` and `lemmas` are as for `choose_backend`, `choose_encoding` and
    `choose_lemmas`, `proofs` is a folder for the refuted formulas and their proofs. `bound` is the
    lower bound that searches evaluate at their nodes. Each `Engine` names those that it takes.
    """

    backend: str | None = None
    encoding: str | None = None
    lemmas: tuple[str, ...] | None = None
    proofs: str | None = None
    bound: str | None = None


@dataclass(frozen=True)
class Distribution:
    """The executor that works on the parts of a proof, and the store that keeps them.

    `executor` is a specification for `units.executors`, None stands for threads of the engine;
    `store` is the path of the records, None if nothing is kept; `is_new` is True if the records
    are known to hold nothing of the proof, `keeps_result` if they also keep the result.
    """

    executor: str | None = None
    store: str | None = None
    is_new: bool = False
    keeps_result: bool = False


@dataclass(frozen=True)
class HorizonRecord:
    """The outcome of one formula; times in seconds.

    `conflicts` is None if the back end does not count them, `cubes` is the number of parts of the
    formula. `boards` is the number of boards that the lemma `perimeter` found by breadth-first
    search; if `by_search` is true, that search refuted the length, and no solver was started.
    """

    engine: str
    horizon: Whole
    refuted: bool
    variables: Whole
    constraints: Whole
    conflicts: Whole | None
    cubes: Whole
    encode_seconds: Seconds
    solve_seconds: Seconds
    boards: Whole = 0
    by_search: bool = False


@dataclass(frozen=True)
class Report:
    """A finding of a search, or a sign of life.

    `by` names the technique, in a word or two for people. `plan` is a plan that it found; the
    receiver replays it. `lower_bound` is proved: no plan has fewer moves; `NO_PLAN` if the search
    has proved that there is none. `counts` measures the work done so far ("nodes", "expansions"),
    ready for JSON; `record` describes the horizon that just ended. `trying` is the next length or
    bound, 0 for none. `note` is a line for people about slow work that happens once. A search that
    lists, counts or ranks plans sets `is_complete` at its end, if it has left nothing out.
    `options` are its options, with its own choices filled in. `rests_on` names the kept tables
    behind a bound or a complete list.
    """

    by: str
    plan: Plan | None = None
    lower_bound: int = 0
    counts: Mapping[str, Any] = field(default_factory=dict)
    record: HorizonRecord | None = None
    trying: int = 0
    note: str = ""
    is_complete: bool = False
    options: Options | None = None
    rests_on: tuple[Evidence, ...] = ()


@dataclass
class Budget:
    """The limits of a search: `deadline` on the clock of `time.monotonic` or None, `memory` in
    bytes for its tables and nodes, `threads`; and the `options` that it was given. `distribution`
    says who else works on it; `tell` takes a line about that for people.

    The deadline may be put off while the search works, so it must be read again. With `is_paused`
    there is a limit, but its clock stands still while something is made for the first time, and
    there is no deadline yet. Unless a plan has to be `optimal`, one that is found soon is worth
    more than one that is proved shortest.
    """

    deadline: float | None = None
    memory: int = 4 << 30
    threads: int = 1
    options: Options = Options()
    is_paused: bool = False
    distribution: Distribution = Distribution()
    optimal: bool = True
    tell: Callable[[str], None] | None = None

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline, infinite if there is none."""
        return inf if self.deadline is None else self.deadline - time.monotonic()

    @property
    def is_over(self) -> bool:
        return self.seconds_left <= 0


class Incumbent:
    """The best known bounds of all searches; another thread may improve them.

    A search reads `upper_bound` and `lower_bound` now and then: it looks for plans of fewer moves
    than `upper_bound`, and when the bounds meet, nothing is left to do. `penalty` is that of the
    best plan when a search begins, for searches for plans of the same length with a smaller
    penalty.
    """

    def __init__(
        self, lower_bound: int = 0, upper_bound: int = NO_PLAN, penalty: int | None = None
    ) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.penalty = penalty

    @property
    def is_closed(self) -> bool:
        """Return True if the best plan is proved to be a shortest one."""
        return self.lower_bound >= self.upper_bound

    def raise_lower_bound(self, bound: int) -> None:
        """Enter that no plan has fewer than `bound` moves."""
        self.lower_bound = max(self.lower_bound, bound)

    def lower_upper_bound(self, length: int) -> None:
        self.upper_bound = min(self.upper_bound, length)

    def improve(self, news: "Incumbent") -> None:
        self.raise_lower_bound(news.lower_bound)
        self.lower_upper_bound(news.upper_bound)


class Search(Protocol):
    """An engine: yields reports at least once a second, and ends when it has no more to tell."""

    def __call__(
        self, problem: "Problem", incumbent: Incumbent, budget: Budget
    ) -> Iterator[Report]:
        """Search; the caller drops the iterator at the deadline."""


EventKind: TypeAlias = Literal["choice", "trying", "waiting", "bound", "plan", "note", "warning"]


@dataclass(frozen=True)
class Event:
    """A message from an engine while `solve` works.

    >>> import plansolve
    >>> events = []
    >>> result = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]], progress=events.append)
    >>> events[-1].lower_bound, events[-1].upper_bound
    (5, 5)

    The kinds are "choice" (the engines and why), "trying" (the next length), "bound" (a higher
    lower bound), "plan" (a better plan), "note" (slow work that happens once), "warning" (an engine
    that ended early), and "waiting", several times a second. Both
    bounds are the best ones known; `upper_bound` is None without a plan. `record` holds the figures
    of the horizon that ended, and `counts` those of the engine since its start.
    """

    kind: EventKind
    engine: str
    lower_bound: int
    upper_bound: int | None
    trying: int = 0
    note: str = ""
    record: HorizonRecord | None = None
    counts: Mapping[str, Any] = field(default_factory=dict)


Progress: TypeAlias = Callable[[Event], None]
