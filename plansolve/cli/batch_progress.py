"""How a batch goes on: a bar on a terminal, the count of what came of the boards, a last line."""

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from plansolve.cli.progress import tell
from plansolve.instances.batch import Outcome
from plansolve.text import counted

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class BatchProgress:
    """A context manager; `total` is None where nobody knows how many boards there are.

    `counts` holds how many boards were proved, have a plan only, have neither, have failed, are no
    boards; `known` how many of them the store had. With `bar` there is one where stderr is a
    terminal.
    """

    def __init__(self, total: int | None, *, bar: bool) -> None:
        self._total, self._begin = total, time.monotonic()
        self.counts = dict.fromkeys(("proved", "planned", "open", "failed", "bad"), 0)
        self.known = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._wants_bar = bar and sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._wants_bar:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                MofNCompleteColumn(),
                BarColumn(bar_width=None),
                TextColumn("{task.description}"),
                TimeRemainingColumn(compact=True),
                console=Console(stderr=True),
                redirect_stdout=False,
                redirect_stderr=False,
                transient=True,
                expand=True,
            )
            self._task = self._bar.add_task("", total=self._total)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def done(self) -> int:
        """Return the number of boards that are done with."""
        return sum(self.counts.values())

    def count(self, outcome: Outcome | None) -> None:
        """Take in what came of a board, None for what is none."""
        self.counts[_kind(outcome)] += 1
        self.known += outcome is not None and outcome.from_store
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self.done, description=self._figures())

    def tell(self, line: str) -> None:
        """Write a line to stderr, above the bar."""
        if self._bar is None:
            tell(line)
            return
        with suppress(OSError):
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def summary(self) -> str:
        """Return the last line."""
        seconds = time.monotonic() - self._begin
        fresh = self.done - self.known
        rate = f", {fresh / seconds:.1f} a second" if fresh and seconds > 1 else ""
        store = f" ({self.known} of them in the store already)" if self.known else ""
        return f"{counted(self.done, 'board')}{store}: {self._figures()}; {seconds:.1f} s{rate}"

    def _figures(self) -> str:
        words = {
            "proved": "proved",
            "planned": "with a plan, not proved",
            "open": "given up without a plan",
            "failed": "failed",
            "bad": "unreadable",
        }
        told = [f"{self.counts[kind]} {word}" for kind, word in words.items() if self.counts[kind]]
        return ", ".join(told) or "none done"


def _kind(outcome: Outcome | None) -> str:
    if outcome is None or outcome.attempt is None:
        return "bad"
    attempt = outcome.attempt
    if attempt.status in ("optimal", "unsolvable", "no plan within horizon"):
        return "proved"
    if attempt.status == "error":
        return "failed"
    return "open" if attempt.length is None else "planned"
