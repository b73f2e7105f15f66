"""Run an untrusted program with limits and isolation, and remove all that it leaves behind."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath
from threading import Event

from plansolve.apps.judge.exchange import Exchange, Launcher, launched
from plansolve.apps.judge.isolation import (
    BUBBLEWRAP,
    ISOLATIONS,
    PRIVATE_FOLDER,
    PROCESS_GROUP,
    Isolation,
)
from plansolve.apps.judge.launcher import NONE
from plansolve.errors import EngineError, OptionError

INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|java|lua|(?:ba|da|k|z)?sh)[\d.]*")
_SCRIPT = re.compile(r"[^-{}][^{}]*\.(?:py|pl|rb|js|lua|sh)")


@dataclass(frozen=True)
class RunLimits:
    """The limits of one run; raise `OptionError` for a limit with which nothing could run."""

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
        # With less nothing can run; larger numbers overflow in the system.
        if not 0.001 <= self.seconds <= 10**6:
            raise OptionError(
                f"the time limit is {self.seconds:g} s: it must be between 0.001 and 1000000"
            )
        if not 1 << 20 <= self.memory <= 1 << 50:
            raise OptionError(
                f"the memory limit is {self.memory} bytes: it must be between 1M and 1024T"
            )


class Ending(StrEnum):
    """The end of a run: by itself, by a limit, or before it began."""

    EXITED = "exited"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"
    PROCESSES = "processes"
    DISK = "disk"
    FAILED = "failed to start"


@dataclass(frozen=True)
class Run:
    """The record of one run of a program."""

    ending: Ending
    exit_code: int | None
    """None if a signal or the referee ended it."""
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
    _running: set[Launcher] = field(default_factory=set, init=False, repr=False, compare=False)
    _stopped: Event = field(default_factory=Event, init=False, repr=False, compare=False)

    def stop(self) -> None:
        """End all runs, including those that are about to begin, without waiting for their end."""
        self._stopped.set()
        for launcher in tuple(self._running):
            launcher.stop()

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
        file names that lead out of the folder, and for words that cannot be passed to a program.
        """
        _check_names(files)
        if not argv or any("\0" in word for word in argv):
            raise OptionError("a command needs a program's name, without a NUL character")
        program, trouble = _find_program(argv[0])
        if trouble:
            return _failed(trouble)
        is_shut_in = self.isolation.name == BUBBLEWRAP.name
        # `python3 -m plansolve` names plansolve too.
        named = [word for word in argv[1:] if os.path.isabs(word) or word == "plansolve"]
        paths = [program, *named, *map(str, readable)]
        with contextlib.nullcontext(PRIVATE_FOLDER) if is_shut_in else _folder() as work:
            order = {
                "work": os.fsencode(work),
                "is_shut_in": is_shut_in,
                "has_control_group": self.isolation.has_control_group,
                "program": os.fsencode(program),
                "argv": [*map(os.fsencode, (program, *argv[1:]))],
                "environment": _environment(work),
                "files": {os.fsencode(name): content for name, content in files.items()},
                "limits": asdict(self.limits),
                "priority": os.getpriority(os.PRIO_PROCESS, 0),
            }
            channel = subprocess.PIPE if stdin else subprocess.DEVNULL
            with launched(order, paths, channel) as launcher:
                self._running.add(launcher)
                if self._stopped.is_set():
                    launcher.stop()
                limits = self.limits
                exchange = Exchange(
                    launcher, stdin, seconds=limits.seconds, most_output=limits.output
                )
                try:
                    exchange.run()
                finally:
                    self._running.discard(launcher)
                return _result(exchange, argv[0], limits, is_shut_in)


def find_isolation(wanted: str | None = None) -> Isolation:
    """Return the best isolation that works here, or the `wanted` one of `ISOLATIONS`.

    Raise OptionError for one that is unknown or does not work here.
    """
    if wanted not in (None, *ISOLATIONS):
        raise OptionError(f"unknown isolation {wanted!r}: choose from {', '.join(ISOLATIONS)}")
    if not sys.platform.startswith("linux"):
        raise OptionError("programs can be judged on Linux only")
    if wanted == PROCESS_GROUP.name:
        return PROCESS_GROUP
    trouble = ""
    for isolation in (replace(BUBBLEWRAP, has_control_group=True), BUBBLEWRAP):
        try:
            run = Sandbox(RunLimits(), isolation).run([sys.executable, "-I", "-S", "-c", ""])
            trouble = "" if run.exit_code == 0 else run.detail
        except OptionError as error:
            trouble = str(error)
        if not trouble:
            return isolation
    if wanted is not None:
        raise OptionError(f"programs cannot be isolated here: {trouble}")
    return replace(PROCESS_GROUP, description=f"{PROCESS_GROUP.description} No sandbox: {trouble}.")


def resolve_command(command: str) -> tuple[str, ...]:
    """Split a command line as a shell would, and make the names of existing files absolute.

    So it means the same in another folder. Words with braces are unchanged: the placeholder for the
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

    That is a program that does not exist, or a missing script after its interpreter.
    """
    _, trouble = _find_program(words[0])
    if trouble:
        raise OptionError(trouble)
    script = words[1] if len(words) > 1 else ""
    is_named = INTERPRETER.fullmatch(Path(words[0]).name) and _SCRIPT.fullmatch(script)
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
            raise OptionError(f"the file name {name!r} is not in the program's folder")


def _find_program(word: str) -> tuple[str, str]:
    """Return the path of a program and "", or "" and the reason why it cannot be run."""
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
            f" (for a file in the current folder, write ./{word})" if os.path.isfile(word) else ""
        )
        return "", f"no such program: {word}{hint}"
    return os.path.abspath(found), ""


def _failed(detail: str) -> Run:
    return Run(Ending.FAILED, None, None, b"", b"", 0.0, 0.0, 0, detail)


def _environment(work: str) -> dict[bytes, bytes]:
    """Return all variables that a program gets; ours may hold secrets."""
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
def _folder() -> Iterator[str]:
    """Make a folder for a program that has no /tmp of its own; raise EngineError if it stays."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="plansolve-run-"))
    try:
        yield folder
    finally:
        # Unlike `shutil.rmtree`, these commands can delete folders of any depth.
        for words in (("chmod", "-R", "u+rwX"), ("rm", "-rf")):
            removed = subprocess.run([*words, "--", folder], capture_output=True, text=True)
        if removed.returncode:
            trouble = removed.stderr.strip().rpartition("\n")[2]
            raise EngineError(f"cannot remove a program's folder {folder}: {trouble}")


def _result(exchange: Exchange, program: str, limits: RunLimits, is_shut_in: bool) -> Run:
    words = exchange.report.decode(errors="replace").rpartition("\n")[2].split(" ", 6)
    if len(words) < 7 and exchange.started is None:
        last = exchange.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return _failed(f"the sandbox could not be started: {last or 'no reason was given'}")
    if len(words) < 7 and exchange.started is not None:
        how, peak, why = "exited", 0, "; its watcher was killed"
        if exchange.is_late:
            how = "stopped"
        elif is_shut_in:
            # No program inside the sandbox can do that, but the kernel does if memory is short.
            how, peak, why = "memory", limits.memory, "needed more memory"
        seconds = time.monotonic() - exchange.started
        words = f"{how} {NONE} {int(signal.SIGKILL)} {seconds} 0 {peak} {why}".split(" ", 6)
    told, detail = words[0], words[6]
    if told == "failed":
        return _failed(f"cannot be started: {program}: {detail}")
    if exchange.has_overflown:
        ending = Ending.OUTPUT
    else:
        ending = Ending.TIME if told == "stopped" else Ending(told)
    code, number = (int(word) if int(word) != NONE else None for word in words[1:3])
    return Run(
        ending=ending,
        exit_code=code if ending is Ending.EXITED else None,
        signal=number if ending is Ending.EXITED else None,
        stdout=bytes(exchange.stdout),
        stderr=bytes(exchange.stderr),
        seconds=float(words[3]),
        cpu_seconds=float(words[4]),
        peak_memory=int(words[5]),
        detail=_explain(ending, code, number, detail, limits),
    )


def _explain(
    ending: Ending, code: int | None, number: int | None, detail: str, limits: RunLimits
) -> str:
    """Return why a run ended, on one line for people."""
    match ending:
        case Ending.TIME:
            return f"still running after {limits.seconds:g} s{detail}"
        case Ending.MEMORY:
            return f"{detail}; the limit is {limits.memory >> 20} MiB"
        case Ending.OUTPUT:
            return f"printed more than {limits.output} bytes{detail}"
        case Ending.PROCESSES:
            return f"{detail}; the limit is {limits.processes}"
        case Ending.DISK:
            return f"{detail}; the limit is {limits.file_size} bytes"
        case _:
            told = f"ended by {_signal_name(number)}" if number else f"exit code {code}"
            return told + detail


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
