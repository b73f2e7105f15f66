"""Notices about work in progress: what is being built, and which tables are used.

Building tables and kernels takes time once, and an answer rests on the tables that it used.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import NamedTuple


class _Listener:
    """Announces each kind of thing once, and the beginning and end of all making."""

    def __init__(self, tell: Callable[[str], None], busy: Callable[[bool], None]) -> None:
        self._tell, self._busy = tell, busy
        self._told = {""}
        self._making = 0
        self._lock = Lock()

    def began(self, what: str) -> None:
        with self._lock:
            is_news = what not in self._told
            self._told.add(what)
            self._making += 1
            if self._making == 1:
                self._busy(True)
        if is_news:
            self._tell(f"{what}, which may take a few seconds")

    def ended(self) -> None:
        with self._lock:
            self._making -= 1
            if self._making == 0:
                self._busy(False)


_listeners: list[_Listener] = []


@contextmanager
def listen(
    tell: Callable[[str], None], busy: Callable[[bool], None] = lambda is_busy: None
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
    """Announce that something is made that later runs use too, by its name if it has one."""
    listeners = tuple(_listeners)
    for listener in listeners:
        listener.began(what)
    try:
        yield
    finally:
        for listener in listeners:
            listener.ended()


class UsedTable(NamedTuple):
    """A file of the store whose bytes were loaded: its name, and in words what it holds."""

    name: str
    title: str


_used: list[dict[UsedTable, None]] = [{}]
"""The tables that the current work has used, and those of each recorded part of it."""


def forget_used() -> None:
    """Begin new work in this process, which has used no tables yet."""
    _used[0].clear()


def note_used(*tables: UsedTable) -> None:
    """Record that the current work uses these tables, which may have been loaded earlier."""
    for used in tuple(_used):
        used.update(dict.fromkeys(tables))


def used_tables() -> tuple[UsedTable, ...]:
    """Return the tables that the current work has used so far."""
    return tuple(_used[0])


@contextmanager
def recording_used() -> Iterator[dict[UsedTable, None]]:
    """Yield a record of the tables that are used while the context lasts."""
    own: dict[UsedTable, None] = {}
    _used.append(own)
    try:
        yield own
    finally:
        _used[:] = [used for used in _used if used is not own]
