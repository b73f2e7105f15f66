"""Child processes that wait for the next task, and calls of functions in them."""

import atexit
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from plansolve.solvers.limits import CutShort, Limits, cores, is_unwanted
from plansolve.solvers.processes.child import Child, ready, surroundings
from plansolve.solvers.processes.worker import Call, Ended, StopWork
from plansolve.solvers.result import StopReason

_IDLE_SECONDS = 240.0
"""The time after which a shared child without work ends by itself."""
_MOST_HELD = 512 << 20
"""The most bytes of an idle child, without mapped tables: those of ten engines of a 15-puzzle."""
_POLL_SECONDS = 0.1
_SECONDS_TO_STOP = 0.8
"""The time in which a cancelled call may end by itself."""

Value = TypeVar("Value")


class Workers:
    """Child processes that wait for tasks, which saves starting a process for each.

    `solve` keeps some from call to call. Create a `Workers`, a context manager, to decide when they
    end. Several threads may share it.

    >>> import plansolve
    >>> with plansolve.Workers() as workers:
    ...     boards = [[1, 2], [0, 3]], [[0, 2], [1, 3]]
    ...     [plansolve.solve(board, workers=workers).length for board in boards]
    [1, 2]

    A child is reused only in the environment, folder and module path in which it started, and only
    if it uses little memory. With `for_one_call`, engines that still work at the end are stopped.
    """

    def __init__(self, *, for_one_call: bool = False) -> None:
        self.for_one_call = for_one_call
        self._idle_seconds: float | None = None
        self._idle: list[Child] = []
        self._making: dict[Child, threading.Thread] = {}

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End all children; a later task starts a new one."""
        for making in list(self._making):
            making.kill()
        self.finish()
        while (child := self._pop()) is not None:
            child.end()

    def leave(self, child: Child) -> None:
        """Take back a child that first finishes something for later runs."""

        def wait() -> None:
            message: object = ""
            while not (message is None or isinstance(message, Ended | Exception)):
                message = child.receive()
            if isinstance(message, Ended):
                self.give_back(child)
            else:
                child.end()
            self._making.pop(child, None)

        waiting = threading.Thread(target=wait, daemon=True)
        self._making[child] = waiting
        waiting.start()

    @property
    def is_making(self) -> bool:
        """Return True while a child finishes something for later runs."""
        return any(waiting.is_alive() for waiting in list(self._making.values()))

    def finish(self) -> None:
        """Wait for the children that finish something for later runs."""
        for waiting in list(self._making.values()):
            waiting.join()

    def start(self, *modules: str) -> None:
        """Start a child before its first task; meanwhile it imports these modules."""
        child = Child(self._idle_seconds, modules)
        child.idle_since = time.monotonic()
        self._idle.append(child)

    def take(self) -> Child:
        """Return an idle child, or a new one."""
        while (child := self._pop()) is not None:
            # A child that is about to end by itself is not used again.
            is_late = self._idle_seconds and (
                time.monotonic() - child.idle_since > self._idle_seconds / 2
            )
            if child.is_alive and not is_late and child.surroundings == surroundings():
                return child
            child.end()
        return Child(self._idle_seconds)

    def give_back(self, child: Child) -> None:
        """Take back a child that has ended its task, or end it if it is not worth keeping."""
        is_one_too_many = self._idle_seconds and len(self._idle) >= max(4, 2 * cores())
        if child.gives_way or is_one_too_many or child.own_memory() > _MOST_HELD:
            child.end()
        else:
            child.idle_since = time.monotonic()
            self._idle.append(child)

    def call(
        self,
        function: Callable[..., Value],
        *arguments: object,
        check: Callable[[], None] = lambda: None,
    ) -> Value:
        """Return the value of a module's function for these arguments, which must be picklable.

        `check` is called several times a second, and ends the call by raising. If
        `limits.is_unwanted`, the child is asked to stop, and ended if it does not.

        Raise the function's `PlansolveError`s and `MemoryError`, `InternalError` for its other
        errors, and `CutShort` if the process dies or is ended.
        """
        child, last_moment, is_idle = self.take(), None, False
        try:
            child.send(Call(function, arguments))
            while True:
                check()
                if last_moment is None and is_unwanted():
                    child.send(StopWork())
                    last_moment = time.monotonic() + _SECONDS_TO_STOP
                elif last_moment is not None and time.monotonic() > last_moment:
                    raise CutShort(StopReason.INTERRUPTED, "cancelled")
                if not ready([child], _POLL_SECONDS):
                    continue
                message = child.receive()
                if message is None:
                    raise child.cause_of_death()
                is_idle = isinstance(message, Ended | Exception)
                if isinstance(message, Exception):
                    raise message
                value: Value = message.value
                return value
        finally:
            if is_idle:
                self.give_back(child)
            else:
                child.end()

    def _pop(self) -> Child | None:
        # This is one step without a lock, which a fork could find taken.
        try:
            return self._idle.pop()
        except IndexError:
            return None


_shared = Workers()
_shared._idle_seconds = _IDLE_SECONDS
atexit.register(_shared.end)


def shared_workers() -> Workers:
    """Return the workers of calls that pass none; idle ones end after some minutes.

    They end with this process. A fork of it starts its own.
    """
    return _shared


def call_in_child(function: Callable[..., Value], *arguments: object, limits: Limits) -> Value:
    """Return a function's value, see `Workers.call`, from a child process that ends with the call.

    Raise `CutShort` also if the time is over or `limits.cancel` is set.
    """
    with Workers() as workers:
        return workers.call(function, *arguments, check=limits.check)
