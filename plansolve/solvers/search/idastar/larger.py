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
# The search may be over after the next round: what comes later counts where that one is long.
_SHARE_OF_BUILD = 0.25


class Pace:
    """How long rounds take and how they grow, from which the next ones are foretold.

    `nodes` are those of the last round.
    """

    def __init__(self) -> None:
        self._ended, self._seconds, self._growth = time.monotonic(), 0.0, 1.0
        self.nodes = 0

    def round_ended(self, nodes: int) -> None:
        """Note that a round of so many nodes is over."""
        now = time.monotonic()
        self._growth = nodes / max(1, self.nodes)
        self._seconds, self.nodes, self._ended = now - self._ended, nodes, now

    def foretold(self, *, is_last: bool) -> tuple[float, float]:
        """The seconds of the next round; and with that after it, unless it is the last one."""
        following = self._seconds * self._growth
        return following, following if is_last else following * (1 + self._growth)


@dataclass(frozen=True)
class LargerTables:
    """What `make` builds in about `effort()` seconds, to return the tree that evaluates them.

    `effort` gives None where there is nothing to build. To tell takes a while, so it is not asked
    where a search is expected to be over within `least` seconds, nor after a round of fewer than
    `least_nodes`, which tells little: the first one may have waited for its kernels.
    """

    effort: Callable[[], float | None]
    make: Callable[[Tell], SearchTree[Any]]
    least: float = 5.0
    least_nodes: int = 100_000

    def are_worth(self, pace: Pace, budget: Budget, *, is_last: bool) -> bool:
        """Whether to build them before the next round, which may be known to be the last."""
        following, expected = pace.foretold(is_last=is_last)
        if pace.nodes < self.least_nodes or expected <= self.least or budget.is_paused:
            return False
        seconds = self.effort()
        if seconds is None or expected <= seconds or following < _SHARE_OF_BUILD * seconds:
            return False
        left = None if budget.deadline is None else budget.deadline - time.monotonic()
        return left is None or left > _SHARE_OF_LIMIT * seconds
