"""Engines side by side: each in a child of its own, each fed with the others' bounds."""

import queue
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from plansolve.checker import check_plan
from plansolve.errors import InternalError, PlansolveError
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Plan
from plansolve.solvers.engine.child import Child, Inbox, Workers
from plansolve.solvers.engine.registry import Engine
from plansolve.solvers.engine.worker import DONE, Task
from plansolve.solvers.limits import CutShort, Limits, most_memory
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Options, Report
from plansolve.solvers.result import StopReason

__all__ = ["Event", "Portfolio", "Progress", "Stage", "Track"]

_POLL_SECONDS = 0.1
_MEMORY_POLL_SECONDS = 0.5
_GRACE_SECONDS = 0.1


Kind: TypeAlias = Literal["choice", "trying", "waiting", "bound", "plan", "note"]


@dataclass(frozen=True)
class Event:
    """Something to tell while the work goes on, of the engine that does it.

    "choice" tells which engines work and why, "trying" is the length that comes next, "bound" a
    lower bound that was raised, "plan" a better plan, "note" something that takes long and happens
    once, and "waiting" comes some times a second. Both bounds are the best ones known;
    `upper_bound` is None without a plan. `record` holds the figures of the step that ended, and
    `counts` those of the engine since its start.
    """

    kind: Kind
    engine: str
    lower_bound: int
    upper_bound: int | None
    trying: int = 0
    note: str = ""
    record: Mapping[str, Any] | None = None
    counts: Mapping[str, Any] = field(default_factory=dict)


Progress: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True)
class Stage:
    """One turn of `engine`: for so many `seconds` at most, with so many `threads`.

    `memory` is its share of all that there is.
    The first stage of a track begins `after` so many seconds. With `plans_only` what the engine
    proves does not count, so that another one's proof stands by itself.
    """

    engine: Engine
    seconds: float | None = None
    threads: int = 1
    memory: float = 0.25
    after: float = 0.0
    plans_only: bool = False


Track: TypeAlias = tuple[Stage, ...]
"""Stages that follow each other in time; several tracks run side by side."""


@dataclass
class _Running:
    """A stage at work, and those of its track that come later."""

    stage: Stage
    rest: Track
    deadline: float | None


class Portfolio:
    """The best plan and bounds of one problem, and the children that improve them.

    `plan_by` and `bound_by` name the engines that gave the plan and the lower bound; `options` are
    those that engines were given or have chosen.
    """

    def __init__(
        self,
        problem: Problem,
        options: Options,
        limits: Limits,
        progress: Progress,
        workers: Workers,
        *,
        cap: int = NO_PLAN,
        keep_children: bool = False,
    ) -> None:
        self.plan: Plan | None = None
        self.plan_by = self.bound_by = ""
        self.lower_bound = 0
        self.records: list[Mapping[str, Any]] = []
        self.counts: dict[str, Mapping[str, Any]] = {}
        self.options = options
        self.problem, self._limits = problem, limits
        self._progress, self._workers = progress, workers
        self._keep_children = keep_children
        # Only plans shorter than this are news.
        self._cap = cap
        self._running: dict[Child, _Running] = {}
        self._waiting: list[tuple[float, Track]] = []
        self._inbox: Inbox = queue.SimpleQueue()
        self._memory_checked = 0.0

    @property
    def upper_bound(self) -> int:
        """The length of the best plan, or what a plan has to be shorter than."""
        return self._cap if self.plan is None else len(self.plan)

    @property
    def is_closed(self) -> bool:
        """Whether no plan can be better than what is known."""
        return self.lower_bound >= self.upper_bound

    def tell_choice(self, reason: str) -> None:
        """Passes on which engines were chosen, and why."""
        self._tell("choice", "auto", note=reason)

    def run(self, tracks: tuple[Track, ...], *, any_plan: bool = False) -> None:
        """Works until the bounds meet or every track is at its end, with `any_plan` to a plan.

        Raises `CutShort` at a limit and what the engines raise. Whatever ends it, no child is left
        at work, and what was found is kept.
        """

        def receive(report: Report) -> bool:
            return self.is_closed or (any_plan and self.plan is not None)

        if not self.is_closed:
            self._run(tracks, receive)

    def follow_up(self, stage: Stage, receive: Callable[[Report], bool]) -> bool:
        """Runs one stage about the shortest plans when one is proved; as `run` does.

        `receive` is given each report, whose plan has been replayed, and tells whether that is
        enough; the answer is whether it has ever said so.
        """
        return self._run(((stage,),), receive)

    def _run(self, tracks: tuple[Track, ...], receive: Callable[[Report], bool]) -> bool:
        now = time.monotonic()
        self._waiting = [(now + track[0].after, track) for track in tracks]
        try:
            self._begin_waiting()
            while self._running:
                self._check_limits()
                self._begin_waiting()
                report = self._listen()
                if report is not None and receive(report):
                    if self._keep_children:
                        self._await_ends()
                    return True
            return False
        finally:
            for child in list(self._running):
                self._stop(child)

    def _await_ends(self) -> None:
        """Lets children come to their end by themselves, so that they can be used again.

        They know that the bounds have met; those that do not look at them soon have to be ended.
        """
        end = time.monotonic() + _GRACE_SECONDS
        while self._running and (left := end - time.monotonic()) > 0:
            with suppress(queue.Empty):
                child, message = self._inbox.get(timeout=left)
                if child in self._running and message == DONE:
                    self._stop(child, is_idle=True)

    def found(self, plan: Plan, by: str) -> bool:
        """Takes notice of a plan, after a replay; whether it is the best so far.

        Raises `InternalError` where the checker finds the plan wrong.
        """
        verdict = check_plan(self.problem, plan)
        if not verdict.solves:
            raise InternalError(f"the plan of {by} does not solve the board: {plan!r}, {verdict!r}")
        if len(plan) >= self.upper_bound:
            return False
        self.plan, self.plan_by = plan, by
        return True

    def proved(self, bound: int, by: str) -> bool:
        """Takes notice of a lower bound; whether it is the best so far."""
        if bound <= self.lower_bound:
            return False
        if self.plan is not None and bound > len(self.plan):
            raise InternalError(f"{by} proved {bound} moves, and {self.plan!r} has fewer")
        self.lower_bound, self.bound_by = bound, by
        return True

    def _begin_waiting(self) -> None:
        """Begins the tracks whose time has come."""
        due = [item for item in self._waiting if item[0] <= time.monotonic()]
        for item in due:
            self._waiting.remove(item)
            self._begin(item[1])

    def _begin(self, track: Track) -> None:
        stage, rest = track[0], track[1:]
        now = time.monotonic()
        ends = [self._limits.deadline, None if stage.seconds is None else now + stage.seconds]
        deadline = min((end for end in ends if end is not None), default=None)
        child = self._workers.take()
        child.attach(self._inbox)
        self._running[child] = _Running(stage, rest, deadline)
        memory = self._limits.memory or most_memory()
        best = None if self.plan is None else penalty(self.problem, self.plan)
        incumbent = Incumbent(self.lower_bound, self.upper_bound, best)
        budget = Budget(deadline, int(memory * stage.memory), stage.threads, self.options)
        child.send(Task(stage.engine, self.problem, incumbent, budget))

    def _stop(self, child: Child, *, is_idle: bool = False) -> _Running:
        if is_idle:
            self._workers.give_back(child)
        else:
            child.end()
        return self._running.pop(child)

    def _check_limits(self) -> None:
        now = time.monotonic()
        if self._limits.deadline is not None and now >= self._limits.deadline:
            raise CutShort(StopReason.TIME, "time limit reached")
        if self._limits.memory is not None and now > self._memory_checked + _MEMORY_POLL_SECONDS:
            self._memory_checked = now
            if sum(child.memory() for child in self._running) > self._limits.memory:
                self._save_memory()
        for child, running in list(self._running.items()):
            if running.deadline is not None and now >= running.deadline:
                self._go_on(self._stop(child))

    def _save_memory(self) -> None:
        """Leaves the memory to those that prove; raises `CutShort` where they need too much."""
        helpers = [child for child, running in self._running.items() if running.stage.plans_only]
        if not helpers:
            raise CutShort(StopReason.MEMORY, "memory limit reached")
        for child in helpers:
            stage = self._stop(child).stage
            self._tell("note", stage.engine.name, note="ended, as the proof needs the memory")

    def _go_on(self, ended: _Running) -> None:
        if ended.rest:
            self._begin(ended.rest)

    def _listen(self) -> Report | None:
        """Waits for one message, not for long; takes in a report and passes it on."""
        ends = [r.deadline for r in self._running.values() if r.deadline is not None]
        left = min(ends, default=float("inf")) - time.monotonic()
        try:
            child, message = self._inbox.get(timeout=max(0.0, min(_POLL_SECONDS, left)))
        except queue.Empty:
            for running in self._running.values():
                self._tell("waiting", running.stage.engine.name)
            return None
        if child not in self._running:
            return None  # it was stopped while this was on its way
        stage = self._running[child].stage
        if isinstance(message, Report):
            if stage.plans_only:
                message = replace(message, lower_bound=0)
            self._take_in(message, stage.engine.name, child)
            return message
        if message == DONE:
            self._go_on(self._stop(child, is_idle=True))
        else:
            self._lose(child, message)
        return None

    def _lose(self, child: Child, message: object) -> None:
        """Goes on without a child that has failed, as long as another one works on a proof."""
        trouble: Exception
        if isinstance(message, PlansolveError | CutShort):
            trouble = message
        elif isinstance(message, MemoryError):
            trouble = CutShort(StopReason.MEMORY, "memory ran out")
        else:
            trouble = child.cause_of_death()
        lost = self._stop(child)
        self._go_on(lost)
        if all(running.stage.plans_only for running in self._running.values()):
            raise trouble
        what = str(trouble).strip().splitlines()[-1]
        self._tell("note", lost.stage.engine.name, note=f"failed, the others go on ({what})")

    def _take_in(self, report: Report, engine: str, child: Child) -> None:
        if report.options is not None:
            self.options = report.options
        if report.counts:
            self.counts[engine] = report.counts
        if report.record is not None:
            self.records.append({"engine": engine, **report.record})
        if report.note:
            self._tell("note", engine, note=report.note)
        # The plan first: a bound that is equal to its length follows from it.
        better = report.plan is not None and self.found(report.plan, engine)
        raised = self.proved(report.lower_bound, engine)
        if better or raised:
            for other in self._running:
                if other is not child:
                    other.send(Incumbent(self.lower_bound, self.upper_bound))
        if better:
            self._tell("plan", engine, record=report.record, counts=report.counts)
        elif raised or report.record is not None:
            self._tell("bound", engine, record=report.record, counts=report.counts)
        if report.trying and not self.is_closed:
            self._tell("trying", engine, trying=report.trying)

    def _tell(
        self,
        kind: Kind,
        engine: str,
        **details: Any,
    ) -> None:
        upper = None if self.plan is None else len(self.plan)
        self._progress(Event(kind, engine, self.lower_bound, upper, **details))
