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

    Numbers: TypeAlias = dict[bytes, int]
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
_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108 - private, and cannot be removed
_SOCKET, _LARGE_SOCKET = 1 << 19, 10 << 20
"""The most that the buffers of a socket can hold: of any kind, and what TCP or UDP may add."""
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


def most_tasks(processes: int) -> int:
    """Return the kernel's limit of tasks: a backstop for the limit of `processes`."""
    return 2 * processes + 16


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
    is_shut_in = request["is_shut_in"]
    tasks = most_tasks(limits["processes"]) if is_shut_in else resource.RLIM_INFINITY
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


def numbers(path: str) -> Numbers:
    """Return the numbers in a file of the kernel, by name; sizes in kB become bytes.

    There are none for a process that has ended or may not be inspected.
    """
    try:
        with open(path, "rb") as stream:
            lines = [line.split() for line in stream]
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return {}
    return {
        words[0]: int(words[1]) * (1024 if words[2:] == [b"kB"] else 1)
        for words in lines
        if len(words) > 1 and words[1].isdigit()
    }


def children() -> dict[int, list[Numbers]]:
    """Return the status of all processes that can be seen from here, by their parent's number."""
    found: dict[int, list[Numbers]] = {}
    for name in os.listdir("/proc"):
        status = numbers(f"/proc/{name}/status") if name.isdigit() else {}
        if status:
            found.setdefault(status[b"PPid:"], []).append(status)
    return found


def descendants(ancestor: int) -> list[Numbers]:
    """Return the status of all processes below the process `ancestor`."""
    below = children()
    found = list(below.get(ancestor, ()))
    for process in found:  # grows meanwhile
        found += below.get(process[b"Pid:"], ())
    return found


class _Watched:
    """A program that runs, and all processes that it starts."""

    def __init__(self, request: Request, lifeline: int) -> None:
        self._request, self._limits = request, request["limits"]
        self.status: int | None = None
        self.peak = 0
        self._started = time.monotonic()
        self.seconds = 0.0
        # In a control group the kernel counts what belongs to no process.
        self._group = os.environ.get("PLANSOLVE_GROUP", "")
        self._counts_all = request["is_shut_in"] and not self._group
        if self._group:
            with open(f"{self._group}/memory.max", "rb") as stream:
                if stream.read() == b"max\n":
                    raise OSError("the control group has no memory limit")
        self._shared_before = numbers("/proc/meminfo")[b"Shmem:"]
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
                return self._out_of_memory() or self._full_folder() or self._how_it_ended()
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
        tasks = sum(process[b"Threads:"] for process in below)
        if tasks > limits["processes"]:
            return "processes", f"{tasks} processes and threads at a time"
        machine = numbers("/proc/meminfo")
        used = self._used(below, machine)
        self.peak = max(self.peak, used)
        if used > limits["memory"]:
            return "memory", f"used {used >> 20} MiB"
        # Without a group nobody counts what pipes hold, or the kernel's lists of mappings.
        if 32 * machine[b"MemAvailable:"] < machine[b"MemTotal:"]:
            return "memory", f"the machine ran short of memory; the program used {used >> 20} MiB"
        return self._out_of_memory() or self._full_folder()

    def _used(self, below: list[Numbers], machine: Numbers) -> int:
        """Return the bytes in use; near the limit also those that belong to no process."""
        files = grown = buffers = 0
        if self._counts_all:
            spaces = [os.statvfs(folder) for folder in _FOLDERS]
            files = sum((space.f_blocks - space.f_bfree) * space.f_frsize for space in spaces)
            grown = max(files, machine[b"Shmem:"] - self._shared_before)
            buffers = _socket_buffers()
        beside = buffers + sum(process.get(b"VmPTE:", 0) for process in below)
        used = beside + sum(process.get(b"VmRSS:", 0) for process in below)
        # Shared pages count once, which is slow to find out; this sum is never too small.
        if used + grown <= self._limits["memory"] and (used <= self.peak or len(below) == 1):
            return used
        if not any(map(_shares_memory, below)):
            grown = files  # what has grown is not theirs
        sizes = [(one, numbers(f"/proc/{one[b'Pid:']}/smaps_rollup")) for one in below]
        shared = sum(size.get(b"Pss_Shmem:", 0) for _, size in sizes)
        whole = sum(size.get(b"Pss:", one.get(b"VmRSS:", 0)) for one, size in sizes)
        return beside + whole - shared + max(shared, grown)

    def _out_of_memory(self) -> tuple[str, str] | None:
        if not self._group or not numbers(f"{self._group}/memory.events").get(b"oom_kill"):
            return None
        self.peak = max(self.peak, self._limits["memory"])
        return "memory", "needed more memory"

    def _full_folder(self) -> tuple[str, str] | None:
        if not self._request["is_shut_in"]:
            return None
        # Small files and folders are memory that no process has.
        most = max(256, self._limits["file_size"] // _BLOCK)
        for folder in map(os.statvfs, _FOLDERS):
            if folder.f_bfree == 0 or folder.f_files - folder.f_ffree >= most:
                return "disk", "filled its folder"
        return None

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
                    os.kill(process[b"Pid:"], signal.SIGKILL)
                except ProcessLookupError:
                    continue  # it has ended meanwhile
            time.sleep(0.0005)
        return False


def _shares_memory(process: Numbers) -> bool:
    """Return True if a process maps shared memory, which is kept when its page tables go."""
    try:
        with open(f"/proc/{process[b'Pid:']}/maps", "rb") as stream:
            return b" /dev/zero (deleted)" in stream.read()
    except OSError as error:
        return isinstance(error, PermissionError)  # otherwise it has ended meanwhile


def _socket_buffers() -> int:
    """Return the most that the buffers of all sockets can hold; the run has its own network."""
    with open("/proc/net/sockstat", "rb") as stream:
        words = stream.read().split()
    count = int(words[words.index(b"used") + 1])
    pages = sum(int(words[i + 1]) for i, word in enumerate(words) if word == b"mem")
    return count * _SOCKET + min(count * _LARGE_SOCKET, pages * _PAGE)
