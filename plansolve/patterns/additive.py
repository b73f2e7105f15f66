"""Additive pattern databases for blank graphs, as one lower bound over several partitions.

The tiles are divided into patterns. Each has a table with the least number of moves of its own
tiles; since a move moves one tile, the patterns' numbers add up (Korf and Felner 2002). Several
partitions, images of one another under the symmetries of the arcs, give several sums, of which
the largest counts. Patterns that a symmetry takes into each other share one table. Each table is
filled by breadth-first search back from the goal, see `additive_kernel`.

A sum is *admissible*, but not *consistent*: a table holds the least distance over all cells of the
blank, so a move may open a region in which the way is shorter by three or more. A search that never
reopens nodes must not use it.

In *priced* tables a dear move counts twice: a plan of m moves, d of them dear, has m + d of these
steps. So if no more than d dear moves are allowed, sum - d is a lower bound on all moves.
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from itertools import accumulate, pairwise
from math import perm
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import State
from plansolve.patterns import additive_kernel as kernel
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.table import LARGEST, NO_WAY, Pattern, Table
from plansolve.storage.store import Bytes, StoreKey, Tell

Arcs: TypeAlias = Sequence[Sequence[int]]

Partition: TypeAlias = tuple[Pattern, ...]
"""The home cells of each pattern's tiles, in rising order; the largest patterns first."""

KIND = "additive"

_MOST_THREADS = 2
_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_A_PLACEMENT = 1.5e-7
# Memory that was never used before is slow to get.
_SECONDS_AN_ENTRY = 4e-8


class TablePlan(NamedTuple):
    """A table to build: a pattern, and the cells of the blank at the goal.

    Entry sum of cell[i] * cells**(k - 1 - i) holds the least number of moves of the pattern's k
    tiles, over all cells of the blank, that bring tile i from cell[i] to pattern[i] and the blank
    into one of `blanks`; `LARGEST` if it is that or more, `NO_WAY` if there is no way.
    """

    pattern: tuple[int, ...]
    blanks: tuple[int, ...]


def blanks_at_goal(arcs: Arcs, pattern: Sequence[int], blank: int) -> frozenset[int]:
    """Return the cells from which the blank can go to `blank` through none of `pattern`."""
    cells, todo = {blank}, [blank]
    while todo:
        target = todo.pop()
        fresh = {cell for cell, targets in enumerate(arcs) if target in targets}
        fresh -= {*cells, *pattern}
        cells |= fresh
        todo += fresh
    return frozenset(cells)


class PlacedPattern(NamedTuple):
    """A pattern, the number of its table, the map from the board to it, and the table's cells."""

    pattern: Pattern
    number: int
    image: CellMap
    homes: Pattern


class SharedTables:
    """The distinct tables of some partitions: the least images under all `symmetries` of the arcs.

    `sets` are the patterns of each partition, `tables` the tables in the order of their numbers;
    table n takes the bytes from bases[n] to bases[n + 1], and `length` is the size of all. Along
    arcs that `dear` has as well, if there are any, moves count twice.
    """

    def __init__(
        self,
        arcs: Arcs,
        blank: int,
        symmetries: Sequence[CellMap],
        partitions: Sequence[Partition],
        dear: Arcs = (),
    ) -> None:
        self._arcs, self._dear, number = arcs, dear, dict[TablePlan, int]()

        def placed(pattern: Pattern) -> PlacedPattern:
            blanks = blanks_at_goal(arcs, pattern, blank)
            table, image = min(
                (TablePlan(mapped(image, pattern), mapped(image, blanks)), image)
                for image in symmetries
            )
            return PlacedPattern(
                pattern, number.setdefault(table, len(number)), image, table.pattern
            )

        self.sets = [[*map(placed, partition)] for partition in partitions]
        self.tables = list(number)
        sizes = (len(arcs) ** len(table.pattern) for table in self.tables)
        self.bases = list(accumulate(sizes, initial=0))
        self.length = self.bases[-1]

    def key(self, title: str) -> StoreKey:
        """Return the key in the store, which shows `title` and the patterns' sizes."""
        sizes = "-".join(str(len(placed.pattern)) for placed in self.sets[0])
        content = {
            "version": 1,
            "arcs": [sorted(targets) for targets in self._arcs],
            "tables": [[list(table.pattern), list(table.blanks)] for table in self.tables],
            # Earlier versions also had tables for a blank that jumps, so files name their kind.
            "consistent": False,
        }
        return StoreKey(KIND, f"{title}, {sizes}", content)

    def table(self, title: str, tell: Tell, threads: int | None = None) -> Table:
        how = partial(build_tables, self._arcs, self.tables, tell, threads=threads, dear=self._dear)
        return Table(self.key(title), self.length, how)

    def effort(self, threads: int) -> tuple[float, int]:
        """Return the seconds that a build may take on so many cores, and the bytes it needs."""
        cells, side_by_side = len(self._arcs), min(threads, _MOST_THREADS, len(self.tables))
        largest = max(end - begin for begin, end in pairwise(self.bases))
        memory = self.length + side_by_side * largest * _mask_bytes(cells, bool(self._dear))
        return _seconds(cells, self.tables) / side_by_side, memory

    def lookups(self, board: State, table: Bytes) -> AdditiveSets:
        """Return the sets of these tables, whose goal has the tiles as in `board`."""
        cells, sets = len(board), self.sets
        group = np.zeros(len(sets) * cells, np.uint8)
        weight = np.zeros((len(sets) * cells, cells), np.uint32)
        base, first = list[int](), [0]
        for s, patterns in enumerate(sets):
            for pattern, number, image, homes in patterns:
                for cell in pattern:
                    row = s * cells + board[cell]
                    stride = cells ** (len(homes) - 1 - homes.index(image[cell]))
                    group[row] = len(base)
                    weight[row] = [stride * there for there in image]
                base.append(self.bases[number])
            first.append(len(base))
        return AdditiveSets(
            table, np.array(base, np.uint32), group, weight.ravel(), np.array(first, np.uint32)
        )


def mapped(image: CellMap, cells: Iterable[int]) -> Pattern:
    """Return the images of some cells, in rising order."""
    return tuple(sorted(image[cell] for cell in cells))


def build_tables(
    arcs: Arcs,
    tables: Sequence[TablePlan],
    tell: Tell,
    *,
    threads: int | None = None,
    dear: Arcs = (),
) -> Bytes:
    """Return all tables in order; two are built at a time if memory and threads suffice.

    Moves along the arcs that `dear` has as well count twice, if there are any. `tell` gets a line
    on the progress every few seconds. `threads` None means all cores.
    """
    # If tables are kept none are built.
    import psutil

    cells = len(arcs)
    lengths = [cells ** len(table.pattern) for table in tables]
    whole = np.empty(sum(lengths), np.uint8)
    builds = [
        _Build(arcs, dear, table, whole[end - length : end])
        for table, length, end in zip(tables, lengths, accumulate(lengths), strict=True)
    ]
    everything = sum(perm(cells, len(table.pattern)) for table in tables)
    seconds = _seconds(cells, tables)
    if seconds > _SECONDS_BETWEEN_LINES:
        tell(f"{whole.size / 1e6:.0f} MB, about {seconds:.0f} seconds of one core's work")
    most = max(lengths, default=1) * (1 + _mask_bytes(cells, bool(dear)))
    fitting: int = psutil.virtual_memory().available // (most + most // 4)
    side_by_side = max(1, min(_MOST_THREADS, threads or os.cpu_count() or 1, fitting))
    with ThreadPoolExecutor(side_by_side) as pool:
        todo = {pool.submit(build.run) for build in builds}
        try:
            while todo:
                done, todo = wait(todo, _SECONDS_BETWEEN_LINES, FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if todo:
                    reached = sum(build.reached for build in builds)
                    tell(f"{100 * reached // everything} % of the tables are built")
        finally:
            for build in builds:
                build.is_wanted = False
    return whole


def _seconds(cells: int, tables: Sequence[TablePlan]) -> float:
    """Return a rough estimate for one thread."""
    placements = sum(perm(cells, len(table.pattern)) for table in tables)
    entries: int = sum(cells ** len(table.pattern) for table in tables)
    return placements * _SECONDS_A_PLACEMENT + entries * _SECONDS_AN_ENTRY


def _mask_bytes(cells: int, has_dear: bool) -> int:
    """Return the bytes that the sets of blank cells take for a placement while tables are built."""
    return (4 if has_dear else 3) * np.dtype(_mask_type(cells)).itemsize


def _mask_type(cells: int) -> type[np.uint32 | np.uint64]:
    return np.uint32 if cells <= 32 else np.uint64


class _Build:
    """One build, which another thread can watch, and stop between two levels."""

    def __init__(
        self, arcs: Arcs, dear: Arcs, table: TablePlan, distance: NDArray[np.uint8]
    ) -> None:
        self._arcs, self._dear, self._table, self._distance = arcs, dear, table, distance
        self.reached, self.is_wanted = 0, True

    def run(self) -> None:
        cells, (pattern, blanks) = len(self._arcs), self._table
        distance, mask = self._distance, _mask_type(cells)
        strides = [cells ** (len(pattern) - 1 - place) for place in range(len(pattern))]
        targets, sources = _arc_masks(self._arcs)
        dear = _arc_masks(self._dear)[0] if self._dear else np.zeros_like(targets)
        moves = kernel.PatternMoves(targets, dear, sources, np.array(strides, np.uint64))
        blocks = -(-distance.size >> kernel.BLOCK_BITS)
        frontier, following, *further = (
            kernel.Frontier(np.zeros(distance.size, mask), np.zeros(blocks, np.uint8))
            for _ in range(3 if self._dear else 2)
        )
        later = further[0] if further else None
        placements = kernel.Placements(np.zeros(distance.size, mask), distance)
        distance[:] = NO_WAY
        home = sum(s * cell for s, cell in zip(strides, pattern, strict=True))
        distance[home] = 0
        frontier.blanks[home] = sum(1 << blank for blank in blanks)
        frontier.live[home >> kernel.BLOCK_BITS] = 1
        for level in range(LARGEST):
            self.reached += kernel.build_level(level, moves, frontier, following, later, placements)
            is_over = not following.live.any()
            if later is None:
                frontier, following = following, frontier
            else:
                is_over = is_over and not later.live.any()
                frontier, following, later = following, later, frontier
            if is_over or not self.is_wanted:
                return
        # The others are farther, or have no way to the goal: the smaller value is safe.
        distance[distance == NO_WAY] = LARGEST


def _arc_masks(arcs: Arcs) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the fields `targets` and `sources` of `PatternMoves`."""
    targets = [sum(1 << target for target in set(to) - {cell}) for cell, to in enumerate(arcs)]
    sources = [sum(1 << c for c, to in enumerate(targets) if to >> z & 1) for z in range(len(arcs))]
    sources += [0] * (-len(sources) % 8)
    of_bytes = []
    for first in range(0, len(sources), 8):
        union = [0]
        for source in sources[first : first + 8]:
            union += [source | other for other in union]
        of_bytes += union
    return np.array(targets, np.uint64), np.array(of_bytes, np.uint64)
