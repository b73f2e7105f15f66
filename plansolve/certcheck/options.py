"""Options of a check, and the errors that end it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from plansolve.errors import PlansolveError
from plansolve.model.puzzle import Plan

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being checked, how many are done, and how many there are, 0 for unknown."""


class SearchedUnits(NamedTuple):
    """The number of finished units, the boards entered, whether kept from before, the plans met."""

    units: int
    boards: int
    is_known: bool = False
    plans: tuple[Plan, ...] = ()


Searching: TypeAlias = Callable[[Any, Sequence[tuple[int, ...]]], Iterator[SearchedUnits]]
"""Searches below some paths of a `search.tree.ProofTree`, and yields what was searched."""


class CheckFailed(PlansolveError):
    """Something in the certificate is wrong; the message says what."""


class CheckUndecided(PlansolveError):
    """There is no verdict; the message says why."""


def _say_nothing(what: str, done: int = 0, total: int = 0) -> None:
    """Take no notice: no progress is requested."""


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check.

    `searching` searches units of a search proof, with other workers or a store; by default threads
    do. `sample` is the share of units to search, from 0 to 1; None for all. `external` names
    another checker that must agree. `threads` share the work. `deadline` is on the clock of
    `time.monotonic`. `progress` is called now and then; `note` gets a line for people about slow
    work that happens once.
    """

    external: str | None = None
    threads: int = 1
    deadline: float | None = None
    sample: float | None = None
    searching: Searching | None = None
    progress: Progress = _say_nothing
    note: Callable[[str], None] = _say_nothing

    def is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline
