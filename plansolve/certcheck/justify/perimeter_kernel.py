"""One step of the search over boards from one end of the plans, and what it has pruned."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.search.free_kernel import FreeLookups
from plansolve.storage.jit import Array, inlined, kernel, typed

__all__ = ["NO_MOVE", "Boards", "Bounds", "CellMoves", "begin", "find_pruned", "fold", "step"]

Number: TypeAlias = Any

NO_MOVE = -1
"""What stands for a step of a walk that no move makes."""


@typed
class Boards(NamedTuple):
    """The boards that were found, by number in the order of their walks.

    `board[n]` are the contents of board n, numbers below that of the cells. It was made from board
    `parent[n]`, by a step that ends with `last[n]`, and is `odd[n]`. `ways[n]` counts the boards
    that were made from it. `slots` is a hash table of the boards by number, -1 where it is empty.
    """

    board: NDArray[np.uint8]
    last: NDArray[np.uint8]
    odd: NDArray[np.uint8]
    parent: NDArray[np.int32]
    ways: NDArray[np.uint8]
    slots: NDArray[np.int32]


@typed
class CellMoves(NamedTuple):
    """Move m fills cell c from cell `source[m, c]`; `odd[m]` is 1 where it changes `Boards.odd`."""

    source: NDArray[np.uint8]
    odd: NDArray[np.uint8]


@typed
class Bounds(NamedTuple):
    """Lookups, of which those add up that have the same `total`; these are next to each other."""

    lookups: FreeLookups
    total: NDArray[np.int64]


@kernel
def begin(board: Array, last: Number, is_odd: Number, boards: Boards) -> None:
    """Make a board (uint8) number 0; nothing has made it, but a first step follows `last`."""
    boards.board[0] = board
    boards.last[0] = last
    boards.odd[0] = is_odd
    boards.parent[0] = NO_MOVE
    boards.slots[_slot_of(board, boards.board, boards.slots)] = 0


@kernel
def step(
    nodes: Array,
    moves: Array,
    lasts: Array,
    count: Number,
    left: Number,
    rules: CellMoves,
    boards: Boards,
    bounds: Bounds,
) -> Number:
    """Make moves `moves[k]` on boards `nodes[k]`, which end with `lasts[k]`.

    These are int64, and the order matters. `count` boards are known, and `left` moves are left
    after this one. A board that is known, or farther away than that, is pruned. Return how many
    boards are known then, -1 if there is no room for them.
    """
    source, odd, board = rules.source, rules.odd, boards.board
    cells = board.shape[1]
    child = np.empty(cells, np.uint8)
    place = np.empty(cells, np.uint8)
    for k in range(nodes.size):
        node, move = np.uint64(nodes[k]), np.uint64(moves[k])
        for cell in range(np.uint64(cells)):
            child[cell] = board[node, source[move, cell]]
        slot = _slot_of(child, board, boards.slots)
        if boards.slots[slot] >= 0:
            continue
        for cell in range(np.uint64(cells)):
            place[child[cell]] = cell
        is_odd = boards.odd[node] ^ odd[move]
        if _is_farther(child, place, is_odd, left, bounds.lookups, bounds.total):
            continue
        if count == board.shape[0]:
            return -1
        boards.slots[slot] = count
        board[count] = child
        boards.last[count] = lasts[k]
        boards.odd[count] = is_odd
        boards.parent[count] = nodes[k]
        boards.ways[node] += 1
        count += 1
    return count


@kernel
def fold(expanded: Number, boards: Boards) -> None:
    """Take from the `ways` of boards those to boards that have none, of the first `expanded`.

    The others have not been looked at.
    """
    for node in range(expanded - 1, 0, -1):
        if boards.ways[node] == 0:
            boards.ways[boards.parent[node]] -= 1


@kernel
def find_pruned(
    walks: Array, lasts: Array, expanded: Number, rules: CellMoves, boards: Boards, is_pruned: Array
) -> None:
    """Set `is_pruned[k]` (bool) where walk k from board 0 is pruned, or a dead end.

    Its steps are the moves `walks[k]`, `NO_MOVE` for none, and end with `lasts[k]`; these are
    int64. Nothing is known of walks that go on from boards that are not `expanded`.
    """
    child = np.empty(boards.board.shape[1], np.uint8)
    for k in range(walks.shape[0]):
        node = np.int64(0)
        for i in range(walks.shape[1]):
            if node >= expanded:
                break
            move = walks[k, i]
            number = np.int64(NO_MOVE)
            if move != NO_MOVE:
                for cell in range(child.size):
                    child[cell] = boards.board[node, rules.source[move, cell]]
                number = np.int64(boards.slots[_slot_of(child, boards.board, boards.slots)])
            if number < 0 or boards.parent[number] != node or boards.last[number] != lasts[k, i]:
                is_pruned[k] = True
                break
            node = number
        if node < expanded and boards.ways[node] == 0:
            is_pruned[k] = True


@inlined
def _is_farther(
    board: Array, place: Array, is_odd: Number, left: Number, lookups: FreeLookups, total: Array
) -> bool:
    """Whether the largest sum is more than the moves that are left."""
    cells, count = np.uint64(board.size), np.uint64(total.size)
    primal = np.uint64(lookups.primal[0])
    places = np.uint64(lookups.place.size // max(total.size, 1))
    moves = np.int64(0)
    for lookup in range(count):
        if lookup and total[lookup] != total[lookup - np.uint64(1)]:
            moves = np.int64(0)
        at = np.uint64(lookups.base[lookup]) + np.uint64(is_odd) * np.uint64(lookups.half[lookup])
        tiles = place if lookup < primal else board
        for i in range(lookup * places, (lookup + np.uint64(1)) * places):
            at += np.uint64(lookups.value[i * cells + np.uint64(tiles[lookups.place[i]])])
        moves += np.int64(lookups.table[at])
        if moves > left:
            return True
    return False


@inlined
def _slot_of(child: Array, board: Array, slots: Array) -> Number:
    """Return the slot of a board, or the empty one where it belongs; whole boards are compared."""
    key = np.uint64(1469598103934665603)
    for cell in range(child.size):
        key = (key ^ np.uint64(child[cell])) * np.uint64(1099511628211)
    key ^= key >> np.uint64(32)
    mask = np.uint64(slots.size - 1)
    slot = key & mask
    while slots[slot] >= 0:
        number = slots[slot]
        cell = 0
        while cell < child.size and board[number, cell] == child[cell]:
            cell += 1
        if cell == child.size:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot
