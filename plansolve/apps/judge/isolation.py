"""How a program is shut in on this machine: found out by trying, and said in words."""

import contextlib
import marshal
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from typing import Any

from plansolve.apps.judge.launcher import processes
from plansolve.apps.judge.system_calls import call_filter
from plansolve.errors import OptionError
from plansolve.storage.folder import cache_folder

__all__ = [
    "ISOLATIONS",
    "PRIVATE_FOLDER",
    "Cage",
    "Isolation",
    "bubblewrap_arguments",
    "find_isolation",
    "open_cage",
]

ISOLATIONS = ("bubblewrap", "namespaces", "process group")
"""The names, from the best to the least."""

PRIVATE_FOLDER = "/tmp/plansolve-run"  # noqa: S108 - inside the private /tmp of a run
"""Where a program works that has a /tmp of its own; the machine has no such folder."""

_TEMPORARY = "/tmp"  # noqa: S108
_HIDDEN = ("/run", "/var/tmp")  # noqa: S108
_HIDDEN_IN_HOME = (
    *(".aws", ".azure", ".bash_history", ".config", ".docker", ".git-credentials", ".gnupg"),
    *(".kube", ".local/share/keyrings", ".mozilla", ".netrc", ".npmrc", ".pypirc", ".ssh"),
)
_HERE = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = os.path.dirname(os.path.dirname(_HERE))
# Imported, and not run as a script, the launcher is compiled only once.
_LAUNCH = (
    "import sys; sys.path.append(sys.argv[1]); import launcher; "
    "launcher.main(*map(int, sys.argv[2:]))"
)
_END_SECONDS = 35.0
"""For the launcher to end all processes of a run; by itself it stops waiting a little earlier."""
_KILLED_SECONDS = 30.0
"""For the kernel to end the processes of a namespace whose first one was killed."""
_TRIAL_SECONDS = 20.0
# Older kernels cannot make everything read-only, but can shut off the network.
_TRIALS = (
    ("bubblewrap", True),
    ("namespaces", True),
    ("namespaces", False),
    ("process group", False),
)
_TRIAL = """
import contextlib, socket, sys
with contextlib.suppress(OSError), open(sys.argv[1], "w") as stream:
    stream.write("written")
with contextlib.suppress(OSError):
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=5).close()
"""


@dataclass(frozen=True)
class Isolation:
    """How programs are shut in, what they cannot reach thereby, and a sentence that says so."""

    name: str
    network_blocked: bool
    filesystem_protected: bool
    description: str


@dataclass(frozen=True)
class Cage:
    """A program that is shut in. `report` holds lines of the launcher, and ends with it."""

    isolation: str
    work: str
    process: subprocess.Popen[bytes]
    lifeline: FileIO
    report: FileIO

    def stop(self) -> None:
        """Ask for the end of the run, without waiting for it."""
        if not self.lifeline.closed:
            # If this process was forked meanwhile, closing our end alone would go unnoticed.
            with contextlib.suppress(BrokenPipeError):
                self.lifeline.write(b"stop")
            self.lifeline.close()

    def end(self) -> None:
        """End the run, and wait until all its processes have ended."""
        self.stop()
        if self.process.returncode is not None:
            return
        # Without namespaces the program may have stopped the launcher.
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
        if self.isolation == "process group" and self.process.returncode != 0:
            _end_survivors(os.fsencode(self.work))

    def _kill(self) -> None:
        """Kill the launcher; with process 1 of its namespace, if it has one, all in there end."""
        first = []
        if self.isolation != "process group":
            children = [p.number for p in processes() if p.parent == self.process.pid]
            with contextlib.suppress(ProcessLookupError):
                first = [os.pidfd_open(number) for number in children]
        self.process.kill()
        self.process.wait()
        for descriptor in first:
            select.select([descriptor], [], [], _KILLED_SECONDS)
            os.close(descriptor)


@contextlib.contextmanager
def open_cage(
    isolation: str,
    request: Mapping[str, Any],
    *,
    readable: Iterable[str] = (),
    stdin: int = subprocess.DEVNULL,
) -> Iterator[Cage]:
    """Start a program shut in; leaving the context ends it and all that it has started.

    `request` is what `launcher` takes: work, program, argv, environment, files, limits and
    read_only (whether namespaces must protect the machine's files). The program sees the paths in
    `readable`, even those inside folders that are hidden otherwise. Its streams are pipes (`stdin`
    as for subprocess). Raises OptionError if bubblewrap is missing.
    """
    hidden = _hidden_paths()
    visible = _visible_paths(readable, [_TEMPORARY, *hidden])
    folders = [path for path in hidden if os.path.isdir(path)]
    secrets = [path for path in hidden if path not in folders]
    wrapper: list[str] = []
    if isolation == "bubblewrap":
        size = request["limits"]["file_size"]
        wrapper = [_bubblewrap(), *bubblewrap_arguments(size, folders, secrets, visible)]
    order = {
        "isolation": isolation,
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "filter": call_filter(),
        "hidden_folders": [*map(os.fsencode, folders)],
        "hidden_files": [*map(os.fsencode, secrets)],
        "visible": [*map(os.fsencode, visible)],
        **request,
    }
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        # A pipe holds little; a file in memory takes the whole order at once.
        orders = theirs.enter_context(open(os.memfd_create("order"), "w+b"))
        orders.write(marshal.dumps(order))
        orders.seek(0)
        watched, lifeline = (ours.enter_context(end) for end in _pipe())
        report, told = (ours.enter_context(end) for end in _pipe())
        descriptors = [stream.fileno() for stream in (orders, watched, told)]
        process = subprocess.Popen(
            [*wrapper, sys.executable, "-I", "-S", "-c", _LAUNCH, _HERE, *map(str, descriptors)],
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=descriptors,
            # Ctrl-C goes to a terminal's whole group of processes.
            start_new_session=True,
            env={name: os.environ[name] for name in _FOR_PYTHON if name in os.environ},
        )
        _prefer(process.pid)
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            ours.enter_context(stream)
        cage = Cage(isolation, os.fsdecode(request["work"]), process, lifeline, report)
        ours.callback(cage.end)
        theirs.close()
        watched.close()
        told.close()
        yield cage


_FOR_PYTHON = ("LD_LIBRARY_PATH",)
"""What the launcher's own interpreter may need to start; the program does not get it."""


def _pipe() -> tuple[FileIO, FileIO]:
    reading, writing = os.pipe()
    return FileIO(reading, "r"), FileIO(writing, "w")


def _bubblewrap() -> str:
    program = shutil.which("bwrap")
    if program is None:
        raise OptionError("bubblewrap (the program bwrap) is not installed")
    return program


def bubblewrap_arguments(
    file_size: int,
    hidden_folders: Sequence[str],
    hidden_files: Sequence[str],
    visible: Sequence[str],
) -> list[str]:
    """Return the arguments of bwrap (0.8 or later) before the command that it is to run.

    Everything is read-only, `hidden_folders` are empty, `hidden_files` cannot be read, /tmp is
    private with at most `file_size` bytes, and of it the paths in `visible` are seen, read-only.
    """
    arguments = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
    arguments += ["--as-pid-1", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
    arguments += ["--dev", "/dev", "--size", str(file_size), "--tmpfs", "/dev/shm"]  # noqa: S108
    # Root may write to much of /proc even without capabilities.
    arguments += ["--proc", "/proc", "--remount-ro", "/proc", "--remount-ro", "/dev"]
    for path in hidden_folders:
        arguments += ["--tmpfs", path]
    for path in hidden_files:
        arguments += ["--ro-bind", "/dev/null", path]
    arguments += ["--perms", "1777", "--size", str(file_size), "--tmpfs", _TEMPORARY]
    for path in visible:
        arguments += ["--ro-bind", path, path]
    for path in hidden_folders:
        arguments += ["--remount-ro", path]
    arguments += ["--perms", "0700", "--dir", PRIVATE_FOLDER, "--chdir", PRIVATE_FOLDER, "--"]
    return arguments


def _prefer(group: int) -> None:
    """Let root's launcher not wait for what a program has crowded the cores with."""
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PGRP, group, max(-20, priority - 10))


def _hidden_paths() -> list[str]:
    """Return what no program is to see, but for /tmp; no path lies inside another."""
    home = os.path.expanduser("~")
    # The optima that plansolve keeps are the answers to its questions.
    optima = str(cache_folder() / "optima")
    wanted = [*_HIDDEN, optima, *(os.path.join(home, name) for name in _HIDDEN_IN_HOME)]
    found: list[str] = []
    for path in map(os.path.realpath, wanted):
        if os.path.exists(path) and not _is_within(path, [_TEMPORARY, *found]):
            found.append(path)
    return found


def _visible_paths(paths: Iterable[str], hidden: Sequence[str]) -> list[str]:
    """Return what has to be shown of hidden folders for programs and `paths` to be of use.

    A script needs what lies beside it, and a program in `bin` what lies beside `bin`.
    """
    shown: list[str] = []
    # What Python, programs on the path, the launcher and functions that import plansolve need.
    search = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    for path in map(os.path.abspath, (*paths, _PACKAGE, sys.prefix, sys.base_prefix, *search)):
        if path in hidden or not _is_within(path, hidden) or not os.path.exists(path):
            continue
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        if os.path.basename(folder) == "bin":
            folder = os.path.dirname(folder)
        shown.append(path if folder in hidden else folder)
    # The outer ones first: what lies within them is there already.
    kept: list[str] = []
    for path in sorted(shown):
        if not _is_within(path, kept):
            kept.append(path)
    return kept


def _is_within(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def _end_survivors(work: bytes) -> None:
    """End the processes of a run whose launcher was killed: they name its folder."""
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        found = [process.number for process in processes() if _names(process.number, work)]
        if not found:
            return
        for number in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.001)


def _names(process: int, work: bytes) -> bool:
    """Whether a process, this one aside, was given the folder `work` or works in it."""
    try:
        with open(f"/proc/{process}/environ", "rb") as stream:
            variables = stream.read().split(b"\0")
        current = os.readlink(b"/proc/%d/cwd" % process)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False  # it has ended, or is someone else's
    is_inside = current == work or current.startswith(work + b"/")
    return process != os.getpid() and (is_inside or b"TMPDIR=" + work in variables)


def find_isolation(wanted: str | None = None) -> Isolation:
    """Return the best isolation that works here, or the `wanted` one of `ISOLATIONS`.

    Each is tried: a program writes to a file outside its folder and connects to a port of this
    process. Raises OptionError for one that is unknown or does not work here.
    """
    if wanted is not None and wanted not in ISOLATIONS:
        raise OptionError(f"no isolation {wanted!r}; there are: {', '.join(ISOLATIONS)}")
    if not sys.platform.startswith("linux"):
        raise OptionError("programs can be judged on Linux only")
    reasons = []
    for name, read_only in _TRIALS:
        if wanted is not None and name != wanted:
            continue
        try:
            return _describe(name, *_try(name, read_only))
        except (OptionError, OSError) as error:
            reasons.append(f"{name}: {error}")
    raise OptionError(f"programs cannot be shut in here: {'; '.join(reasons)}")


def _try(name: str, read_only: bool) -> tuple[bool, bool]:
    """Whether the network is blocked and the files are protected; OSError if nothing runs."""
    with (
        tempfile.TemporaryDirectory(prefix="plansolve-trial-") as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        target, work = os.path.join(folder, "target"), os.path.join(folder, "work")
        os.mkdir(work)
        with open(target, "w"):
            pass
        words = [sys.executable, "-I", "-S", "-c", _TRIAL, target, str(server.getsockname()[1])]
        request = {
            "work": os.fsencode(work if name == "process group" else PRIVATE_FOLDER),
            "program": os.fsencode(sys.executable),
            "argv": [*map(os.fsencode, words)],
            "environment": {},
            "read_only": read_only,
            "files": {},
            "limits": {
                "seconds": _TRIAL_SECONDS,
                "memory": 1 << 30,
                "file_size": 1 << 20,
                "processes": 64,
                "open_files": 64,
            },
        }
        with open_cage(name, request, readable=[target]) as cage:
            report = cage.report.readall()
            cage.end()
            assert cage.process.stderr is not None
            words_of_failure = (report or cage.process.stderr.read()).split()
        if words_of_failure[:3] != [b"started", b"exited", b"0"]:
            raise OSError(b" ".join(words_of_failure).decode(errors="replace")[-300:])
        has_caller = bool(select.select([server], [], [], 0)[0])
        return not has_caller, os.path.getsize(target) == 0


def _describe(name: str, network_blocked: bool, filesystem_protected: bool) -> Isolation:
    tools = {
        "bubblewrap": "Programs run inside bubblewrap",
        "namespaces": "Programs run in Linux namespaces of their own",
        "process group": "Programs run in a process group of their own",
    }
    network = "without a network" if network_blocked else "THE NETWORK IS NOT SHUT OFF"
    files = (
        "can write to a temporary folder only (and to sockets and pipes that others serve in "
        "folders that they see)"
        if filesystem_protected
        else "YOUR FILES ARE NOT PROTECTED"
    )
    advice = "" if network_blocked and filesystem_protected else ": judge only what you trust"
    sentence = f"{tools[name]}, with limits; {network}; {files}{advice}."
    return Isolation(name, network_blocked, filesystem_protected, sentence)
