"""The small process between the referee and a program: starts it, watches it, ends all of it.

Runs as `python -I -S` with the standard library alone, so that it starts in some milliseconds.
The referee hands over three descriptors: the request (a marshalled dictionary), a pipe that it
closes when the run has to end, and a pipe for the report, which is two lines:

    started <process number>
    <ending> <exit code> <signal> <seconds> <CPU seconds> <peak bytes> <detail>

Inside bubblewrap this is process 1: a program in there can neither kill nor stop it, and nothing of
the program outlives it. Elsewhere it is a "child subreaper": processes that lose their parent
become its children, so that it finds all of them by going down from itself.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import select
import time

# `typing` and `enum`, which `signal` needs, would take as long to load as all of the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any, NoReturn, TypeAlias

    Request: TypeAlias = dict[str, Any]
else:
    import _signal as signal

NONE = -1
"""Stands in a report for "no exit code" and "no signal"."""

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 4, 36, 38
_SHORTEST_POLL, _LONGEST_POLL = 0.002, 0.05
_PATIENCE = 30.0
"""Seconds after which processes that cannot be ended are given up (they hang in the kernel)."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_BLOCK = 4096
_libc = ctypes.CDLL(None, use_errno=True)


def main(request_file: int, lifeline: int, report: int) -> NoReturn:
    """Serve one run: the descriptors of the request, of the pipe to watch and of the report."""
    for descriptor in (request_file, lifeline, report):
        os.set_inheritable(descriptor, False)
    with open(request_file, "rb") as stream:
        request: Request = marshal.loads(stream.read())
    try:
        line = _serve(request, lifeline, report)
    except OSError as error:
        line = f"failed {NONE} {NONE} 0 0 0 {error}"
    os.write(report, line.encode(errors="replace")[:4000])
    os._exit(0)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) < 0:
        raise OSError(f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def _serve(request: Request, lifeline: int, report: int) -> str:
    """Run the program to its end, end everything that it has left, and return the report."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTTOU):
        # A process 1 is spared only the signals for which it has no handler.
        signal.signal(ignored, signal.SIG_IGN)
    _prctl(_PR_SET_DUMPABLE, 0)  # or the program could reach into this process
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for name, content in request["files"].items():
        path = os.path.join(request["work"], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(content)
    watched = _Watched(request, lifeline)
    try:
        os.write(report, b"started %d\n" % watched.child)
        ending, detail = watched.wait()
    finally:
        is_over = watched.end_all()
    if not is_over:
        detail += "; some of its processes could not be ended"
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = max(watched.peak, usage.ru_maxrss * 1024)
    code = number = NONE
    if ending == "exited" and watched.status is not None:
        if os.WIFSIGNALED(watched.status):
            number = os.WTERMSIG(watched.status)
        else:
            code = os.WEXITSTATUS(watched.status)
    cpu = usage.ru_utime + usage.ru_stime
    return f"{ending} {code} {number} {watched.seconds:.6f} {cpu:.6f} {peak} {detail}"


def _start_program(request: Request) -> int:
    """Return the process number; raise OSError if the program cannot be executed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _become_program(request)
        except Exception as error:
            os.write(writing, (getattr(error, "strerror", None) or repr(error)).encode())
        finally:
            os._exit(127)
    os.close(writing)
    # Nothing is buffered and the pipe is closed when the program begins.
    with open(reading, "rb") as stream:
        trouble = stream.read()
    if trouble:
        os.waitpid(child, 0)
        raise OSError(trouble.decode(errors="replace"))
    return child


def _become_program(request: Request) -> NoReturn:
    limits = request["limits"]
    os.setsid()
    os.chdir(request["work"])
    os.umask(0o022)
    os.setpriority(os.PRIO_PROCESS, 0, request["priority"])
    _prctl(_PR_SET_DUMPABLE, 1)
    if not request["is_shut_in"]:
        # If the machine runs short of memory, the kernel shall kill this first.
        with open("/proc/self/oom_score_adj", "wb") as stream:
            stream.write(b"1000")
    processor_time = int(limits["seconds"] * (os.cpu_count() or 1)) + 5
    # Above the limit that is measured. It is none for root, and counts all that a user runs.
    tasks = 2 * limits["processes"] + 16 if request["is_shut_in"] else resource.RLIM_INFINITY
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, processor_time),
        (resource.RLIMIT_FSIZE, limits["file_size"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        # Far above the limit that is measured: it stops a burst between two measurements. (Not
        # RLIMIT_AS, which also counts what Java or Node reserve and never use.)
        (resource.RLIMIT_DATA, 4 * limits["memory"] + (1 << 30)),
        (resource.RLIMIT_NPROC, tasks),
    ):
        hard = resource.getrlimit(kind)[1]
        if value != resource.RLIM_INFINITY:
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.execve(request["program"], request["argv"], request["environment"])


class Process:
    """What /proc tells of one process: `tasks` are its threads, `resident` is in bytes."""

    def __init__(self, number: int, parent: int, tasks: int, resident: int) -> None:
        self.number, self.parent, self.tasks, self.resident = number, parent, tasks, resident


def processes() -> list[Process]:
    """Return all processes that can be seen from here."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    # The program's name stands in parentheses and may hold anything.
                    fields = stream.read().rpartition(b")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended meanwhile
            parent, tasks, resident = int(fields[1]), int(fields[17]), int(fields[21]) * _PAGE
            found.append(Process(int(name), parent, tasks, resident))
    return found


def descendants(ancestor: int) -> list[Process]:
    """Return all processes below the process `ancestor`."""
    children: dict[int, list[Process]] = {}
    for process in processes():
        children.setdefault(process.parent, []).append(process)
    found = list(children.get(ancestor, ()))
    for process in found:  # grows meanwhile
        found += children.get(process.number, ())
    return found


class _Watched:
    """A program that runs, and all processes that it starts."""

    def __init__(self, request: Request, lifeline: int) -> None:
        self._request, self._limits = request, request["limits"]
        self.status: int | None = None
        self.peak = 0
        self._started = time.monotonic()
        self.seconds = 0.0
        self.child = _start_program(request)
        self._events = select.poll()
        self._events.register(os.pidfd_open(self.child), select.POLLIN)
        self._events.register(lifeline, select.POLLIN | select.POLLHUP)
        self._lifeline = lifeline

    def wait(self) -> tuple[str, str]:
        """Return how the run ended, and details, as soon as it is over or has to be ended."""
        pause = _SHORTEST_POLL
        while True:
            remaining = self._limits["seconds"] - (time.monotonic() - self._started)
            ready = self._events.poll(max(0.0, min(pause, remaining)) * 1000)
            self.seconds = time.monotonic() - self._started
            if any(descriptor != self._lifeline for descriptor, _ in ready):
                # Until it is reaped, no other group gets its number.
                self._end_group()
            self._reap()
            if self.status is not None:
                return self._full_folder() or self._how_it_ended()
            if any(descriptor == self._lifeline for descriptor, _ in ready):
                return "stopped", ""
            before = time.process_time()
            broken = self._broken_limit()
            if broken:
                return broken
            # Watching takes a tenth of a core at most, however many processes there are. Only our
            # own work counts: programs that crowd us off the cores must not be watched less.
            pause = max(min(2 * pause, _LONGEST_POLL), 10 * (time.process_time() - before))

    def _how_it_ended(self) -> tuple[str, str]:
        assert self.status is not None
        if os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGXFSZ:
            return "disk", "wrote a file that is too large"
        return "exited", ""

    def _reap(self) -> None:
        while True:
            try:
                number, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if number == 0:
                return
            if number == self.child:
                self.status = status

    def _broken_limit(self) -> tuple[str, str] | None:
        limits = self._limits
        if self.seconds >= limits["seconds"]:
            return "time", ""
        below = descendants(os.getpid())
        tasks = sum(process.tasks for process in below)
        if tasks > limits["processes"]:
            return "processes", f"{tasks} processes and threads at a time"
        used = sum(process.resident for process in below)
        # Shared pages count once, which is slow to find out; this sum is never too small.
        if used > self.peak and len(below) > 1:
            used = sum(map(_proportional_size, below))
        self.peak = max(self.peak, used)
        if used > limits["memory"]:
            return "memory", f"used {used >> 20} MB"
        if _is_memory_short():
            # Memory in pipes and in files of memory belongs to no process.
            return "memory", f"the machine ran short of memory; it used {used >> 20} MB"
        return self._full_folder()

    def _full_folder(self) -> tuple[str, str] | None:
        if not self._request["is_shut_in"]:
            return None
        folder = os.statvfs("/tmp")  # noqa: S108 - private, and cannot be removed
        # Small files and folders are memory that no process has.
        most = max(256, self._limits["file_size"] // _BLOCK)
        is_full = folder.f_bfree == 0 or folder.f_files - folder.f_ffree >= most
        return ("disk", "filled its folder") if is_full else None

    def _end_group(self) -> None:
        """Kill those that have not left the program's group: at once, however fast they fork."""
        try:
            os.killpg(self.child, signal.SIGKILL)
        except ProcessLookupError:
            return  # all have left it

    def end_all(self) -> bool:
        """Kill all that has come of the program; return True if nothing is left."""
        if self.status is None:
            self._end_group()
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            self._reap()
            below = descendants(os.getpid())
            if not below:
                return True
            for process in below:
                try:
                    os.kill(process.number, signal.SIGKILL)
                except ProcessLookupError:
                    continue  # it has ended meanwhile
            time.sleep(0.0005)
        return False


def _proportional_size(process: Process) -> int:
    """Return the bytes of a process's memory, what it shares divided among those who share it."""
    try:
        with open(f"/proc/{process.number}/smaps_rollup", "rb") as stream:
            for line in stream:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it has ended meanwhile
    except PermissionError:
        return process.resident
    return 0  # a zombie


def _is_memory_short() -> bool:
    """Return True if a 32nd of the machine's memory is left at most."""
    with open("/proc/meminfo", "rb") as stream:
        sizes = {line.split()[0]: int(line.split()[1]) for line in stream if b"kB" in line}
    return 32 * sizes[b"MemAvailable:"] < sizes[b"MemTotal:"]
