"""The frame of every program here: what it raises becomes one line on stderr and an exit code."""

import _thread
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import NoReturn, TextIO

from plansolve import exit_codes
from plansolve.errors import InputError, PlansolveError
from plansolve.text import visible

_SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
_SECONDS_TO_HEAR, _SECONDS_TO_END = 1.5, 3.5
"""The time that a command has to take notice of a signal, and then to say what it has found."""
_SECONDS_TO_RETURN = 0.05
_all_is_said = threading.Event()
"""Set while no command is running."""


def end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """End the process with one line, as a signal's handler: nothing has been found yet."""
    try:
        os.write(2, b"plansolve: interrupted\n")
    finally:
        os._exit(exit_codes.INTERRUPTED)


def take_signals() -> None:
    """Have the first signal raise `KeyboardInterrupt`; later ones do not disturb what follows.

    A handler does not run while the main thread is in a kernel, or waits for threads that are. So
    another thread learns of each signal from a pipe, and ends the process if the handler has not
    run in time, or if the command has not ended in time after it. A signal that has another handler
    by then, or was ignored from the start, is left alone.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    signal.set_wakeup_fd(_watched_pipe(), warn_on_full_buffer=False)
    sys.unraisablehook = _interrupt_again


def ignore_signals() -> None:
    """Let no signal disturb a process that is about to end with its code."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    ignore_signals()
    raise KeyboardInterrupt


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt once more if the first was lost in a callback, such as a compiler's."""
    if lost.exc_type is KeyboardInterrupt:
        signal.signal(signal.SIGINT, _interrupt)
        # After the callback has returned.
        threading.Timer(_SECONDS_TO_RETURN, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)


@cache
def _watched_pipe() -> int:
    """Return the end of a pipe to which the numbers of signals are written."""
    numbers, pipe = os.pipe()
    os.set_blocking(pipe, False)

    def watch() -> None:
        while True:
            (number,) = os.read(numbers, 1)
            time.sleep(_SECONDS_TO_HEAR)
            if signal.getsignal(number) == signal.SIG_IGN and _all_is_said.wait(_SECONDS_TO_END):
                # What is left are threads in kernels, or compiling them.
                os._exit(exit_codes.INTERRUPTED)
            if signal.getsignal(number) in (_interrupt, signal.SIG_IGN):
                end_at_once(number, None)

    threading.Thread(target=watch, daemon=True).start()
    return pipe


def exit_code_of(run: Callable[[], int | None], prefix: str) -> int:
    """Run a program, and return its exit code; `prefix` begins each line on standard error."""
    if sys.stderr is None:
        # Output to a stream that the caller has closed is lost.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the end
    if sys.stdout is None:
        complain(f"{prefix}standard output is closed: the answer would be lost")
        return exit_codes.USAGE
    _all_is_said.clear()
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has had enough.
        _drop_output(sys.stdout)
        return exit_codes.BROKEN_PIPE
    except Exception as error:
        code, line = _code_and_line(error)
        complain(f"{prefix}{line}")
    except KeyboardInterrupt:
        complain(f"{prefix}interrupted")
        return exit_codes.INTERRUPTED
    finally:
        _all_is_said.set()
    return exit_codes.SOLVED if code is None else code


def complain(line: str) -> None:
    """Print a line for people on standard error, if that can be written."""
    try:
        sys.stderr.write(f"{line}\n")
    except OSError:
        _drop_output(sys.stderr)


def limit_memory(data: int | None = None) -> None:
    """Let this process run out of memory before the machine does, or beyond so much of its own.

    Of the latter, what is mapped and never used does not count.
    """
    # Few programs limit themselves.
    from plansolve.solvers.limits import most_memory

    for kind, most in ((resource.RLIMIT_AS, most_memory()), (resource.RLIMIT_DATA, data)):
        soft, hard = resource.getrlimit(kind)
        # A limit that the user has set stays, for only root may raise it.
        if most is not None and (soft == resource.RLIM_INFINITY or soft > most):
            resource.setrlimit(kind, (most, hard))


def data_in_use() -> int:
    """Return the bytes of this process that its limit counts; 0 if nobody tells."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0


def _code_and_line(error: Exception) -> tuple[int, str]:
    """Return the exit code for an error, and the line that tells it; raise it for debugging."""
    match error:
        case InputError():
            # Names of files are other people's, and may hold what moves the cursor.
            return exit_codes.USAGE, visible(str(error))
        case _ if _is_of_memory(error):
            # A message takes memory: the program lifts the limits that it has set itself.
            for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
                _, hard = resource.getrlimit(kind)
                resource.setrlimit(kind, (hard, hard))
            return exit_codes.MEMORY, "out of memory"
        case OSError(errno=int(), filename=str() as name):
            return exit_codes.USAGE, visible(f"{name}: {error.strerror}")
        case OSError() if error.errno is not None:
            # No file that has a name: it is a standard stream.
            _drop_output(sys.stdout)
            return exit_codes.USAGE, f"standard output: {error.strerror}"
        case PlansolveError():
            return exit_codes.INTERNAL, str(error)
    if os.environ.get("PLANSOLVE_DEBUG"):
        raise error
    return exit_codes.INTERNAL, (
        f"internal error, please report it: {type(error).__name__}: {error} "
        "(PLANSOLVE_DEBUG=1 shows where)"
    )


def _is_of_memory(error: Exception) -> bool:
    """Return True if an error says, in one of many ways, that no memory was left."""
    match error:
        case MemoryError():
            return True
        case RuntimeError():
            # A thread's stack found no room.
            return str(error) == "can't start new thread"
        case SystemError():
            # CPython 3.11 found no room for the frame of a call, and forgot to say so.
            return "without exception set" in str(error) or "without setting" in str(error)
        case ImportError() | OSError(errno=None):
            # A library's pages could not be mapped.
            soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
            return soft != hard
    return False


def _drop_output(stream: TextIO) -> None:
    """Let nothing more be written, not even what Python has kept until it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
