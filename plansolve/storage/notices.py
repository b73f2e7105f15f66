"""What has to be made before the work can begin, so that whoever waits is told what for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["LEMMA_TABLES", "announce", "told_to"]

LEMMA_TABLES = "making the tables of lemmas"

_listeners: list[Callable[[str], None]] = []


@contextmanager
def told_to(tell: Callable[[str], None]) -> Iterator[None]:
    """Has `tell` called before something is made, once for each kind of thing.

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


def announce(what: str) -> None:
    """Tells that something is about to be made, for later runs too: "compiling kernels"."""
    for listener in tuple(_listeners):
        listener(what)
