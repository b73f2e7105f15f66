"""The child process in which an engine works: `python -c "...; main(parent)"`, see `child`.

It reads pickled messages from its parent on standard input: tasks, and bounds that others have
found meanwhile. It answers on what was its standard output, with reports and at last `DONE` or an
error. A SAT solver holds the interpreter's lock and no kernel can be interrupted, so the parent
ends the work by ending this process.
"""

import gc
import os
import pickle
import queue
import sys
import threading
import traceback
from dataclasses import dataclass
from typing import Any, BinaryIO

from plansolve.errors import InternalError, PlansolveError
from plansolve.model.problem import Problem
from plansolve.solvers.engine.registry import Engine, start_search
from plansolve.solvers.limits import CutShort
from plansolve.solvers.orphans import end_with
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.storage.notices import listen

__all__ = ["DONE", "Task", "main"]

DONE = "done"
"""The last message about a task that ended without an error."""


@dataclass(frozen=True)
class Task:
    """What one child is to do; the clock of `time.monotonic` is the same for all processes."""

    engine: Engine
    problem: Problem
    incumbent: Incumbent
    budget: Budget


class _Worker:
    """The two ends of the pipe, and the task at hand."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests, self._answers = requests, answers
        self._sending = threading.Lock()
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()

    def read(self) -> None:
        """Takes in messages until the parent closes the pipe, perhaps in the middle of one."""
        incumbent = Incumbent()
        try:
            while True:
                message = pickle.load(self._requests)
                if isinstance(message, Task):
                    incumbent = message.incumbent
                    self._tasks.put(message)
                else:
                    incumbent.improve(message)
        finally:
            # The parent has closed the pipe, or what it says cannot be understood.
            os._exit(0)

    def work(self) -> None:
        """Does one task after the other."""
        while True:
            task = self._tasks.get()
            try:
                self._search(task)
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

    def _search(self, task: Task) -> None:
        if task.engine.by_formula:
            # Formulas are millions of small lists without cycles; looking for some takes a tenth
            # longer.
            gc.disable()
        else:
            gc.enable()
        with listen(lambda note: self.send(Report(task.engine.name, note=note))):
            for report in start_search(task.engine, task.problem, task.incumbent, task.budget):
                self.send(report)

    def send(self, message: Any) -> None:
        with self._sending:
            pickle.dump(message, self._answers)
            self._answers.flush()


def main(parent: int) -> None:
    """Serves the process `parent` until it closes the pipe."""
    end_with(parent)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Solvers written in C++ may print: that must not get between the messages.
    os.dup2(2, 1)
    worker = _Worker(requests, answers)
    threading.Thread(target=worker.read, daemon=True).start()
    worker.work()
