"""One function call in a child process, which can be ended at any moment."""

import queue
from collections.abc import Callable
from typing import Any, TypeVar

from plansolve.solvers.engine.child import Inbox
from plansolve.solvers.engine.worker import Call
from plansolve.solvers.engine.workers import Workers
from plansolve.solvers.limits import Limits

__all__ = ["call_in_child"]

_POLL_SECONDS = 0.1

Value = TypeVar("Value")


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
