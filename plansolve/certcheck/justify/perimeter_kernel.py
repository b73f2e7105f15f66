"""One step of the search over boards from one end of the plans."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = ["PRUNED", "Boards", "Bounds", "fold", "slot_of", "step"]

Number: TypeAlias = Any

PRUNED = -1
"""What stands for a child that no plan passes."""


@typed
class Boards(NamedTuple):
    """The boards that were found, by number in the order of their walks.

    `board[n]` are the contents of board n, `blank[n]` is the blank's cell, and `child[n, w]` the
    number of the board that the blank makes of it when it takes way w from there, or `PRUNED`.
    `slots` is a hash table of the boards by number, -1 where it is empty.
    """

    board: NDArray[np.uint8]
    blank: NDArray[np.uint8]
    child: NDArray[np.int32]
    slots: NDArray[np.int32]


@typed
class Bounds(NamedTuple):
    """Tables of moves; those of one partition into patterns of tiles add up.

    The entry of pattern p is `moves[base[p] + ...]`, to which each tile of the pattern adds its
    cell times `weight[p, tile]`. `partition[p]` is the pattern's, and these are in order.
    """

    moves: NDArray[np.uint8]
    base: NDArray[np.int64]
    weight: NDArray[np.int64]
    partition: NDArray[np.int64]


@kernel
def step(
    nodes: Array,
    ways: Array,
    targets: Array,
    count: Number,
    left: Number,
    spares_equals: bool,
    boards: Boards,
    bounds: Bounds,
) -> Number:
    """Let the blank of each of the boards `nodes` take one of its ways, to a cell of `targets`.

    These are int64, and the order matters. `count` boards are known, and `left` moves are left
    after this one. A board that is known, or farther away than that, is pruned; but one that is new
    in this step, with `spares_equals`, is the other walk's child too. Return how many boards are
    known then.
    """
    cells = boards.board.shape[1]
    begin = count
    child = np.empty(cells, np.uint8)
    place = np.empty(cells, np.int64)
    for k in range(nodes.size):
        node, way, there = nodes[k], ways[k], targets[k]
        for cell in range(cells):
            child[cell] = boards.board[node, cell]
        here = np.int64(boards.blank[node])
        child[here], child[there] = child[there], child[here]
        slot = slot_of(child, boards)
        known = boards.slots[slot]
        if known >= 0:
            is_spared = spares_equals and known >= begin
            boards.child[node, way] = known if is_spared else PRUNED
        elif _is_farther(child, left, place, bounds):
            boards.child[node, way] = PRUNED
        else:
            boards.child[node, way] = boards.slots[slot] = count
            for cell in range(cells):
                boards.board[count, cell] = child[cell]
            for other in range(boards.child.shape[1]):
                boards.child[count, other] = PRUNED
            boards.blank[count] = there
            count += 1
    return count


@kernel
def fold(expanded: Number, boards: Boards, is_dead: Array) -> None:
    """Mark in `is_dead` (bool) which of the first `expanded` boards all ways from are pruned.

    Or lead to boards that are dead themselves. The other boards have not been looked at.
    """
    for node in range(expanded - 1, -1, -1):
        is_dead[node] = True
        for way in range(boards.child.shape[1]):
            child = boards.child[node, way]
            if child != PRUNED and not is_dead[child]:
                is_dead[node] = False


@kernel
def _is_farther(board: Array, left: Number, place: Array, bounds: Bounds) -> bool:
    """Whether the largest sum over a partition is more than the moves that are left."""
    for cell in range(board.size):
        place[board[cell]] = cell
    total = np.int64(0)
    for p in range(bounds.base.size):
        if p and bounds.partition[p] != bounds.partition[p - 1]:
            total = np.int64(0)
        index = bounds.base[p]
        for tile in range(1, board.size):
            index += bounds.weight[p, tile] * place[tile]
        total += np.int64(bounds.moves[index])
        if total > left:
            return True
    return False


@kernel
def slot_of(board: Array, boards: Boards) -> Number:
    """Return the slot of a board, or the empty one where it belongs; whole boards are compared."""
    key = np.uint64(1469598103934665603)
    for cell in range(board.size):
        key = (key ^ np.uint64(board[cell])) * np.uint64(1099511628211)
    key ^= key >> np.uint64(32)
    mask = np.uint64(boards.slots.size - 1)
    slot = key & mask
    while boards.slots[slot] >= 0:
        number = boards.slots[slot]
        cell = 0
        while cell < board.size and boards.board[number, cell] == board[cell]:
            cell += 1
        if cell == board.size:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot
