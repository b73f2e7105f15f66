"""The two sides' pattern databases as one, the bounds that bidirectional search compares."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import State
from plansolve.patterns.additive import AdditiveSets

__all__ = ["TwoWayBounds", "joined"]


@dataclass(frozen=True)
class TwoWayBounds:
    """Sets for the distance to the goal (the first `goal_sets`) and for that from the start.

    `sets` are both, with one table.
    """

    sets: AdditiveSets
    goal_sets: int

    def entries(self, state: State) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """The groups' indices into the table, and the entries there."""
        index = self.sets.initial(state)
        return index, self.sets.table[index]

    def sums(self, state: State) -> NDArray[np.int64]:
        """The sum of each set."""
        _, entries = self.entries(state)
        return np.add.reduceat(entries.astype(np.int64), self.sets.first[:-1])

    def first_bound(self, start: State, goal: State) -> int:
        """A lower bound on the length of all plans from `start` to `goal`."""
        # The bounds of the start on itself, and of the goal on itself, are 0.
        return max(self.forward(start, 0), self.backward(goal, 0))

    def forward(self, state: State, made: int) -> int:
        """The bound b = 2 g + h - k of a board that `made` moves lead to from the start."""
        h, k = self._two(state)
        return 2 * made + h - k

    def backward(self, state: State, made: int) -> int:
        """The bound b = 2 g + k - h of a board from which `made` moves lead to the goal."""
        h, k = self._two(state)
        return 2 * made + k - h

    def _two(self, state: State) -> tuple[int, int]:
        sums = self.sums(state)
        return int(sums[: self.goal_sets].max()), int(sums[self.goal_sets :].max())


def joined(goal: AdditiveSets, start: AdditiveSets) -> TwoWayBounds:
    """Both sides' sets with their tables one after the other; both must be consistent."""
    shift = np.uint32(len(goal.table))
    groups = len(goal.base)
    sets = AdditiveSets(
        table=np.concatenate((goal.table, start.table)),
        base=np.concatenate((goal.base, start.base + shift)),
        group=np.concatenate((goal.group, start.group + np.uint8(groups))),
        weight=np.concatenate((goal.weight, start.weight)),
        first=np.concatenate((goal.first, start.first[1:] + np.uint32(groups))),
    )
    return TwoWayBounds(sets, len(goal.first) - 1)
