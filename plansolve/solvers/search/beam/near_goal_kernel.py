"""Breadth-first search back from the goal where the moves permute the cells."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.beam.selection_kernel import find
from plansolve.storage.jit import kernel, typed

__all__ = ["GoalDistances", "Level", "PermutationMoves", "expand_back", "hashes_of"]


@typed
class PermutationMoves(NamedTuple):
    """The operators, and the keys of hashes.

    cells      how many there are
    key        [cells * cells]; the hash of an arrangement is the exclusive or of
               key[home * cells + cell] over what stands in the cells
    first      [operators + 1]: operator o fills to_cell[i] from from_cell[i] for
               first[o] <= i < first[o + 1]
    group      [operators], the number of the set of cells that the operator changes;
               operators of one group follow one another
    """

    cells: int
    key: NDArray[np.uint64]
    first: NDArray[np.uint32]
    to_cell: NDArray[np.uint16]
    from_cell: NDArray[np.uint16]
    group: NDArray[np.uint32]


@typed
class Level(NamedTuple):
    """Arrangements: the home of what stands in each cell, and their hashes.

    board    [arrangements * cells]
    zobrist  [arrangements]
    """

    board: NDArray[np.uint8]
    zobrist: NDArray[np.uint64]


@typed
class GoalDistances(NamedTuple):
    """A set of hashes (see `selection_kernel`), and the distances to the goal, alike."""

    slots: NDArray[np.uint64]
    moves: NDArray[np.uint8]


@kernel
def hashes_of(count: int, moves: PermutationMoves, level: Level) -> None:
    """Fill in the hashes of the first `count` arrangements."""
    size = np.uint64(moves.cells)
    for i in range(np.uint64(count)):
        value = np.uint64(0)
        for cell in range(size):
            value ^= moves.key[np.uint64(level.board[i * size + cell]) * size + cell]
        level.zobrist[i] = value


@kernel
def expand_back(
    begin: int,
    end: int,
    stored: int,
    distance: int,
    moves: PermutationMoves,
    level: Level,
    before: Level,
    known: GoalDistances,
) -> Any:
    """Add the arrangements that are one move before begin .. end - 1 to the known ones.

    The new ones, `distance` moves before the goal, are put after the `stored` ones. Return how
    many are stored then; stop where there is no more room.
    """
    cells, key, first, to_cell, from_cell, _ = moves
    board, zobrist = level
    slots, distances = known
    size = np.uint64(cells)
    count = np.uint64(stored)
    room = np.uint64(before.zobrist.size)
    for i in range(np.uint64(begin), np.uint64(end)):
        here = i * size
        for move in range(np.uint64(first.size - 1)):
            value = zobrist[i]
            # Backwards: what an operator takes from a cell has come from where it takes it to.
            for j in range(np.uint64(first[move]), np.uint64(first[move + np.uint64(1)])):
                home = np.uint64(board[here + np.uint64(to_cell[j])]) * size
                value ^= key[home + np.uint64(to_cell[j])] ^ key[home + np.uint64(from_cell[j])]
            bucket, slot = find(slots, value)
            if slots[bucket, slot] != np.uint64(0) or count == room:
                continue
            slots[bucket, slot] = value
            distances[bucket, slot] = distance
            before.zobrist[count] = value
            there = count * size
            for cell in range(size):
                before.board[there + cell] = board[here + cell]
            for j in range(np.uint64(first[move]), np.uint64(first[move + np.uint64(1)])):
                before.board[there + np.uint64(from_cell[j])] = board[here + np.uint64(to_cell[j])]
            count += np.uint64(1)
    return count
