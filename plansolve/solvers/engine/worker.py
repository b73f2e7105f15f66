"""The child process in which an engine works: `python -c "...; main(parent, ...)"`, see `child`.

It reads pickled messages from its parent on standard input: tasks or calls, and bounds that others
have found meanwhile. It answers on what was its standard output, with reports and at last `DONE` or
an error. A SAT solver holds the interpreter's lock and no kernel can be interrupted, so the parent
ends the work by ending this process.
"""

import gc
import os
import pickle
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

from plansolve.errors import InternalError, PlansolveError
from plansolve.model.problem import Problem
from plansolve.solvers.engine.registry import Engine, start_search
from plansolve.solvers.limits import CutShort
from plansolve.solvers.orphans import end_with
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.storage.notices import listen

__all__ = ["DONE", "Call", "Making", "PutOff", "Task", "main"]

Send: TypeAlias = Callable[[object], None]

DONE = "done"
"""The last message about a task that ended without an error."""


@dataclass(frozen=True)
class Task:
    """A search; the clock of `time.monotonic` is the same for all processes."""

    engine: Engine
    problem: Problem
    incumbent: Incumbent
    budget: Budget

    def run(self, send: Send) -> None:
        """Search, and send the reports; at the deadline what is being made is made to its end."""
        if self.engine.by_formula:
            # Formulas are millions of small lists without cycles; looking for some takes a tenth
            # longer.
            gc.disable()
        else:
            gc.enable()
        is_making, has_ended = False, False

        def tell_making(busy: bool) -> None:
            nonlocal is_making
            is_making = busy
            # A thread in the background may end after the search, and this is no news of the next.
            if not has_ended:
                send(Making(is_over=not busy))

        with listen(lambda note: send(Making(note)), tell_making):
            for report in start_search(self.engine, self.problem, self.incumbent, self.budget):
                send(report)
                if self.budget.is_over and not is_making:
                    break
            has_ended = True


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


@dataclass(frozen=True)
class Call:
    """A function of a module, called where it can be ended.

    With `tells` it gets, as `tell`, what sends its caller a message on the way.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]
    tells: bool

    def run(self, send: Send) -> None:
        """Call the function; send whatever it tells, and its value."""
        if self.tells:
            value = self.function(*self.arguments, tell=lambda message: send(("told", message)))
        else:
            value = self.function(*self.arguments)
        send(("value", value))


class _Worker:
    """The two ends of the pipe, and the task at hand."""

    def __init__(
        self, requests: BinaryIO, answers: BinaryIO, idle_seconds: float | None = None
    ) -> None:
        self._requests, self._answers = requests, answers
        self._idle_seconds = idle_seconds
        self._sending = threading.Lock()
        self._tasks: queue.SimpleQueue[Task | Call] = queue.SimpleQueue()

    def read(self) -> None:
        """Take in messages until the parent closes the pipe, perhaps in the middle of one."""
        incumbent, budget = Incumbent(), Budget()
        try:
            while True:
                message = pickle.load(self._requests)
                if isinstance(message, Incumbent):
                    incumbent.improve(message)
                elif isinstance(message, PutOff):
                    budget.deadline, budget.is_paused = message.deadline, message.is_paused
                else:
                    if isinstance(message, Task):
                        incumbent, budget = message.incumbent, message.budget
                    self._tasks.put(message)
        finally:
            # The parent has closed the pipe, or what it says cannot be understood.
            os._exit(0)

    def work(self) -> None:
        """Do one task after the other, until none comes for `idle_seconds`."""
        while True:
            try:
                task = self._tasks.get(timeout=self._idle_seconds)
            except queue.Empty:
                # The parent gives no task to a child that has waited for half that time.
                os._exit(0)
            try:
                task.run(self.send)
                self.send(DONE)
            except MemoryError:
                self.send(MemoryError())
            except (PlansolveError, CutShort) as error:
                self.send(error)
            except BrokenPipeError:
                os._exit(0)
            except Exception as error:
                # The parent reports it: a child has nobody to show a traceback to.
                self.send(InternalError("".join(traceback.format_exception(error))))

    def send(self, message: Any) -> None:
        with self._sending:
            pickle.dump(message, self._answers)
            self._answers.flush()


def main(parent: int, idle_seconds: float | None = None) -> None:
    """Serve the process `parent` until it closes the pipe, or gives no task for `idle_seconds`."""
    end_with(parent)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Solvers written in C++ may print: that must not get between the messages.
    os.dup2(2, 1)
    worker = _Worker(requests, answers, idle_seconds)
    threading.Thread(target=worker.read, daemon=True).start()
    worker.work()
