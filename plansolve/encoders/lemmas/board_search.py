"""A breadth-first search over boards that prunes walks, and finds dead ends among them.

It is the part that searches along walks of the blank and along sequences of operators share.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.lemmas.perimeter_kernel import KnownBoards, fill_slots, fold

__all__ = ["MOST_BOARDS", "BoardSearch"]

MOST_BOARDS = 8_000_000
_FIRST_SLOTS = 1 << 16


class BoardSearch:
    """The boards that are known, from `board`, whose walk ends with `last`.

    There is room for `most` boards. Only walks from the first `told` boards are named.
    """

    def __init__(self, board: Sequence[int], last: int, most: int, told: int) -> None:
        self._most, self._told = most, told
        # Pages that no board is written to take no memory.
        self._known = known = KnownBoards(
            board=np.empty((most, len(board)), np.uint8),
            last=np.empty(most, np.uint8),
            parent=np.zeros(most, np.int32),
            ways=np.zeros(most, np.uint8),
            slots=np.empty(0, np.int32),
        )
        known.board[0], known.last[0] = board, last
        # The first board of each layer, and the one that the next would begin with.
        self._layers = [0, 1]
        # By depth: the pruned steps, as the number of the board before and what is added.
        self._pruned: list[NDArray[np.int64]] = []

    def _reserve(self, boards: int) -> None:
        """Make slots for so many boards; at most half of them are taken."""
        slots = max(_FIRST_SLOTS, 1 << (2 * boards - 1).bit_length())
        if slots > len(self._known.slots):
            self._known = self._known._replace(slots=np.full(slots, -1, np.int32))
            fill_slots(self.boards, self._known)

    @property
    def depth(self) -> int:
        """How many steps were made."""
        return len(self._pruned)

    @property
    def boards(self) -> int:
        """How many boards were found."""
        return self._layers[-1]

    def propagate_dead_ends(self) -> None:
        """Prune the walks of which each continuation is pruned; no step can be made after that."""
        fold(self._layers[self.depth], self._known)

    @property
    def leaves_no_walk(self) -> bool:
        """Whether the walk of no moves is pruned."""
        return self.depth > 0 and not self._known.ways[0]

    def pruned(self) -> Iterator[NDArray[np.int64]]:
        """Yield the walks that are pruned and not what they go on from, as rows of what they add.

        Those of one length at a time, the shortest first: a dead end at once is one of no moves.
        """
        known, layers = self._known, self._layers
        if self.leaves_no_walk:
            yield self._walks(np.zeros(1, np.int64), 0)
            return
        for depth, pruned in enumerate(self._pruned, start=1):
            if layers[depth] > self._told:
                break
            # What is dead where the board before is not.
            layer = np.arange(layers[depth], layers[depth + 1])
            if depth == self.depth:
                layer = layer[:0]
            dead = layer[(known.ways[layer] == 0) & (known.ways[known.parent[layer]] > 0)]
            yield self._walks(dead, depth)
            yield self._steps(pruned[known.ways[pruned[:, 0]] > 0], depth)

    def leaves(self) -> Iterator[NDArray[np.int64]]:
        """Yield all walks that are pruned at once, those of one length at a time."""
        for depth, pruned in enumerate(self._pruned, start=1):
            yield self._steps(pruned, depth)

    def dead_ends(self) -> Iterator[NDArray[np.int64]]:
        """Yield all walks that are dead ends, those of one length at a time, the longest first."""
        known, layers = self._known, self._layers
        for depth in range(self.depth - 1, -1, -1):
            layer = np.arange(layers[depth], layers[depth + 1])
            yield self._walks(layer[known.ways[layer] == 0], depth)

    def _steps(self, pruned: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
        """Return the walks of `depth` moves that end with these pruned steps."""
        node, last = pruned.T
        return np.column_stack((self._walks(node, depth - 1), last))

    def _walks(self, node: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
        """Return the walks to boards of one layer."""
        walks = np.empty((len(node), depth + 1), np.int64)
        board = node.astype(np.int32)
        for place in range(depth, -1, -1):
            walks[:, place] = self._known.last[board]
            board = self._known.parent[board]
        return walks
