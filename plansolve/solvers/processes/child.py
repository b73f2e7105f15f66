"""The parent's side of a child process: tasks and bounds out, reports in, an end at once."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

from plansolve.solvers.limits import CutShort, cause_of_death
from plansolve.solvers.result import StopReason

__all__ = ["Child", "Inbox", "Surroundings", "surroundings"]


_LAST_SECONDS = 1.0
"""Between a child's last word and its end."""
_GIVING_WAY = 10
"""The niceness with which Linux gives a process a tenth of what it gives others."""

Surroundings: TypeAlias = tuple[dict[str, str], list[str], str]

Inbox: TypeAlias = "queue.SimpleQueue[tuple[Child, Any]]"
"""What children say; None is the end of one."""


class Child:
    """One child process; the inbox that is attached receives what it says.

    After `idle_seconds` without a task it ends by itself. `surroundings` is what it sees of this
    process, `idle_since` when it was last given back, on the clock of `time.monotonic`. One that
    `gives_way` never comes first again.
    """

    def __init__(self, idle_seconds: float | None = None) -> None:
        self.surroundings = surroundings()
        self.idle_since = 0.0
        self.gives_way = False
        self._inbox: Inbox = queue.SimpleQueue()
        self._has_ended = False
        self._attaching = threading.Lock()
        # The child sees the modules that this process sees, wherever they come from, so it needs
        # no `site` (-S), which would double the time it takes to start.
        # The folder that it starts in is none of the places where it looks for modules.
        path = [*filter(None, sys.path), str(Path(__file__).parents[3])]
        code = (
            f"import sys; sys.path[:] = {path!r}; "
            "import plansolve.solvers.processes.worker as worker; "
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

    def give_way(self) -> None:
        """Leave the cores to others from now on; what it computes comes when they are idle."""
        self.gives_way = True
        if not hasattr(os, "setpriority") or not self.is_alive:
            return  # elsewhere than under Unix all have the same rank
        process = self._process.pid
        with suppress(OSError):
            now = os.getpriority(os.PRIO_PROCESS, process)
            os.setpriority(os.PRIO_PROCESS, process, max(now, _GIVING_WAY))
        # Linux may weigh sessions against each other before it weighs their processes.
        with suppress(OSError):
            Path(f"/proc/{process}/autogroup").write_text(str(_GIVING_WAY))

    def memory(self, *, exactly: bool) -> int:
        """Return the bytes of memory that the process and its own hold, without mapped files.

        Unless it is to be told `exactly`, what forks share counts for each of them. To be exact
        takes Linux ten milliseconds a process where tables are large, and less than one otherwise.
        """
        # Only runs that last need it.
        import psutil

        held = 0
        with suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            for one in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    held += _held(one.pid, exactly=exactly)
        return held

    def own_memory(self) -> int:
        """Return the bytes that the process alone holds, roughly; 0 when it is gone."""
        return _held(self._process.pid, exactly=False) if self.is_alive else 0

    def cause_of_death(self) -> CutShort:
        """Return why the process ended by itself, and end one that only stopped to make sense."""
        try:
            return cause_of_death(self._process.wait(_LAST_SECONDS))
        except subprocess.TimeoutExpired:
            self.end()
            return CutShort(StopReason.CRASH, "a child process sent what cannot be read")

    def _forward(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                while True:
                    message = pickle.load(stream)
                    with self._attaching:
                        self._inbox.put((self, message))
        except Exception:  # noqa: S110 - the stream has ended, or garbled bytes raise anything
            pass
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


def _held(process: int, *, exactly: bool) -> int:
    """Return the bytes of a process's own memory.

    On Linux it is `exactly` so with its share of what forks share, and else with all of that.
    """
    with suppress(OSError):
        if not exactly:
            _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
            return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1]) << 10
    import psutil

    info = psutil.Process(process).memory_info()
    return int(info.rss - getattr(info, "shared", 0))
