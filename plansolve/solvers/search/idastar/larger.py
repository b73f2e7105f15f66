"""Larger tables in the middle of a proof that would take longer than to build them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.storage.store import Tell

__all__ = ["LargerTables"]

# A proof that a limit ends soon after would have nothing of them.
_SHARE_OF_LIMIT = 3.0


@dataclass(frozen=True)
class LargerTables:
    """What `make` builds in about so many `seconds`, to return the tree that evaluates them."""

    seconds: float
    make: Callable[[Tell], SearchTree[Any]]

    def is_worth(self, expected: float, budget: Budget) -> bool:
        """Whether to build them before a round that is expected to take so many seconds."""
        if expected <= self.seconds:
            return False
        left = None if budget.deadline is None else budget.deadline - time.monotonic()
        return left is None or left > _SHARE_OF_LIMIT * self.seconds
