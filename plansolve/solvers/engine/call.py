"""One function call in a child process, which can be ended at any moment."""

import queue
from collections.abc import Callable
from typing import TypeVar

from plansolve.solvers.engine.child import Inbox, Workers
from plansolve.solvers.engine.worker import Call
from plansolve.solvers.limits import Limits

__all__ = ["call_in_child"]

_POLL_SECONDS = 0.1

Value = TypeVar("Value")


def call_in_child(function: Callable[..., Value], *arguments: object, limits: Limits) -> Value:
    """Return what a module's function gives for these arguments, which must be picklable.

    Raises `PlansolveError`s and `MemoryError` as the function does, `InternalError` for its other
    errors, and `CutShort` where the time is over, `limits.cancel` is set or the process dies.
    """
    inbox: Inbox = queue.SimpleQueue()
    child = Workers().take()
    try:
        child.attach(inbox)
        child.send(Call(function, arguments))
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
            value: Value = message[0]
            return value
    finally:
        child.end()
