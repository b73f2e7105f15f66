"""Mutexes of triples: three tiles are not in three cells that they cannot reach together in time.

A few triples of tiles, drawn once and for all, are looked at: each adds thousands of clauses.
"""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.lemmas.pair_times import PairTimes

__all__ = ["FROM_HORIZON", "MOST_TRIPLES", "TripleTimes", "are_triples_worthwhile"]

FROM_HORIZON = 10
"""Shorter horizons do without: they are solved before the clauses are written."""

MOST_TRIPLES = 128

_MOST_ENTRIES = 8_000_000
_NEVER = np.iinfo(np.int16).max


def are_triples_worthwhile(horizon: int) -> bool:
    """Whether a formula for so many moves has the mutexes of triples."""
    return horizon >= FROM_HORIZON


class TripleTimes:
    """Distances of some triples of tiles from the start and to the goal, preconditions ignored."""

    def __init__(self, pairs: PairTimes) -> None:
        self._pairs, self._cells = pairs, pairs.cells
        triples = list(combinations(range(self._cells), 3))
        # Of all that it offers, Python only promises to keep the numbers of random().
        random = Random(0)
        triples.sort(key=lambda _: random.random())
        count = min(MOST_TRIPLES, _MOST_ENTRIES // self._cells**3)
        self._triples = np.array(triples[:count], dtype=np.intp).reshape(-1, 3)
        inverse = np.argsort(pairs.images, axis=1)
        self._earliest = _triple_distances(inverse, pairs.places[0][self._triples])
        self._remaining = _triple_distances(pairs.images, pairs.places[1][self._triples])

    @property
    def triples(self) -> list[tuple[int, int, int]]:
        """The places of the tiles in the order of the contents' numbers."""
        return [(a, b, c) for a, b, c in self._triples.tolist()]

    def add_mutexes(
        self, builder: Builder, done: int, left: int, layer: Sequence[Sequence[int]]
    ) -> None:
        """Forbid the placements that are too far off, but for those that pairs of them forbid.

        `layer[cell][i]` is the literal of the i-th content in a cell after `done` moves, none of
        them `TRUE`.
        """
        literals = np.array(layer, dtype=np.int64)
        dead = (self._earliest > done) | (self._remaining > left)
        dead &= self._allowed_by_pairs(done, left, literals != FALSE)
        row, first, second, third = np.nonzero(dead)
        cells = np.stack((first, second, third), axis=1)
        builder.clauses_without_constants(-literals[cells, self._triples[row]])

    def _allowed_by_pairs(
        self, done: int, left: int, open_: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Whether no pair of a placement is forbidden, by triples and cells.

        `open_[cell, i]` says whether the i-th content may be in a cell at all.
        """
        a, b, c = self._triples.T
        pairs = self._pairs.possible(done, left)
        allowed = pairs[self._pairs.row(a, b)][:, :, :, None].copy()
        allowed = allowed & pairs[self._pairs.row(a, c)][:, :, None, :]
        allowed &= pairs[self._pairs.row(b, c)][:, None, :, :]
        alone = open_.T
        allowed &= alone[a][:, :, None, None]
        allowed &= alone[b][:, None, :, None]
        allowed &= alone[c][:, None, None, :]
        return allowed


def _triple_distances(origins: NDArray[np.intp], sources: NDArray[np.intp]) -> NDArray[np.int16]:
    """Breadth-first distances over ordered triples of cells.

    `origins[o, c]` is the cell whose content operator o takes to cell c. Entry [i, x, y, z] of the
    answer is the least number of operators that take the triple `sources[i]` to (x, y, z).
    """
    cells, count = origins.shape[1], len(sources)
    states = cells**3
    before = (
        (origins[:, :, None, None] * cells + origins[:, None, :, None]) * cells
        + origins[:, None, None, :]
    ).reshape(-1, states)
    distance = np.full((states, count), _NEVER, dtype=np.int16)
    # All triples are searched at once: a bit for each of them in the row of a placement.
    at_source = np.zeros((states, count), dtype=bool)
    at_source[(sources[:, 0] * cells + sources[:, 1]) * cells + sources[:, 2], np.arange(count)] = 1
    frontier = np.packbits(at_source, axis=1)
    seen = np.zeros_like(frontier)
    steps = 0
    while frontier.any():
        distance[np.unpackbits(frontier, axis=1, count=count).astype(bool)] = steps
        steps += 1
        seen |= frontier
        reached = np.zeros_like(frontier)
        for table in before:
            reached |= frontier[table]
        frontier = reached & ~seen
    return np.ascontiguousarray(distance.T).reshape(count, cells, cells, cells)
