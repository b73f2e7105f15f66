"""One step of a breadth-first search over boards, for the perimeter."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.storage.jit import Array, inlined, kernel, typed

__all__ = ["NOWHERE", "KnownBoards", "add_board", "expand", "fill_slots", "fold", "slot_of"]

NOWHERE = 255
"""Fills up the rows of targets."""

Number: TypeAlias = Any


@typed
class KnownBoards(NamedTuple):
    """The boards that are known, by number in the order in which they are found.

    `board[n]` (one entry a cell) is board n, `last[n]` what its walk ends with: its blank's cell,
    or an operator. `parent[n]` is the board that it was reached from, itself for the first.
    `ways[n]` counts the children of board n that are not pruned. `slots` is an open addressing hash
    table of the boards by number, -1 where empty; whole boards are compared.
    """

    board: NDArray[np.uint8]
    last: NDArray[np.uint8]
    parent: NDArray[np.int32]
    ways: NDArray[np.uint8]
    slots: NDArray[np.int32]


@kernel
def _exceeds(board: Array, left: int, bounds: AdditiveSets) -> bool:
    """Whether the sum of table entries over one of the sets of patterns is larger than `left`."""
    cells = board.size
    index = np.empty(bounds.base.size, np.int64)
    for g in range(bounds.base.size):
        index[g] = bounds.base[g]
    for s in range(bounds.first.size - 1):
        for cell in range(cells):
            tile = np.int64(board[cell])
            if tile:
                row = s * cells + tile
                index[bounds.group[row]] += np.int64(bounds.weight[row * cells + cell])
        total = np.int64(0)
        for g in range(bounds.first[s], bounds.first[s + 1]):
            total += np.int64(bounds.table[index[g]])
        if total > left:
            return True
    return False


@kernel
def slot_of(board: Array, known: KnownBoards) -> Number:
    """The slot of a board, or the empty one where it belongs."""
    cells, slots = board.size, known.slots
    key = np.uint64(0)
    for cell in range(cells):
        key = (key ^ np.uint64(board[cell])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    mask = np.uint64(slots.size - 1)
    place = key & mask
    while slots[place] >= 0:
        number = slots[place]
        cell = 0
        while cell < cells and known.board[number, cell] == board[cell]:
            cell += 1
        if cell == cells:
            break
        place = (place + np.uint64(1)) & mask
    return place


@kernel
def fill_slots(count: int, known: KnownBoards) -> None:
    """Give the first `count` boards their slots; all are empty."""
    for number in range(count):
        known.slots[slot_of(known.board[number], known)] = number


@inlined
def add_board(
    child: Array, count: Number, last: Number, parent: Number, slot: Number, known: KnownBoards
) -> None:
    """Make a child of board number `parent` the board number `count`; `slot` is its free slot."""
    known.slots[slot] = count
    for cell in range(child.size):
        known.board[count, cell] = child[cell]
    known.last[count] = last
    known.parent[count] = parent
    known.ways[parent] += 1


@kernel
def expand(
    order: Array,
    count: int,
    left: int,
    targets: Array,
    exists: Array,
    known: KnownBoards,
    bounds: AdditiveSets,
    dead: Array,
) -> tuple[int, int]:
    """Make the children of the boards `order` (int64), in this order; `count` boards are known.

    `targets[cell]` (uint8) are the cells that the blank can go to, `exists[cell]` tells whether it
    may be there after the move. A child is pruned if `left` moves are fewer than its bound, or if
    it is known; the rows of `dead` (int64), if there are any, receive its parent's number and its
    blank's cell. The others are numbered from `count` on. Return how many boards are known then,
    and how many rows were written. A step straight back is neither.
    """
    cells = known.board.shape[1]
    pruned = 0
    child = np.empty(cells, np.uint8)
    for number in order:
        here = np.int64(known.last[number])
        before = np.int64(known.last[known.parent[number]])
        for i in range(targets.shape[1]):
            there = np.int64(targets[here, i])
            if there == NOWHERE or (there == before and known.parent[number] != number):
                continue
            if not exists[there]:
                continue
            for cell in range(cells):
                child[cell] = known.board[number, cell]
            child[here], child[there] = child[there], child[here]
            slot = slot_of(child, known)
            if known.slots[slot] >= 0 or _exceeds(child, left, bounds):
                if dead.shape[0]:
                    dead[pruned, 0] = number
                    dead[pruned, 1] = there
                    pruned += 1
                continue
            add_board(child, count, there, number, slot, known)
            count += 1
    return count, pruned


@kernel
def fold(expanded: int, known: KnownBoards) -> None:
    """Take away the ways to boards that have none, of the first `expanded` boards.

    The others have not been looked at, and are taken to have some.
    """
    for number in range(expanded - 1, 0, -1):
        if known.ways[number] == 0:
            known.ways[known.parent[number]] -= 1
