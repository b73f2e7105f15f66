"""When the work has to stop."""

import os
from dataclasses import dataclass

from plansolve.solvers.result import StopReason

__all__ = ["CutShort", "Limits", "cores", "most_memory"]


class CutShort(Exception):
    """The work ended before an answer, for the given reason, told more closely in `detail`."""

    def __init__(self, reason: StopReason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


@dataclass(frozen=True)
class Limits:
    """When to stop: `deadline` on the clock of `time.monotonic`, `memory` in bytes in all."""

    deadline: float | None = None
    memory: int | None = None


def most_memory() -> int:
    """Four fifths of the machine's memory, in bytes: the limit where none is given."""
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.8)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
