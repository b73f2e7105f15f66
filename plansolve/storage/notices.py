"""Notices that something slow has to be made first, for whoever waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["LEMMA_TABLES", "listen", "notify"]

LEMMA_TABLES = "making the tables of lemmas"

_listeners: list[Callable[[str], None]] = []


@contextmanager
def listen(tell: Callable[[str], None]) -> Iterator[None]:
    """Have `tell` called before something is made, once for each kind of thing.

    The call may come from any thread.
    """
    told = set()

    def once(what: str) -> None:
        if what not in told:
            told.add(what)
            tell(f"{what}, which may take some seconds")

    _listeners.append(once)
    try:
        yield
    finally:
        _listeners.remove(once)


def notify(what: str) -> None:
    """Tell that something is about to be made, for later runs too: "compiling kernels"."""
    for listener in tuple(_listeners):
        listener(what)
