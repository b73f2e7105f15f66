"""The small process between the referee and a program: shuts in, starts the program, watches.

Runs as `python -I -S` with the standard library alone, so that it starts in some milliseconds.
The referee hands over three descriptors: the request (a marshalled dictionary), a pipe that it
closes when the run has to end, and a pipe for the report, which is two lines:

    started                                                   (just before the program starts)
    <ending> <exit code> <signal> <seconds> <CPU seconds> <peak bytes> <detail>

In a PID namespace the watching process is process 1: a program in there can neither kill nor stop
it, and nothing of the program outlives it. Elsewhere it is a "child subreaper": processes that lose
their parent become its children, so that it finds all of them by going down from itself.
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

__all__ = ["NONE", "Process", "descendants", "main", "processes"]

NONE = -1
"""Stands in a report for "no exit code" and "no signal"."""

_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_PLAIN_FILES = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
_SYS_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2

_DEVICES = (b"/dev/null", b"/dev/zero", b"/dev/full", b"/dev/random", b"/dev/urandom")
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
        if request["isolation"] == "namespaces":
            _enter_namespaces(request, report)
        line = _serve(request, lifeline, report)
    except OSError as error:
        line = f"failed {NONE} {NONE} 0 0 0 {error}"
    os.write(report, line.encode(errors="replace")[:4000])
    os._exit(0)


# --- shutting in


def _enter_namespaces(request: Request, report: int) -> None:
    """Return in process 1 of new namespaces; the process that called waits for that one."""
    user, group = os.geteuid(), os.getegid()
    flags = _CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWNET
    _check(_libc.unshare(flags | _CLONE_NEWIPC | _CLONE_NEWUTS), "no namespaces")
    _write("/proc/self/setgroups", b"deny")
    _write("/proc/self/uid_map", b"%d %d 1" % (user, user))
    _write("/proc/self/gid_map", b"%d %d 1" % (group, group))
    child = os.fork()
    if child:
        os.close(report)
        # The child has ended only when everything in its namespace has.
        os.waitpid(child, 0)
        os._exit(0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _arrange_files(request)
    # A second limit, for programs that fork faster than we count. Older kernels have one pid_max
    # for the whole machine, and root could change that even from here.
    if _kernel_version() >= (6, 14):
        _is_written("/proc/sys/kernel/pid_max", b"%d" % (301 + 2 * request["limits"]["processes"]))
    # In a user namespace of its own the program would have capabilities to play with.
    _write("/proc/sys/user/max_user_namespaces", b"0")


def _kernel_version() -> tuple[int, int]:
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(filter(str.isdigit, minor)))


def _arrange_files(request: Request) -> None:
    """Make the machine read-only, hidden folders empty, /tmp, /dev and /proc private."""
    size = request["limits"]["file_size"]
    folder = b"mode=1777,size=%d,nr_inodes=%d" % (size, max(256, size // _BLOCK))
    _mount(None, b"/", None, _MS_REC | _MS_PRIVATE)
    if request["read_only"]:
        what = (ctypes.c_uint64 * 4)(_MOUNT_ATTR_RDONLY, 0, 0, 0)
        where = (_SYS_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE)
        _check(
            _libc.syscall(*where, what, ctypes.sizeof(what)),
            "the files cannot be made read-only",  # before Linux 5.12
        )
    # Open what is to be seen inside a folder before the folder is covered.
    shown = [(path, os.open(path, os.O_PATH)) for path in (*_DEVICES, *request["visible"])]
    null = os.open(b"/dev/null", os.O_PATH)
    covered = [b"/dev", *request["hidden_folders"]]
    for path in covered:
        _mount(b"tmpfs", path, b"tmpfs", _MS_NOSUID, b"mode=0755,size=64k")
    for path in request["hidden_files"]:
        _mount(b"/proc/self/fd/%d" % null, path, None, _MS_BIND)
    _mount(b"tmpfs", b"/tmp", b"tmpfs", _MS_NOSUID | _MS_NODEV, folder)
    for path, descriptor in shown:
        source = b"/proc/self/fd/%d" % descriptor
        _make_mount_point(path, os.path.isdir(source))
        _mount(source, path, None, _MS_BIND | _MS_REC)
        os.close(descriptor)
    os.close(null)
    for name, target in ((b"fd", b""), (b"stdin", b"/0"), (b"stdout", b"/1"), (b"stderr", b"/2")):
        os.symlink(b"/proc/self/fd" + target, b"/dev/" + name)
    os.mkdir(b"/dev/shm")
    for path in covered:
        _mount(None, path, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID)
    _mount(b"tmpfs", b"/dev/shm", b"tmpfs", _MS_NOSUID | _MS_NODEV, folder)
    _mount(b"proc", b"/proc", b"proc", _PLAIN_FILES)
    os.mkdir(request["work"], 0o700)


def _make_mount_point(path: bytes, is_folder: bool) -> None:
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
    if not is_folder and not os.path.exists(path):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def _mount(
    source: bytes | None, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None
) -> None:
    _check(
        _libc.mount(source, target, kind, ctypes.c_ulong(flags), data),
        f"mount {os.fsdecode(target)}",
    )


def _prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(f"{what}: {os.strerror(number)}")


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


def _is_written(path: str, content: bytes) -> bool:
    try:
        _write(path, content)
    except OSError:
        return False
    return True


# --- the program


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
    os.write(report, b"started\n")
    watched = _Watched(request, lifeline)
    try:
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
    task_limit = _task_limit(request)
    child = os.fork()
    if child == 0:
        try:
            _become_program(request, task_limit)
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


def _become_program(request: Request, task_limit: int | None) -> NoReturn:
    limits = request["limits"]
    os.setsid()
    os.chdir(request["work"])
    os.umask(0o022)
    os.setpriority(os.PRIO_PROCESS, 0, request["priority"])
    _prctl(_PR_SET_DUMPABLE, 1)
    # If the machine runs short of memory, the kernel shall kill this first.
    _is_written("/proc/self/oom_score_adj", b"1000")
    if request["isolation"] == "namespaces":
        # Root may write to much of /proc even without capabilities.
        _mount(None, b"/proc", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _PLAIN_FILES)
    cores = os.cpu_count() or 1
    processor_time = int(limits["seconds"] * cores) + 5
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, processor_time),
        (resource.RLIMIT_FSIZE, limits["file_size"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        # Far above the limit that is measured: it stops a burst between two measurements. (Not
        # RLIMIT_AS, which also counts what Java or Node reserve and never use.)
        (resource.RLIMIT_DATA, 4 * limits["memory"] + (1 << 30)),
        (resource.RLIMIT_NPROC, task_limit),
    ):
        if value is not None:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
    if os.geteuid() == 0 and request["isolation"] != "bubblewrap":
        # Root without capabilities: executing a program does not give them back.
        with open("/proc/sys/kernel/cap_last_cap", "rb") as stream:
            last = int(stream.read())
        for capability in range(last + 1):
            _prctl(_PR_CAPBSET_DROP, capability)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _refuse_calls(request["filter"])
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.execve(request["program"], request["argv"], request["environment"])


def _refuse_calls(instructions: bytes) -> None:
    """Have the kernel run a filter of system calls from now on, see `system_calls`."""
    if not instructions:
        return
    code = ctypes.create_string_buffer(instructions, len(instructions))
    # The number of instructions, and where they are (struct sock_fprog).
    program = (ctypes.c_size_t * 2)(len(instructions) // 8, ctypes.addressof(code))
    _check(
        _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0),
        "no filter of system calls",
    )


def _task_limit(request: Request) -> int | None:
    """Return the hard limit on processes, above the measured one; none for root."""
    if os.getuid() == 0:
        return None
    allowed: int = 2 * request["limits"]["processes"] + 16
    if request["isolation"] == "process group":
        # Without a namespace the limit counts all that the user runs.
        allowed += sum(process.tasks for process in processes() if process.user == os.getuid())
    return allowed


# --- watching


class Process:
    """What /proc tells of one process: `tasks` are its threads, `resident` is in bytes."""

    def __init__(self, number: int, parent: int, user: int, tasks: int, resident: int) -> None:
        self.number, self.parent, self.user = number, parent, user
        self.tasks, self.resident = tasks, resident


def processes() -> list[Process]:
    """Return all processes that can be seen from here."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    # The program's name stands in parentheses and may hold anything.
                    fields = stream.read().rpartition(b")")[2].split()
                    user = os.fstat(stream.fileno()).st_uid
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended meanwhile
            resident = int(fields[21]) * _PAGE
            found.append(Process(int(name), int(fields[1]), user, int(fields[17]), resident))
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
        self._child = _start_program(request)
        self._events = select.poll()
        self._events.register(os.pidfd_open(self._child), select.POLLIN)
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
            if number == self._child:
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
        if self._request["isolation"] == "process group":
            trouble = _measure_folder(self._request["work"], self._limits["file_size"])
        else:
            folder = os.statvfs("/tmp")  # noqa: S108 - private, and cannot be removed
            trouble = "filled its folder" if 0 in (folder.f_bfree, folder.f_ffree) else None
        return ("disk", trouble) if trouble else None

    def _end_group(self) -> None:
        """Kill those that have not left the program's group: at once, however fast they fork."""
        try:
            os.killpg(self._child, signal.SIGKILL)
        except ProcessLookupError:
            return  # all have left it

    def end_all(self) -> bool:
        """Kill all that has come of the program; whether nothing is left."""
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
    """Whether a 32nd of the machine's memory is left at most."""
    with open("/proc/meminfo", "rb") as stream:
        sizes = {line.split()[0]: int(line.split()[1]) for line in stream if b"kB" in line}
    return 32 * sizes[b"MemAvailable:"] < sizes[b"MemTotal:"]


def _measure_folder(top: bytes, limit: int) -> str | None:
    """Return what is wrong with a folder of at most `limit` bytes; small files count as blocks."""
    total, waiting = 0, [top]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    size = entry.stat(follow_symlinks=False).st_blocks * 512
                    total += max(_BLOCK, size)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except FileNotFoundError:
            continue  # removed meanwhile
        except OSError as error:
            return f"made a folder that cannot be measured: {error.strerror}"
        if total >= limit:
            return "filled its folder"
    return None
