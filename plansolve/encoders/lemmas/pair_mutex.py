"""Mutexes of pairs: no two tiles are in two cells that they cannot reach together in time."""

from collections.abc import Collection
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from plansolve.encoders.builder import TRUE, Builder
from plansolve.encoders.lemmas.lemma import Default, Layers, Lemma
from plansolve.model.problem import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_ENTRIES = 10_000_000
_NEVER = (1 << 15) - 1


class PairMutexes:
    """The mutexes of pairs for one problem, if their tables are not too large."""

    def __init__(self, problem: Problem, on_top: Collection[Lemma]) -> None:
        self._problem, self._cells = problem, problem.puzzle.cells
        self._pairs = [*combinations(range(self._cells), 2)]
        self._is_tractable = len(self._pairs) * self._cells**2 <= _MOST_ENTRIES

    def add(self, builder: Builder, layers: Layers) -> None:
        """Forbid pairs that are too far from the start or from the goal."""
        for t in range(1, layers.horizon if self._is_tractable else 0):
            # Only this lemma needs numpy.
            import numpy as np

            earliest, remaining = self.times
            literals, tiles = np.array(layers.at[t], dtype=np.int64), np.array(self._pairs)
            dead_row, dead_pair = np.nonzero((earliest > t) | (remaining > layers.horizon - t))
            first_cell, second_cell = np.divmod(dead_pair, self._cells)
            first = literals[first_cell, tiles[dead_row, 0]]
            second = literals[second_cell, tiles[dead_row, 1]]
            open_ = (np.abs(first) != TRUE) & (np.abs(second) != TRUE) & (first_cell != second_cell)
            builder.clauses_without_constants(np.stack((-first, -second), axis=1)[open_])

    @cached_property
    def times(self) -> tuple["NDArray[np.int16]", "NDArray[np.int16]"]:
        """Distances of pairs of tiles from the start and to the goal, preconditions ignored."""
        import numpy as np

        operators, pairs = self._problem.puzzle.operators, np.array(self._pairs).reshape(-1, 2)
        # The cell to which each operator takes the content of each cell.
        images = np.array(
            [operator.destinations(self._cells) for operator in operators], dtype=np.intp
        ).reshape(-1, self._cells)
        # Positions of contents in sorted order, as in the layers: the blank is content 0.
        start, goal = np.argsort(self._problem.start), np.argsort(self._problem.goal)
        earliest = _pair_distances(images, start[pairs])
        return earliest, _pair_distances(np.argsort(images, axis=1), goal[pairs])


def _pair_distances(images: "NDArray[np.intp]", sources: "NDArray[np.intp]") -> "NDArray[np.int16]":
    """Return breadth-first distances over ordered pairs of cells.

    `images[o, c]` is where operator o takes the content of cell c. Row i of the answer, of shape
    (len(sources), cells * cells), holds the least number of operators that take the pair
    `sources[i]` to each pair (index first * cells + second).
    """
    import numpy as np

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


PAIR_MUTEX = Lemma(
    name="pair-mutex",
    keeps="every plan",
    argument="two tiles are never in two cells that they cannot reach together in time",
    # Hundreds of thousands of mutexes take CP-SAT longer to read than they save.
    encodings={"permutation": Default(0)},
    tells_apart=True,
    clauses=PairMutexes,
    is_for_gaps=True,
)
