"""The child process in which an engine works: `python -c "...; main(...)"`, see `child`.

It reads messages from its parent on standard input: errands, and messages about the latest of them.
It answers on its original standard output, with the messages of an errand and finally its value or
an error. A SAT solver holds the interpreter's lock and no kernel can be interrupted, so the parent
ends the work by ending this process.
"""

import fcntl
import os
import pickle
import queue
import select
import signal
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, BinaryIO, TypeAlias

from plansolve.errors import InternalError, PlansolveError
from plansolve.solvers.limits import CutShort, stopped_by

Send: TypeAlias = Callable[[object], None]

_BYTES_OF_SIZE = 8


class Errand(ABC):
    """Something to do in a child process."""

    @abstractmethod
    def run(self, send: Send) -> object:
        """Do the work, send messages on the way, and return the value."""

    @abstractmethod
    def take(self, message: object) -> None:
        """Handle, in another thread, a message of the parent while the errand waits or runs."""


@dataclass(frozen=True)
class Ended:
    """The last message about an errand that ended without an error."""

    value: Any = None


@dataclass(frozen=True)
class StopWork:
    """The caller no longer waits for the call's value."""


@dataclass
class Call(Errand):
    """A function of a module, called where it can be ended.

    After a `StopWork`, `limits.is_unwanted` is true in it.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]
    is_unwanted: bool = field(default=False, init=False)

    def run(self, send: Send) -> object:
        with stopped_by(lambda: self.is_unwanted):
            return self.function(*self.arguments)

    def take(self, message: object) -> None:
        self.is_unwanted |= isinstance(message, StopWork)


def write_message(stream: BinaryIO, message: object) -> None:
    """Write a whole message to an unbuffered pipe; one that cannot be pickled raises before."""
    data = pickle.dumps(message)
    left = memoryview(len(data).to_bytes(_BYTES_OF_SIZE, "little") + data)
    while left:
        left = left[stream.write(left) :]


def read_message(stream: BinaryIO) -> Any:
    """Read a message from an unbuffered pipe; raise `EOFError` at the end, or in the middle."""
    return pickle.loads(_read(stream, int.from_bytes(_read(stream, _BYTES_OF_SIZE), "little")))


def _read(stream: BinaryIO, size: int) -> bytearray:
    data = bytearray()
    while len(data) < size:
        part = stream.read(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


class _Worker:
    """The two ends of the pipes, and the errands."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO, idle_seconds: float | None) -> None:
        self._requests, self._answers = requests, answers
        self._idle_seconds = idle_seconds
        self._sending = threading.Lock()
        self._errands: queue.SimpleQueue[Errand] = queue.SimpleQueue()

    def read(self) -> None:
        """Read messages until the parent closes the pipe, perhaps in the middle of a message."""
        latest: Errand | None = None
        try:
            while True:
                message = read_message(self._requests)
                if isinstance(message, Errand):
                    latest = message
                    self._errands.put(message)
                elif latest is not None:
                    latest.take(message)
        finally:
            # The parent has closed the pipe, or its message is garbled.
            os._exit(0)

    def import_ahead(self, modules: Sequence[str]) -> None:
        for module in modules:
            if self._errands.empty():
                # An errand that needs the module raises the error again.
                with suppress(ImportError):
                    import_module(module)

    def work(self) -> None:
        """Do one errand after the other, until none comes for `idle_seconds`."""
        while True:
            try:
                errand = self._errands.get(timeout=self._idle_seconds)
            except queue.Empty:
                # The parent gives no errand to a child that has waited for half that time.
                os._exit(0)
            try:
                self.send(Ended(errand.run(self.send)))
            except MemoryError:
                self.send(MemoryError())
            except (PlansolveError, CutShort) as error:
                self.send(error)
            except BrokenPipeError:
                os._exit(0)
            except Exception as error:
                # The parent reports it, since a child has no place for a traceback.
                self.send(InternalError("".join(traceback.format_exception(error))))

    def send(self, message: object) -> None:
        with self._sending:
            write_message(self._answers, message)


def main(lifeline: int, idle_seconds: float | None, modules: Sequence[str]) -> None:
    """Serve the parent until it closes the pipe, or is silent for `idle_seconds`.

    `lifeline` is the end of a pipe to which the parent writes nothing. Until the first errand comes
    these modules are imported, one after the other.
    """
    _end_with_parent(lifeline)
    requests, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    # Solvers written in C++ may print, which must not mix with the messages.
    os.dup2(2, 1)
    worker = _Worker(requests, answers, idle_seconds)
    threading.Thread(target=worker.read, daemon=True).start()
    worker.import_ahead(modules)
    worker.work()


def _end_with_parent(lifeline: int) -> None:
    """Make Linux end this process, whatever it computes, when the parent's end of a pipe closes.

    Elsewhere the thread that reads messages ends it, once it gets the interpreter's lock.
    """
    if sys.platform == "linux":
        # The signal that a file is ready, which ends a process by default.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC)
    poll = select.poll()
    poll.register(lifeline)
    if poll.poll(0):
        os._exit(1)  # it was closed before
