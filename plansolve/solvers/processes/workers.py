"""Child processes that wait for the next task, and how one is started."""

import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from types import TracebackType

from plansolve.solvers.processes.child import Child, Inbox
from plansolve.solvers.processes.worker import DONE

__all__ = ["Workers"]


class _Starter:
    """The thread that starts all children.

    Linux ends a child that asks for it with the *thread* that started it, not with its process.
    A thread pool's threads end when the main thread does, while others may still solve.
    """

    def __init__(self) -> None:
        self._starts: queue.SimpleQueue[tuple[Callable[[], Child], Future[Child]]] = (
            queue.SimpleQueue()
        )
        threading.Thread(target=self._run, name="plansolve-starter", daemon=True).start()

    def submit(self, start: Callable[[], Child]) -> "Future[Child]":
        """Have a child started; return where it will be."""
        future: Future[Child] = Future()
        self._starts.put((start, future))
        return future

    def _run(self) -> None:
        while True:
            start, future = self._starts.get()
            try:
                future.set_result(start())
            except BaseException as error:
                future.set_exception(error)


@cache
def _starter() -> _Starter:
    return _Starter()


if hasattr(os, "register_at_fork"):
    # The thread does not go along into a fork of this process.
    os.register_at_fork(after_in_child=_starter.cache_clear)


class _Start:
    """The start of one child, which whoever waits for it may give up at any moment."""

    def __init__(self, idle_seconds: float | None) -> None:
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._is_unwanted = False
        self._child: Child | None = None

    def run(self) -> Child:
        """Start the child; one that is no longer wanted is ended at once."""
        child = Child(self._idle_seconds)
        with self._lock:
            self._child = child
            if self._is_unwanted:
                child.end()
        return child

    def give_up(self) -> None:
        """End the child if it has started; otherwise `run` does."""
        with self._lock:
            self._is_unwanted = True
            if self._child is not None:
                self._child.end()


class Workers:
    """Child processes that have done their task and wait for another, so that none starts anew.

    `solve` keeps some of its own from call to call. One of these is for those who want to say when
    they end: a context manager, which ends them on leaving. Several threads may share one.

    >>> import plansolve
    >>> with plansolve.Workers() as workers:
    ...     boards = [[1, 2], [0, 3]], [[0, 2], [1, 3]]
    ...     [plansolve.solve(board, workers=workers).length for board in boards]
    [1, 2]

    With `for_one_call` nobody waits for engines that are still at work when the answer is there.
    """

    _IDLE_SECONDS: float | None = None
    """How long children wait for a task before they end by themselves."""

    def __init__(self, *, for_one_call: bool = False) -> None:
        self.for_one_call = for_one_call
        self._idle: list[Child] = []
        self._making: dict[Child, threading.Thread] = {}
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """End all children; whoever takes one later gets a new one."""
        self._leave_to_parent()
        with self._lock:
            children = [*self._idle, *self._making]
            self._idle, self._making = [], {}
        for child in children:
            child.end()

    def leave(self, child: Child) -> None:
        """Take back a child that makes something for later runs first, and then ends its task."""
        inbox: Inbox = queue.SimpleQueue()
        child.attach(inbox)

        def wait() -> None:
            last: object = ""
            while not (last in (DONE, None) or isinstance(last, Exception)):
                _, last = inbox.get()
            if last == DONE:
                self.give_back(child)
            else:
                child.end()
            self._making.pop(child, None)

        waiting = threading.Thread(target=wait, daemon=True)
        self._making[child] = waiting
        waiting.start()

    @property
    def is_making(self) -> bool:
        """Whether a child still makes for later runs what it has begun."""
        return any(waiting.is_alive() for waiting in list(self._making.values()))

    def finish(self) -> None:
        """Wait until all is made that was begun."""
        for waiting in list(self._making.values()):
            waiting.join()

    def take(self) -> Child:
        """Return an idle child, or a new one."""
        self._leave_to_parent()
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if self._is_fit(child):
                    return child
                child.end()
        start = _Start(self._IDLE_SECONDS)
        try:
            return _starter().submit(start.run).result()
        except BaseException:
            # A signal's handler may raise anything here. The child starts all the same, and nobody
            # else knows of it.
            start.give_up()
            raise

    def give_back(self, child: Child) -> None:
        """Take back a child that has said that it is done; one that gives way is of no more use."""
        if child.gives_way:
            child.end()
            return
        with self._lock:
            child.idle_since = time.monotonic()
            self._idle.append(child)

    def _leave_to_parent(self) -> None:
        """In a fork forget the children: two that speak with one would understand nothing."""
        if self._process != os.getpid():
            # The fork may have found the lock taken.
            self._lock = threading.Lock()
            self._idle, self._making, self._process = [], {}, os.getpid()

    def _is_fit(self, child: Child) -> bool:
        """Whether an idle child can be given another task."""
        return child.is_alive
