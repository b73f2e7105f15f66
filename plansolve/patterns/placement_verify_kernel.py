"""Check pattern databases of placements move by move, back from what is known to be right.

Written apart from the builder and in another way: it knows nothing of levels, goes on from an entry
as soon as that is proved, and numbers placements by comparing cells.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = [
    "FOLLOWED",
    "PROVED",
    "TOO_LARGE",
    "UNMET",
    "BackwardSteps",
    "PlacedPieces",
    "cells_of_number",
    "follow_back",
    "number_of_cells",
]

UNMET, PROVED, FOLLOWED, TOO_LARGE = 0, 1, 2, 3
"""What is known of an entry: some moves of that number lead to the goal, and whether it was looked
at what is a move before; or so many moves are too many."""

_STACK = 1 << 12


@typed
class BackwardSteps(NamedTuple):
    """Operators taken back: from where operator o brings the content of a cell.

    origin[o * cells + cell]; those from begin[c] on, up to begin[c + 1], leave a gap in cell c, and
    those from begin[cells] on need no gap.
    """

    cells: int
    origin: NDArray[np.int64]
    begin: NDArray[np.int64]


@typed
class PlacedPieces(NamedTuple):
    """The pieces of a pattern, the gaps last where some operator needs one.

    rank[k]        0 for the first piece of a class, 1 for the second one ...
    size[k]        the pieces of its class
    choose[n, k]   the number of ways to choose k of n
    gaps           how many of the pieces are gaps
    counted        so many pieces, the first ones, are those whose moves count; -1: all moves do
    farthest       an entry that stands for this distance and all larger ones
    """

    rank: NDArray[np.int64]
    size: NDArray[np.int64]
    choose: NDArray[np.int64]
    gaps: int
    counted: int
    farthest: int


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
def cells_of_number(number: Any, cells: int, pieces: PlacedPieces, cell: Array) -> None:
    """Write the placement that has a number: the reverse of `number_of_cells`."""
    # First the share of each class in the number, in the place of its last piece.
    rest = number
    k = cell.size
    while k > 0:
        size = pieces.size[k - 1]
        sets = pieces.choose[cells - (k - size), size]
        cell[k - 1] = rest % sets
        rest //= sets
        k -= size
    while k < cell.size:
        first, size = k, pieces.size[k]
        k += size
        rest, before = cell[k - 1], cells
        for j in range(size - 1, -1, -1):
            before -= 1
            while pieces.choose[before, j + 1] > rest:
                before -= 1
            rest -= pieces.choose[before, j + 1]
            # The cell that has `before` cells before it which earlier classes leave.
            at, found = before, -1
            while found != at:
                found = at
                at = before
                for i in range(first):
                    at += cell[i] <= found
            cell[first + j] = at


@kernel
def follow_back(
    begin: int, end: int, steps: BackwardSteps, pieces: PlacedPieces, table: Array, known: Array
) -> tuple[int, int]:
    """Look at what is one move before the `PROVED` placements begin .. end - 1, and on from there.

    An entry that is larger than the one after a move, and 1 where the move counts, is `TOO_LARGE`;
    one that equals this sum gets `PROVED`. Return how many became `FOLLOWED`, and how many were too
    large. Where the stack is full, some stay `PROVED`. Two threads may both look at one.
    """
    cells, count = steps.cells, pieces.rank.size
    cell, before = np.empty(count, np.int64), np.empty(count, np.int64)
    stack = np.empty(_STACK, np.int64)
    followed, faults = 0, 0
    for met in range(begin, end):
        if known[met] != PROVED:
            continue
        known[met] = FOLLOWED
        stack[0], height = met, 1
        while height > 0:
            height -= 1
            followed += 1
            here = stack[height]
            entry = np.int64(table[here])
            cells_of_number(here, cells, pieces, cell)
            for gap in range(pieces.gaps + 1):
                group = cell[count - pieces.gaps + gap] if gap < pieces.gaps else cells
                for o in range(steps.begin[group], steps.begin[group + 1]):
                    cost: Any = 1 if pieces.counted < 0 else 0
                    for j in range(count):
                        origin = steps.origin[o * cells + cell[j]]
                        if j < pieces.counted and origin != cell[j]:
                            cost = 1
                        # Within its class it comes before those in later cells.
                        at = j
                        while at > j - pieces.rank[j] and before[at - 1] > origin:
                            before[at] = before[at - 1]
                            at -= 1
                        before[at] = origin
                    other = number_of_cells(before, cells, pieces)
                    most = min(entry + cost, pieces.farthest)
                    if table[other] > most:
                        known[other] = TOO_LARGE
                        faults += 1
                    elif table[other] == most and known[other] == UNMET:
                        known[other] = PROVED
                        if height < _STACK:
                            known[other], stack[height] = FOLLOWED, other
                            height += 1
    return followed, faults
