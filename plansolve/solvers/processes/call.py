"""One function call in a child process, which can be ended at any moment."""

import queue
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from plansolve.solvers.limits import Limits
from plansolve.solvers.processes.child import Inbox
from plansolve.solvers.processes.stopping import stopped_by
from plansolve.solvers.processes.worker import Errand, Send
from plansolve.solvers.processes.workers import Workers

__all__ = ["Call", "StopWork", "call_in_child"]

_POLL_SECONDS = 0.1

Value = TypeVar("Value")


@dataclass(frozen=True)
class StopWork:
    """Nobody waits for the call's value any more."""


@dataclass
class Call(Errand):
    """A function of a module, called where it can be ended.

    With `tells` it gets, as `tell`, what sends its caller a message on the way. After a `StopWork`
    `stopping.is_unwanted` tells it so.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]
    tells: bool = False
    is_unwanted: bool = field(default=False, init=False)

    def run(self, send: Send) -> None:
        """Call the function; send whatever it tells, and its value."""
        with stopped_by(lambda: self.is_unwanted):
            if self.tells:
                value = self.function(*self.arguments, tell=lambda told: send(("told", told)))
            else:
                value = self.function(*self.arguments)
        send(("value", value))

    def take(self, message: object) -> None:
        """Take in that the value is no longer wanted."""
        self.is_unwanted |= isinstance(message, StopWork)


def call_in_child(
    function: Callable[..., Value],
    *arguments: object,
    limits: Limits,
    tell: Callable[[Any], None] | None = None,
) -> Value:
    """Return what a module's function gives for these arguments, which must be picklable.

    With `tell` the function has an argument of that name; what it passes to it, `tell` gets here.

    Raises `PlansolveError`s and `MemoryError` as the function does, `InternalError` for its other
    errors, and `CutShort` where the time is over, `limits.cancel` is set or the process dies.
    """
    inbox: Inbox = queue.SimpleQueue()
    child = Workers().take()
    try:
        child.attach(inbox)
        child.send(Call(function, arguments, tell is not None))
        while True:
            limits.check()
            try:
                _, message = inbox.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if message is None:
                raise child.cause_of_death()
            if isinstance(message, Exception):
                raise message
            kind, content = message
            if kind == "value":
                value: Value = content
                return value
            assert tell is not None
            tell(content)
    finally:
        child.end()
