"""A search in a child process, and the messages between it and the scheduler."""

import gc
from dataclasses import dataclass, replace

from plansolve.model.problem import Problem
from plansolve.solvers.engine.registry import Engine, start_search
from plansolve.solvers.evidence import tables_in_use
from plansolve.solvers.processes.worker import Errand, Send
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.storage.notices import forget_used, listen


@dataclass(frozen=True)
class Task(Errand):
    """A search; the clock of `time.monotonic` is the same for all processes."""

    engine: Engine
    problem: Problem
    incumbent: Incumbent
    budget: Budget

    def run(self, send: Send) -> None:
        """Search, and send the reports; at the deadline what is being made is made to its end."""
        if self.engine.by_formula:
            # Formulas are millions of small lists without cycles; the search for them takes a
            # tenth of the time.
            gc.disable()
        else:
            gc.enable()
        forget_used()
        self.budget.tell = lambda note: send(Report(self.engine.name, note=note))
        is_making, has_ended = False, False

        def tell_making(busy: bool) -> None:
            nonlocal is_making
            is_making = busy
            # A thread in the background may end after the search, and this is no news of the next.
            if not has_ended:
                send(Making(is_over=not busy))

        with listen(lambda note: send(Making(note)), tell_making):
            for report in start_search(self.engine, self.problem, self.incumbent, self.budget):
                if report.lower_bound or report.is_complete:
                    report = replace(report, rests_on=tables_in_use())
                send(report)
                if self.budget.is_over and not is_making:
                    break
            has_ended = True

    def take(self, message: object) -> None:
        """Take in better bounds, or another deadline."""
        if isinstance(message, Incumbent):
            self.incumbent.improve(message)
        elif isinstance(message, PutOff):
            self.budget.deadline, self.budget.is_paused = message.deadline, message.is_paused


@dataclass(frozen=True)
class PutOff:
    """The deadline of the task at hand is another one, or its clock stands still."""

    deadline: float | None
    is_paused: bool = False


@dataclass(frozen=True)
class Making:
    """The child makes something for later runs too, or all of it `is_over`; or a note about it."""

    note: str = ""
    is_over: bool = False
