"""Additive pattern databases for blank graphs, as one lower bound over several partitions.

The tiles are divided into patterns. Each has a table with the least number of moves of its own
tiles; since a move moves one tile, the patterns' numbers add up (Korf and Felner 2002). Several
partitions, images of one another under the symmetries of the arcs, give several sums, of which
the largest counts. Patterns that a symmetry takes into each other share one table.

**What the numbers guarantee.** A sum is *admissible* always. It is *consistent*, so that no move
makes it fall by more than one, only where the tables are built for that. By default a table holds
the least distance over all cells of the blank, given that the blank cannot pass the pattern's
tiles for nothing. A move of one tile may then open a region in which the way is much shorter, and
the number falls by three or more. Searches that close nodes for good, or compare two states' values
(BAE*), need `consistent=True`: the blank then jumps freely over the pattern's tiles, which is the
largest bound that depends on the tiles' cells alone and is consistent. It is smaller, by 5 to 10
percent on sliding tiles.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, WORD_CELLS, State
from plansolve.model.structure import reverse
from plansolve.patterns.additive_build import build_bytes, build_seconds, build_tables
from plansolve.patterns.partition import (
    LARGEST_TABLE,
    Partition,
    choose_partition,
    choose_two,
    default_size,
)
from plansolve.patterns.sharing import SharedTables, arc_symmetries
from plansolve.storage.store import Store, StoreKey, Tell

__all__ = ["AdditiveSets", "Cost", "additive_cost", "additive_sets", "goal_sets", "start_sets"]

Arcs: TypeAlias = Sequence[Sequence[int]]

_KIND = "additive"
_MOST_SETS = 4
_MOST_BYTES = 1 << 32


@dataclass(frozen=True)
class AdditiveSets:
    """Lower bounds in the form that kernels take.

    There are N cells, tiles 1..N-1, S sets of patterns, and G patterns in all sets together. The
    index of pattern g is base[g] plus what its tiles add: weight[(s * N + tile) * N + cell] for a
    tile of set s, whose pattern is group[s * N + tile]. The entries for tile 0 are not used. The
    patterns of set s are first[s] .. first[s + 1] - 1. The bound is the largest over the sets of
    the sum of table[index] over the set's patterns.

    An entry is `NO_WAY` (255) where no plan at all brings the pattern's tiles home, and `LARGEST`
    (254) stands for all larger distances too.
    """

    table: NDArray[np.uint8]
    base: NDArray[np.uint32]
    group: NDArray[np.uint8]
    weight: NDArray[np.uint32]
    first: NDArray[np.uint32]

    def initial(self, state: State) -> NDArray[np.uint32]:
        """The G indices into `table` for a board."""
        index = self.base.copy()
        cells = len(state)
        for s in range(len(self.first) - 1):
            for cell, tile in enumerate(state):
                if tile != BLANK:
                    row = s * cells + tile
                    index[self.group[row]] += self.weight[row * cells + cell]
        return index

    def value(self, state: State) -> int:
        """The lower bound on the number of moves from `state`."""
        entries = self.table[self.initial(state)].astype(np.int64)
        return int(np.add.reduceat(entries, self.first[:-1]).max()) if entries.size else 0


def additive_sets(
    arcs: Arcs,
    board: State,
    *,
    maps: Sequence[CellMap],
    size: int | None,
    store: Store,
    tell: Tell,
    title: str,
    consistent: bool = False,
    partitions: Sequence[Partition] = (),
) -> AdditiveSets:
    """Lower bounds on the number of moves that bring each tile to its cell in `board`.

    The blank moves along `arcs`; with reversed arcs and the start as `board` these are bounds on
    the distance from the start. `maps` are symmetries of the arcs that keep the blank's cell in
    `board`; the images of the partition under them are further sets. `size` is the number of tiles
    in the largest pattern, None for a default by the number of cells. `partitions` hold home cells;
    one is chosen where there is none. Tables come from `store`, where `title` is shown.

    Raises `OptionError` where the board has too many cells, or the tables would exceed 4 GiB.
    """
    cells, blank = len(arcs), board.index(BLANK)
    if cells > WORD_CELLS:
        raise OptionError(
            f"the board has {cells} cells: additive pattern databases go up to {WORD_CELLS}"
        )
    if not partitions:
        size = default_size(cells) if size is None else size
        partitions = [choose_partition(arcs, blank, size, consistent=consistent)]
    shared = SharedTables(arcs, blank, consistent)
    sets = [
        [(pattern, *shared.place(pattern)) for pattern in image]
        for image in _images(partitions, maps)
    ]
    if shared.length >= _MOST_BYTES:
        raise OptionError(
            f"patterns of {max(map(len, partitions[0]))} tiles need tables of "
            f"{shared.length >> 20} MB on {cells} cells: choose smaller ones"
        )
    table = store.load_or_build(
        _key(title, partitions[0], shared, consistent),
        shared.length,
        lambda: build_tables(arcs, shared.tables, consistent, tell),
        tell,
    )
    return _assembled(board, sets, shared.bases, table)


def goal_sets(
    problem: Problem,
    *,
    size: int | None = None,
    store: Store,
    tell: Tell,
    consistent: bool = False,
) -> AdditiveSets:
    """Lower bounds on the distance to the goal; the problem must have a blank graph.

    Where `size` is None and the store holds tables of larger patterns than the default for the
    same arcs and goal, those are taken. Where no symmetry reflects the partition there is a second
    one, unless its tables were larger than the default ones may be.
    """
    graph = problem.blank_graph
    arcs = graph.successors
    if size is None and not consistent:
        size = _largest_built(problem, arcs, store)
    maps = _reflections(arcs, problem.goal)
    return additive_sets(
        arcs,
        problem.goal,
        maps=maps,
        size=size,
        store=store,
        tell=tell,
        title=_title(problem),
        consistent=consistent,
        partitions=_goal_partitions(arcs, problem.goal.index(BLANK), size, maps, consistent),
    )


def start_sets(
    problem: Problem, *, size: int | None = None, tell: Tell, consistent: bool = False
) -> AdditiveSets:
    """Lower bounds on the distance from the start; in memory, as another start has others."""
    graph = problem.blank_graph
    arcs = reverse(graph.successors)
    return additive_sets(
        arcs,
        problem.start,
        maps=_reflections(arcs, problem.start),
        size=size,
        store=Store(in_memory=True),
        tell=tell,
        title=f"{_title(problem)} from the start",
        consistent=consistent,
    )


@dataclass(frozen=True)
class Cost:
    """What additive tables cost: sizes of the patterns, bytes, and what the build takes.

    `build_bytes` is the most memory that one table takes while it is built, beside the tables;
    `seconds` is a rough estimate for one thread.
    """

    sizes: tuple[int, ...]
    bytes: int
    build_bytes: int
    seconds: float


def additive_cost(problem: Problem, size: int | None = None) -> Cost:
    """The cost of the tables that `goal_sets` takes if it has to build them."""
    graph = problem.blank_graph
    arcs, blank = graph.successors, problem.goal.index(BLANK)
    maps = _reflections(arcs, problem.goal)
    partitions = _goal_partitions(arcs, blank, size, maps, consistent=False)
    shared = _placed(arcs, blank, partitions, maps)
    return Cost(
        tuple(map(len, partitions[0])),
        shared.length,
        build_bytes(len(arcs), len(partitions[0][0])),
        build_seconds(len(arcs), shared.tables),
    )


def _placed(
    arcs: Arcs, blank: int, partitions: Sequence[Partition], maps: Sequence[CellMap]
) -> SharedTables:
    """The tables of all sets."""
    shared = SharedTables(arcs, blank, consistent=False)
    for image in _images(partitions, maps):
        for pattern in image:
            shared.place(pattern)
    return shared


def _title(problem: Problem) -> str:
    puzzle = problem.puzzle
    return f"{puzzle.rows}x{puzzle.columns} {puzzle.name}"


def _key(title: str, partition: Partition, shared: SharedTables, consistent: bool) -> StoreKey:
    sizes = "-".join(str(len(pattern)) for pattern in partition)
    return StoreKey(_KIND, f"{title}, {sizes}{' consistent' * consistent}", shared.content)


def _largest_built(problem: Problem, arcs: Arcs, store: Store) -> int | None:
    """The largest size beyond the default for which the store holds the goal's tables."""
    cells, blank = len(arcs), problem.goal.index(BLANK)
    usual = default_size(cells)
    # To choose a partition takes longer than to look at the files.
    maps = _reflections(arcs, problem.goal)
    longest = max((e.length for e in store.files() if e.key and e.key.kind == _KIND), default=0)
    size = usual
    while cells <= WORD_CELLS and size < cells - 1 and cells ** (size + 1) <= longest:
        size += 1
    for larger in range(size, usual, -1):
        partitions = _goal_partitions(arcs, blank, larger, maps, consistent=False)
        shared = _placed(arcs, blank, partitions, maps)
        if store.has(_key(_title(problem), partitions[0], shared, consistent=False)):
            return larger
    return None


def _goal_partitions(
    arcs: Arcs, blank: int, size: int | None, maps: Sequence[CellMap], consistent: bool
) -> Sequence[Partition]:
    """One partition where there are reflections of it, else two, if two can be had for little."""
    cells = len(arcs)
    if cells > WORD_CELLS:
        return ()
    size = default_size(cells) if size is None else size
    both = choose_two(arcs, blank, size, consistent=consistent)
    return both[: 1 if len(maps) > 1 or cells**size > LARGEST_TABLE else 2]


def _reflections(arcs: Arcs, board: State) -> list[CellMap]:
    blank = board.index(BLANK)
    return [image for image in arc_symmetries(arcs) if image[blank] == blank]


def _images(partitions: Sequence[Partition], maps: Sequence[CellMap]) -> list[Partition]:
    """The distinct images of the partitions under the maps, at most `_MOST_SETS`."""
    images: list[Partition] = []
    seen = set()
    for image in [tuple(range(WORD_CELLS)), *maps]:
        for partition in partitions:
            mapped = tuple(tuple(sorted(image[cell] for cell in pattern)) for pattern in partition)
            if frozenset(mapped) not in seen and len(images) < _MOST_SETS:
                seen.add(frozenset(mapped))
                images.append(mapped)
    return images


def _assembled(
    board: State,
    sets: Sequence[Sequence[tuple[tuple[int, ...], int, CellMap, tuple[int, ...]]]],
    bases: Sequence[int],
    table: NDArray[np.uint8],
) -> AdditiveSets:
    cells = len(board)
    group = np.zeros(len(sets) * cells, np.uint8)
    weight = np.zeros((len(sets) * cells, cells), np.uint32)
    base: list[int] = []
    first = [0]
    for s, patterns in enumerate(sets):
        for pattern, number, image, homes in patterns:
            for cell in pattern:
                row = s * cells + board[cell]
                stride = cells ** (len(homes) - 1 - homes.index(image[cell]))
                group[row] = len(base)
                weight[row] = [stride * there for there in image]
            base.append(bases[number])
        first.append(len(base))
    return AdditiveSets(
        table, np.array(base, np.uint32), group, weight.ravel(), np.array(first, np.uint32)
    )
