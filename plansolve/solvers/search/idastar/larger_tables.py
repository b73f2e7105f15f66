"""Build larger tables during a proof, if that takes less time than the rest of the proof."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from plansolve.errors import StoreError
from plansolve.json_text import JsonError, json_object
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.solvers.units.team import Team
from plansolve.storage.store import Tell

_BEGIN = 0
"""Stands for the beginning of the proof among the limits of its rounds."""
_LARGEST_SIZE = 64
"""Tiles of a pattern; no table of so many could be built."""

_LEAST_SECONDS = 5.0
_LEAST_NODES = 100_000

# A proof that a limit ends soon after would have nothing of them.
_SHARE_OF_LIMIT = 3.0
# The search may be over after the next round: what comes later counts if that one is long.
_SHARE_OF_BUILD = 0.25


class Pace:
    """The time that rounds take and their growth, from which the next ones are foretold.

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
        """Return the seconds of the next round, and of the one after unless it is the last."""
        following = self._seconds * self._growth
        return following, following if is_last else following * (1 + self._growth)


Planned: TypeAlias = Callable[[], tuple[int, float] | None]
"""The tiles of the largest pattern of tables that may be built, and about how many seconds it
takes; None if there are none. Each call takes a while."""


def worth_building(
    planned: Planned, in_use: int, pace: Pace, budget: Budget, *, is_last: bool
) -> int | None:
    """Return the size of tables that pay before the next round, which may be known to be the last.

    The largest patterns in use have `in_use` tiles. Nothing is asked if a search is expected to
    be over soon, nor after a round of few nodes, which tells little: the first one may have waited
    for its kernels.
    """
    following, expected = pace.foretold(is_last=is_last)
    if pace.nodes < _LEAST_NODES or expected <= _LEAST_SECONDS or budget.is_paused:
        return None
    found = planned()
    if found is None or found[0] <= in_use:
        return None
    size, seconds = found
    if expected <= seconds or following < _SHARE_OF_BUILD * seconds:
        return None
    return size if budget.seconds_left > _SHARE_OF_LIMIT * seconds else None


class RecordedSizes:
    """The patterns that each round of a proof was searched with, as the team's store has it.

    A search that began with some tables continues with them, whatever tables there are now.
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
        """Return the number of tiles of the largest pattern, None if the round is new.

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
    """The tree for each round: by the record of the proof, or larger tables as soon as they pay.

    Of the `larger` ones the first comes first; the others follow it, or replace it if there is
    nothing to build.
    """

    def __init__(
        self, larger: Sequence[Planned], sizes: RecordedSizes | None, budget: Budget
    ) -> None:
        self._larger, self._sizes, self._budget = larger, sizes, budget

    def another(
        self, tree: SearchTree, limit: int, pace: Pace, *, is_last: bool
    ) -> Callable[[Tell], SearchTree] | None:
        """Return what makes the tree of the next round, with larger tables; None for `tree`."""
        if tree.recipe is None:
            return None
        in_use, size = tree.recipe.size, None
        recorded = None if self._sizes is None else self._sizes.read(limit)
        if recorded is not None:
            size = None if recorded == in_use else recorded
        else:
            for number, planned in enumerate(self._larger):
                size = worth_building(planned, in_use, pace, self._budget, is_last=is_last)
                if size is not None:
                    self._larger = self._larger[number + 1 :]
                    break
        if size is None:
            return None
        return partial(tree.recipe.of_size(size).tree, threads=self._budget.threads)

    def settle(self, tree: SearchTree, limit: int) -> SearchTree:
        """Return the tree, of which it is kept that the round is searched with it."""
        if self._sizes is not None and tree.recipe is not None:
            self._sizes.write(limit, tree.recipe.size)
        return tree
