"""Mutexes of pairs: two tiles are not in two cells that they cannot reach together in time."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import TRUE, Builder
from plansolve.model.problem import Problem

_NEVER = np.iinfo(np.int16).max


class PairTimes:
    """Distances of pairs of tiles from the start and to the goal, preconditions ignored."""

    def __init__(self, problem: Problem) -> None:
        operators, self._cells = problem.puzzle.operators, problem.puzzle.cells
        # Where each operator takes the content of each cell.
        images = np.array(
            [operator.destinations(self._cells) for operator in operators], dtype=np.intp
        ).reshape(-1, self._cells)
        self._pairs = np.array(list(combinations(range(self._cells), 2))).reshape(-1, 2)
        # Positions of contents in sorted order, as in the layers: the blank is content 0.
        start, goal = np.argsort(problem.start), np.argsort(problem.goal)
        self._earliest = _pair_distances(images, start[self._pairs])
        self._remaining = _pair_distances(np.argsort(images, axis=1), goal[self._pairs])

    def add_mutexes(
        self, builder: Builder, done: int, left: int, layer: Sequence[Sequence[int]]
    ) -> None:
        """Forbid the pairs of placements that are too far from the start or from the goal.

        `layer[cell][i]` is the literal of the i-th content in a cell after `done` moves.
        """
        literals = np.array(layer, dtype=np.int64)
        dead_row, dead_pair = np.nonzero((self._earliest > done) | (self._remaining > left))
        first_cell, second_cell = np.divmod(dead_pair, self._cells)
        first = literals[first_cell, self._pairs[dead_row, 0]]
        second = literals[second_cell, self._pairs[dead_row, 1]]
        open_ = (np.abs(first) != TRUE) & (np.abs(second) != TRUE) & (first_cell != second_cell)
        builder.clauses_without_constants(np.stack((-first, -second), axis=1)[open_])


def _pair_distances(images: NDArray[np.intp], sources: NDArray[np.intp]) -> NDArray[np.int16]:
    """Breadth-first distances over ordered pairs of cells.

    `images[o, c]` is where operator o takes the content of cell c. Row i of the answer, of shape
    (len(sources), cells * cells), holds the least number of operators that take the pair
    `sources[i]` to each pair (index first * cells + second).
    """
    operators, cells = images.shape
    successor = (images[:, :, None] * cells + images[:, None, :]).reshape(operators, cells * cells)
    # predecessor[o, pair] is the pair that o takes to `pair`: gathering is faster than scattering.
    predecessor = np.argsort(successor, axis=1)
    distance = np.full((len(sources), cells * cells), _NEVER, dtype=np.int16)
    frontier = np.zeros(distance.shape, dtype=bool)
    frontier[np.arange(len(sources)), sources[:, 0] * cells + sources[:, 1]] = True
    steps = 0
    while frontier.any():
        distance[frontier] = steps
        steps += 1
        reached = np.zeros_like(frontier)
        for table in predecessor:
            reached |= frontier[:, table]
        frontier = reached & (distance == _NEVER)
    return distance
