"""The child process that attempts horizons: `python -c "...; main(parent)"`, started by `child`.

It reads pickled messages from its parent on standard input, first a job and then horizons, and
answers each with an attempt or an error on what was its standard output. A SAT solver holds the
interpreter's lock and cannot be interrupted, so the parent ends it by ending this process.
"""

import ctypes
import gc
import os
import pickle
import signal
import sys
import traceback
from typing import Any, BinaryIO

from plansolve.errors import InternalError, PlansolveError
from plansolve.solvers.attempt import HorizonSolver

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1


def main(parent: int) -> None:
    """Serves the process `parent` until it closes the pipe."""
    _end_with(parent)
    # Formulas are millions of small lists without cycles; looking for some takes a tenth longer.
    gc.disable()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Solvers written in C++ may print: that must not get between the messages.
    os.dup2(2, 1)
    try:
        solver = HorizonSolver(pickle.load(requests))
        while True:
            _send(answers, solver.attempt(pickle.load(requests)))
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        # The parent has closed the pipe, perhaps in the middle of a message.
        os._exit(0)
    except MemoryError:
        _send(answers, MemoryError())
    except PlansolveError as error:
        _send(answers, error)
    except Exception as error:
        # The parent reports it: a child has nobody to show a traceback to.
        _send(answers, InternalError("".join(traceback.format_exception(error))))


def _send(answers: BinaryIO, message: Any) -> None:
    pickle.dump(message, answers)
    answers.flush()


def _end_with(parent: int) -> None:
    """Asks Linux to end this process when its parent dies, however it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # It died before it could be asked.
        os._exit(1)
