"""Distances of all arrangements from the goal, in an array by their ranks, for many millions.

Every move must have a move that takes it back, and none may need a blank. What no move touches has
no place in an arrangement. Layer by layer, each board of the last one is unranked (Lehmer's code),
moved in all ways and ranked again.
"""

import math

import numba
import numpy as np

NEW = 255


class RankedLayers:
    """The distance of each arrangement of the cells that move, 255 for one that has no plan."""

    def __init__(self, puzzle):
        self._goal = puzzle.goal
        self._cells = sorted({cell for op in puzzle.operators for cell, _ in op.moves})
        place = {cell: i for i, cell in enumerate(self._cells)}
        sources = np.tile(np.arange(len(place), dtype=np.int64), (len(puzzle.operators), 1))
        for row, operator in zip(sources, puzzle.operators, strict=True):
            assert operator.blank is None
            for cell, source in operator.moves:
                row[place[cell]] = place[source]
        kinds = {tuple(row) for row in sources.tolist()}
        assert all(tuple(np.argsort(row)) in kinds for row in sources)
        self.distance = np.full(math.factorial(len(place)), NEW, np.uint8)
        self.distance[0] = 0
        self.counts = [1]
        while found := _next_layer(self.distance, sources, len(self.counts) - 1):
            self.counts.append(found)

    def board(self, rank):
        """The board of a rank."""
        arrangement = np.empty(len(self._cells), np.int64)
        _unrank(rank, arrangement)
        board = list(self._goal)
        for cell, piece in zip(self._cells, arrangement, strict=True):
            board[cell] = self._goal[self._cells[piece]]
        return tuple(board)


@numba.njit
def _unrank(rank, arrangement):
    size = len(arrangement)
    left = np.arange(size)
    base = 1
    for k in range(2, size):
        base *= k
    for place in range(size):
        chosen, rank = rank // base, rank % base
        arrangement[place] = left[chosen]
        for k in range(chosen, size - 1 - place):
            left[k] = left[k + 1]
        base //= max(1, size - 1 - place)


@numba.njit
def _rank(arrangement):
    size = len(arrangement)
    rank = 0
    for place in range(size):
        smaller = 0
        for later in range(place + 1, size):
            smaller += arrangement[later] < arrangement[place]
        rank = rank * (size - place) + smaller
    return rank


@numba.njit
def _next_layer(distance, sources, depth):
    """Mark the boards one move beyond those at `depth`; how many they are."""
    arrangement = np.empty(sources.shape[1], np.int64)
    moved = np.empty(sources.shape[1], np.int64)
    found = 0
    for rank in range(len(distance)):
        if distance[rank] != depth:
            continue
        _unrank(rank, arrangement)
        for row in range(len(sources)):
            for place in range(len(moved)):
                moved[place] = arrangement[sources[row, place]]
            after = _rank(moved)
            if distance[after] == NEW:
                distance[after] = depth + 1
                found += 1
    return found
