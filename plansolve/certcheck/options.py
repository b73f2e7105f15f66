"""Options of a check, and the errors that end it."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from plansolve.errors import PlansolveError
from plansolve.model.puzzle import Plan

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the kind of item, the number done, and the total (0 if unknown)."""


class SearchedUnits(NamedTuple):
    """Finished units: their number, the boards visited, True if from a store, the plans found."""

    units: int
    boards: int
    is_known: bool = False
    plans: tuple[Plan, ...] = ()


Searching: TypeAlias = Callable[[Any, Sequence[tuple[int, ...]]], Iterator[SearchedUnits]]
"""Searches below some paths of a `search.tree.ProofTree`; yields the finished units."""


class CheckFailed(PlansolveError):
    """Something in the certificate is wrong; the message says what."""


class CheckUndecided(PlansolveError):
    """There is no verdict; the message says why."""


def _say_nothing(what: str, done: int = 0, total: int = 0) -> None:
    """Do nothing: no progress is requested."""


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check.

    `searching` searches the units of a search proof, with other workers or a store; the default is
    threads. `sample` is the share of units to search, from 0 to 1; None for all. `external` names
    another checker that must agree. `threads` is the number of threads. `deadline` is a time of
    `time.monotonic`. `progress` is called regularly; `note` gets a message about slow work that
    happens once.
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
