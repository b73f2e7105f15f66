"""Limits of time and memory, cancellation, and results that are no longer wanted."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Real
from operator import index
from reprlib import repr as brief
from threading import Event
from typing import SupportsIndex

from plansolve.errors import OptionError, WrongTypeError
from plansolve.solvers.result import StopReason
from plansolve.text import quote

_SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
_BYTES = {
    unit: 1024**power for power, short in enumerate("kmgt", 1) for unit in (short, f"{short}b")
}


class CutShort(Exception):
    """The work ended before an answer, for the given reason; `detail` says more."""

    def __init__(self, reason: StopReason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


def cause_of_death(code: int) -> CutShort:
    """Return why a process ended by itself, with this exit code or minus a signal."""
    if code in (-signal.SIGKILL, -signal.SIGABRT):
        # The kernel and the C++ library end a process in this way if memory runs out.
        return CutShort(StopReason.MEMORY, "memory ran out, or a child process was killed")
    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
    return CutShort(StopReason.CRASH, f"a child process ended unexpectedly, {cause}")


_is_unwanted: ContextVar[Callable[[], bool]] = ContextVar("unwanted", default=bool)


def is_unwanted() -> bool:
    """Return True if the work of this thread was cancelled, or its deadline has come.

    Long work calls this several times a second, and ends early if it returns True.
    """
    return _is_unwanted.get()()


@contextmanager
def stopped_by(ask: Callable[[], bool]) -> Iterator[None]:
    """Make `is_unwanted` call `ask` too, in this thread, while the context lasts."""
    outer = _is_unwanted.get()
    token = _is_unwanted.set(lambda: outer() or ask())
    try:
        yield
    finally:
        _is_unwanted.reset(token)


class LinkedEvent(Event):
    """An event that is also set if another one is, if there is one, or if `ask` says so."""

    def __init__(self, other: Event | None, ask: Callable[[], bool] = bool) -> None:
        super().__init__()
        self._others = ask, other.is_set if other is not None else bool

    def is_set(self) -> bool:
        return super().is_set() or any(is_set() for is_set in self._others)


@dataclass
class Limits:
    """The limits of the work: a `deadline` on the clock of `time.monotonic`, and `memory` in bytes,
    which is checked every `memory_poll` seconds because each check is slow. Setting `cancel` ends
    the work. With `pauses` the clock stands still while something is made for the first time.
    """

    deadline: float | None = None
    memory: int | None = None
    memory_poll: float = 0.5
    cancel: Event | None = None
    pauses: bool = False
    _paused: float | None = field(default=None, init=False)
    # Short runs end before the first check, and do not load what checks.
    _checked: float = field(default_factory=time.monotonic, init=False)

    @property
    def is_paused(self) -> bool:
        return self._paused is not None

    def is_over(self, deadline: float | None) -> bool:
        """Return True if the deadline has passed, unless the clock stands still."""
        return deadline is not None and not self.is_paused and time.monotonic() >= deadline

    def put_off(self, deadline: float | None, begin: float = 0.0) -> float | None:
        """Return a deadline plus the pauses since `begin`."""
        if deadline is None or self._paused is None:
            return deadline
        return deadline + time.monotonic() - max(self._paused, begin)

    def pause(self) -> None:
        self._paused = time.monotonic()

    def resume(self) -> None:
        self.deadline = self.put_off(self.deadline)
        self._paused = None

    def check(self) -> None:
        """Raise `CutShort` if the time is over, or the work was cancelled."""
        if self.cancel is not None and self.cancel.is_set():
            raise CutShort(StopReason.INTERRUPTED, "cancelled")
        if self.is_over(self.deadline):
            raise CutShort(StopReason.TIME, "time limit reached")

    def is_full(self, used: Callable[[bool], int]) -> bool:
        """Return True if more bytes are in use than the limit; False between two checks.

        `used` returns the number of bytes: the exact figure for True, otherwise an overestimate.
        """
        now = time.monotonic()
        if self.memory is None or now <= self._checked + self.memory_poll:
            return False
        self._checked = now
        return used(False) > self.memory and used(True) > self.memory


def most_memory() -> int:
    """Return four fifths of the machine's memory, in bytes: the limit if none is given."""
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.8)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def as_seconds(limit: float | str | None) -> float | None:
    """Return a time limit in seconds, given as a number or a text; None is no limit.

    Raise `OptionError` unless it is more than 0, and `WrongTypeError` for other types.
    """
    seconds = read_seconds(limit) if isinstance(limit, str) else limit
    if isinstance(seconds, bool) or not isinstance(seconds, Real | None):
        raise WrongTypeError(f'time_limit must be seconds or text like "90s", not {brief(seconds)}')
    if seconds is not None and not seconds > 0:
        raise OptionError(f"the time limit is {seconds} seconds: it must be more than 0")
    return None if seconds is None else float(seconds)


def as_bytes(limit: int | str | None) -> int | None:
    """Return a memory limit in bytes, given as a number or a text; None is no limit.

    Raise `OptionError` unless it is more than 0, and `WrongTypeError` for other types.
    """
    size = read_bytes(limit) if isinstance(limit, str) else limit
    if isinstance(size, bool) or not isinstance(size, SupportsIndex | None):
        raise WrongTypeError(f'memory_limit must be bytes or text like "4G", not {brief(size)}')
    if size is not None and index(size) <= 0:
        raise OptionError(f"the memory limit is {size} bytes: it must be more than 0")
    return None if size is None else index(size)


def read_seconds(text: str) -> float:
    """Return the seconds of "30", "90s", "10m" or "2h"; raise `OptionError` for other texts."""
    return _with_unit(text, _SECONDS, "a duration", "30, 90s, 10m or 2h")


def read_bytes(text: str) -> int:
    """Return the bytes of "500M" or "4G"; raise `OptionError` for other texts."""
    return max(1, round(_with_unit(text, _BYTES, "a size", "500M or 4G")))


def _with_unit(text: str, units: Mapping[str, int], what: str, example: str) -> float:
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([a-z]*)", text.strip().lower())
    if not match or match[2] not in units or float(match[1]) <= 0:
        raise OptionError(f"{quote(text)} is not {what} above 0: write it like {example}")
    return float(match[1]) * units[match[2]]
