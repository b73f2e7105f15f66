"""Check the local invariants of pattern databases of placements, entry by entry.

Written apart from the builder and in another way: it counts the placements up, steps forward from
each, and numbers them by comparing cells.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = ["ForwardMoves", "count_faults"]

_NO_WAY, _LARGEST = 255, 254


@typed
class ForwardMoves(NamedTuple):
    """Operators: where operator o takes the content of a cell, and where it needs the blank.

    destination[o * cells + cell]; need[o] is -1 where it needs no blank. home[k] is the goal cell
    of piece k, the blank being piece 0 where some operator needs it.
    """

    destination: NDArray[np.int64]
    need: NDArray[np.int64]
    home: NDArray[np.int64]


@kernel
def _number(cell: Array, cells: int) -> Any:
    """The number of a placement: for each piece, how many free cells come before its own."""
    number = 0
    for k in range(cell.size):
        before = cell[k]
        for j in range(k):
            before -= cell[j] < cell[k]
        number = number * (cells - k) + before
    return number


@kernel
def count_faults(first: int, cells: int, moves: ForwardMoves, table: Array) -> tuple[int, int]:
    """Return how many entries are wrong where piece 0 is in the cell `first`, and how many right.

    An entry is right if it is 0 at the goal, and else one more than the least entry that a move
    leads to; `NO_WAY` where that has none, and never more than `LARGEST` elsewhere.
    """
    pieces, operators = moves.home.size, moves.need.size
    cell, after = np.zeros(pieces, np.int64), np.empty(pieces, np.int64)
    faults, right = 0, 0
    cell[0] = first
    k = 1
    if pieces > 1:
        cell[1] = -1
    while k > 0:
        if k < pieces:
            # The next free cell for piece k, or back to the piece before.
            cell[k] += 1
            is_free = True
            for j in range(k):
                is_free = is_free and cell[j] != cell[k]
            if cell[k] >= cells:
                k -= 1
            elif is_free:
                k += 1
                if k < pieces:
                    cell[k] = -1
            continue
        is_goal = True
        least: Any = _NO_WAY
        for j in range(pieces):
            is_goal = is_goal and cell[j] == moves.home[j]
        for o in range(operators):
            if moves.need[o] >= 0 and moves.need[o] != cell[0]:
                continue
            for j in range(pieces):
                after[j] = moves.destination[o * cells + cell[j]]
            least = min(least, np.int64(table[_number(after, cells)]))
        expected = least if least == _NO_WAY else min(least + 1, _LARGEST)
        if is_goal:
            expected = 0
        if table[_number(cell, cells)] == expected:
            right += 1
        else:
            faults += 1
        k -= 1
    return faults, right
