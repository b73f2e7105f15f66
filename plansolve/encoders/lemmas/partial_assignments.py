"""Minimal partial assignments: a few tiles in a few cells that alone force waste on every plan.

Take an additive pattern database (Korf and Felner 2002): the least number h of moves of the
pattern's tiles that bring them home, wherever the blank is and wherever all other tiles are. Their
distances need no waste; the *excess* is what h is more, in units of waste. Some of the pattern's
tiles in some cells force the least excess over all cells of the others. Such a partial assignment
of up to three tiles is minimal if it forces more than each part of it with one tile less; in a
clause it stands for all boards that contain it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.lemmas.waste_counter import waste_unit
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.patterns.additive import AdditiveSets, additive_sets, goal_sets
from plansolve.patterns.partition import (
    AdditiveChooser,
    Partition,
    additive_chooser,
    compact_partitions,
    default_size,
    distances,
    spread,
    together,
)
from plansolve.storage.arrays import Arrays, load_or_build
from plansolve.storage.notices import notify_tables
from plansolve.storage.store import Store, Tell

__all__ = [
    "MOST_TILES",
    "NO_WAY",
    "Minimal",
    "PartialAssignments",
    "goal_assignments",
    "goal_tables",
    "is_goal_assignments",
    "minimal_assignments",
    "pattern_size",
    "start_tables",
]

MOST_TILES = 3
"""The most tiles of a minimal partial assignment; there are far too many of four and more."""

NO_WAY = 255
"""The excess where the pattern's tiles cannot get home; as an entry of a table it says the same."""

_LARGEST_PATTERN = 5
_MOST_ENTRIES = 1 << 20
_PARTITIONS = 4
_START_PARTITIONS = 1
_VERSION = 3


class PartialAssignments(NamedTuple):
    """Minimal partial assignments, one a row, those of one pattern one after another.

    The tiles with the home cells `home[i]` stand in the cells `cell[i]`; these rows of
    `MOST_TILES` entries are filled up with -1. They belong to the pattern `pattern[i]`, which they
    force to an excess of `excess[i]` units or more; without any one of the tiles, `less[i]` is the
    most. `homes[p]`, filled up with -1, are the home cells of pattern p, and `partitions[s]` the
    patterns of partition s.
    """

    home: NDArray[np.int64]
    cell: NDArray[np.int64]
    excess: NDArray[np.int64]
    less: NDArray[np.int64]
    pattern: NDArray[np.int64]
    homes: NDArray[np.int64]
    partitions: NDArray[np.int64]


def goal_assignments(problem: Problem) -> PartialAssignments:
    """The minimal partial assignments of several partitions, for the problem's goal.

    They depend on the blank graph and the blank's goal cell alone.
    """
    arcs = [sorted(targets) for targets in problem.blank_graph.successors]
    content = {"version": _VERSION, "arcs": arcs, "blank": problem.goal.index(BLANK)}
    stored = load_or_build("partial-assignments", content, partial(_build, problem, Store()))
    return PartialAssignments(*(stored[name] for name in PartialAssignments._fields))


def is_goal_assignments(problem: Problem, kept: Arrays) -> bool:
    """Whether kept arrays are those of `goal_assignments`, made anew from tables made anew."""
    made = _build(problem, Store(in_memory=True))
    return made.keys() == kept.keys() and all(
        np.array_equal(made[name], kept[name]) for name in made
    )


def goal_tables(problem: Problem) -> AdditiveSets:
    """The pattern databases that bound the moves from a board to the goal.

    Those that the partial assignments are taken from; where moves have a direction, and these are
    of four tiles, larger ones that search has as well.
    """
    if not problem.blank_graph.is_symmetric:
        size = min(_LARGEST_PATTERN, default_size(problem.puzzle.cells))
        return goal_sets(problem, size=size, store=Store(), tell=notify_tables)
    found = goal_assignments(problem)
    homes = [tuple(cell for cell in row if cell >= 0) for row in found.homes.tolist()]
    partitions = [tuple(homes[number] for number in row) for row in found.partitions.tolist()]
    return _tables(problem, problem.goal, _goal_plan(problem), partitions, Store(), notify_tables)


def start_tables(problem: Problem) -> AdditiveSets:
    """Databases of the same kind for the start in place of the goal; they are built each time.

    They bound the moves that lead from the start to a board.
    """
    plan = additive_chooser(problem.blank_graph.predecessors, problem.start.index(BLANK))
    partitions = _partitions(problem, plan, _START_PARTITIONS)
    store = Store(in_memory=True)
    return _tables(problem, problem.start, plan, partitions, store, lambda line: None)


def pattern_size(cells: int) -> int:
    """The tiles of the largest pattern: five, fewer where a table had over a million entries."""
    size = min(_LARGEST_PATTERN, cells - 1)
    while cells**size > _MOST_ENTRIES:
        size -= 1
    return size


def _goal_plan(problem: Problem) -> AdditiveChooser:
    return additive_chooser(problem.blank_graph.successors, problem.goal.index(BLANK))


def _partitions(problem: Problem, plan: AdditiveChooser, count: int) -> Sequence[Partition]:
    size = pattern_size(problem.puzzle.cells)
    if problem.blank_graph.is_symmetric:
        return several_partitions(plan, size, count)
    # A quarter fewer conflicts than with `several`, on walks of 36 moves from Lloyd's goal.
    return plan.reflected(plan.two_partitions(size))[:count]


def several_partitions(plan: AdditiveChooser, size: int, count: int) -> tuple[Partition, ...]:
    """Return up to `count` partitions such that many pairs of tiles are together somewhere.

    The first one is compact; up to half of them are its reflections; each of the others is the
    most compact one for distances to which one is added for each earlier partition that has
    both cells in one pattern. Fewer than `count` where there are few tiles.
    """
    cost, chosen, waiting = distances(plan.arcs), list[Partition](), list[Partition]()
    while len(chosen) < count:
        if not waiting or len(chosen) >= (count + 1) // 2:
            found = compact_partitions(cost, plan.blank, size) - set(chosen)
            if not found:
                break
            waiting = [min(found, key=lambda partition: (spread(cost, partition), partition))]
        chosen.append(waiting.pop(0))
        if len(chosen) == 1:
            images = (
                tuple(
                    sorted(
                        (tuple(sorted(image[cell] for cell in own)) for own in chosen[0]),
                        key=lambda own: (-len(own), own),
                    )
                )
                for image in plan.reflections
            )
            waiting = [image for image in dict.fromkeys(images) if image != chosen[0]]
        cost += together(len(cost), chosen[-1])
    return tuple(chosen)


def _tables(
    problem: Problem,
    board: State,
    plan: AdditiveChooser,
    partitions: Sequence[Partition],
    store: Store,
    tell: Tell,
) -> AdditiveSets:
    puzzle = problem.puzzle
    return additive_sets(
        plan,
        board,
        partitions,
        reflected=False,
        store=store,
        tell=tell,
        title=f"{puzzle.rows}x{puzzle.columns} {puzzle.name}, {len(partitions)} partitions",
    )


def _build(problem: Problem, store: Store) -> Arrays:
    """The partitions and their minimal partial assignments."""
    plan = _goal_plan(problem)
    partitions = _partitions(problem, plan, _PARTITIONS)
    tables = _tables(problem, problem.goal, plan, partitions, store, notify_tables)
    unit = waste_unit(problem)
    numbers: dict[tuple[int, ...], int] = {}
    found: list[tuple[NDArray[np.int64], ...]] = []
    for s, partition in enumerate(partitions):
        for homes in partition:
            if homes in numbers:
                continue
            number = numbers[homes] = len(numbers)
            distances = [problem.structure.tile_distances_to(home) for home in homes]
            table = _table_of(problem, tables, s, homes)
            for tiles, cells, excess, less in minimal_assignments(
                table, np.array(distances, np.int64), unit
            ):
                home = np.broadcast_to(np.array(homes)[list(tiles)], cells.shape)
                pattern = np.full(len(cells), number)
                found.append((_padded(home), _padded(cells), excess, less, pattern))
    names = ("home", "cell", "excess", "less", "pattern")
    columns = zip(*found, strict=True)
    arrays = {name: np.concatenate(parts) for name, parts in zip(names, columns, strict=True)}
    most = max(map(len, numbers))
    arrays["homes"] = np.array([[*homes, *[-1] * (most - len(homes))] for homes in numbers])
    arrays["partitions"] = np.array([[numbers[homes] for homes in part] for part in partitions])
    return arrays


def _padded(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.pad(rows, ((0, 0), (0, MOST_TILES - rows.shape[1])), constant_values=-1)


def _table_of(
    problem: Problem, tables: AdditiveSets, number: int, pattern: Sequence[int]
) -> NDArray[np.uint8]:
    """One pattern's table, an axis for the cell of each tile."""
    cells = problem.puzzle.cells
    weight = tables.weight.reshape(-1, cells).astype(np.int64)
    rows = [number * cells + problem.goal[home] for home in pattern]
    index = np.array(tables.base[tables.group[rows[0]]], np.int64)
    for row in rows:
        index = index[..., None] + weight[row]
    return tables.table[index]


class Minimal(NamedTuple):
    """Minimal partial assignments of the same tiles, by their positions in the pattern.

    Row i of `cells` has the cells of the tiles, which force an excess of `excess[i]`; without any
    one of them, `less[i]` is the most.
    """

    tiles: tuple[int, ...]
    cells: NDArray[np.int64]
    excess: NDArray[np.int64]
    less: NDArray[np.int64]


def minimal_assignments(
    table: NDArray[np.uint8], distance: NDArray[np.int64], unit: int
) -> Iterator[Minimal]:
    """The minimal partial assignments of a pattern, those of few tiles first.

    `table` has an axis for the cell of each tile and holds numbers of moves, `NO_WAY` where there
    is no way home and where two tiles are in one cell; `distance[i]` are those of tile i alone.
    """
    least = _least_excess(table, distance, unit)
    for tiles, excess in least.items():
        if not 0 < len(tiles) <= MOST_TILES:
            continue
        parts = [tiles[:i] + tiles[i + 1 :] for i in range(len(tiles))]
        less = np.zeros_like(excess)
        for i, part in enumerate(parts):
            less = np.maximum(less, np.expand_dims(least[part], i))
        cells = np.argwhere(excess > less)
        different = np.ones(len(cells), np.bool_)
        for i, j in combinations(range(len(tiles)), 2):
            different &= cells[:, i] != cells[:, j]
        cells = cells[different]
        if len(cells):
            place = tuple(cells.T)
            yield Minimal(
                tiles, cells, excess[place].astype(np.int64), less[place].astype(np.int64)
            )


def _least_excess(
    table: NDArray[np.uint8], distance: NDArray[np.int64], unit: int
) -> dict[tuple[int, ...], NDArray[np.uint8]]:
    """For each set of tiles, small ones first, the least excess over the cells of the others."""
    apart = np.zeros((), np.int32)
    for row in distance:
        apart = apart[..., None] + row.astype(np.int32)
    # Where the largest entry stands for more, it may be less than the distances.
    excess = (np.maximum(table.astype(np.int32), apart) - apart) // unit
    everything = tuple(range(len(distance)))
    least = {everything: np.where(table == NO_WAY, NO_WAY, excess).astype(np.uint8)}
    for size in range(len(everything) - 1, -1, -1):
        for part in combinations(everything, size):
            whole = next(s for s in least if len(s) == size + 1 and {*part} < {*s})
            (axis,) = (i for i, tile in enumerate(whole) if tile not in part)
            least[part] = least[whole].min(axis=axis)
    return dict(sorted(least.items(), key=lambda item: (len(item[0]), item[0])))
