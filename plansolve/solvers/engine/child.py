"""The parent's side of the child processes: tasks and bounds out, reports in, an end at once."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from plansolve.solvers.engine.worker import DONE
from plansolve.solvers.limits import CutShort, cause_of_death

__all__ = ["Child", "Inbox", "Surroundings", "Workers", "surroundings"]


Surroundings: TypeAlias = tuple[dict[str, str], list[str], str]

Inbox: TypeAlias = "queue.SimpleQueue[tuple[Child, Any]]"
"""What children say; None is the end of one."""


class Child:
    """One child process; the inbox that is attached receives what it says.

    After `idle_seconds` without a task it ends by itself. `surroundings` is what it sees of this
    process, `idle_since` when it was last given back, on the clock of `time.monotonic`.
    """

    def __init__(self, idle_seconds: float | None = None) -> None:
        self.surroundings = surroundings()
        self.idle_since = 0.0
        self._inbox: Inbox = queue.SimpleQueue()
        self._has_ended = False
        self._attaching = threading.Lock()
        # The child sees the modules that this process sees, wherever they come from, so it needs
        # no `site` (-S), which would double the time it takes to start.
        # The folder that it starts in is none of the places where it looks for modules.
        path = [*filter(None, sys.path), str(Path(__file__).parents[3])]
        code = (
            f"import sys; sys.path[:] = {path!r}; "
            "import plansolve.solvers.engine.worker as worker; "
            f"worker.main({os.getpid()}, {idle_seconds!r})"
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
                    held += _held(one.pid)
        return held

    def own_memory(self) -> int:
        """Return the bytes that the process alone holds, roughly; 0 when it is gone.

        To tell takes Linux some microseconds, where `memory` takes milliseconds.
        """
        if not self.is_alive:
            return 0
        with suppress(OSError):
            _, resident, shared, *_ = Path(f"/proc/{self._process.pid}/statm").read_text().split()
            return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
        return _held(self._process.pid)

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


def surroundings() -> Surroundings:
    """Return what a child that starts now takes over: environment, module path and folder."""
    folder = ""
    with suppress(OSError):  # the folder may be gone
        folder = os.getcwd()
    return dict(os.environ), list(sys.path), folder


def _held(process: int) -> int:
    """Return the bytes of a process's own memory, and its share of what forks share on Linux."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) << 10
    import psutil

    info = psutil.Process(process).memory_info()
    return int(info.rss - getattr(info, "shared", 0))


class _Starter:
    """The thread that starts all children.

    Linux ends a child that asks for it with the *thread* that started it, not with its process.
    A thread pool's threads end when the main thread does, while others may still solve.
    """

    def __init__(self) -> None:
        self._starts: queue.SimpleQueue[tuple[Callable[[], Child], Future[Child]]] = (
            queue.SimpleQueue()
        )
        threading.Thread(target=self._run, name="plansolve-starter", daemon=True).start()

    def submit(self, start: Callable[[], Child]) -> "Future[Child]":
        """Have a child started; return where it will be."""
        future: Future[Child] = Future()
        self._starts.put((start, future))
        return future

    def _run(self) -> None:
        while True:
            start, future = self._starts.get()
            try:
                future.set_result(start())
            except BaseException as error:
                future.set_exception(error)


@cache
def _starter() -> _Starter:
    return _Starter()


if hasattr(os, "register_at_fork"):
    # The thread does not go along into a fork of this process.
    os.register_at_fork(after_in_child=_starter.cache_clear)


class _Start:
    """The start of one child, which whoever waits for it may give up at any moment."""

    def __init__(self, idle_seconds: float | None) -> None:
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._is_unwanted = False
        self._child: Child | None = None

    def run(self) -> Child:
        """Start the child; one that is no longer wanted is ended at once."""
        child = Child(self._idle_seconds)
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
    """Child processes that have done their task and wait for another, so that none starts anew.

    `solve` keeps some of its own from call to call. One of these is for those who want to say when
    they end: a context manager, which ends them on leaving. Several threads may share one.

    >>> import plansolve
    >>> with plansolve.Workers() as workers:
    ...     boards = [[1, 2], [0, 3]], [[0, 2], [1, 3]]
    ...     [plansolve.solve(board, workers=workers).length for board in boards]
    [1, 2]

    With `for_one_call` nobody waits for engines that are still at work when the answer is there.
    """

    _IDLE_SECONDS: float | None = None
    """How long children wait for a task before they end by themselves."""

    def __init__(self, *, for_one_call: bool = False) -> None:
        self.for_one_call = for_one_call
        self._idle: list[Child] = []
        self._making: dict[Child, threading.Thread] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """End all children; whoever takes one later gets a new one."""
        with self._lock:
            children = [*self._idle, *self._making]
            self._idle, self._making = [], {}
        for child in children:
            child.end()

    def leave(self, child: Child) -> None:
        """Take back a child that makes something for later runs first, and then ends its task."""
        inbox: Inbox = queue.SimpleQueue()
        child.attach(inbox)

        def wait() -> None:
            last: object = ""
            while not (last in (DONE, None) or isinstance(last, Exception)):
                _, last = inbox.get()
            if last == DONE:
                self.give_back(child)
            else:
                child.end()
            self._making.pop(child, None)

        waiting = threading.Thread(target=wait, daemon=True)
        self._making[child] = waiting
        waiting.start()

    @property
    def is_making(self) -> bool:
        """Whether a child still makes for later runs what it has begun."""
        return any(waiting.is_alive() for waiting in list(self._making.values()))

    def finish(self) -> None:
        """Wait until all is made that was begun."""
        for waiting in list(self._making.values()):
            waiting.join()

    def take(self) -> Child:
        """Return an idle child, or a new one."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if self._is_fit(child):
                    return child
                child.end()
        start = _Start(self._IDLE_SECONDS)
        try:
            return _starter().submit(start.run).result()
        except KeyboardInterrupt:
            # The child starts all the same, and nobody else knows of it.
            start.give_up()
            raise

    def give_back(self, child: Child) -> None:
        """Take back a child that has said that it is done."""
        with self._lock:
            child.idle_since = time.monotonic()
            self._idle.append(child)

    def _is_fit(self, child: Child) -> bool:
        """Whether an idle child can be given another task."""
        return child.is_alive
