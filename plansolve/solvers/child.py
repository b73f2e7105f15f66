"""The parent's side of the child process: limits on time and memory, and an end at any moment."""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import plansolve
from plansolve.errors import PlansolveError
from plansolve.solvers.attempt import Attempt, Job
from plansolve.solvers.result import StopReason

__all__ = ["CutShort", "HorizonChild", "Limits"]

_POLL_SECONDS = 0.1


class CutShort(Exception):
    """The work ended before an answer, for the given reason, told more closely in `detail`."""

    def __init__(self, reason: StopReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Limits:
    """When to stop: `deadline` on the clock of `time.monotonic`, `memory` in bytes of the child."""

    deadline: float | None = None
    memory: int | None = None


class HorizonChild:
    """A context manager around one child process; leaving it ends the process at once."""

    def __init__(self, job: Job, limits: Limits) -> None:
        self._limits = limits
        # The child sees the modules that this process sees, wherever they come from, so it needs
        # no `site` (-S), which would double the time it takes to start.
        path = [*sys.path, str(Path(plansolve.__file__).parent.parent)]
        code = (
            f"import sys; sys.path[:] = {path!r}; "
            f"import plansolve.solvers.worker as worker; worker.main({os.getpid()})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C goes to a terminal's whole group of processes: only the parent handles it.
            start_new_session=True,
        )
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=_forward, args=(self._process.stdout, self._answers), daemon=True
        )
        self._reader.start()
        self._send(job)

    def __enter__(self) -> "HorizonChild":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        if self._process.stdin:
            with suppress(BrokenPipeError):  # what was not sent yet no longer matters
                self._process.stdin.close()

    def attempt(self, horizon: int, while_waiting: Callable[[], None]) -> Attempt:
        """The child's answer for one horizon; `while_waiting` is called some times a second.

        Raises `CutShort` at a limit and where the child died, and the error that it reports.
        """
        self._send(horizon)
        while True:
            try:
                answer = self._answers.get(timeout=self._patience())
            except queue.Empty:
                self._check_limits()
                while_waiting()
                continue
            if isinstance(answer, Attempt):
                return answer
            if isinstance(answer, MemoryError):
                raise CutShort(StopReason.MEMORY, "memory ran out")
            if isinstance(answer, PlansolveError):
                raise answer
            raise self._death()

    def _patience(self) -> float:
        if self._limits.deadline is None:
            return _POLL_SECONDS
        return max(0.0, min(_POLL_SECONDS, self._limits.deadline - time.monotonic()))

    def _check_limits(self) -> None:
        if self._limits.deadline is not None and time.monotonic() >= self._limits.deadline:
            raise CutShort(StopReason.TIME, "time limit reached")
        if self._limits.memory is not None and self._resident() > self._limits.memory:
            raise CutShort(StopReason.MEMORY, "memory limit reached")

    def _resident(self) -> int:
        # Only runs that last need it.
        import psutil

        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            # The child is gone; waiting for its answer finds out why.
            return

    def _death(self) -> CutShort:
        code = self._process.wait()
        if code in (-signal.SIGKILL, -signal.SIGABRT):
            # How the kernel and the C++ library answer a want of memory.
            return CutShort(StopReason.MEMORY, "memory ran out, or the solver was killed")
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        return CutShort(StopReason.CRASH, f"the solver's process ended unexpectedly, {cause}")


def _forward(stream: IO[bytes], answers: "queue.SimpleQueue[Any]") -> None:
    """Puts each message of the child into `answers`, and None when there are no more."""
    with stream:
        try:
            while True:
                answers.put(pickle.load(stream))
        except (EOFError, OSError, pickle.UnpicklingError):
            answers.put(None)
