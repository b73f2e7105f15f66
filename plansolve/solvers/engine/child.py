"""The parent's side of the child processes: tasks and bounds out, reports in, an end at once."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from plansolve.solvers.limits import CutShort, cause_of_death

__all__ = ["Child", "Inbox", "Workers"]


Inbox: TypeAlias = "queue.SimpleQueue[tuple[Child, Any]]"
"""What children say; None is the end of one."""


class Child:
    """One child process; the inbox that is attached receives what it says."""

    def __init__(self) -> None:
        self._inbox: Inbox = queue.SimpleQueue()
        self._has_ended = False
        self._attaching = threading.Lock()
        # The child sees the modules that this process sees, wherever they come from, so it needs
        # no `site` (-S), which would double the time it takes to start.
        # The folder that it starts in is none of the places where it looks for modules.
        path = [*filter(None, sys.path), str(Path(__file__).parents[3])]
        code = (
            f"import sys; sys.path[:] = {path!r}; "
            f"import plansolve.solvers.engine.worker as worker; worker.main({os.getpid()})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C goes to a terminal's whole group of processes: only the parent handles it.
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._forward, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def attach(self, inbox: Inbox) -> None:
        """Have `inbox` receive what the child says from now on, its end too if that has come."""
        with self._attaching:
            self._inbox = inbox
            if self._has_ended:
                inbox.put((self, None))

    def send(self, message: object) -> None:
        """Send a task or bounds; a child that is gone says so in its inbox, not here."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()

    def end(self) -> None:
        """End the process at once, and those that it has started."""
        if self._process.returncode is None:
            # It leads a group of its own; once it has been waited for, the number may be another's.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._reader.join()
        if self._process.stdin:
            with suppress(BrokenPipeError):  # what was not sent yet no longer matters
                self._process.stdin.close()

    def memory(self) -> int:
        """Return the bytes of memory that the process and its own hold, without mapped files."""
        # Only runs that last need it.
        import psutil

        held = 0
        with suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            for one in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    held += _held(one)
        return held

    def cause_of_death(self) -> CutShort:
        """Return why the process ended by itself."""
        return cause_of_death(self._process.wait())

    def _forward(self, stream: IO[bytes]) -> None:
        try:
            with stream, suppress(EOFError, OSError, pickle.UnpicklingError):
                while True:
                    message = pickle.load(stream)
                    with self._attaching:
                        self._inbox.put((self, message))
        finally:
            with self._attaching:
                self._has_ended = True
                self._inbox.put((self, None))


def _held(process: Any) -> int:
    """Return the bytes of a process's own memory, and its share of what forks share on Linux."""
    with suppress(OSError):
        for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) << 10
    info = process.memory_info()
    return int(info.rss - getattr(info, "shared", 0))


@cache
def _starter() -> ThreadPoolExecutor:
    """Return the thread that starts all children.

    Linux ends a child that asks for it with the *thread* that started it, not with its process.
    """
    return ThreadPoolExecutor(1, "plansolve-starter")


if hasattr(os, "register_at_fork"):
    # The thread does not go along into a fork of this process.
    os.register_at_fork(after_in_child=_starter.cache_clear)


class _Start:
    """The start of one child, which whoever waits for it may give up at any moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_unwanted = False
        self._child: Child | None = None

    def run(self) -> Child:
        """Start the child; one that is no longer wanted is ended at once."""
        child = Child()
        with self._lock:
            self._child = child
            if self._is_unwanted:
                child.end()
        return child

    def give_up(self) -> None:
        """End the child if it has started; otherwise `run` does."""
        with self._lock:
            self._is_unwanted = True
            if self._child is not None:
                self._child.end()


class Workers:
    """Children that have done their task and wait for another, so that none has to start anew.

    A context manager: leaving it ends them. Several threads may share one.
    """

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._lock = threading.Lock()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._idle:
            self._idle.pop().end()

    def take(self) -> Child:
        """Return an idle child, or a new one."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_alive:
                    return child
                child.end()
        start = _Start()
        try:
            return _starter().submit(start.run).result()
        except KeyboardInterrupt:
            # The child starts all the same, and nobody else knows of it.
            start.give_up()
            raise

    def give_back(self, child: Child) -> None:
        """Take back a child that has said that it is done."""
        with self._lock:
            self._idle.append(child)
