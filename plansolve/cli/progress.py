"""Progress on stderr: a live line on a terminal, else plain lines once the work takes long."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

import click

from plansolve.solvers.horizon import Event

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["ProgressReport"]

_QUIET_SECONDS = 2.0
_LIVE_SECONDS = 0.4


class ProgressReport:
    """A context manager to pass to `solve` as its progress callback."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._begin = self._horizon_begin = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._line: Status | None = None

    def __enter__(self) -> ProgressReport:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clear()

    def __call__(self, event: Event) -> None:
        """Takes notice of an event."""
        now = time.monotonic()
        if event.kind == "started":
            self._horizon_begin = now
        if self._quiet:
            return
        if event.kind in ("refuted", "found"):
            if self._verbose or (not self._is_terminal and now - self._begin > _QUIET_SECONDS):
                self._print(event)
        elif self._is_terminal and now - self._begin > _LIVE_SECONDS:
            self._show(event, now)

    def _print(self, event: Event) -> None:
        assert event.attempt is not None
        solution = event.attempt.solution
        conflicts = "" if solution.conflicts is None else f", {solution.conflicts} conflicts"
        self._clear()
        click.echo(
            f"horizon {event.horizon}: {event.kind if event.kind == 'refuted' else 'plan found'}, "
            f"{solution.encode_seconds + solution.solve_seconds:.2f} s, "
            f"{solution.variables} variables, {solution.constraints} constraints{conflicts}",
            err=True,
        )

    def _show(self, event: Event, now: float) -> None:
        if self._line is None:
            # Only long runs on a terminal need it.
            from rich.console import Console
            from rich.status import Status

            self._line = Status("", console=Console(stderr=True), spinner="dots")
            self._line.start()
        self._line.update(
            f"every plan has {event.lower_bound} moves or more; trying {event.horizon} "
            f"({now - self._horizon_begin:.0f} s; {now - self._begin:.0f} s in all)"
        )

    def _clear(self) -> None:
        if self._line is not None:
            self._line.stop()
            self._line = None
