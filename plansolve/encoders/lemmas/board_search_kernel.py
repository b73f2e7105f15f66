"""One step of a breadth-first search over boards, for the lemma `perimeter`."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, inlined, kernel, typed

Number: TypeAlias = Any


@typed
class BoardMoves(NamedTuple):
    """The moves by number, in the order that decides which of two walks as long comes first.

    Move m fills `cell` from the cell source[m, cell]; where odd[m] is 1 that is an odd permutation.
    follows[p, m] is true if m may come after p; the last row is for the walk of no moves.
    """

    source: NDArray[np.uint8]
    odd: NDArray[np.uint8]
    follows: NDArray[np.bool_]


@typed
class BoardBounds(NamedTuple):
    """Lower bounds on the moves that a board still needs, from pattern databases.

    Lookup g of a board is the entry base[g], plus odd[g] where the board is an odd permutation,
    plus the sum of contribution[content * cells + cell, g] over the cells, modulo 2**32. The bound
    is the largest, over the sets s, of the sum of the lookups first[s] to first[s + 1] - 1.
    """

    table: NDArray[np.uint8]
    contribution: NDArray[np.uint32]
    base: NDArray[np.uint32]
    odd: NDArray[np.uint32]
    first: NDArray[np.int64]


@typed
class KnownBoards(NamedTuple):
    """The boards that are known, by number in the order in which they are found.

    board[n] (an entry a cell) is board n, odd[n] its parity; last[n] is the move and parent[n] the
    board that it was reached from; ways[n] counts its children that are not pruned. `slots` is an
    open addressing hash table of the boards by number, -1 where empty; whole boards are compared.
    """

    board: NDArray[np.uint8]
    odd: NDArray[np.uint8]
    last: NDArray[np.int16]
    parent: NDArray[np.int32]
    ways: NDArray[np.uint8]
    slots: NDArray[np.int32]


@inlined
def _slot_of(board: Array, known: KnownBoards) -> Number:
    """Return the slot of a board, or the empty one where it belongs."""
    cells, slots = board.size, known.slots
    key = np.uint64(0)
    for cell in range(cells):
        key = (key ^ np.uint64(board[cell])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    mask = np.uint64(slots.size - 1)
    place = key & mask
    while slots[place] >= 0:
        cell = 0
        while cell < cells and known.board[slots[place], cell] == board[cell]:
            cell += 1
        if cell == cells:
            break
        place = (place + np.uint64(1)) & mask
    return place


@inlined
def _is_beyond(
    board: Array, odd: Number, left: Number, index: Array, bounds: BoardBounds
) -> Number:
    """Return True if the bound is larger than `left`; `index` (uint32) is written to."""
    for g in range(index.size):
        index[g] = bounds.base[g] + odd * bounds.odd[g]
    for cell in range(board.size):
        row = np.int64(board[cell]) * board.size + cell
        for g in range(index.size):
            index[g] += bounds.contribution[row, g]
    for s in range(bounds.first.size - 1):
        total = np.int64(0)
        for g in range(bounds.first[s], bounds.first[s + 1]):
            total += np.int64(bounds.table[index[g]])
        if total > left:
            return True
    return False


@kernel
def fill_slots(count: int, known: KnownBoards) -> None:
    """Give the first `count` boards their slots; all are empty."""
    for number in range(count):
        known.slots[_slot_of(known.board[number], known)] = number


@kernel
def expand(
    begin: int,
    count: int,
    left: int,
    is_reversed: bool,
    moves: BoardMoves,
    known: KnownBoards,
    bounds: BoardBounds,
    pruned: Array,
) -> tuple[int, int]:
    """Make the children of the boards from number `begin` on; `count` boards are known.

    In the order of the boards and then of the moves, or, where the search `is_reversed`, of the
    moves and then of the boards. A child is pruned if it is known, or if its bound is more than the
    moves that are `left`. The rows of `pruned` (int64), if there are any, receive the board's
    number and the move of each. The others are numbered from `count` on. Return how many boards are
    known then, -1 if there is no room for them, and how many are pruned.
    """
    cells, number_pruned = known.board.shape[1], 0
    child = np.empty(cells, np.uint8)
    index = np.empty(bounds.base.size, np.uint32)
    first, second = count - begin, moves.odd.size
    if is_reversed:
        first, second = second, first
    for i in range(first):
        for j in range(second):
            number, move = begin + i, j
            if is_reversed:
                number, move = begin + j, i
            if not moves.follows[known.last[number], move]:
                continue
            for cell in range(cells):
                child[cell] = known.board[number, moves.source[move, cell]]
            odd = known.odd[number] ^ moves.odd[move]
            slot = _slot_of(child, known)
            if known.slots[slot] >= 0 or _is_beyond(child, odd, left, index, bounds):
                if pruned.shape[0]:
                    pruned[number_pruned, 0] = number
                    pruned[number_pruned, 1] = move
                    number_pruned += 1
                continue
            if count == known.board.shape[0]:
                return -1, 0
            known.slots[slot] = count
            for cell in range(cells):
                known.board[count, cell] = child[cell]
            known.odd[count] = odd
            known.last[count] = move
            known.parent[count] = number
            known.ways[number] += 1
            count += 1
    return count, number_pruned


@kernel
def fold(expanded: int, known: KnownBoards) -> None:
    """Take the ways to boards away that have none themselves, of the first `expanded` boards."""
    for number in range(expanded - 1, 0, -1):
        if known.ways[number] == 0:
            known.ways[known.parent[number]] -= 1
