"""Check the local invariants of pattern databases of placements, entry by entry.

Written apart from the builder and in another way: it counts the placements up, steps forward from
each, and numbers them by comparing cells.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "ForwardMoves",
    "PlacedPieces",
    "count_faults",
    "moved_pieces",
    "next_placement",
    "number_of_cells",
]

_NO_WAY, _LARGEST = 255, 254


@typed
class ForwardMoves(NamedTuple):
    """Operators: where operator o takes the content of a cell, and where it needs a gap.

    destination[o * cells + cell]; need[o] is -1 where it needs no gap.
    """

    cells: int
    destination: NDArray[np.int64]
    need: NDArray[np.int64]


@typed
class PlacedPieces(NamedTuple):
    """The pieces of a pattern, the gaps last where some operator needs one: so many.

    rank[k]           0 for the first piece of a class, 1 for the second one ...
    size[k]           the pieces of its class
    choose[n, k]      the number of ways to choose k of n
    is_goal[number]   1 for the placements that a goal has
    gaps              the number of gaps, 0 where none is needed
    """

    rank: NDArray[np.int64]
    size: NDArray[np.int64]
    choose: NDArray[np.int64]
    is_goal: NDArray[np.uint8]
    gaps: int


@kernel
def number_of_cells(cell: Array, cells: int, pieces: PlacedPieces) -> Any:
    """The number of a placement whose cells ascend within classes.

    For each class: how many sets of cells, of those that earlier classes leave, come before its own
    where sets are compared by their last cells first.
    """
    number = 0
    for k in range(cell.size):
        first = k - pieces.rank[k]
        before = cell[k]
        for j in range(first):
            before -= cell[j] < cell[k]
        if pieces.rank[k] == 0:
            number *= pieces.choose[cells - first, pieces.size[k]]
        number += pieces.choose[before, pieces.rank[k] + 1]
    return number


@kernel
def next_placement(cell: Array, k: int, cells: int, pieces: PlacedPieces) -> int:
    """Go on to the next placement where the first k pieces have cells, and the next one begins.

    Piece 0 stays where it is. Return the number of pieces, or 0 where there is no placement left.
    """
    count = pieces.rank.size
    while 0 < k < count:
        # The next cell for piece k, or back to the piece before.
        if cell[k] < 0:
            cell[k] = cell[k - 1] if pieces.rank[k] else -1
            cell[k] += 1
        is_free = cell[k] < cells
        for j in range(k):
            is_free = is_free and cell[j] != cell[k]
        if cell[k] >= cells:
            k -= 1
            if k > 0:
                cell[k] += 1
        elif is_free:
            k += 1
            if k < count:
                cell[k] = -1
        else:
            cell[k] += 1
    return k


@kernel
def moved_pieces(
    o: int, cell: Array, after: Array, moves: ForwardMoves, pieces: PlacedPieces
) -> None:
    """Write where an operator takes the pieces, those of a class by ascending cells."""
    for j in range(cell.size):
        after[j] = moves.destination[o * moves.cells + cell[j]]
        # Within its class it comes before those in later cells.
        at = j
        while at > j - pieces.rank[j] and after[at - 1] > after[at]:
            after[at - 1], after[at] = after[at], after[at - 1]
            at -= 1


@kernel
def count_faults(
    first: int, moves: ForwardMoves, pieces: PlacedPieces, table: Array
) -> tuple[int, int]:
    """Return how many entries are wrong where piece 0 is in the cell `first`, and how many right.

    An entry is right if it is 0 at a goal, and else one more than the least entry that a move leads
    to; `NO_WAY` where that has none, and never more than `LARGEST` elsewhere.
    """
    cells, count, operators = moves.cells, pieces.rank.size, moves.need.size
    cell, after = np.zeros(count, np.int64), np.empty(count, np.int64)
    faults, right = 0, 0
    cell[0], cell[1:] = first, -1
    k = next_placement(cell, 1, cells, pieces)
    while k > 0:
        least: Any = _NO_WAY
        for o in range(operators):
            has_gap = moves.need[o] < 0
            for j in range(count - pieces.gaps, count):
                has_gap = has_gap or moves.need[o] == cell[j]
            if not has_gap:
                continue
            moved_pieces(o, cell, after, moves, pieces)
            least = min(least, np.int64(table[number_of_cells(after, cells, pieces)]))
        number = number_of_cells(cell, cells, pieces)
        expected = least if least == _NO_WAY else min(least + 1, _LARGEST)
        if pieces.is_goal[number]:
            expected = 0
        if table[number] == expected:
            right += 1
        else:
            faults += 1
        k -= 1
        if k > 0:
            cell[k] += 1
        k = next_placement(cell, k, cells, pieces)
    return faults, right
