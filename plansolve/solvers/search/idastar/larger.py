"""Larger tables in the middle of a proof that would take longer than to build them."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from plansolve.errors import StoreError
from plansolve.json_text import JsonError, json_object
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.solvers.units.team import Team
from plansolve.storage.store import Tell

__all__ = ["LargerTables", "Pace", "RecordedSizes", "TreeChoice"]

_BEGIN = 0
"""Stands for the beginning of the proof among the limits of its rounds."""
_LARGEST_SIZE = 64
"""Tiles of a pattern; no table of so many could be built."""

# A proof that a limit ends soon after would have nothing of them.
_SHARE_OF_LIMIT = 3.0
# The search may be over after the next round: what comes later counts where that one is long.
_SHARE_OF_BUILD = 0.25


class Pace:
    """How long rounds take and how they grow, from which the next ones are foretold.

    `nodes` are those of the last round.
    """

    def __init__(self) -> None:
        self._seconds, self._growth = 0.0, 1.0
        self.nodes = 0

    def round_ended(self, nodes: int, seconds: float) -> None:
        """Note that a round of so many nodes is over, which took so long."""
        self._growth = nodes / max(1, self.nodes)
        self._seconds, self.nodes = seconds, nodes

    def tables_grew(self, fewer: int) -> None:
        """Note that from now on a round has so many times fewer nodes."""
        self._seconds, self.nodes = self._seconds / fewer, self.nodes // fewer

    def foretold(self, *, is_last: bool) -> tuple[float, float]:
        """The seconds of the next round; and with that after it, unless it is the last one."""
        following = self._seconds * self._growth
        return following, following if is_last else following * (1 + self._growth)


@dataclass(frozen=True)
class LargerTables:
    """What `make` builds, to return the tree that evaluates them.

    `planned` tells the tiles of their largest pattern and about how many seconds it takes, and None
    where there are none. To tell takes a while, so it is not asked where a search is expected to be
    over within `least` seconds, nor after a round of fewer than `least_nodes`, which tells little:
    the first one may have waited for its kernels. The `following` ones come next, or instead where
    there is nothing to build.
    """

    planned: Callable[[], tuple[int, float] | None]
    make: Callable[[Tell], SearchTree[Any]]
    least: float = 5.0
    least_nodes: int = 100_000
    following: "LargerTables | None" = None

    def are_worth(self, in_use: int, pace: Pace, budget: Budget, *, is_last: bool) -> bool:
        """Whether to build them before the next round, which may be known to be the last.

        The largest patterns in use have `in_use` tiles.
        """
        following, expected = pace.foretold(is_last=is_last)
        if pace.nodes < self.least_nodes or expected <= self.least or budget.is_paused:
            return False
        planned = self.planned()
        if planned is None or planned[0] <= in_use:
            return False
        _, seconds = planned
        if expected <= seconds or following < _SHARE_OF_BUILD * seconds:
            return False
        left = None if budget.deadline is None else budget.deadline - time.monotonic()
        return left is None or left > _SHARE_OF_LIMIT * seconds


class RecordedSizes:
    """Which patterns each round of a proof was searched with, as the team's store has it.

    What has once been searched with some tables is gone on with so, whatever tables there are now.
    """

    _SIZE = "size"

    def __init__(self, team: Team) -> None:
        self._records = team.records

    def first(self, usual: Callable[[], int]) -> int:
        """Return the size that the proof began with, or else the `usual` one, which is kept."""
        if (recorded := self.read(_BEGIN)) is not None:
            return recorded
        size = usual()
        self.write(_BEGIN, size)
        return size

    def read(self, limit: int) -> int | None:
        """Return the number of tiles of the largest pattern, None where the round is new.

        Raise `StoreError` for a record that makes no sense.
        """
        text = None if self._records is None else self._records.round(limit)
        if self._records is None or text is None:
            return None
        try:
            size = json_object(text).get(self._SIZE)
        except JsonError as error:
            raise StoreError(f"{self._records.path}: the round of {limit}: {error}") from None
        if not isinstance(size, int) or not 0 <= size <= _LARGEST_SIZE:
            raise StoreError(f"{self._records.path}: the round of {limit} has no pattern size")
        return size

    def write(self, limit: int, size: int) -> None:
        """Keep the size that a round is searched with, unless there is a record of it."""
        if self._records is not None and self.read(limit) is None:
            self._records.keep_round(limit, json.dumps({self._SIZE: size}))


class TreeChoice:
    """The tree for each round: by the record of the proof, or larger tables as soon as they pay."""

    def __init__(self, larger: LargerTables | None, sizes: RecordedSizes | None) -> None:
        self._larger, self._sizes = larger, sizes

    def another(
        self, tree: SearchTree[Any], limit: int, pace: Pace, budget: Budget, *, is_last: bool
    ) -> Callable[[Tell], SearchTree[Any]] | None:
        """Return what makes the tree of the next round, with larger tables; None for `tree`."""
        recorded = None if self._sizes is None else self._sizes.read(limit)
        if recorded is not None and tree.recipe is not None:
            if recorded == tree.recipe.size:
                return None
            return partial(tree.recipe.of_size(recorded).tree, threads=budget.threads)
        larger, in_use = self._larger, 0 if tree.recipe is None else tree.recipe.size
        while larger is not None and not larger.are_worth(in_use, pace, budget, is_last=is_last):
            larger = larger.following
        if larger is None:
            return None
        self._larger = larger.following
        return larger.make

    def settle(self, tree: SearchTree[Any], limit: int) -> SearchTree[Any]:
        """Return the tree, of which it is kept that the round is searched with it."""
        if self._sizes is not None and tree.recipe is not None:
            self._sizes.write(limit, tree.recipe.size)
        return tree
