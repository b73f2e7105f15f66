"""Progress on stderr: a live line on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Self

import click

from plansolve.errors import OptionError
from plansolve.solvers.protocol import Event
from plansolve.text import at_least, counted, within

if TYPE_CHECKING:
    from rich.status import Status

QUIET_SECONDS = 5.0
"""The least time before the first line of progress, and between lines."""

LIVE_SECONDS = 0.4
"""Shorter work shows no live line."""


class LiveLine:
    """A context manager: a changing line on a terminal's stderr, removed at the end."""

    _status: Status | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        """Show this text."""
        # Only long runs on a terminal need this module.
        from rich.console import Console
        from rich.status import Status
        from rich.text import Text

        if self._status is None:
            self._status = Status("", console=Console(stderr=True), spinner="dots")
            self._status.start()
        self._status.update(Text(text))

    def clear(self) -> None:
        """Remove the line, until something is shown again."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def tell(self, line: str) -> None:
        """Write a line to stderr, in place of the live line."""
        self.clear()
        tell(line)


class ProgressReport(LiveLine):
    """A live line to pass to `solve` as its progress callback."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        if quiet and verbose:
            raise OptionError("--quiet and --verbose contradict each other: give one of them")
        self._quiet, self._verbose = quiet, verbose
        self._begin = self._told = time.monotonic()
        # What each engine is trying, and since when.
        self._since: dict[str, tuple[int, float]] = {}
        self._is_terminal = sys.stderr.isatty()
        # The bounds of the last line, and the last note with its time.
        self._bounds: tuple[int, int | None] | None = None
        self._note, self._noted = "", -inf

    def __call__(self, event: Event) -> None:
        """Handle an event."""
        now = time.monotonic()
        if event.kind == "trying":
            self._since[event.engine] = (event.trying, now)
        if self._quiet:
            return
        match event.kind:
            case "warning":
                self.tell(f"{event.engine}: {event.note}")
            case "choice" if self._verbose:
                self.tell(f"auto: {event.note}")
            case "note" if self._verbose or self._is_new_note(event, now):
                self._note, self._noted = event.note, now
                self.tell(f"{event.engine}: {event.note}")
            case "bound" | "plan" if self._verbose:
                self.tell(_line(event, now - self._begin))
            case _ if self._is_news(event, now):
                self._bounds, self._told = (event.lower_bound, event.upper_bound), now
                self.tell(f"{_known(event)}; {now - self._begin:.0f} s")
        if self._is_terminal and now - self._begin > LIVE_SECONDS:
            self.show(self._live(event, now))

    def _is_news(self, event: Event, now: float) -> bool:
        """Return True if the bounds of an event are worth a line without a terminal."""
        is_due = not (self._is_terminal or self._verbose) and now - self._told >= QUIET_SECONDS
        return is_due and (event.lower_bound, event.upper_bound) != self._bounds

    def _is_new_note(self, event: Event, now: float) -> bool:
        return event.note != self._note and now - self._noted >= QUIET_SECONDS

    def _live(self, event: Event, now: float) -> str:
        """Return the live line: plan, bound, and what the engines are trying."""
        trying = ", ".join(
            f"{engine} tries length {length} ({now - since:.0f} s)"
            for engine, (length, since) in self._since.items()
            if length >= event.lower_bound
        )
        return f"{_known(event)}{'; ' if trying else ''}{trying}; {now - self._begin:.0f} s"


def tell(line: str) -> None:
    """Write a line to stderr; do nothing if stderr is closed."""
    with suppress(OSError):
        click.echo(line, err=True)


def _known(event: Event) -> str:
    """Return the length of the best plan, and the bound."""
    length = event.upper_bound
    plan = "no plan yet" if length is None else f"a plan of {counted(length, 'move')}"
    return f"{plan}; {at_least(event.lower_bound, 'move' * (length is None))}"


def _line(event: Event, seconds: float) -> str:
    """Return an engine's progress in a line: its horizon, or its bounds, and its work."""
    record = event.record
    if record is not None:
        conflicts = "" if record.conflicts is None else f", {counted(record.conflicts, 'conflict')}"
        boards = f", {counted(record.boards, 'board')} searched" if record.boards else ""
        outcome = "refuted" if record.refuted else "plan found"
        outcome += " by breadth-first search" * record.by_search
        return (
            f"horizon {record.horizon}: {outcome}, "
            f"{record.encode_seconds + record.solve_seconds:.2f} s, "
            f"{counted(record.variables, 'variable')}, "
            f"{counted(record.constraints, 'constraint')}{boards}{conflicts}"
        )
    work = "".join(
        f", {what.replace('_', ' ')}: {count}"
        for what, count in event.counts.items()
        if isinstance(count, int)
    )
    if event.kind == "plan":
        length = event.upper_bound or 0
        ratio = within(length, event.lower_bound)
        known = f"a plan of {counted(length, 'move')}{ratio and f', {ratio}'}"
    else:
        known = at_least(event.lower_bound, "move")
    return f"{event.engine}: {known}{work}; {seconds:.1f} s"
