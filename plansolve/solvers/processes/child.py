"""The parent's side of a child process: tasks and bounds out, reports in, an end at once."""

import fcntl
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, cast
from weakref import WeakSet

from plansolve.solvers.limits import CutShort, cause_of_death
from plansolve.solvers.processes.worker import read_message, write_message
from plansolve.solvers.result import StopReason

_LAST_SECONDS = 1.0
"""The time between a child's last message and its end."""
_GIVING_WAY = 10
"""The niceness with which Linux gives a process a tenth of what it gives others."""

Surroundings: TypeAlias = tuple[dict[str, str], list[str], str]


class Child:
    """One child process, which ends when this object or this process does.

    Until its first task it imports `modules`; after `idle_seconds` without one it ends by itself.
    `surroundings` are the parts of this process's state that it inherits, `idle_since` is the time
    of its last return, on the clock of `time.monotonic`. A child that has given way keeps its low
    priority for good.
    """

    def __init__(self, idle_seconds: float | None = None, modules: Sequence[str] = ()) -> None:
        self.surroundings = surroundings()
        self.idle_since = 0.0
        self.gives_way = False
        # The child sees the modules that this process sees, wherever they come from, so it needs no
        # `site` (-S), which would double the time it takes to start. It must not import modules
        # from the folder in which it starts.
        path = [*filter(None, sys.path), str(Path(__file__).parents[3])]
        theirs, ours = _pipe()
        code = (
            f"import sys; sys.path[:] = {path!r}; "
            "import plansolve.solvers.processes.worker as worker; "
            f"worker.main({theirs}, {idle_seconds!r}, {modules!r})"
        )
        self._lifeline = os.fdopen(ours, "wb", 0)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-c", code],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[theirs],
                # Ctrl-C goes to a terminal's whole group of processes: only the parent handles it.
                process_group=0,
            )
        finally:
            os.close(theirs)
        _children.add(self)

    def __del__(self) -> None:
        # Ctrl-C may come while it starts, or before it has an owner.
        if hasattr(self, "_process"):
            self.end()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        """Return the descriptor that is readable when the child has sent a message or ended."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, message: object) -> None:
        """Send a task or bounds; if the child has ended, `receive` reports it."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            write_message(cast(Any, self._process.stdin), message)

    def receive(self) -> Any:
        """Wait for the child's next message and return it; return None when the child has ended."""
        try:
            return read_message(cast(Any, self._process.stdout))
        except Exception:
            return None  # garbled bytes raise anything

    def kill(self) -> None:
        """Kill the process, and those that it has started, without waiting."""
        if self._process.returncode is None:
            # It leads its own process group; once it has been reaped, the number may be reused.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def end(self) -> None:
        """End the process, and those that it has started, at once."""
        self.kill()
        self._process.wait()
        self.let_go()

    def let_go(self) -> None:
        _children.discard(self)
        for stream in (self._process.stdin, self._process.stdout, self._lifeline):
            assert stream is not None
            stream.close()

    def give_way(self) -> None:
        self.gives_way = True
        if not self.is_alive:
            return
        with suppress(OSError):
            now = os.getpriority(os.PRIO_PROCESS, self._process.pid)
            os.setpriority(os.PRIO_PROCESS, self._process.pid, max(now, _GIVING_WAY))

    def memory(self, *, exactly: bool) -> int:
        """Return the bytes of memory that the process and its own hold, without mapped files.

        Unless `exactly`, memory that forks share counts for each of them. The exact figure takes
        Linux ten milliseconds per process if tables are large, otherwise less than one.
        """
        # Only long runs need it.
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
        """Return why the process ended by itself; end it if it only sent garbled messages."""
        try:
            return cause_of_death(self._process.wait(_LAST_SECONDS))
        except subprocess.TimeoutExpired:
            self.end()
            return CutShort(StopReason.CRASH, "a child process sent unreadable data")


_children: WeakSet[Child] = WeakSet()


def _let_all_go() -> None:
    """Close the pipes of all children in a fork, since two processes must not share them.

    A child would also not end with its parent while a fork holds the pipes.
    """
    for child in list(_children):
        child._process.returncode = 0  # it is not ours to wait for
        child.let_go()


os.register_at_fork(after_in_child=_let_all_go)


def _pipe() -> list[int]:
    """Return the ends of a pipe, none of them a standard stream that the caller has closed."""
    low = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in low]
    for end in low:
        os.close(end)
    return high


def ready(children: Iterable[Child], seconds: float) -> list[Child]:
    """Return the children that have sent a message or ended, after at most so many seconds."""
    poll, by_number = select.poll(), {child.fileno(): child for child in children}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return [by_number[number] for number, _ in poll.poll(1000 * seconds)]


def surroundings() -> Surroundings:
    """Return what a child that starts now inherits: environment, module path and folder."""
    folder = ""
    with suppress(OSError):  # the folder may be gone
        folder = os.getcwd()
    return dict(os.environ), list(sys.path), folder


def _held(process: int, *, exactly: bool) -> int:
    """Return the bytes of a process's own memory.

    On Linux, `exactly` counts its portion of memory that forks share; otherwise all of it counts.
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
