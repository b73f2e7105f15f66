"""Engines side by side: each in a child of its own, each fed with the others' bounds."""

import queue
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from plansolve.errors import PlansolveError
from plansolve.solvers.engine.child import Child, Inbox, Workers
from plansolve.solvers.engine.choice import Stage, Track
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.progress import Event, EventKind, Progress
from plansolve.solvers.engine.worker import DONE, Task
from plansolve.solvers.limits import CutShort, Limits, MemoryWatch, most_memory
from plansolve.solvers.protocol import Budget, Report
from plansolve.solvers.result import StopReason

__all__ = ["Scheduler"]

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 0.1


@dataclass
class _Turn:
    """A stage at work until its deadline, and those of its track that come later."""

    stage: Stage
    rest: Track
    deadline: float | None


class Scheduler:
    """The children that improve what the ledger knows: begun, fed with bounds, and ended.

    With `keep_children` those that have done their work go back to `workers`, where time allows it.
    """

    def __init__(
        self,
        ledger: Ledger,
        limits: Limits,
        progress: Progress,
        workers: Workers,
        *,
        keep_children: bool = False,
    ) -> None:
        self.ledger = ledger
        self._limits, self._memory = limits, MemoryWatch(limits)
        self._progress, self._workers = progress, workers
        self._keep_children = keep_children
        self._running: dict[Child, _Turn] = {}
        self._waiting: list[tuple[float, Track]] = []
        self._inbox: Inbox = queue.SimpleQueue()

    def run(self, tracks: tuple[Track, ...], *, any_plan: bool = False) -> None:
        """Work until the bounds meet or every track is at its end, with `any_plan` to a plan.

        Raises `CutShort` at a limit and what the engines raise. Whatever ends it, no child is left
        at work, and what was found is kept.
        """
        ledger = self.ledger

        def receive(report: Report) -> bool:
            return ledger.is_closed or (any_plan and ledger.plan is not None)

        if not ledger.is_closed:
            self._run(tracks, receive)

    def follow_up(self, stage: Stage, receive: Callable[[Report], bool]) -> bool:
        """Run one stage about the shortest plans when one is proved; as `run` does.

        `receive` is given each report, whose plan has been replayed, and tells whether that is
        enough; the answer is whether it has ever said so.
        """
        return self._run(((stage,),), receive)

    def tell(self, kind: EventKind, engine: str, **details: Any) -> None:
        """Call the user's progress function with the bounds and these details."""
        ledger = self.ledger
        upper = None if ledger.plan is None else len(ledger.plan)
        self._progress(Event(kind, engine, ledger.lower_bound, upper, **details))

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
            # Engines know the deadline too, and may be the first to stop.
            self._limits.check()
            return False
        finally:
            for child in list(self._running):
                self._stop(child)

    def _await_ends(self) -> None:
        """Let children come to their end by themselves, so that they can be used again.

        They know that the bounds have met; those that do not look at them soon have to be ended.
        """
        end = time.monotonic() + _GRACE_SECONDS
        while self._running and (left := end - time.monotonic()) > 0:
            with suppress(queue.Empty):
                child, message = self._inbox.get(timeout=left)
                if child in self._running and message == DONE:
                    self._stop(child, is_idle=True)

    def _begin_waiting(self) -> None:
        """Begin the tracks whose time has come."""
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
        self._running[child] = _Turn(stage, rest, deadline)
        memory = int((self._limits.memory or most_memory()) * stage.memory)
        budget = Budget(deadline, memory, stage.threads, self.ledger.options)
        child.send(Task(stage.engine, self.ledger.problem, self.ledger.incumbent(), budget))

    def _stop(self, child: Child, *, is_idle: bool = False) -> _Turn:
        if is_idle:
            self._workers.give_back(child)
        else:
            child.end()
        return self._running.pop(child)

    def _check_limits(self) -> None:
        now = time.monotonic()
        self._limits.check()
        if self._memory.is_full(lambda: sum(child.memory() for child in self._running)):
            self._save_memory()
        for child, turn in list(self._running.items()):
            if turn.deadline is not None and now >= turn.deadline:
                self._go_on(self._stop(child))

    def _save_memory(self) -> None:
        """Leave the memory to those that prove; raise `CutShort` where they need too much."""
        helpers = [child for child, running in self._running.items() if running.stage.plans_only]
        if not helpers:
            raise CutShort(StopReason.MEMORY, "memory limit reached")
        for child in helpers:
            stage = self._stop(child).stage
            self.tell("note", stage.engine.name, note="ended, as the proof needs the memory")

    def _go_on(self, ended: _Turn) -> None:
        if ended.rest:
            self._begin(ended.rest)

    def _listen(self) -> Report | None:
        """Wait for one message, not for long; take in a report and return it."""
        ends = [r.deadline for r in self._running.values() if r.deadline is not None]
        left = min(ends, default=float("inf")) - time.monotonic()
        try:
            child, message = self._inbox.get(timeout=max(0.0, min(_POLL_SECONDS, left)))
        except queue.Empty:
            for running in self._running.values():
                self.tell("waiting", running.stage.engine.name)
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
        """Go on without a child that has failed, as long as another one works on a proof."""
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
        self.tell("note", lost.stage.engine.name, note=f"failed, the others go on ({what})")

    def _take_in(self, report: Report, engine: str, child: Child) -> None:
        """Enter a report, pass better bounds on to the other children, and tell the user."""
        ledger = self.ledger
        if report.note:
            self.tell("note", engine, note=report.note)
        is_better, is_raised = ledger.take(report, engine)
        if is_better or is_raised:
            for other in self._running:
                if other is not child:
                    other.send(ledger.incumbent())
        if is_better:
            self.tell("plan", engine, record=report.record, counts=report.counts)
        elif is_raised or report.record is not None:
            self.tell("bound", engine, record=report.record, counts=report.counts)
        if report.trying and not ledger.is_closed:
            self.tell("trying", engine, trying=report.trying)
