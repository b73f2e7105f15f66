"""Whether somebody still waits for what this thread works on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_unwanted", "stopped_by"]


def _never() -> bool:
    return False


_ask: ContextVar[Callable[[], bool]] = ContextVar("unwanted", default=_never)


def is_unwanted() -> bool:
    """Return whether the work of this thread was cancelled, or its deadline has come.

    Work that takes long asks some times a second, and ends early where the answer is yes.
    """
    return _ask.get()()


@contextmanager
def stopped_by(ask: Callable[[], bool]) -> Iterator[None]:
    """Have `is_unwanted` answer with `ask` too while the context lasts, in this thread."""
    outer = _ask.get()
    token = _ask.set(lambda: outer() or ask())
    try:
        yield
    finally:
        _ask.reset(token)
