"""What the checks of a certificate's parts share: how they are made, and how they may fail."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from plansolve.errors import PlansolveError

__all__ = ["Manner", "Progress", "Undecided", "Wrong"]

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being checked, and how many of how many are done."""


class Wrong(PlansolveError):
    """What was found wrong."""


class Undecided(PlansolveError):
    """Why there is no verdict."""


def _say_nothing(what: str, done: int = 0, total: int = 0) -> None:
    """No progress is asked for."""


@dataclass(frozen=True)
class Manner:
    """How to check.

    `plain_only` accepts only formulas that follow from the rules for each content by itself.
    `outside` names another checker that has to agree. `threads` share long proofs. `deadline` is on
    the clock of `time.monotonic`. `progress` is told now and then how far it is; `note` is given a
    line for people about something that takes long and happens once.
    """

    plain_only: bool = False
    outside: str | None = None
    threads: int = 1
    deadline: float | None = None
    progress: Progress = _say_nothing
    note: Callable[[str], None] = _say_nothing
