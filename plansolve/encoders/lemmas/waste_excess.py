"""What patterns of tiles cost beyond their distances, as clauses on top of the waste counter.

The excess of a placement of a pattern's tiles is its entry in an additive pattern database, less
the sum of the one-tile distances. The patterns' numbers of moves add up over a partition of the
tiles, so the sum of their excesses is at most the waste that is still to come. A placement of some
tiles of the pattern forces the least excess over all places of the others; the *primes* are the
placements of up to three tiles that force more than each placement with one tile less.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import FALSE, Builder
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, WORD_CELLS
from plansolve.storage.notices import LEMMA_TABLES, notify

if TYPE_CHECKING:
    from plansolve.patterns.additive import AdditiveSets

__all__ = ["FROM_HORIZON", "WasteExcess", "primes"]

FROM_HORIZON = 30
"""Shorter horizons do without: they are solved before the tables are loaded."""

_MOST_TILES = 4
_LARGEST_TABLE = 500_000
_LARGEST_PRIME = 3
_NEVER = 1 << 14


class Primes(NamedTuple):
    """Placements of some tiles of one pattern, and the excess that each forces.

    Row i of `cells`, of shape (n, k), are the cells of the tiles `tiles` (k numbers, from 1 on);
    `excess[i]` is at least 1, and `_NEVER` where the goal cannot be reached.
    """

    tiles: tuple[int, ...]
    cells: NDArray[np.int64]
    excess: NDArray[np.int64]


class _Joint(NamedTuple):
    """The primes of so many tiles of all patterns, to be turned into clauses at once.

    Row i: `placed` (n, k) are the indices cell * tiles + tile - 1, `pattern` the pattern's number.
    """

    placed: NDArray[np.int64]
    pattern: NDArray[np.int64]
    excess: NDArray[np.int64]


class WasteExcess:
    """The primes of several partitions of one problem's tiles."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def indicators(
        self, builder: Builder, t: int, rows: Mapping[int, Sequence[int]], horizon: int, total: int
    ) -> list[list[int]]:
        """For each partition, literals of which no more hold than waste is still to come.

        `rows[cell]` holds the literals of the tiles after `t` moves, none of them `TRUE`; `total`
        is the waste of all moves. Forbids what alone forces more than that.
        """
        if horizon < FROM_HORIZON:
            return []
        literals = np.array([rows[cell] for cell in range(len(rows))], dtype=np.int64).ravel()
        open_ = []
        for joint in self._joints:
            placed = literals[joint.placed]
            there = (placed != FALSE).all(axis=1)
            open_.append(_Joint(-placed[there], joint.pattern[there], joint.excess[there]))
        ladders = self._ladders(builder, t, open_, total)
        rungs = np.zeros((len(ladders), total + 2), dtype=np.int64)
        for number, ladder in enumerate(ladders):
            rungs[number, 1 : len(ladder) + 1] = ladder
        for clauses, pattern, excess in open_:
            implied = rungs[pattern, np.minimum(excess, total + 1)]
            builder.clauses_without_constants(np.column_stack((clauses, implied)))
        for ladder in ladders:
            for too_high in ladder[total:]:
                builder.clause(-too_high)
        return [
            [h for number in part for h in ladders[number][:total]] for part in self._partitions
        ]

    def _ladders(
        self, builder: Builder, t: int, open_: Sequence[_Joint], total: int
    ) -> list[list[int]]:
        """For each pattern, literals for "it has an excess of at least j", j = 1 ... total + 1."""
        most = np.zeros(len(self._patterns), dtype=np.int64)
        for _, pattern, excess in open_:
            np.maximum.at(most, pattern, np.minimum(excess, total + 1))
        ladders = [
            [builder.new("excess", t, j + 1, *tiles) for j in range(count)]
            for tiles, count in zip(self._made[2], most.tolist(), strict=True)
        ]
        for ladder in ladders:
            for less, more in pairwise(ladder):
                builder.clause(-more, less)
        return ladders

    @cached_property
    def _joints(self) -> list[_Joint]:
        tiles, joints = len(self._problem.puzzle.tiles), []
        for size in range(1, _LARGEST_PRIME + 1):
            groups = [
                (number, group)
                for number, pattern in enumerate(self._patterns)
                for group in pattern
                if len(group.tiles) == size
            ]
            if groups:
                joints.append(
                    _Joint(
                        np.concatenate(
                            [g.cells * tiles + np.array(g.tiles) - 1 for _, g in groups]
                        ),
                        np.concatenate([np.full(len(g.cells), number) for number, g in groups]),
                        np.concatenate([g.excess for _, g in groups]),
                    )
                )
        return joints

    @property
    def partitions(self) -> list[list[list[Primes]]]:
        """For each partition the primes of each pattern."""
        return [[self._patterns[number] for number in part] for part in self._partitions]

    @property
    def _patterns(self) -> list[list[Primes]]:
        return self._made[0]

    @property
    def _partitions(self) -> list[list[int]]:
        """The numbers of each partition's patterns."""
        return self._made[1]

    @cached_property
    def _made(self) -> tuple[list[list[Primes]], list[list[int]], list[tuple[int, ...]]]:
        sets = _tables(self._problem)
        steps = _distances(self._problem)
        if sets is None:
            return [], [], []
        cells = self._problem.puzzle.cells
        group = sets.group.reshape(-1, cells)
        weight = sets.weight.reshape(-1, cells, cells)
        found: dict[tuple[int, ...], list[Primes]] = {}
        partitions = []
        for s in range(len(sets.first) - 1):
            members = []
            for g in range(sets.first[s], sets.first[s + 1]):
                tiles = tuple(int(k) for k in np.flatnonzero(group[s] == g) if k != BLANK)
                if tiles not in found:
                    entries = _entries(sets.table, int(sets.base[g]), weight[s, list(tiles)])
                    found[tiles] = primes(tiles, entries, steps[[k - 1 for k in tiles]])
                members.append(list(found).index(tiles))
            partitions.append(members)
        return list(found.values()), partitions, list(found)


def _tables(problem: Problem) -> "AdditiveSets | None":
    """The databases of a few compact partitions and their images, None for too many cells."""
    # These load numba: not before a horizon is long enough.
    from plansolve.patterns.additive import additive_sets
    from plansolve.patterns.plan import pattern_plan
    from plansolve.storage.store import Store

    puzzle, arcs = problem.puzzle, problem.blank_graph.successors
    cells = puzzle.cells
    if not 2 < cells <= WORD_CELLS:
        return None
    size = min(_MOST_TILES, cells - 1)
    while cells**size > _LARGEST_TABLE:
        size -= 1
    plan = pattern_plan(arcs, problem.goal.index(BLANK))
    return additive_sets(
        plan,
        problem.goal,
        plan.two_partitions(size),
        store=Store(),
        tell=lambda line: notify(LEMMA_TABLES),
        title=f"{puzzle.rows}x{puzzle.columns} {puzzle.name} excess",
    )


def _distances(problem: Problem) -> NDArray[np.int64]:
    """Row k - 1 holds the one-tile distances of tile k to its goal cell, at most `_NEVER`."""
    home = problem.home
    rows = [problem.structure.tile_distances_to(home[tile]) for tile in problem.puzzle.tiles]
    return np.minimum(np.array(rows, dtype=np.int64), _NEVER)


def _entries(table: NDArray[np.uint8], base: int, weight: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The entries of one pattern: the axes are the cells of its tiles."""
    index = np.full((), base, dtype=np.int64)
    for row in weight:
        index = index[..., None] + row.astype(np.int64)
    return table[index]


def primes(
    tiles: tuple[int, ...], table: NDArray[np.uint8], steps: NDArray[np.int64]
) -> list[Primes]:
    """The primes of a pattern, by the number of their tiles.

    `table` has an axis for the cell of each tile, 255 where there is no way to the goal;
    `steps[i]` are the one-tile distances of the i-th tile.
    """
    apart = np.zeros(table.shape, dtype=np.int64)
    for axis, row in enumerate(steps):
        apart = apart + row.reshape([-1 if i == axis else 1 for i in range(len(tiles))])
    no_way = (table == np.iinfo(np.uint8).max) | (apart >= _NEVER)
    # The largest entry stands for larger ones too, and may be less than the distances.
    excess = np.where(no_way, _NEVER, np.maximum(table.astype(np.int64) - apart, 0))
    everything = tuple(range(len(tiles)))
    forced: dict[tuple[int, ...], NDArray[np.int64]] = {(): np.zeros((), np.int64)}
    found = []
    for size in range(1, min(_LARGEST_PRIME, len(tiles)) + 1):
        for chosen in combinations(everything, size):
            others = tuple(axis for axis in everything if axis not in chosen)
            forced[chosen] = least = excess.min(axis=others)
            less = np.max(
                [
                    np.broadcast_to(
                        np.expand_dims(forced[chosen[:i] + chosen[i + 1 :]], i), least.shape
                    )
                    for i in range(size)
                ],
                axis=0,
            )
            cells = np.argwhere(least > less)
            # Two tiles are in different cells anyway.
            cells = cells[[len(set(row)) == size for row in cells.tolist()]]
            if len(cells):
                found.append(Primes(tuple(tiles[i] for i in chosen), cells, least[tuple(cells.T)]))
    return found
