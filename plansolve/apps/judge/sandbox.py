"""Runs a program that nobody vouches for: limited, shut in, and with all that it leaves removed."""

import contextlib
import os
import re
import select
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from plansolve.apps.judge.isolation import (
    PRIVATE_FOLDER,
    Cage,
    Isolation,
    find_isolation,
    open_cage,
)
from plansolve.apps.judge.launcher import NONE
from plansolve.errors import EngineError, OptionError

__all__ = [
    "Ending",
    "Isolation",
    "Run",
    "RunLimits",
    "Sandbox",
    "check_command",
    "find_isolation",
    "resolve_command",
]

_INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|lua|(?:ba|da|k|z)?sh)[\d.]*")
_SCRIPT = re.compile(r"[^-{}][^{}]*\.(?:py|pl|rb|js|lua|sh)")
_STDERR_KEPT = 4096
_CHUNK = 1 << 16
_FULL_PIPE = 1 << 20
_START_SECONDS = 60.0
"""For the launcher, on a machine that is busy."""
_GRACE_SECONDS = 0.5
"""The launcher ends a run itself when its time is over; after this we ask it to."""

_BOUNDS = {
    "seconds": (0.001, 10**6),
    "memory": (1 << 20, 1 << 50),
    "output": (0, 1 << 40),
    "file_size": (1 << 16, 1 << 50),
    "processes": (1, 1 << 20),
    "open_files": (8, 1 << 20),
}
"""The least and the most of each limit: less lets nothing run, more the system cannot count."""


_IN_BYTES = frozenset({"memory", "output", "file_size"})


def _size(count: float) -> str:
    """Return a number of bytes in the largest unit that it is a multiple of: "64K", "1G"."""
    count = int(count)
    power = next((p for p in (4, 3, 2, 1) if count and count % 1024**p == 0), 0)
    return f"{count // 1024**power}{' KMGT'[power].strip()}"


@dataclass(frozen=True)
class RunLimits:
    """What one run may use; raises OptionError for a limit with which nothing could run."""

    seconds: float = 60.0
    """Wall clock."""
    memory: int = 2 << 30
    """Bytes of all of the program's processes together."""
    output: int = 1 << 20
    """Bytes of standard output that are read; more ends the run."""
    file_size: int = 64 << 20
    """Bytes of any one file that it writes, and of its temporary folder as a whole."""
    processes: int = 64
    """Processes and threads at a time."""
    open_files: int = 256
    """Open files of any one process."""

    def __post_init__(self) -> None:
        for name, (least, most) in _BOUNDS.items():
            if not least <= getattr(self, name) <= most:
                told = _size if name in _IN_BYTES else str
                raise OptionError(
                    f"the limit of {name.replace('_', ' ')} is {told(getattr(self, name))}: "
                    f"{told(least)} is the least, {told(most)} the most"
                )


class Ending(StrEnum):
    """Why a run ended: by itself, because of a limit, or before it began."""

    EXITED = "exited"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    PROCESSES = "processes"
    DISK = "disk"
    FAILED = "failed to start"


@dataclass(frozen=True)
class Run:
    """What a program did."""

    ending: Ending
    exit_code: int | None
    """None where a signal or the referee ended it."""
    signal: int | None
    """The signal that ended it, unless the referee did."""
    stdout: bytes
    """Its first `limits.output` bytes."""
    stderr: bytes
    """Its last 4 KiB."""
    seconds: float
    """Wall clock, from the program's start."""
    cpu_seconds: float
    """Of all its processes."""
    peak_memory: int
    """Bytes of all its processes together, measured now and then; about 10 MB at least."""
    detail: str
    """One line for people."""


@dataclass(frozen=True)
class Sandbox:
    """Limits and an isolation, for many runs; several threads may run programs at a time."""

    limits: RunLimits
    isolation: Isolation

    def run(
        self,
        argv: Sequence[str],
        *,
        files: Mapping[str, bytes] = {},
        stdin: bytes = b"",
        readable: Sequence[Path] = (),
    ) -> Run:
        """Run `argv` without a shell in a new folder that holds `files`, and return how it went.

        The program is looked up on PATH, or from the current folder if it is written with a slash.
        It can read the paths in `argv` and `readable` wherever they are. When this returns, or
        raises anything, no process of it is left, and the folder is gone. Raises OptionError for
        file names that lead out of the folder and words that no program can be given.
        """
        _check_names(files)
        if not argv or any("\0" in word for word in argv):
            raise OptionError("a command needs at least the name of a program, and no NUL")
        program, trouble = _find_program(argv[0])
        if trouble:
            return _failed(trouble)
        paths = [program, *filter(os.path.isabs, argv[1:]), *map(os.path.abspath, readable)]
        with _folder(self.isolation) as work:
            request = {
                "work": os.fsencode(work),
                "program": os.fsencode(program),
                "argv": [*map(os.fsencode, (program, *argv[1:]))],
                "environment": _environment(work),
                "files": {os.fsencode(name): content for name, content in files.items()},
                "limits": asdict(self.limits),
                "read_only": self.isolation.filesystem_protected,
            }
            channel = subprocess.PIPE if stdin else subprocess.DEVNULL
            with open_cage(self.isolation.name, request, readable=paths, stdin=channel) as cage:
                exchange = _Exchange(cage, self.limits, stdin)
                exchange.run()
                return exchange.result(argv[0])


def resolve_command(command: str) -> tuple[str, ...]:
    """Split a command line as a shell would, and make the names of existing files absolute.

    So it means the same in another folder. Words with braces are left alone: what stands for a
    board is filled in later. Raises OptionError for a command that is empty or badly quoted.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"the command {command!r} cannot be split: {error}") from None
    if not words:
        raise OptionError("the command is empty; a program is needed, as in 'python3 solver.py'")
    # The first word is looked up on PATH unless it is written as a path.
    first = words[0] if "/" not in words[0] else _resolve_word(words[0])
    return (first, *map(_resolve_word, words[1:]))


def check_command(words: Sequence[str]) -> None:
    """Raise `OptionError` for a command that cannot run, whatever the board is.

    That is a program that is not there, and a script that is not there behind its interpreter.
    """
    _, trouble = _find_program(words[0])
    if trouble:
        raise OptionError(trouble)
    script = words[1] if len(words) > 1 else ""
    is_named = _INTERPRETER.fullmatch(Path(words[0]).name) and _SCRIPT.fullmatch(script)
    if is_named and not os.path.exists(script):
        raise OptionError(f"no such program: {script}")


def _resolve_word(word: str) -> str:
    if "{" in word or "}" in word or "\0" in word or not os.path.exists(word):
        return word
    return os.path.abspath(word)


def _check_names(files: Mapping[str, bytes]) -> None:
    for name in files:
        path = PurePosixPath(name)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
            raise OptionError(f"the file name {name!r} does not lie in the program's folder")


def _find_program(word: str) -> tuple[str, str]:
    """Return the path of a program and "", or "" and why there is none."""
    if "/" in word:
        path = os.path.abspath(word)
        if not os.path.exists(path):
            return "", f"no such program: {word}"
        if os.path.isdir(path):
            return "", f"not a program but a folder: {word}"
        if not os.access(path, os.X_OK):
            return "", f"not executable: {word} (use chmod +x, or name its interpreter before it)"
        return path, ""
    found = shutil.which(word)
    if found is None:
        hint = (
            f" (a file of the current folder is written ./{word})" if os.path.isfile(word) else ""
        )
        return "", f"no such program: {word}{hint}"
    return os.path.abspath(found), ""


def _failed(detail: str) -> Run:
    return Run(Ending.FAILED, None, None, b"", b"", 0.0, 0.0, 0, detail)


def _environment(work: str) -> dict[bytes, bytes]:
    """Return all variables that a program gets: nothing of ours, which may hold secrets."""
    search = os.environ.get("PATH", os.defpath).split(os.pathsep)
    variables = {
        "PATH": os.pathsep.join(filter(os.path.isabs, search)),
        "HOME": work,
        "TMPDIR": work,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
    }
    return {os.fsencode(name): os.fsencode(value) for name, value in variables.items()}


@contextlib.contextmanager
def _folder(isolation: Isolation) -> Iterator[str]:
    """The program's folder; on this machine only where programs have no /tmp of their own."""
    if isolation.name != "process group":
        yield PRIVATE_FOLDER
        return
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plansolve-run-"))
    try:
        yield folder
    finally:
        _remove_folder(folder)


def _remove_folder(top: str) -> None:
    """Remove a folder, whatever its permissions, and without recursion, however deep it is.

    Folders inside folders are moved up first, so that no path becomes too long. Nothing outside is
    touched, even if the program has put a link in the folder's place. Raises EngineError.
    """
    try:
        if not stat.S_ISDIR(os.lstat(top).st_mode):
            os.unlink(top)
            return
        os.chmod(top, 0o700)
        pool = tempfile.mkdtemp(dir=top)
        waiting, moved = [top], 0
        while waiting:
            folder = waiting.pop()
            for entry in list(os.scandir(folder)):
                if entry.path == pool:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    # To move a folder or to list it, one must be allowed to write and read it.
                    os.chmod(entry.path, 0o700)
                    moved += 1
                    waiting.append(os.path.join(pool, str(moved)))
                    os.rename(entry.path, waiting[-1])
                else:
                    os.unlink(entry.path)
            if folder != top:
                os.rmdir(folder)
        os.rmdir(pool)
        os.rmdir(top)
    except FileNotFoundError:
        return  # the program has removed it
    except OSError as error:
        raise EngineError(f"the folder {top} of a program cannot be removed: {error}") from None


class _Exchange:
    """The streams of a run: feeds standard input, and keeps a bounded part of what comes out."""

    def __init__(self, cage: Cage, limits: RunLimits, stdin: bytes) -> None:
        process = cage.process
        assert process.stdout is not None and process.stderr is not None
        self._cage, self._limits = cage, limits
        self._unsent = memoryview(stdin)
        self._stdin = process.stdin
        self._stdout, self._stderr = bytearray(), bytearray()
        self._report = bytearray()
        self._has_overflown = self._is_late = False
        self._started: float | None = None
        self._sources: dict[int, Callable[[bytes], None]] = {
            process.stdout.fileno(): self._take_output,
            process.stderr.fileno(): self._take_errors,
            cage.report.fileno(): self._report.extend,
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
        report = self._cage.report.fileno()
        deadline = time.monotonic() + _START_SECONDS
        while report in self._sources:
            remaining = deadline - time.monotonic()
            for descriptor, _ in self._poll.poll(max(0.0, remaining) * 1000):
                if descriptor in self._sources:
                    self._read(descriptor)
                else:
                    self._feed()
            if self._started is None and self._report.startswith(b"started"):
                self._started = time.monotonic()
                deadline = self._started + self._limits.seconds + _GRACE_SECONDS
            if time.monotonic() >= deadline and report in self._sources:
                self._is_late = True
                break
            if self._has_overflown:
                self._cage.stop()
        self._cage.end()
        for descriptor in tuple(self._sources):
            # The rest fits into a pipe, even if somebody still holds its other end.
            for _ in range(_FULL_PIPE // _CHUNK):
                if not self._read(descriptor):
                    break

    def _read(self, descriptor: int) -> bool:
        """Whether there may be more."""
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
        room = self._limits.output - len(self._stdout)
        self._stdout += chunk[:room]
        self._has_overflown |= len(chunk) > room

    def _take_errors(self, chunk: bytes) -> None:
        self._stderr += chunk
        del self._stderr[:-_STDERR_KEPT]

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

    def result(self, program: str) -> Run:
        """Return what came of it, once `run` has returned."""
        words = self._report.decode(errors="replace").removeprefix("started\n").split(" ", 6)
        if len(words) < 7:
            return self._without_report()
        told, detail = words[0], words[6]
        if told == "failed":
            return _failed(f"cannot be started: {program}: {detail}")
        if self._has_overflown:
            ending = Ending.OUTPUT
        else:
            ending = Ending.TIME if told == "stopped" else Ending(told)
        code, number = (int(word) if int(word) != NONE else None for word in words[1:3])
        return Run(
            ending=ending,
            exit_code=code if ending is Ending.EXITED else None,
            signal=number if ending is Ending.EXITED else None,
            stdout=bytes(self._stdout),
            stderr=bytes(self._stderr),
            seconds=float(words[3]),
            cpu_seconds=float(words[4]),
            peak_memory=int(words[5]),
            detail=self._explain(ending, code, number, detail),
        )

    def _without_report(self) -> Run:
        """Return what is known where the launcher was killed, as it can be without a namespace."""
        if self._started is None:
            last = self._stderr.decode(errors="replace").strip().rpartition("\n")[2]
            return _failed(f"the program could not be shut in: {last or 'no reason was given'}")
        seconds = time.monotonic() - self._started
        ending = Ending.EXITED
        if self._has_overflown:
            ending = Ending.OUTPUT
        elif self._is_late:
            ending = Ending.TIME
        number = int(signal.SIGKILL) if ending is Ending.EXITED else None
        output, errors = bytes(self._stdout), bytes(self._stderr)
        detail = "the process that watched over it was killed"
        return Run(ending, None, number, output, errors, seconds, 0.0, 0, detail)

    def _explain(self, ending: Ending, code: int | None, number: int | None, detail: str) -> str:
        limits = self._limits
        match ending:
            case Ending.TIME:
                return f"still running after {limits.seconds:g} s{detail}"
            case Ending.MEMORY:
                return f"{detail}, {limits.memory >> 20} MB are allowed"
            case Ending.OUTPUT:
                return f"printed more than {limits.output} bytes{detail}"
            case Ending.PROCESSES:
                return f"{detail}, {limits.processes} are allowed"
            case Ending.DISK:
                return f"{detail}; {limits.file_size} bytes are allowed"
            case _:
                told = f"ended by {_signal_name(number)}" if number else f"exit code {code}"
                return told + detail


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
