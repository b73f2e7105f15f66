"""Walks of the blank that no plan in question begins or ends with, by search from both ends.

A walk from the start is not taken where its last board is more moves from the goal than are left,
and where a shorter walk, or an earlier one of the same length, leads to the same board
(see `duplicates` for the order). The same holds for a walk to the goal and its first board. What
goes on from a walk that is not taken is not taken either, and a walk that has to go on is not taken
where no step from it is. If that is so of the walk of no steps, there is no plan.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import chain, pairwise
from math import factorial

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify import perimeter_kernel as kernel
from plansolve.certcheck.justify.partial_assignments import MoveTables
from plansolve.certcheck.justify.rules import Rules
from plansolve.model.puzzle import BLANK, WORD_CELLS
from plansolve.storage.jit import interruptible

__all__ = ["not_taken"]

_Walk = tuple[int, ...]
_MOST_BOARDS, _MOST_BYTES = 8_000_000, 440 << 20


def not_taken(
    walks: Collection[_Walk],
    rules: Rules,
    moves: MoveTables,
    partitions: Sequence[Sequence[tuple[int, ...]]],
    may_be_blank: Array,
    *,
    from_start: bool,
    only_shorter: bool,
    depth: int,
    deadline: float | None,
) -> set[_Walk]:
    """Return those of the walks that are not taken; all begin in the start, or end in the goal.

    The search goes as far as the longest of them, or `depth` moves if that is more. The bound on
    what is left is the largest sum over a partition into patterns; `may_be_blank[t, cell]` (bool)
    tells where the blank can be on a plan, and for how long it is. Raise `TimeoutError` at the
    deadline.
    """
    if rules.problem.puzzle.cells > WORD_CELLS:
        return set()
    patterns = [tiles for partition in partitions for tiles in partition]
    tables = (moves.to_goal if from_start else moves.from_start)(patterns)
    numbers = [s for s, partition in enumerate(partitions) for _ in partition]
    bounds = _bounds([*zip(numbers, patterns, tables, strict=True)], len(rules.problem.goal))
    # Seen from the goal, walks run back.
    step = 1 if from_start else -1
    search = _SearchFromEnd(rules, bounds, may_be_blank[::step], from_start, only_shorter)
    asked = {walk[::step] for walk in walks}
    search.run(max(depth, *(len(walk) - 1 for walk in asked)), deadline)
    return {walk[::step] for walk in search.pruned(asked)}


def _bounds(patterns: Sequence[tuple[int, tuple[int, ...], Array]], cells: int) -> kernel.Bounds:
    weight = np.zeros((len(patterns), cells), np.int64)
    for row, (_, tiles, _) in zip(weight, patterns, strict=True):
        row[list(tiles)] = cells ** np.arange(len(tiles))[::-1]
    tables = [table.reshape(-1) for _, _, table in patterns]
    return kernel.Bounds(
        np.concatenate([np.zeros(0, np.uint8), *tables]),
        np.cumsum([0, *map(len, tables)], dtype=np.int64)[:-1],
        weight,
        np.array([s for s, _, _ in patterns], np.int64),
    )


class _SearchFromEnd:
    """A search over boards from one end, layer by layer, each in the order of its walks."""

    def __init__(
        self,
        rules: Rules,
        bounds: kernel.Bounds,
        may_be_blank: Array,
        from_start: bool,
        only_shorter: bool,
    ) -> None:
        problem = rules.problem
        board = problem.start if from_start else problem.goal
        cells, arcs = len(board), (rules.arcs if from_start else rules.into) or ()
        self._bounds, self._may_be_blank = bounds, may_be_blank
        self._from_start, self._only_shorter = from_start, only_shorter
        # For each cell and the next one which of the ways that is.
        self._way = np.full((cells, cells), -1, np.int64)
        for cell, row in enumerate(arcs):
            self._way[cell, list(row)] = np.arange(len(row))
        widest = max(map(len, arcs), default=0)
        size = cells + 4 * widest + 10
        room = min(_MOST_BOARDS, _MOST_BYTES // size)
        most = self._most = min(room, (widest + 1) * factorial(cells))
        self._boards = kernel.Boards(
            board=np.empty((most, cells), np.uint8),
            blank=np.empty(most, np.uint8),
            child=np.empty((most, widest), np.int32),
            slots=np.full(1 << (2 * most - 1).bit_length(), -1, np.int32),
        )
        self._boards.board[0], self._boards.blank[0] = board, board.index(BLANK)
        self._boards.child[0] = kernel.PRUNED
        self._boards.slots[kernel.slot_of(self._boards.board[0], self._boards)] = 0
        self._begin, self._count = 0, 1
        self._is_dead = np.zeros(1, np.bool_)

    def run(self, depth: int, deadline: float | None) -> None:
        """Find the walks of so many moves, or as many as there is room for."""
        horizon = len(self._may_be_blank) - 1
        for done in range(1, min(depth, horizon) + 1):
            nodes, ways, targets = self._steps(done)
            if self._count + len(nodes) > self._most:
                break
            with interruptible():
                count = kernel.step(
                    nodes, ways, targets, self._count, horizon - done, self._only_shorter,
                    self._boards, self._bounds,
                )  # fmt: skip
            self._begin, self._count = self._count, count
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError("time limit reached while walks from both ends were searched")
        self._is_dead = np.zeros(self._count, np.bool_)
        kernel.fold(self._begin, self._boards, self._is_dead)

    def _steps(self, done: int) -> tuple[Array, Array, Array]:
        """Return the steps from the last layer in their order: boards, ways, the blank's cells.

        Those from the goal run back: the cell that is added last is the first of the walk.
        """
        last = np.arange(self._begin, self._count)
        blank = self._boards.blank[last]
        can_go = (self._way[blank] >= 0) & self._may_be_blank[done]
        if self._from_start:
            places, targets = np.nonzero(can_go)
        else:
            targets, places = np.nonzero(can_go.T)
        return last[places], self._way[blank[places], targets], targets

    def pruned(self, walks: Collection[_Walk]) -> set[_Walk]:
        """Return those of the walks, each from the end that was searched from, that are pruned."""
        by_size = defaultdict[int, list[_Walk]](list)
        for walk in walks:
            by_size[len(walk)].append(walk)
        return set(chain.from_iterable(map(self._pruned, by_size.values())))

    def _pruned(self, walks: Sequence[_Walk]) -> list[_Walk]:
        """The same for walks of one length."""
        node = np.zeros(len(walks), np.int64)
        steps = np.array(walks)
        for before, after in pairwise(steps.T):
            goes_on = (node >= 0) & (node < self._begin)
            way = self._way[before[goes_on], after[goes_on]]
            # What is no way is not gone either.
            child = self._boards.child[node[goes_on], way]
            node[goes_on] = np.where(way < 0, kernel.PRUNED, child)
        is_pruned = (node < 0) | self._is_dead[node]
        return [walk for walk, it_is in zip(walks, is_pruned.tolist(), strict=True) if it_is]
