"""One step of a breadth-first search over boards, for the perimeter.

Boards are numbered in the order in which they are found: `boards[n]` (uint8, one entry a cell) is
board n, `blank[n]` (uint8) its blank's cell, `parent[n]` (int64) the board that it was reached
from, itself for the first. `slots` (int32) is an open addressing hash table of the boards by
number, -1 where empty; whole boards are compared. `tables` are the arrays of `AdditiveSets`.
"""

from typing import Any, TypeAlias

import numpy as np

from plansolve.storage.jit import Array, kernel

__all__ = ["NOWHERE", "expand", "slot_of"]

NOWHERE = 255
"""Fills up the rows of targets."""

Number: TypeAlias = Any


@kernel
def _bound(
    board: Array,
    cells: Number,
    table: Array,
    base: Array,
    group: Array,
    weight: Array,
    first: Array,
) -> Number:
    """The largest sum of table entries over the sets of patterns."""
    best = np.int64(0)
    index = np.empty(base.size, np.int64)
    for g in range(base.size):
        index[g] = base[g]
    for s in range(first.size - 1):
        for cell in range(cells):
            tile = np.int64(board[cell])
            if tile:
                row = s * cells + tile
                index[group[row]] += np.int64(weight[row * cells + cell])
        total = np.int64(0)
        for g in range(first[s], first[s + 1]):
            total += np.int64(table[index[g]])
        best = max(best, total)
    return best


@kernel
def slot_of(board: Array, cells: Number, boards: Array, slots: Array) -> Number:
    """The slot of a board, or the empty one where it belongs."""
    key = np.uint64(0)
    for cell in range(cells):
        key = (key ^ np.uint64(board[cell])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    mask = np.uint64(slots.size - 1)
    place = key & mask
    while slots[place] >= 0:
        number = slots[place]
        cell = 0
        while cell < cells and boards[number, cell] == board[cell]:
            cell += 1
        if cell == cells:
            break
        place = (place + np.uint64(1)) & mask
    return place


@kernel
def expand(
    order: Array,
    count: int,
    left: int,
    targets: Array,
    exists: Array,
    boards: Array,
    blank: Array,
    parent: Array,
    slots: Array,
    dead: Array,
    table: Array,
    base: Array,
    group: Array,
    weight: Array,
    first: Array,
) -> tuple[int, int]:
    """Makes the children of the boards `order` (int64), in this order; `count` boards are known.

    `targets[cell]` (uint8) are the cells that the blank can go to, `exists[cell]` tells whether it
    may be there after the move. A child is dead if `left` moves are fewer than its bound, or if it
    is known; the rows of `dead` (int64) receive its parent's number and its blank's cell. The
    others are numbered from `count` on. Returns how many boards are known then, and how many
    children are dead. A step straight back is neither.
    """
    cells = boards.shape[1]
    fallen = 0
    child = np.empty(cells, np.uint8)
    for number in order:
        here = np.int64(blank[number])
        before = np.int64(blank[parent[number]])
        for i in range(targets.shape[1]):
            there = np.int64(targets[here, i])
            if there == NOWHERE or (there == before and parent[number] != number):
                continue
            if not exists[there]:
                continue
            for cell in range(cells):
                child[cell] = boards[number, cell]
            child[here], child[there] = child[there], child[here]
            is_dead = _bound(child, cells, table, base, group, weight, first) > left
            if not is_dead:
                slot = slot_of(child, cells, boards, slots)
                is_dead = slots[slot] >= 0
            if is_dead:
                dead[fallen, 0] = number
                dead[fallen, 1] = there
                fallen += 1
                continue
            slots[slot] = count
            for cell in range(cells):
                boards[count, cell] = child[cell]
            blank[count] = there
            parent[count] = number
            count += 1
    return count, fallen
