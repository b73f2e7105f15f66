"""Engines side by side: each in a child of its own, each fed with the others' bounds."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from plansolve.errors import InternalError, PlansolveError
from plansolve.solvers.engine.choice import Stage, Track
from plansolve.solvers.engine.ledger import Ledger
from plansolve.solvers.engine.registry import Making, PutOff, Task
from plansolve.solvers.limits import CutShort, Limits, most_memory
from plansolve.solvers.processes.child import Child, ready
from plansolve.solvers.processes.worker import Ended
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.protocol import Budget, Distribution, Event, EventKind, Progress, Report
from plansolve.solvers.result import StopReason

FIRST_RUN = (
    "compiling kernels and building tables, once, for up to half a minute; the time limit starts "
    "afterwards"
)
"""The message while the clock stands still."""

_LOCAL = Distribution()
_OWN_PLAN = 4
"""The factor by which a stage that has yet to find its own plan stays longer beside the others."""
_POLL_SECONDS = 0.1
_GRACE_SECONDS = 0.1


@dataclass
class _Turn:
    """A stage at work, its begin and end, and the later stages of its track.

    `is_making` is True while its child makes something for the first time, `has_plan` once it has
    found a plan.
    """

    stage: Stage
    rest: Track
    began: float
    end: float | None
    is_making: bool = False
    has_plan: bool = False


class Scheduler:
    """Starts the children that improve the ledger, sends them bounds, and ends them.

    `distribution` names the workers of the main proof. With `keep_children`, children that are done
    return to `workers`, if time allows it.
    """

    def __init__(
        self,
        ledger: Ledger,
        limits: Limits,
        progress: Progress,
        workers: Workers,
        *,
        distribution: Distribution = _LOCAL,
        keep_children: bool = False,
        optimal: bool = True,
    ) -> None:
        self.ledger, self._distribution, self._optimal = ledger, distribution, optimal
        self.limits, self._progress, self._workers = limits, progress, workers
        self._keep_children = keep_children
        self._running: dict[Child, _Turn] = {}
        self._waiting: list[tuple[float, Track]] = []
        self._has_paused = False
        # Why a proof ended early, while others went on.
        self._trouble: CutShort | None = None

    def run(self, tracks: tuple[Track, ...], *, any_plan: bool = False) -> None:
        """Work until the bounds meet or every track is at its end, with `any_plan` to a plan.

        Raises `CutShort` at a limit, and the errors of the engines. However it ends, no child is
        left at work, and results so far are kept.
        """
        ledger = self.ledger
        if not ledger.is_closed:
            self._run(tracks, lambda _: ledger.is_closed or (any_plan and ledger.plan is not None))

    def follow_up(self, stage: Stage, receive: Callable[[Report], bool]) -> bool:
        """Run one stage about the shortest plans, once one is proved, as `run` does.

        `receive` is called with each report, whose plan has been replayed, and returns True if that
        is enough. Return True if it did.
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
        is_answered, self._trouble = False, None
        try:
            self._begin_waiting(now)
            while self._running:
                self._check_limits()
                if any(map(receive, self._listen())):
                    is_answered = True
                    if self._keep_children:
                        self._await_ends()
                    return True
                is_idle = all(turn.is_making for turn in self._running.values())
                # Tracks that have not begun or have ended are not waited for.
                self._begin_waiting(inf if is_idle else time.monotonic())
            # Engines know the deadline too, and may be the first to stop.
            self.limits.check()
            if self._trouble is not None:
                raise self._trouble
            return False
        finally:
            # After the answer, children only finish what they have begun for later runs.
            has_time = is_answered and (self.limits.deadline is None or self.limits.pauses)
            for child, turn in list(self._running.items()):
                if has_time and turn.is_making:
                    child.send(PutOff(time.monotonic()))
                    del self._running[child]
                    self._workers.leave(child)
                else:
                    self._stop(child)

    def _await_ends(self) -> None:
        """Wait for children to end their tasks, so that they can be used again.

        They know that the bounds have met; children that do not check them soon are ended. Their
        last reports must not contradict the known bounds.
        """
        end = time.monotonic() + _GRACE_SECONDS
        while self._running and (left := end - time.monotonic()) > 0:
            for child in ready(self._running, left):
                message = child.receive()
                if isinstance(message, InternalError):
                    raise message
                if isinstance(message, Report):
                    self._enter(message, self._running[child].stage)
                elif message is None or isinstance(message, Ended | Exception):
                    self._stop(child, is_idle=isinstance(message, Ended))

    def _begin_waiting(self, now: float) -> None:
        due = [item for item in self._waiting if item[0] <= now]
        for item in due:
            self._waiting.remove(item)
            self._begin(item[1])

    def _begin(self, track: Track) -> None:
        stage, rest = track[0], track[1:]
        now = time.monotonic()
        end = None if stage.seconds is None else now + stage.seconds
        child = self._workers.take()
        self._running[child] = turn = _Turn(stage, rest, now, end)
        memory = int((self.limits.memory or most_memory()) * stage.memory)
        deadline, is_paused = self._deadline(turn), self.limits.is_paused
        budget = Budget(
            deadline,
            memory,
            stage.threads,
            self.ledger.options,
            is_paused,
            self._distribution if stage.is_distributed else _LOCAL,
            self._optimal,
        )
        child.send(Task(stage.engine, self.ledger.problem, self.ledger.incumbent(), budget))

    def _deadline(self, turn: _Turn) -> float | None:
        """Return the deadline of a stage; None while the clock stands still."""
        if self.limits.is_paused:
            return None
        return min(
            (end for end in (self.limits.deadline, turn.end) if end is not None), default=None
        )

    def _stop(self, child: Child, *, is_idle: bool = False) -> _Turn:
        if is_idle:
            self._workers.give_back(child)
        else:
            child.end()
        turn = self._running.pop(child)
        self._keep_clock()
        return turn

    def _keep_clock(self) -> None:
        """Stop the clock while something is made for the first time, and then start it again."""
        limits = self.limits
        is_making = any(turn.is_making for turn in self._running.values())
        if not limits.pauses or limits.deadline is None or is_making == limits.is_paused:
            return
        if is_making:
            limits.pause()
            if not self._has_paused:
                self._has_paused = True
                self.tell("note", "first run", note=FIRST_RUN)
        else:
            for turn in self._running.values():
                turn.end = limits.put_off(turn.end, turn.began)
            limits.resume()
        for child, turn in self._running.items():
            child.send(PutOff(self._deadline(turn), limits.is_paused))

    def _check_limits(self) -> None:
        self.limits.check()
        if self.limits.is_full(
            lambda exactly: sum(c.memory(exactly=exactly) for c in self._running)
        ):
            self._save_memory()
        for child, turn in list(self._running.items()):
            if self.limits.is_over(turn.end):
                self._go_on(self._stop(child))
            elif not child.gives_way and self._is_to_yield(turn):
                child.give_way()

    def _is_to_yield(self, turn: _Turn) -> bool:
        """Return True if the other stages have priority from now on.

        By then the shared tables are built and some plan is known; a stage that has yet to find its
        own plan stays longer.
        """
        after = turn.stage.yields_after
        if after is None or self.ledger.plan is None or turn.is_making or self.limits.is_paused:
            return False
        return time.monotonic() >= turn.began + after * (1 if turn.has_plan else _OWN_PLAN)

    def _save_memory(self) -> None:
        """Leave the memory to those that prove; raise `CutShort` if they need too much."""
        helpers = [child for child, running in self._running.items() if running.stage.plans_only]
        if not helpers:
            raise CutShort(StopReason.MEMORY, "memory limit reached")
        for child in helpers:
            stage = self._stop(child).stage
            self.tell("warning", stage.engine.name, note="ended, as the proof needs the memory")

    def _go_on(self, ended: _Turn) -> None:
        if ended.rest:
            self._begin(ended.rest)

    def _listen(self) -> Iterator[Report]:
        """Wait briefly for messages; enter reports and yield them."""
        deadlines = map(self._deadline, self._running.values())
        left = min((d for d in deadlines if d is not None), default=inf) - time.monotonic()
        speaking = ready(self._running, max(0.0, min(_POLL_SECONDS, left)))
        if not speaking:
            for running in self._running.values():
                self.tell("waiting", running.stage.engine.name)
        for child in speaking:
            if child not in self._running:
                continue  # the work for another one's message has ended it
            turn, message = self._running[child], child.receive()
            if isinstance(message, Making):
                self._make(turn, message)
            elif isinstance(message, Report):
                self._take_in(message, turn, child)
                yield message
            elif isinstance(message, Ended):
                self._go_on(self._stop(child, is_idle=True))
            else:
                self._lose(child, message)

    def _make(self, turn: _Turn, message: Making) -> None:
        """Handle the message that a child begins or ends making something, or what it is."""
        if not message.note:
            turn.is_making = not message.is_over
            self._keep_clock()
        elif not self.limits.pauses:
            self.tell("note", turn.stage.engine.name, note=message.note)

    def _lose(self, child: Child, message: object) -> None:
        """Continue without a failed child; raise its error if no other child closes the bounds.

        An `InternalError` of an engine ends the work at once.
        """
        if isinstance(message, InternalError):
            raise message
        trouble: Exception
        if isinstance(message, PlansolveError | CutShort):
            trouble = message
        elif isinstance(message, MemoryError):
            trouble = CutShort(StopReason.MEMORY, "memory ran out")
        else:
            trouble = child.cause_of_death()
        lost = self._stop(child)
        self._go_on(lost)
        stages = [turn.stage for turn in self._running.values()]
        stages += [track[0] for _, track in self._waiting]
        if all(stage.plans_only for stage in stages):
            raise trouble
        if lost.stage.engine.proves and isinstance(trouble, CutShort):
            self._trouble = trouble
        what = str(trouble).strip().splitlines()[-1]
        self.tell("warning", lost.stage.engine.name, note=f"failed; the others go on ({what})")

    def _enter(self, report: Report, stage: Stage) -> tuple[bool, bool]:
        """Enter a report; return whether it improved the plan, and the lower bound."""
        if stage.plans_only:
            report = replace(report, lower_bound=0)
        return self.ledger.take(report, stage.engine.name, proves=stage.engine.proves)

    def _take_in(self, report: Report, turn: _Turn, child: Child) -> None:
        """Enter a report, pass better bounds on to the other children, and tell the user."""
        ledger, stage = self.ledger, turn.stage
        engine = stage.engine.name
        turn.has_plan |= report.plan is not None
        if report.note:
            self.tell("note", engine, note=report.note)
        is_better, is_raised = self._enter(report, stage)
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
