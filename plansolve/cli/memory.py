"""How much memory a command may take for itself."""

import resource
from contextlib import suppress
from pathlib import Path

from plansolve.solvers.limits import most_memory

__all__ = ["data_in_use", "limit_memory"]


def limit_memory(data: int | None = None) -> None:
    """Let this process run out of memory before the machine does, or beyond so much of its own.

    Of the latter, what is mapped and never used does not count.
    """
    for kind, most in ((resource.RLIMIT_AS, most_memory()), (resource.RLIMIT_DATA, data)):
        soft, hard = resource.getrlimit(kind)
        # A limit that the user has set stays, for only root may raise it.
        if most is not None and (soft == resource.RLIM_INFINITY or soft > most):
            resource.setrlimit(kind, (most, hard))


def data_in_use() -> int:
    """Return the bytes of this process that its limit counts; 0 where nobody tells."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0
