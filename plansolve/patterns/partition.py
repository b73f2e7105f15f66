"""Divide the tiles of a board into the patterns of an additive pattern database.

Compact patterns hold the tiles that get into each other's way. How compact a pattern is, is the
sum of the distances between its home cells, along those moves of the blank that can be taken back
at once: on a grid with additional transports these are the slides. The tiles whose homes are
beside the blank's, in a corner or at an edge, belong together too: one of them makes the last move
of every plan, and a pattern that holds all of them knows what that costs.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS
from plansolve.model.structure import breadth_first

__all__ = [
    "LARGEST_TABLE",
    "Partition",
    "choose_several",
    "choose_two",
    "default_size",
    "is_worth_tables",
]

Partition: TypeAlias = tuple[tuple[int, ...], ...]
"""The home cells of each pattern's tiles, in rising order; the largest patterns first."""

LARGEST_TABLE = 17_000_000
"""The most entries that a table has if nobody asks for larger ones."""

_LARGEST_SUM = 64_000_000
_STARTS, _KICKS, _EXCHANGES = 8, 30, 3
_MOST_BESIDE = 3
# Patterns of two tiles see little more than single ones, and cost much more at each node.
_SMALLEST_PATTERN = 3


def default_size(cells: int) -> int:
    """The number of tiles in the largest pattern if nobody asks for another.

    Such that a table has at most 17 million entries (16 cells: 6 tiles, 25: 5, 36: 4), and those
    of all patterns not more than 64 million together.
    """
    size = 1
    while (
        size < cells - 1
        and cells ** (size + 1) <= LARGEST_TABLE
        and -(-(cells - 1) // (size + 1)) * cells ** (size + 1) <= _LARGEST_SUM
    ):
        size += 1
    return size


def is_worth_tables(cells: int) -> bool:
    """Whether a search on a board of so many cells is better off with tables.

    Smaller boards need none, on larger ones patterns are too small.
    """
    return FEW_CELLS < cells <= WORD_CELLS and default_size(cells) >= _SMALLEST_PATTERN


def choose_two(
    arcs: Sequence[Sequence[int]],
    blank: int,
    size: int,
    *,
    tables: Callable[[Partition], int],
) -> tuple[Partition, Partition]:
    """The cells but `blank` in patterns of `size` cells, the last of what is left, in two ways.

    The first is, among the most compact ones that a short search finds, one with the fewest
    distinct tables, which `tables` counts; the second puts other tiles together, for boards that
    no reflection gives one that does. It may be equal to the first where there are few tiles. The
    cells beside the blank's are in one pattern of the first.
    """
    distance = _distances(arcs)
    beside = [cell for cell in arcs[blank] if blank in arcs[cell] and cell != blank]
    if len(beside) <= min(size, _MOST_BESIDE):
        # More than all other distances can make up for.
        distance[np.ix_(beside, beside)] -= 3 * len(arcs)
        np.fill_diagonal(distance, 0)
    homes = [cell for cell in range(len(arcs)) if cell != blank]
    found = _compact_partitions(distance, homes, size)
    least = min(_spread(distance, partition) for partition in found)
    best = [partition for partition in found if _spread(distance, partition) == least]

    first = min(best, key=lambda partition: (tables(partition), partition))
    together = _member(distance, first)

    def likeness(partition: Partition) -> int:
        """The spread, and two for each pair of cells that the first one has together too."""
        other = _member(distance, partition)
        pairs = (together[:, None] == together) & (other[:, None] == other)
        return _spread(distance, partition) + int(pairs.sum())

    return first, min(found, key=lambda partition: (likeness(partition), partition))


def choose_several(
    arcs: Sequence[Sequence[int]],
    blank: int,
    size: int,
    count: int,
    reflections: Sequence[CellMap],
) -> tuple[Partition, ...]:
    """Up to `count` partitions into compact patterns, such that many pairs are together somewhere.

    The first one is compact; up to half of them are its images under `reflections`; each of the
    others is the most compact one for distances to which one is added for each earlier
    partition that has both cells in one pattern. Fewer than `count` where there are few tiles.
    """
    cost = _distances(arcs)
    homes = [cell for cell in range(len(arcs)) if cell != blank]
    chosen: list[Partition] = []
    waiting: list[Partition] = []
    while len(chosen) < count:
        if not waiting or len(chosen) >= (count + 1) // 2:
            found = _compact_partitions(cost, homes, size) - set(chosen)
            if not found:
                break
            waiting = [min(found, key=lambda partition: (_spread(cost, partition), partition))]
        chosen.append(waiting.pop(0))
        if len(chosen) == 1:
            waiting = _images(chosen[0], reflections)
        member = _member(cost, chosen[-1])
        cost += member[:, None] == member
        np.fill_diagonal(cost, 0)
    return tuple(chosen)


def _images(partition: Partition, maps: Sequence[CellMap]) -> list[Partition]:
    """The other images of a partition."""
    images: dict[Partition, None] = {}
    for image in maps:
        mapped = [tuple(sorted(image[cell] for cell in pattern)) for pattern in partition]
        images[tuple(sorted(mapped, key=lambda pattern: (-len(pattern), pattern)))] = None
    return [image for image in images if image != partition]


def _distances(arcs: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Between all cells; along any arcs where those that can be taken back do not join them."""
    cells = len(arcs)
    both = [[d for d in targets if b in arcs[d]] for b, targets in enumerate(arcs)]
    either = [
        [d for d in range(cells) if d in targets or b in arcs[d]] for b, targets in enumerate(arcs)
    ]
    far = np.array([breadth_first(either, cell) for cell in range(cells)], np.int64)
    near = np.array([breadth_first(both, cell) for cell in range(cells)], np.int64)
    # A path of moves that can be taken back is at most that much longer, if there is one at all.
    return np.minimum(np.minimum(near, far + cells), 3 * cells)


def _compact_partitions(distance: NDArray[np.int64], homes: list[int], size: int) -> set[Partition]:
    """Local optima, among them the best that iterated local search finds."""
    random = Random(0)
    found = set()
    for _ in range(_STARTS):
        here = _improved(distance, _grown(distance, homes, size, random), len(homes))
        found.add(here)
        for _ in range(_KICKS):
            member = _member(distance, here)
            for _ in range(_EXCHANGES):
                i, j = random.choice(homes), random.choice(homes)
                member[i], member[j] = member[j], member[i]
            there = _improved(distance, member, len(homes))
            found.add(there)
            if _spread(distance, there) <= _spread(distance, here):
                here = there
    return found


def _grown(
    distance: NDArray[np.int64], homes: list[int], size: int, random: Random
) -> NDArray[np.int64]:
    """The number of each cell's pattern, which grow one after another by the nearest cell."""
    member = np.full(len(distance), -1)
    left = list(homes)
    for place in range(len(homes)):
        if place % size == 0:
            nearest = random.randrange(len(left))
            to_pattern = np.zeros(len(distance), np.int64)
        else:
            nearest = int(to_pattern[left].argmin())
        cell = left.pop(nearest)
        to_pattern += distance[cell]
        member[cell] = place // size
    return member


def _member(distance: NDArray[np.int64], partition: Partition) -> NDArray[np.int64]:
    """The number of each cell's pattern; -1 for the blank's cell."""
    member = np.full(len(distance), -1)
    for number, pattern in enumerate(partition):
        member[list(pattern)] = number
    return member


def _improved(distance: NDArray[np.int64], member: NDArray[np.int64], tiles: int) -> Partition:
    """The best of all exchanges of two cells between patterns, as long as one helps."""
    member = member.copy()
    patterns = int(member.max()) + 1
    homes = np.flatnonzero(member >= 0)
    between = distance[np.ix_(homes, homes)]
    while True:
        belongs = np.eye(patterns, dtype=np.int64)[member[homes]]
        to_pattern = between @ belongs
        # The change where cell i goes to the pattern of cell j, which stays where it is.
        moved = to_pattern[:, member[homes]] - np.take_along_axis(
            to_pattern, member[homes][:, None], axis=1
        )
        change = moved + moved.T - 2 * between
        change[member[homes][:, None] == member[homes][None, :]] = 0
        best = int(change.argmin())
        if change.flat[best] >= 0:
            break
        i, j = homes[best // tiles], homes[best % tiles]
        member[i], member[j] = member[j], member[i]
    found = [tuple(map(int, np.flatnonzero(member == n))) for n in range(patterns)]
    return tuple(sorted(found, key=lambda pattern: (-len(pattern), pattern)))


def _spread(distance: NDArray[np.int64], partition: Partition) -> int:
    return sum(int(distance[np.ix_(pattern, pattern)].sum()) for pattern in partition)
