"""Nodes of any puzzle, for searches that keep whole boards: a child, its bound, the goal.

A bound is what `bounds.bound.NodeBound` says: distances, and lookups, which are open addressing
hash tables of keys.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, inlined, kernel, typed

Number: TypeAlias = Any
"""An index, a hash (both uint64) or a length in moves (int64) as a kernel sees it."""

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The key of a place that is not used."""
_MIXER = np.uint64(0x9E3779B97F4A7C15)


@typed
class Operators(NamedTuple):
    """A puzzle with N cells, and its bound but for the lookups.

    goal[cell]                 the kind of piece, -1 in an open cell
    move_cell[m],              for m from move_first[o] to move_first[o + 1],
    move_source[m]             operator o brings the content of the source to the cell
    need[o]                    the cell in which one of several gaps has to be, or else N
    distance[tile * N + cell]  a tile's lower bound in moves; 0 for the blank, UNREACHABLE
                               or more where it is stuck
    divisor                    of `NodeBound`
    """

    goal: NDArray[np.int32]
    move_first: NDArray[np.uint32]
    move_cell: NDArray[np.uint16]
    move_source: NDArray[np.uint16]
    need: NDArray[np.uint16]
    distance: NDArray[np.int32]
    divisor: int


class Edge(NamedTuple):
    """A move to be made: the places of the operator's first move and of the one after its last, of
    the state in `states` and of the child; the state's sum of distances, and its hash.
    """

    first: Number
    last: Number
    here: Number
    there: Number
    total: Number
    hash: Number


@typed
class Lookups(NamedTuple):
    """P lookups of boards with N cells.

    weight[(content * N + cell) * P + p]  what a cell's content adds to the key of lookup p
    begin[p]                              where its hash table begins; begin[P] is the end;
                                          the lengths are powers of two
    key[place], worth[place]              the tables
    """

    weight: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    key: NDArray[np.uint64]
    worth: NDArray[np.int64]


@inlined
def applies(needed: Number, here: Number, cells: Number, states: Array) -> bool:
    """Return True if the state at states[here] has a gap in the cell `needed` (N: in any)."""
    return bool(needed == cells or states[here + needed] == 0)


@inlined
def is_idle(
    first: Number, last: Number, here: Number, cell: Array, source: Array, states: Array
) -> bool:
    """Return True if the moves first .. last - 1 leave the state at states[here] as it is.

    So it is where they exchange pieces that are alike: no shortest plan makes such a move.
    """
    m: Number = first
    while m < last and (states[here + np.uint64(cell[m])] == states[here + np.uint64(source[m])]):
        m += np.uint64(1)
    return bool(m == last)


@kernel
def look_up(code: np.uint64, begin: np.uint64, end: np.uint64, key: Array, worth: Array) -> int:
    """Return what the table from `begin` to `end` holds for a key, 0 if it holds nothing."""
    one, mask = np.uint64(1), end - begin - np.uint64(1)
    place = ((code * _MIXER) >> np.uint64(32)) & mask
    while key[begin + place] != code:
        if key[begin + place] == EMPTY:
            return 0
        place = (place + one) & mask
    return worth[begin + place]  # type: ignore[no-any-return]


@kernel
def looked_up(lookups: Lookups, here: np.uint64, cells: np.uint64, states: Array) -> int:
    """Return the sum of all lookups for the board at states[here]."""
    one = np.uint64(1)
    weight, begin, key, worth = lookups
    parts, total = np.uint64(begin.size) - one, 0
    for part in range(parts):
        code = np.uint64(0)
        for cell in range(cells):
            row = np.uint64(states[here + cell]) * cells + cell
            code += weight[row * parts + part]
        total += look_up(code, begin[part], begin[part + one], key, worth)
    return total


@kernel
def distance_bound(
    total: Number, divisor: Number, here: Number, cells: Number, states: Array, distance: Array
) -> Number:
    """Return the distances' share of h of the state that begins at states[here], from their sum."""
    if divisor == 1:
        return total
    bound: Number = (total + divisor - 1) // divisor
    for cell in range(cells):
        tile = np.uint64(states[here + cell])
        bound = max(bound, np.int64(distance[tile * cells + cell]))
    return bound


@kernel
def write_child(
    edge: Edge,
    cells: Number,
    move_cell: Array,
    move_source: Array,
    distance: Array,
    hashes: Array | None,
    states: Array,
) -> tuple[Number, Number]:
    """Write a child's state, and return its sum of distances and its hash.

    `hashes` is as in `AStarRules`; where it is None the hash means nothing.
    """
    here, there, total, key = edge.here, edge.there, edge.total, edge.hash
    for i in range(cells):
        states[there + i] = states[here + i]
    for move in range(edge.first, edge.last):
        cell, source = np.uint64(move_cell[move]), np.uint64(move_source[move])
        states[there + cell] = states[here + source]
        tile = np.uint64(states[here + source]) * cells
        total += np.int64(distance[tile + cell])
        total -= np.int64(distance[tile + source])
        if hashes is not None:
            key ^= hashes[tile + cell] ^ hashes[tile + source]
    return total, key


@inlined
def is_goal(goal: Array, here: Number, states: Array) -> bool:
    """Return True if the state at states[here] is the goal, which has -1 in open cells."""
    cells = np.uint64(goal.size)
    cell: Number = np.uint64(0)
    while cell < cells and (goal[cell] < 0 or goal[cell] == np.int32(states[here + cell])):
        cell += np.uint64(1)
    return bool(cell == cells)
