"""Notices that something slow has to be made first, for whoever waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

LEMMA_TABLES = "making the tables of lemmas"


class _Listener:
    """Tells of each kind of thing once, and whether anything is being made."""

    def __init__(self, tell: Callable[[str], None], busy: Callable[[bool], None] | None) -> None:
        self._tell, self._busy = tell, busy
        self._told = {""}
        self._making = 0
        self._lock = Lock()

    def began(self, what: str) -> None:
        with self._lock:
            is_news = what not in self._told
            self._told.add(what)
            self._making += 1
            if self._making == 1 and self._busy is not None:
                self._busy(True)
        if is_news:
            self._tell(f"{what}, which may take some seconds")

    def ended(self) -> None:
        with self._lock:
            self._making -= 1
            if self._making == 0 and self._busy is not None:
                self._busy(False)


_listeners: list[_Listener] = []


@contextmanager
def listen(
    tell: Callable[[str], None], busy: Callable[[bool], None] | None = None
) -> Iterator[None]:
    """Have `tell` called before something is made, once for each kind of thing.

    `busy` is called with True when the making of anything begins, and with False when nothing more
    is being made. The calls may come from any thread.
    """
    listener = _Listener(tell, busy)
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def making(what: str = "") -> Iterator[None]:
    """Tell that something is made, for later runs too ("making the tables of lemmas").

    Where there is no name for it, only that something is.
    """
    listeners = tuple(_listeners)
    for listener in listeners:
        listener.began(what)
    try:
        yield
    finally:
        for listener in listeners:
            listener.ended()


def notify_tables(line: str) -> None:
    """Tell of `LEMMA_TABLES`, whatever the store says of one table."""
    with making(LEMMA_TABLES):
        pass
