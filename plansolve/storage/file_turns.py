"""Has processes that would make the same file at the same time take turns."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

__all__ = ["FileTurns"]

_POLL_SECONDS = 0.01


class FileTurns:
    """Turns of processes, one a lock file; the system takes a turn from a process that dies.

    A turn is waited for `patience` seconds at most, without end where that is negative. Whoever
    holds one for longer counts as stopped (Ctrl-Z), and this process waits for nobody again:
    `patience` is then 0.
    """

    def __init__(self, patience: float = -1.0) -> None:
        self.patience = patience

    @contextmanager
    def turn(self, lock: Path, waits: Callable[[], object]) -> Iterator[None]:
        """Hold the lock until the end of the block; `waits` is called before a wait for it.

        Where a file system has no such locks, or `lock` cannot be made, all are served at once:
        the worst that can happen is that two processes make the same.
        """
        held = FileLock(lock)
        try:
            try:
                held.acquire(timeout=0)
            except Timeout:
                waits()
                self._wait(held)
        except (OSError, NotImplementedError):
            pass
        try:
            yield
        finally:
            held.release()

    def _wait(self, held: FileLock) -> None:
        try:
            held.acquire(timeout=self.patience, poll_interval=_POLL_SECONDS)
        except Timeout:
            self.patience = 0.0
