"""Walks that no plan in question begins or ends with, by search from both ends.

A walk is one of the blank, from cell to cell, or, where no move depends on a blank, a sequence of
operators. One from the start is not taken where its last board is more moves from the goal than
are left, and where a shorter walk, or an earlier one of the same length, leads to the same board
(see `duplicates` for the order). The same holds for a walk to the goal and its first board. What
goes on from a walk that is not taken is not taken either, and a walk that has to go on is not taken
where no step from it is. If that is so of the walk of no steps, there is no plan.
"""

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, chain
from math import factorial

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.justify import perimeter_kernel as kernel
from plansolve.certcheck.justify.partial_assignments import MoveTables
from plansolve.certcheck.justify.rules import Rules
from plansolve.certcheck.search.free_kernel import FreeLookups
from plansolve.model.puzzle import BLANK, WORD_CELLS
from plansolve.storage.jit import interruptible

__all__ = ["SearchFromEnd", "Walk", "walks_not_taken"]

Walk = tuple[int, ...]
_MOST_BOARDS, _MOST_BYTES = 8_000_000, 440 << 20


class SearchFromEnd(ABC):
    """A search over boards from one end, layer by layer, each in the order of its walks."""

    def __init__(
        self,
        board: Sequence[int],
        last: int,
        moves: kernel.CellMoves,
        bounds: kernel.Bounds,
        *,
        is_odd: bool = False,
    ) -> None:
        self._moves, self._bounds = moves, bounds
        # Seven bytes beside the board, and up to four slots.
        most = min(_MOST_BOARDS, _MOST_BYTES // (len(board) + 7 + 16), factorial(len(board)))
        self._boards = kernel.Boards(
            board=np.empty((most, len(board)), np.uint8),
            last=np.empty(most, np.uint8),
            odd=np.empty(most, np.uint8),
            parent=np.empty(most, np.int32),
            ways=np.zeros(most, np.uint8),
            slots=np.full(1 << (2 * most - 1).bit_length(), -1, np.int32),
        )
        kernel.begin(np.array(board, np.uint8), last, is_odd, self._boards)
        # The boards of the last layer; only those before it have been gone on from.
        self._layer = 0, 1

    def run(self, depth: int, horizon: int, deadline: float | None) -> None:
        """Find the walks of so many of `horizon` moves, or as many as there is room for.

        Raise `TimeoutError` at the deadline.
        """
        for done in range(1, min(depth, horizon) + 1):
            begin, count = self._layer
            layer = np.arange(begin, count)
            for nodes, moves, lasts in self._steps(layer, self._boards.last[layer], done):
                with interruptible():
                    count = kernel.step(
                        nodes, moves, lasts, count, horizon - done, self._moves, self._boards,
                        self._bounds,
                    )  # fmt: skip
                if deadline is not None and time.monotonic() > deadline:
                    raise TimeoutError(
                        "time limit reached while both ends of the plans were searched"
                    )
                if count < 0:
                    break
            if count < 0:
                break
            self._layer = self._layer[1], count
            if count == self._layer[0]:
                break
        kernel.fold(self._layer[0], self._boards)

    @abstractmethod
    def _steps(self, layer: Array, last: Array, done: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the steps from a layer in their order, some at a time: boards, moves, lasts.

        `last` is what the walks to the boards of the layer end with, and `done` the number of moves
        after the step.
        """

    @abstractmethod
    def _moves_of(self, walks: Array) -> tuple[Array, Array]:
        """Return the moves of walks of one length from here, and what each of them ends with."""

    def pruned(self, walks: Collection[Walk]) -> set[Walk]:
        """Return those of the walks, each from the end that was searched from, that are pruned."""
        by_size = defaultdict[int, list[Walk]](list)
        for walk in walks:
            by_size[len(walk)].append(walk)
        return set(chain.from_iterable(map(self._pruned, by_size.values())))

    def _pruned(self, walks: Sequence[Walk]) -> list[Walk]:
        """The same for walks of one length."""
        rows = np.array(walks, np.int64).reshape(len(walks), -1)
        is_pruned = np.zeros(len(walks), np.bool_)
        moves, lasts = map(np.ascontiguousarray, self._moves_of(rows))
        kernel.find_pruned(moves, lasts, self._layer[0], self._moves, self._boards, is_pruned)
        return [walk for walk, it_is in zip(walks, is_pruned.tolist(), strict=True) if it_is]


def walks_not_taken(
    walks: Collection[Walk],
    rules: Rules,
    moves: MoveTables,
    partitions: Sequence[Sequence[tuple[int, ...]]],
    may_be_blank: Array,
    *,
    from_start: bool,
    depth: int,
    deadline: float | None,
) -> set[Walk]:
    """Return those walks of the blank that are not taken; all begin, or all end, with the plan.

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
    search = _WalkSearch(rules, bounds, may_be_blank[::step], from_start)
    asked = {walk[::step] for walk in walks}
    depth = max(depth, *(len(walk) - 1 for walk in asked))
    search.run(depth, len(may_be_blank) - 1, deadline)
    return {walk[::step] for walk in search.pruned(asked)}


def _bounds(patterns: Sequence[tuple[int, Walk, Array]], cells: int) -> kernel.Bounds:
    """Return the lookups of patterns of tiles, of each the number of its partition first."""
    most = max((len(tiles) for _, tiles, _ in patterns), default=0)
    # Where a pattern has fewer tiles, nothing is added for the rest.
    place = np.zeros((len(patterns), most), np.uint8)
    value = np.zeros((len(patterns), most, cells), np.uint32)
    for number, (_, tiles, _) in enumerate(patterns):
        place[number, : len(tiles)] = tiles
        value[number, : len(tiles)] = cells ** np.arange(len(tiles))[::-1, None] * np.arange(cells)
    # `MoveTables` has fewer entries of different patterns than 32 bits can number.
    tables = {tiles: table.reshape(-1) for _, tiles, table in patterns}
    begins = dict(zip(tables, accumulate(map(len, tables.values()), initial=0), strict=False))
    lookups = FreeLookups(
        np.concatenate([np.zeros(0, np.uint8), *tables.values()]),
        np.array([len(patterns)], np.uint32),
        np.array([begins[tiles] for _, tiles, _ in patterns], np.uint32),
        np.zeros(len(patterns), np.uint32),
        place.reshape(-1),
        value.reshape(-1),
    )
    return kernel.Bounds(lookups, np.array([s for s, _, _ in patterns], np.int64))


class _WalkSearch(SearchFromEnd):
    """One along walks of the blank; a step ends with the blank's cell."""

    def __init__(
        self, rules: Rules, bounds: kernel.Bounds, may_be_blank: Array, from_start: bool
    ) -> None:
        board = rules.problem.start if from_start else rules.problem.goal
        arcs = (rules.arcs if from_start else rules.into) or ()
        steps = [(here, there) for here, row in enumerate(arcs) for there in row]
        source = np.tile(np.arange(len(board), dtype=np.uint8), (len(steps), 1))
        # For each cell and the next one which of the moves that is.
        self._move = np.full((len(board),) * 2, kernel.NO_MOVE, np.int64)
        for number, (here, there) in enumerate(steps):
            source[number, [here, there]] = there, here
            self._move[here, there] = number
        self._may_be_blank, self._from_start = may_be_blank, from_start
        moves = kernel.CellMoves(source, np.zeros(len(steps), np.uint8))
        super().__init__(board, board.index(BLANK), moves, bounds)

    def _steps(self, layer: Array, last: Array, done: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield all steps at once.

        Those from the goal run back: the cell that is added last is the first of the walk.
        """
        can_go = (self._move[last] != kernel.NO_MOVE) & self._may_be_blank[done]
        if self._from_start:
            places, targets = np.nonzero(can_go)
        else:
            targets, places = np.nonzero(can_go.T)
        yield layer[places], self._move[last[places], targets], targets

    def _moves_of(self, walks: Array) -> tuple[Array, Array]:
        return self._move[walks[:, :-1], walks[:, 1:]], walks[:, 1:]
