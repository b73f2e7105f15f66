"""Larger tables in the middle of a proof that would take longer than to build them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.storage.store import Tell

__all__ = ["LargerTables", "Pace"]

# A proof that a limit ends soon after would have nothing of them.
_SHARE_OF_LIMIT = 3.0


@dataclass(frozen=True)
class LargerTables:
    """What `make` builds in about `effort()` seconds, to return the tree that evaluates them.

    `effort` gives None where there is nothing to build. To tell takes a while, so it is not asked
    where a search is expected to be over within `least` seconds.
    """

    effort: Callable[[], float | None]
    make: Callable[[Tell], SearchTree[Any]]
    least: float = 5.0

    def is_worth(self, expected: float, budget: Budget) -> bool:
        """Whether to build them, where the search is expected to go on for so many seconds."""
        seconds = None if expected <= self.least else self.effort()
        if seconds is None or expected <= seconds:
            return False
        left = None if budget.deadline is None else budget.deadline - time.monotonic()
        return left is None or left > _SHARE_OF_LIMIT * seconds


class Pace:
    """How long rounds take and how they grow, from which the next ones are foretold."""

    def __init__(self) -> None:
        self._ended, self._nodes = time.monotonic(), 0
        self._seconds, self._growth = 0.0, 1.0

    def round_ended(self, nodes: int) -> None:
        """Note that a round of so many nodes is over."""
        now = time.monotonic()
        self._growth = nodes / max(1, self._nodes)
        self._seconds, self._nodes, self._ended = now - self._ended, nodes, now

    def expected(self, *, is_last: bool) -> float:
        """Return the seconds of the next round, and unless it is the last one, of that after it."""
        following = self._seconds * self._growth
        return following if is_last else following * (1 + self._growth)
