"""Minimal placements: a few tiles in a few cells that alone force a plan's moves away from home.

For a blank graph that is symmetric and two-coloured, take an additive pattern database: the least
number h of moves of the pattern's tiles, wherever the blank is and wherever all other tiles are.
Of these moves at least (h - distances) / 2 lead a tile away from its home cell: the *excess*. The
excess of some of the pattern's tiles is the least one over all cells of the rest. A placement of
up to three tiles is minimal at level j if its excess is j or more and that of every part of it is
less; in a clause it stands for all placements that contain it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.lemmas.placements_kernel import NEVER, least_excess
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.patterns.additive import AdditiveSets, additive_sets
from plansolve.patterns.partition import Partition
from plansolve.patterns.plan import pattern_plan
from plansolve.storage.arrays import Arrays, load_or_build
from plansolve.storage.notices import LEMMA_TABLES, notify
from plansolve.storage.store import Store

__all__ = ["MOST_TILES", "Placements", "goal_placements", "goal_tables", "start_tables"]

MOST_TILES = 3
"""The most tiles that a minimal placement has; there are far too many of four and more."""

_LARGEST_PATTERN = 5
_MOST_ENTRIES = 1 << 20
_PARTITIONS = 4
_START_PARTITIONS = 1
_HIGHEST_LEVEL = 8
_VERSION = 1

_Least: TypeAlias = dict[tuple[int, ...], NDArray[np.uint8]]
"""For each set of tiles, by their positions in the pattern, the least excess by their cells."""


class Placements(NamedTuple):
    """Minimal placements, one a row.

    The tiles with the home cells `home[i]` stand in the cells `cell[i]`; these rows of
    `MOST_TILES` entries are filled up with -1. Row i belongs to group `group[i]`: one for each
    pattern and level, those of one pattern by rising level one after another. `pattern` and
    `partition` tell of each group which it belongs to; patterns of all partitions count on.
    `homes[i]`, filled up with -1, are the home cells of pattern i.
    """

    home: NDArray[np.int64]
    cell: NDArray[np.int64]
    group: NDArray[np.int64]
    pattern: NDArray[np.int64]
    partition: NDArray[np.int64]
    homes: NDArray[np.int64]


def goal_placements(problem: Problem) -> Placements:
    """The minimal placements of several partitions, for the problem's goal.

    They depend on the blank graph and the blank's goal cell alone.
    """
    stored = _stored(problem)
    return Placements(*(stored[name] for name in Placements._fields))


def goal_tables(problem: Problem) -> AdditiveSets:
    """The pattern databases that the placements are taken from."""
    stored = _stored(problem)
    partitions: list[list[tuple[int, ...]]] = []
    for number, row in zip(stored["owner"], stored["homes"], strict=True):
        if number == len(partitions):
            partitions.append([])
        partitions[number].append(tuple(int(cell) for cell in row if cell >= 0))
    return _tables(problem, problem.goal, [tuple(partition) for partition in partitions], Store())


def start_tables(problem: Problem) -> AdditiveSets:
    """Databases of the same kind for the start in place of the goal; they are built each time."""
    partitions = _partitions(problem, problem.start, _START_PARTITIONS)
    return _tables(problem, problem.start, partitions, Store(in_memory=True))


def _partitions(problem: Problem, board: State, count: int) -> tuple[Partition, ...]:
    size = _pattern_size(problem.puzzle.cells)
    return pattern_plan(_arcs(problem), board.index(BLANK)).several_partitions(size, count)


def _stored(problem: Problem) -> Arrays:
    arcs, blank = _arcs(problem), problem.goal.index(BLANK)
    content = {"version": _VERSION, "arcs": arcs, "blank": blank}
    return load_or_build("placements", content, partial(_build, problem))


def _arcs(problem: Problem) -> list[list[int]]:
    graph = problem.blank_graph
    return [sorted(targets) for targets in graph.successors]


def _pattern_size(cells: int) -> int:
    """The tiles of the largest pattern: five, or fewer where a table had too many entries."""
    size = min(_LARGEST_PATTERN, cells - 1)
    while cells**size > _MOST_ENTRIES:
        size -= 1
    return size


def _tables(
    problem: Problem, board: State, partitions: Sequence[Partition], store: Store
) -> AdditiveSets:
    puzzle = problem.puzzle
    return additive_sets(
        pattern_plan(_arcs(problem), board.index(BLANK)),
        board,
        partitions,
        reflected=False,
        store=store,
        tell=lambda line: notify(LEMMA_TABLES),
        title=f"{puzzle.rows}x{puzzle.columns} {puzzle.name}, {len(partitions)} partitions",
    )


def _build(problem: Problem) -> Arrays:
    """The partitions and their minimal placements."""
    partitions = _partitions(problem, problem.goal, _PARTITIONS)
    tables = _tables(problem, problem.goal, partitions, Store())
    homes: list[tuple[int, ...]] = []
    owner: list[int] = []
    groups: list[tuple[int, int]] = []
    rows: list[tuple[tuple[int, ...], tuple[int, ...], int]] = []
    for number, partition in enumerate(partitions):
        for pattern in partition:
            levels = _levels(problem, pattern, _table_of(problem, tables, number, pattern))
            for level in levels:
                rows += [(home, cell, len(groups)) for home, cell in level]
                groups.append((len(homes), number))
            homes.append(pattern)
            owner.append(number)
    return {
        "home": _padded([home for home, _, _ in rows], MOST_TILES),
        "cell": _padded([cell for _, cell, _ in rows], MOST_TILES),
        "group": np.array([group for _, _, group in rows], np.int64),
        "pattern": np.array([pattern for pattern, _ in groups], np.int64),
        "partition": np.array([number for _, number in groups], np.int64),
        "homes": _padded(homes, max(map(len, homes))),
        "owner": np.array(owner, np.int64),
    }


def _padded(rows: Sequence[Sequence[int]], width: int) -> NDArray[np.int64]:
    padded = [[*row, *[-1] * (width - len(row))] for row in rows]
    return np.array(padded, np.int64).reshape(-1, width)


def _table_of(
    problem: Problem, tables: AdditiveSets, number: int, pattern: Sequence[int]
) -> NDArray[np.uint8]:
    """One pattern's table, indexed by the cells of its tiles, the first one's most significant."""
    cells = problem.puzzle.cells
    weight = tables.weight.reshape(-1, cells).astype(np.int64)
    rows = [number * cells + problem.goal[home] for home in pattern]
    index = np.array([tables.base[tables.group[rows[0]]]], np.int64)
    for row in rows:
        index = (index[:, None] + weight[row]).ravel()
    return tables.table[index]


def _levels(
    problem: Problem, pattern: Sequence[int], table: NDArray[np.uint8]
) -> Iterator[list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """For each level, the home cells and the cells of the minimal placements."""
    cells = problem.puzzle.cells
    least = _least(problem, pattern, table)
    distinct = {size: _distinct(cells, size) for size in range(1, MOST_TILES + 1)}
    for level in range(1, _HIGHEST_LEVEL + 1):
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        for part, excess in least.items():
            hit = (excess >= level) & distinct[len(part)]
            for place in range(len(part) if len(part) > 1 else 0):
                smaller = least[part[:place] + part[place + 1 :]]
                hit &= np.expand_dims(smaller, place) < level
            home = tuple(pattern[i] for i in part)
            found += [(home, tuple(map(int, cell))) for cell in np.argwhere(hit)]
        if not found:
            return
        yield found


def _least(problem: Problem, pattern: Sequence[int], table: NDArray[np.uint8]) -> _Least:
    """The least excess of each set of up to `MOST_TILES` tiles of a pattern, small sets first."""
    cells, size = problem.puzzle.cells, min(MOST_TILES, len(pattern))
    distance = np.array([problem.structure.tile_distances_to(home) for home in pattern], np.int64)
    parts = list(combinations(range(len(pattern)), size))
    largest = np.full((len(parts), cells**size), NEVER, np.uint8)
    least_excess(cells, table, distance, np.array(parts, np.int64), largest)
    found = {part: row.reshape((cells,) * size) for part, row in zip(parts, largest, strict=True)}
    for smaller in range(size - 1, 0, -1):
        for part in combinations(range(len(pattern)), smaller):
            whole = next(
                other for other in found if len(other) == smaller + 1 and {*part} < {*other}
            )
            (place,) = (i for i, tile in enumerate(whole) if tile not in part)
            found[part] = found[whole].min(axis=place)
    return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def _distinct(cells: int, size: int) -> NDArray[np.bool_]:
    """Whether the tiles of a placement are in different cells."""
    grid = np.indices((cells,) * size)
    different = np.ones((cells,) * size, np.bool_)
    for one, other in combinations(range(size), 2):
        different &= grid[one] != grid[other]
    return different
