"""Has processes that would make the same file at the same time take turns."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plansolve.storage.notices import making

__all__ = ["FileTurns"]

_POLL_SECONDS = 0.01


class FileTurns:
    """Turns of processes, one a lock file; a process that ends has no turn any more.

    A turn is waited for `patience` seconds at most. Whoever holds one for longer counts as stopped
    (Ctrl-Z), and this process waits for nobody again: `patience` is then 0. One thread at a time
    may use it.
    """

    def __init__(self, patience: float = 30.0) -> None:
        self.patience = patience

    @contextmanager
    def turn(self, lock: Path, what: str) -> Iterator[None]:
        """Wait for the turn, and keep it until the end of the block.

        Who waits is told that `what` is made. Where a file system has no such locks, or `lock`
        cannot be made, all are served at once.
        """
        file = None
        with suppress(OSError):
            lock.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        if file is None:
            yield
            return
        try:
            if not _is_locked(file):
                with making(what):
                    self._wait(file)
            yield
        finally:
            _unlock(file)

    def _wait(self, file: int) -> None:
        end = time.monotonic() + self.patience
        while not _is_locked(file):
            if time.monotonic() >= end:
                self.patience = 0.0
                return
            time.sleep(_POLL_SECONDS)


def _is_locked(file: int) -> bool:
    """Lock an open file for this process; False where another one holds the lock."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True  # no such locks here
    return True


def _unlock(file: int) -> None:
    """Give the lock back, which a fork of this process would keep, and close the file."""
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)
