"""The frame of every program here: what it raises becomes one line on stderr and an exit code."""

import os
import sys
from collections.abc import Callable

from plansolve import exit_codes
from plansolve.errors import InputError, PlansolveError

__all__ = ["complain", "exit_code_of"]


def exit_code_of(run: Callable[[], int | None], prefix: str) -> int:
    """Run a program, and return its exit code; `prefix` begins each line on standard error."""
    if sys.stderr is None:
        # What goes to a stream that the caller has closed goes nowhere.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open until the end
    if sys.stdout is None:
        complain(f"{prefix}standard output is closed: the answer would be lost")
        return exit_codes.USAGE
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has had enough.
        _drop_output()
        return exit_codes.BROKEN_PIPE
    except Exception as error:
        code, line = _code_and_line(error)
        complain(f"{prefix}{line}")
    except KeyboardInterrupt:
        complain(f"{prefix}interrupted")
        return exit_codes.INTERRUPTED
    return exit_codes.SOLVED if code is None else code


def complain(line: str) -> None:
    """Print a line for people on standard error."""
    sys.stderr.write(f"{line}\n")


def _code_and_line(error: Exception) -> tuple[int, str]:
    """Return the exit code for an error, and the line that tells it; raise it for debugging."""
    match error:
        case InputError():
            return exit_codes.USAGE, str(error)
        case OSError():
            # The programs tell about the files they read and write; this is standard output.
            _drop_output()
            return exit_codes.USAGE, f"standard output: {error.strerror}"
        case RuntimeError() if str(error) == "can't start new thread":
            # A thread's stack found no room.
            return exit_codes.MEMORY, "out of memory"
        case MemoryError():
            return exit_codes.MEMORY, "out of memory"
        case PlansolveError():
            return exit_codes.INTERNAL, str(error)
    if os.environ.get("PLANSOLVE_DEBUG"):
        raise error
    return exit_codes.INTERNAL, (
        f"internal error, please report it: {type(error).__name__}: {error} "
        "(PLANSOLVE_DEBUG=1 shows where)"
    )


def _drop_output() -> None:
    """Let nothing more be written, not even what Python has kept until it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
