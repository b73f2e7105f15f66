"""The referee's side of a run: starts the launcher, and serves the streams of the program.

Each run has a control group, in which the kernel counts all memory, whatever holds it: one of
version 2 (Linux, `Documentation/admin-guide/cgroup-v2.rst`). Root makes one below the nearest group
that allows it; other users ask their systemd for a scope.
"""

import marshal
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from plansolve.apps.judge.isolation import HERE, bubblewrap_command, call_filter
from plansolve.apps.judge.launcher import children, most_tasks
from plansolve.errors import OptionError

VARIABLE = "PLANSOLVE_GROUP"
"""In the environment of the launcher, not of the program: the folder of its group."""

_OURS = 32 << 20
"""For bubblewrap and the launcher, which run in the group as well."""


@contextmanager
def control_group(memory: int, tasks: int) -> Iterator[list[str]]:
    """Yield the words to put before a command so that it runs in a group of its own.

    The group may use `memory` bytes, beside what the launcher needs, and have `tasks` tasks; it is
    removed on leaving the context. Raise OptionError if no group can be made.
    """
    root = next((m[1] for m in _mounts() if m[2] == "cgroup2"), None)
    if root is None:
        raise OptionError("this system has no control groups of version 2")
    limits = {"memory.max": memory + _OURS, "memory.swap.max": 0, "pids.max": tasks}
    if os.geteuid():
        yield _scope(root, limits)
        return
    folder = _new_group(Path(root))
    try:
        for name, limit in limits.items():
            # A kernel without swap has no limit for it.
            if (folder / name).exists():
                (folder / name).write_text(str(limit))
        script = f'export {VARIABLE}="$0"; echo $$ >"$0/cgroup.procs" && exec "$@"'
        yield ["/bin/sh", "-c", script, str(folder)]
    finally:
        for _ in range(200):  # its last process may still be ending
            with suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.005)


def _mounts() -> list[list[str]]:
    return [line.split() for line in Path("/proc/mounts").read_text().splitlines()]


def _scope(root: str, limits: dict[str, int]) -> list[str]:
    program = shutil.which("systemd-run")
    if program is None:
        raise OptionError("systemd-run is not installed")
    names = ("MemoryMax", "MemorySwapMax", "TasksMax")
    words = [f"-p{name}={limit}" for name, limit in zip(names, limits.values(), strict=True)]
    script = f'IFS=: read -r _ _ path </proc/self/cgroup; export {VARIABLE}="$0$path"; exec "$@"'
    words += ["--", "/bin/sh", "-c", script, root]
    return [program, "--user", "--scope", "--quiet", "--collect", *words]


def _new_group(root: Path) -> Path:
    """Return a new group below ours or the nearest group above it that counts memory and tasks."""
    own = Path("/proc/self/cgroup").read_text().strip().rpartition("::")[2]
    place = root / own.lstrip("/")
    trouble = "no control group here can count memory and tasks"
    while place.is_relative_to(root):
        counted = place / "cgroup.subtree_control"
        folder = place / f"plansolve-{os.getpid()}-{time.monotonic_ns()}"
        try:
            if place == root and "memory" not in counted.read_text():
                # Without systemd nobody has turned the controllers on.
                counted.write_text("+memory +pids")
            if {"memory", "pids"} <= {*counted.read_text().split()}:
                folder.mkdir()
                return folder
        except OSError as error:
            trouble = f"{place}: memory and tasks cannot be counted ({error.strerror})"
        place = place.parent
    raise OptionError(trouble)


_STDERR_KEPT = 4096
_CHUNK = 1 << 16
_FULL_PIPE = 1 << 20
_START_SECONDS = 60.0
"""For the launcher, on a machine that is busy."""
_GRACE_SECONDS = 0.5
"""The launcher ends a run itself when its time is over; after this we ask it to."""
_END_SECONDS = 35.0
"""For the launcher to end all processes of a run; by itself it stops waiting a little earlier."""

# Imported, and not run as a script, the launcher is compiled only once.
_LAUNCH = (
    "import sys; sys.path.append(sys.argv[1]); import launcher; "
    "launcher.main(*map(int, sys.argv[2:]))"
)
_FOR_LAUNCHER = ("LD_LIBRARY_PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
"""Variables that the launcher's interpreter and systemd-run need; the program does not get them."""


@dataclass(frozen=True)
class Launcher:
    """A launcher at work. `report` holds its lines, and ends with it."""

    process: subprocess.Popen[bytes]
    lifeline: FileIO
    report: FileIO
    is_shut_in: bool
    """True if `process` is bubblewrap, and the launcher in it."""

    def stop(self) -> None:
        """Ask for the end of the run, without waiting for it."""
        if not self.lifeline.closed:
            # If this process was forked meanwhile, closing our end alone would go unnoticed.
            # A `ValueError` says that another thread has closed it.
            with suppress(BrokenPipeError, ValueError):
                self.lifeline.write(b"stop")
            self.lifeline.close()

    def end(self) -> None:
        """End the run, and wait until all its processes have ended."""
        self.stop()
        if self.process.returncode is not None:
            return
        # A program that is not shut in may have stopped the launcher.
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            # With process 1 of its namespace all in there end, and then bubblewrap does.
            inside = [child[b"Pid:"] for child in children().get(self.process.pid, ())]
            for number in inside if self.is_shut_in and inside else [self.process.pid]:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            self.process.wait()


@contextmanager
def launched(order: dict[str, Any], readable: Sequence[str], stdin: int) -> Iterator[Launcher]:
    """Start a launcher; leaving the context ends it and all that it has started.

    A program that is shut in sees the paths in `readable`. The streams are pipes (`stdin` as for
    subprocess). Raise OptionError if bubblewrap is missing or there is no control group.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        orders = theirs.enter_context(_file_in_memory(marshal.dumps(order)))
        calls = call_filter()
        refused = theirs.enter_context(_file_in_memory(calls))
        watched, lifeline = (ours.enter_context(end) for end in _pipe())
        report, told = (ours.enter_context(end) for end in _pipe())
        wrapper: list[str] = []
        if order["is_shut_in"]:
            limits = order["limits"]
            if order["has_control_group"]:
                group = control_group(limits["memory"], most_tasks(limits["processes"]))
                wrapper += ours.enter_context(group)
            calls_file = refused.fileno() if calls else None
            wrapper += bubblewrap_command(limits["file_size"], readable, calls_file)
        descriptors = [stream.fileno() for stream in (orders, watched, told)]
        process = subprocess.Popen(
            [*wrapper, sys.executable, "-I", "-S", "-c", _LAUNCH, HERE, *map(str, descriptors)],
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[*descriptors, refused.fileno()] if wrapper else descriptors,
            # Ctrl-C goes to a terminal's whole group of processes.
            start_new_session=True,
            env={name: os.environ[name] for name in _FOR_LAUNCHER if name in os.environ},
        )
        with suppress(PermissionError):
            # Let root's launcher not wait for what a program has crowded the cores with.
            os.setpriority(os.PRIO_PGRP, process.pid, max(-20, order["priority"] - 10))
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            ours.enter_context(stream)
        launcher = Launcher(process, lifeline, report, order["is_shut_in"])
        ours.callback(launcher.end)
        theirs.close()
        watched.close()
        told.close()
        yield launcher


def _file_in_memory(content: bytes) -> FileIO:
    """Return a file that holds `content`, at its beginning: a pipe would hold little."""
    stream = FileIO(os.memfd_create("plansolve"), "w+")
    stream.write(content)
    stream.seek(0)
    return stream


def _pipe() -> tuple[FileIO, FileIO]:
    reading, writing = os.pipe()
    return FileIO(reading, "r"), FileIO(writing, "w")


class Exchange:
    """The streams of a run: feeds standard input, and keeps a bounded part of what comes out."""

    def __init__(
        self, launcher: Launcher, stdin: bytes, *, seconds: float, most_output: int
    ) -> None:
        process = launcher.process
        assert process.stdout is not None and process.stderr is not None
        self.stdout, self.stderr, self.report = bytearray(), bytearray(), bytearray()
        self.has_overflown = self.is_late = False
        self.started: float | None = None
        """The start of the program by the monotonic clock; None before."""
        self._launcher, self._seconds, self._most_output = launcher, seconds, most_output
        self._unsent = memoryview(stdin)
        self._stdin = process.stdin
        self._sources: dict[int, Callable[[bytes], None]] = {
            process.stdout.fileno(): self._take_output,
            process.stderr.fileno(): self._take_errors,
            launcher.report.fileno(): self.report.extend,
        }
        self._poll = select.poll()
        for descriptor in self._sources:
            os.set_blocking(descriptor, False)
            self._poll.register(descriptor, select.POLLIN)
        if self._stdin is not None:
            os.set_blocking(self._stdin.fileno(), False)
            self._poll.register(self._stdin.fileno(), select.POLLOUT)

    def run(self) -> None:
        """Serve the streams until the run is over, its processes have ended and all is read."""
        report = self._launcher.report.fileno()
        deadline = time.monotonic() + _START_SECONDS
        while report in self._sources:
            remaining = deadline - time.monotonic()
            for descriptor, _ in self._poll.poll(max(0.0, remaining) * 1000):
                if descriptor in self._sources:
                    self._read(descriptor)
                else:
                    self._feed()
            if self.started is None and self.report.startswith(b"started"):
                self.started = time.monotonic()
                deadline = self.started + self._seconds + _GRACE_SECONDS
            if time.monotonic() >= deadline and report in self._sources:
                self.is_late = True
                break
            if self.has_overflown:
                self._launcher.stop()
        self._launcher.end()
        if self._launcher.process.returncode and not self._launcher.is_shut_in:
            self._end_program()
        for descriptor in tuple(self._sources):
            # The rest fits into a pipe, even if somebody still holds its other end.
            for _ in range(_FULL_PIPE // _CHUNK):
                if not self._read(descriptor):
                    break

    def _end_program(self) -> None:
        """End the group of a program that has killed its launcher, which is what else does it."""
        started = self.report.partition(b"\n")[0].split()
        if started[:1] == [b"started"]:
            with suppress(ProcessLookupError):
                os.killpg(int(started[1]), signal.SIGKILL)

    def _read(self, descriptor: int) -> bool:
        """Return True if there may be more."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if chunk:
            self._sources[descriptor](chunk)
        else:
            self._poll.unregister(descriptor)
            del self._sources[descriptor]
        return bool(chunk)

    def _take_output(self, chunk: bytes) -> None:
        room = self._most_output - len(self.stdout)
        self.stdout += chunk[:room]
        self.has_overflown |= len(chunk) > room

    def _take_errors(self, chunk: bytes) -> None:
        self.stderr += chunk
        del self.stderr[:-_STDERR_KEPT]

    def _feed(self) -> None:
        assert self._stdin is not None
        try:
            sent = os.write(self._stdin.fileno(), self._unsent[:_CHUNK])
            self._unsent = self._unsent[sent:]
        except BrokenPipeError:
            self._unsent = memoryview(b"")  # the program does not want it
        if not self._unsent:
            self._poll.unregister(self._stdin.fileno())
            self._stdin.close()
