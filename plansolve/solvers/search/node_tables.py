"""Puzzles and bounds as the kernels of searches take them."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from plansolve.bounds.bound import NodeBound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.solvers.search.node_kernel import EMPTY, Lookups, Operators

_MIXER = 0x9E3779B97F4A7C15
_LOW = (1 << 64) - 1


def content_type(puzzle: Puzzle) -> type[np.uint8 | np.uint16]:
    """Return the type of a cell's content on boards of many kinds of pieces or few."""
    return np.uint8 if puzzle.pieces[-1] < 256 else np.uint16


def distance_table(problem: Problem, bound: NodeBound) -> NDArray[np.int32]:
    """Return the distances, a row for each content up to the largest and a column for each cell."""
    cells = problem.puzzle.cells
    table = np.zeros((problem.puzzle.pieces[-1] + 1, cells), np.int32)
    for tile, distances in bound.distance.items():
        table[tile] = distances
    return table


def operator_tables(problem: Problem, bound: NodeBound) -> Operators:
    """Return the operators, the goal, and the bound but for its lookups."""
    first, cell, source = move_tables(problem.puzzle)
    return Operators(
        goal=np.array(problem.goal, np.int32),
        move_first=first,
        move_cell=cell,
        move_source=source,
        need=need_table(problem.puzzle),
        distance=distance_table(problem, bound).ravel(),
        divisor=bound.divisor,
    )


def move_tables(
    puzzle: Puzzle,
) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint16]]:
    """Return `move_first`, `move_cell` and `move_source` of `node_kernel.Operators`."""
    moves = [move for operator in puzzle.operators for move in operator.moves]
    return (
        starts(len(operator.moves) for operator in puzzle.operators),
        np.array([cell for cell, _ in moves], np.uint16),
        np.array([source for _, source in moves], np.uint16),
    )


def need_table(puzzle: Puzzle) -> NDArray[np.uint16]:
    """Return `need` of `node_kernel.Operators`.

    If there is one blank, its cell tells which operators apply; searches go by that.
    """
    is_open = puzzle.gaps < 2
    nowhere = puzzle.cells
    return np.array(
        [nowhere if is_open or op.blank is None else op.blank for op in puzzle.operators], np.uint16
    )


def starts(lengths: Iterable[int]) -> NDArray[np.uint32]:
    """Return the beginning of each of some consecutive runs, and the end of the last."""
    return np.array([0, *np.cumsum([*lengths], dtype=np.int64)], np.uint32)


def lookup_tables(problem: Problem, bound: NodeBound) -> Lookups:
    """Return the lookups of a bound, perhaps none; equal tables are not shared."""
    cells, parts = problem.puzzle.cells, len(bound.lookups)
    contents = problem.puzzle.pieces[-1] + 1
    weight = np.zeros((contents, cells, parts), np.uint64)
    for part, lookup in enumerate(bound.lookups):
        for tile, weights in lookup.weight.items():
            weight[tile, :, part] = weights
    tables = [_hashed(lookup.table) for lookup in bound.lookups]
    return Lookups(
        weight.ravel(),
        np.cumsum([0, *(len(key) for key, _ in tables)]).astype(np.uint64),
        np.concatenate([np.zeros(0, np.uint64), *(key for key, _ in tables)]),
        np.concatenate([np.zeros(0, np.int64), *(worth for _, worth in tables)]),
    )


def _hashed(table: Mapping[int, int]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return keys and values of an open addressing hash table, at most half full."""
    size = 1 << (2 * len(table)).bit_length()
    key, worth = np.full(size, EMPTY, np.uint64), np.zeros(size, np.int64)
    used = bytearray(size)
    for code, value in table.items():
        place = ((code * _MIXER & _LOW) >> 32) & (size - 1)
        while used[place]:
            place = (place + 1) & (size - 1)
        used[place], key[place], worth[place] = 1, code, value
    return key, worth
