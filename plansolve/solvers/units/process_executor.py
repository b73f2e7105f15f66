"""Processes that stay, as an executor of `concurrent.futures` whose running work can be ended."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from plansolve.errors import InternalError
from plansolve.solvers.processes.call import Call, StopWork
from plansolve.solvers.processes.child import Child, Inbox
from plansolve.solvers.processes.worker import DONE
from plansolve.solvers.processes.workers import Workers

__all__ = ["ProcessExecutor"]

P = ParamSpec("P")
T = TypeVar("T")

_SECONDS_TO_STOP = 0.8
"""How long work that nobody wants any more has to end by itself."""


@dataclass
class _Work:
    """A call, its future, and when a process that does not stop is ended."""

    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    last_moment: float | None = None


@dataclass(frozen=True)
class _Shutdown:
    """No more work comes."""

    at_once: bool


class ProcessExecutor(Executor):
    """Calls module-level functions in `processes` child processes, which are started when needed.

    To cancel a future ends its work too where that has begun: it is told so (see `stopping`), and
    its process is ended where it does not listen. A call whose process dies raises `CutShort`.
    """

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._inbox: Inbox = queue.SimpleQueue()
        self._workers = Workers()
        self._waiting: deque[_Work] = deque()
        self._running: dict[Child, _Work] = {}
        self._is_open = True
        self._thread = threading.Thread(target=self._serve, name="plansolve-local", daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process call the function; keyword arguments are not passed on."""
        if kwargs:
            raise TypeError("only positional arguments are passed to a process")
        if not self._is_open:
            raise RuntimeError("the processes have been ended")
        future: Future[T] = Future()
        work = _Work(future, fn, args)
        self._tell(work)
        future.add_done_callback(lambda done: self._tell(work) if done.cancelled() else None)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: after what was submitted, or at once with `cancel_futures`."""
        self._is_open = False
        self._tell(_Shutdown(at_once=cancel_futures))
        if wait:
            self._thread.join()

    def _tell(self, message: "_Work | _Shutdown") -> None:
        # What users ask comes the way that children's messages come: one thread has all the state.
        self._inbox.put((_NOBODY, message))

    def _serve(self) -> None:
        is_closing = False
        while not (is_closing and not self._waiting and not self._running):
            try:
                child, message = self._inbox.get(timeout=self._patience())
            except queue.Empty:
                self._end_deaf()
                continue
            if child is not _NOBODY:
                self._hear(child, message)
            elif isinstance(message, _Shutdown):
                is_closing = True
                if message.at_once:
                    self._drop_all()
            elif message.future.cancelled():
                self._give_up(message)
            else:
                self._waiting.append(message)
            self._begin()
        self._workers.end()

    def _patience(self) -> float | None:
        moments = [w.last_moment for w in self._running.values() if w.last_moment is not None]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _begin(self) -> None:
        """Give work to processes while there is some for one that is idle or not started yet."""
        while self._waiting and len(self._running) < self._processes:
            work = self._waiting.popleft()
            if work.future.cancelled():
                continue
            try:
                child = self._workers.take()
            except OSError as error:
                _fail(work.future, error)
                continue
            child.attach(self._inbox)
            self._running[child] = work
            child.send(Call(work.function, work.arguments))

    def _hear(self, child: Child, message: Any) -> None:
        """Take in the value, the error or the end of a child that has work."""
        work = self._running.get(child)
        if work is None:
            return
        if message is None:
            del self._running[child]
            cause = child.cause_of_death()
            child.end()
            _fail(work.future, cause)
        elif isinstance(message, Exception):
            self._free(child)
            _fail(work.future, message)
        elif message == DONE:
            self._free(child)
            if not work.future.done():
                _fail(work.future, InternalError("a call ended without a value"))
        elif not work.future.cancelled():
            _, value = message
            # Its process gets the next work when it says that it is done, a moment later.
            _succeed(work.future, value)

    def _free(self, child: Child) -> None:
        del self._running[child]
        self._workers.give_back(child)

    def _give_up(self, work: _Work) -> None:
        for child, running in self._running.items():
            if running is work:
                child.send(StopWork())
                work.last_moment = time.monotonic() + _SECONDS_TO_STOP

    def _drop_all(self) -> None:
        for work in [*self._waiting, *self._running.values()]:
            work.future.cancel()
        for child in self._running:
            child.end()
        self._waiting.clear()
        self._running.clear()

    def _end_deaf(self) -> None:
        """End the processes that have not stopped in time."""
        now = time.monotonic()
        for child, work in list(self._running.items()):
            if work.last_moment is not None and work.last_moment <= now:
                del self._running[child]
                child.end()
        self._begin()


_NOBODY: Any = None


def _succeed(future: Future[Any], value: object) -> None:
    # A future that is not "running" can be cancelled until its value is there.
    if future.set_running_or_notify_cancel():
        future.set_result(value)


def _fail(future: Future[Any], error: BaseException) -> None:
    if not future.done() and future.set_running_or_notify_cancel():
        future.set_exception(error)
