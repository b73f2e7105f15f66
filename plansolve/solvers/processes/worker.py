"""The child process in which an engine works: `python -c "...; main(parent, ...)"`, see `child`.

It reads pickled messages from its parent on standard input: errands, and what concerns the latest
of them. It answers on what was its standard output, with what an errand tells and at last `DONE` or
an error. A SAT solver holds the interpreter's lock and no kernel can be interrupted, so the parent
ends the work by ending this process.
"""

import os
import pickle
import queue
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, BinaryIO, TypeAlias

from plansolve.errors import InternalError, PlansolveError
from plansolve.solvers.limits import CutShort
from plansolve.solvers.processes.orphans import end_with

__all__ = ["DONE", "Errand", "Send", "main"]

Send: TypeAlias = Callable[[object], None]

DONE = "done"
"""The last message about an errand that ended without an error."""


class Errand(ABC):
    """Something to do in a child process."""

    @abstractmethod
    def run(self, send: Send) -> None:
        """Do it, and send what is to be told of it."""

    @abstractmethod
    def take(self, message: object) -> None:
        """Take in, in another thread, what the parent says while the errand waits or is done."""


class _Worker:
    """The two ends of the pipe, and the errand at hand."""

    def __init__(
        self, requests: BinaryIO, answers: BinaryIO, idle_seconds: float | None = None
    ) -> None:
        self._requests, self._answers = requests, answers
        self._idle_seconds = idle_seconds
        self._sending = threading.Lock()
        self._errands: queue.SimpleQueue[Errand] = queue.SimpleQueue()

    def read(self) -> None:
        """Take in messages until the parent closes the pipe, perhaps in the middle of one."""
        latest: Errand | None = None
        try:
            while True:
                message = pickle.load(self._requests)
                if isinstance(message, Errand):
                    latest = message
                    self._errands.put(message)
                elif latest is not None:
                    latest.take(message)
        finally:
            # The parent has closed the pipe, or what it says cannot be understood.
            os._exit(0)

    def work(self) -> None:
        """Do one errand after the other, until none comes for `idle_seconds`."""
        while True:
            try:
                errand = self._errands.get(timeout=self._idle_seconds)
            except queue.Empty:
                # The parent gives no errand to a child that has waited for half that time.
                os._exit(0)
            try:
                errand.run(self.send)
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
    """Serve the process `parent` until it closes the pipe, or is silent for `idle_seconds`."""
    end_with(parent)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Solvers written in C++ may print: that must not get between the messages.
    os.dup2(2, 1)
    worker = _Worker(requests, answers, idle_seconds)
    threading.Thread(target=worker.read, daemon=True).start()
    worker.work()
