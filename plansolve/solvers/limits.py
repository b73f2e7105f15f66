"""When the work has to stop."""

import os
import signal
from dataclasses import dataclass

from plansolve.solvers.result import StopReason

__all__ = ["CutShort", "Limits", "cause_of_death", "cores", "most_memory"]


class CutShort(Exception):
    """The work ended before an answer, for the given reason, told more closely in `detail`."""

    def __init__(self, reason: StopReason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


def cause_of_death(code: int) -> CutShort:
    """Why a process that has ended by itself, with this exit code or minus a signal, did so."""
    if code in (-signal.SIGKILL, -signal.SIGABRT):
        # How the kernel and the C++ library answer a want of memory.
        return CutShort(StopReason.MEMORY, "memory ran out, or the solver was killed")
    cause = f"signal {-code}" if code < 0 else f"exit code {code}"
    return CutShort(StopReason.CRASH, f"the solver's process ended unexpectedly, {cause}")


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
