"""The boards nearest to the goal, with their distances, where the moves permute the cells.

Breadth-first search from the goal, each move taken back, as long as the next level is expected to
fit. Boards are known by their hashes.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from plansolve.patterns.permutation_rules import Arrangement, PermutationRules
from plansolve.solvers.search.beam import near_goal_kernel as kernel
from plansolve.solvers.search.beam.selection_kernel import bucket_table, find

__all__ = ["BUCKET", "NearGoal", "hash_of", "moves_of"]

BUCKET = 64
"""Buckets are so large, and so empty, that none is ever full."""

_BOARDS_A_CALL = 20_000


def moves_of(rules: PermutationRules) -> kernel.PermutationMoves:
    """The operators for the kernels; hash keys are random, but the same in every process."""
    moved = [
        [(cell, origin) for cell, origin in enumerate(source) if cell != origin]
        for source in rules.sources
    ]
    support = [frozenset(cell for cell, _ in pairs) for pairs in moved]
    numbers = {cells: i for i, cells in enumerate(dict.fromkeys(support))}
    return kernel.PermutationMoves(
        cells=rules.cells,
        key=np.random.default_rng(1).integers(1, 1 << 63, rules.cells * rules.cells, np.uint64),
        first=np.array([0, *accumulate(map(len, moved))], np.uint32),
        to_cell=np.array([cell for pairs in moved for cell, _ in pairs], np.uint16),
        from_cell=np.array([origin for pairs in moved for _, origin in pairs], np.uint16),
        group=np.array([numbers[cells] for cells in support], np.uint32),
    )


def hash_of(moves: kernel.PermutationMoves, arrangement: Sequence[int]) -> int:
    """The hash of an arrangement."""
    level = kernel.Level(np.array(arrangement, np.uint8), np.zeros(1, np.uint64))
    kernel.hashes_of(1, moves, level)
    return int(level.zobrist[0])


class NearGoal:
    """The distances of the boards nearest to the goal, by their hashes.

    All boards up to `depth` moves are in it, as far as at most `most` of them allow; where these
    are all boards that there are, `is_whole`.
    """

    def __init__(self, rules: PermutationRules, most: int) -> None:
        self._rules, self._most = rules, most
        self.moves = moves_of(rules)
        slots = bucket_table(2 * most, BUCKET)
        self.known = kernel.GoalDistances(slots, np.zeros(slots.shape, np.uint8))
        self.depth = 0
        self.is_whole = False

    @property
    def bytes(self) -> int:
        """The memory of the set."""
        return sum(array.nbytes for array in self.known)

    def build(self) -> None:
        """Fill the set level by level."""
        cells = self._rules.cells
        goal = np.uint64(hash_of(self.moves, range(cells)))
        self.known.slots[find(self.known.slots, goal)] = goal
        level = kernel.Level(np.arange(cells, dtype=np.uint8), np.array([goal], np.uint64))
        known, growth = 1, 1.0
        while known + growth * level.zobrist.size < self._most:
            last = level.zobrist.size
            room = min(self._most - known, last * len(self._rules.sources))
            before = kernel.Level(np.empty(room * cells, np.uint8), np.empty(room, np.uint64))
            stored = 0
            for begin in range(0, last, _BOARDS_A_CALL):
                end = min(begin + _BOARDS_A_CALL, last)
                stored = kernel.expand_back(
                    begin, end, stored, self.depth + 1, self.moves, level, before, self.known
                )
            known += stored
            if known == self._most:
                return
            self.depth += 1
            self.is_whole = not stored
            if self.is_whole:
                return
            growth = stored / last
            level = kernel.Level(before.board[: stored * cells], before.zobrist[:stored])

    def distance(self, arrangement: Sequence[int]) -> int | None:
        """The number of moves to the goal, or None where it is not known."""
        value = np.uint64(hash_of(self.moves, arrangement))
        at = find(self.known.slots, value)
        return int(self.known.moves[at]) if self.known.slots[at] == value else None

    def descent(self, arrangement: Arrangement) -> list[int] | None:
        """The operators of a shortest way to the goal; None where hashes have led astray."""
        rules, moves = self._rules, list[int]()
        left = self.distance(arrangement)
        while left:
            for move in range(len(rules.sources)):
                after = rules.after(arrangement, move)
                if self.distance(after) == left - 1:
                    moves.append(move)
                    arrangement, left = after, left - 1
                    break
            else:
                return None
        return moves if arrangement == tuple(range(rules.cells)) else None
