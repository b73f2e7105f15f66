"""Progress on stderr: a live line on a terminal, else plain lines once the work takes long."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

import click

from plansolve.solvers.engine.progress import Event
from plansolve.text import at_least

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["LIVE_SECONDS", "QUIET_SECONDS", "ProgressReport", "tell"]

QUIET_SECONDS = 2.0
"""Work that is done sooner leaves no progress lines."""

LIVE_SECONDS = 0.4
"""Work that is done sooner shows no live line."""


class ProgressReport:
    """A context manager to pass to `solve` as its progress callback."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._begin = time.monotonic()
        # What each engine is trying, and since when.
        self._since: dict[str, tuple[int, float]] = {}
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
        """Take notice of an event."""
        now = time.monotonic()
        if event.kind == "trying":
            self._since[event.engine] = (event.trying, now)
        if self._quiet:
            return
        if event.kind == "choice":
            if self._verbose:
                self._print(f"auto: {event.note}")
        elif event.kind == "note":
            self._print(f"{event.engine}: {event.note}")
        elif event.kind in ("bound", "plan") and (
            self._verbose or (not self._is_terminal and now - self._begin > QUIET_SECONDS)
        ):
            self._print(_line(event, now - self._begin))
        if self._is_terminal and now - self._begin > LIVE_SECONDS:
            self._show(event, now)

    def _print(self, line: str) -> None:
        self._clear()
        tell(line)

    def _show(self, event: Event, now: float) -> None:
        if self._line is None:
            # Only long runs on a terminal need it.
            from rich.console import Console
            from rich.status import Status

            self._line = Status("", console=Console(stderr=True), spinner="dots")
            self._line.start()
        trying = ", ".join(
            f"{engine} tries {length} ({now - since:.0f} s)"
            for engine, (length, since) in self._since.items()
            if length >= event.lower_bound
        )
        plan = "no plan yet" if event.upper_bound is None else f"a plan of {event.upper_bound}"
        self._line.update(
            f"{plan}; {at_least(event.lower_bound, 'move')}"
            f"{'; ' if trying else ''}{trying}; {now - self._begin:.0f} s"
        )

    def _clear(self) -> None:
        if self._line is not None:
            self._line.stop()
            self._line = None


def tell(line: str) -> None:
    """Write a line to stderr, where somebody still reads it: the work is for stdout."""
    with suppress(OSError):
        click.echo(line, err=True)


def _line(event: Event, seconds: float) -> str:
    """Return what an engine has come to, in a line: its horizon, or its bounds."""
    record = event.record
    if record is not None:
        conflicts = "" if record.conflicts is None else f", {record.conflicts} conflicts"
        return (
            f"horizon {record.horizon}: {'refuted' if record.refuted else 'plan found'}, "
            f"{record.encode_seconds + record.solve_seconds:.2f} s, "
            f"{record.variables} variables, {record.constraints} constraints{conflicts}"
        )
    work = "".join(
        f", {count} {what}" for what, count in event.counts.items() if isinstance(count, int)
    )
    if event.kind == "plan":
        return f"{event.engine}: a plan of {event.upper_bound} moves{work}; {seconds:.1f} s"
    return f"{event.engine}: {at_least(event.lower_bound)}{work}; {seconds:.1f} s"
