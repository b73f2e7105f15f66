"""Check tables of placements that count only the moves of their own pieces.

An operator costs 1 where it moves such a piece, and else nothing. No entry may be larger than what
an operator costs and the entry after it: then none is too large. An entry is proved where such a
sum equals it and the entry after it is proved: then it is not too small.
"""

from typing import Any

import numpy as np

from plansolve.patterns.placement_verify_kernel import (
    ForwardMoves,
    PlacedPieces,
    moved_pieces,
    next_placement,
    number_of_cells,
)
from plansolve.storage.jit import Array, kernel

__all__ = ["count_sum_faults"]

_NO_WAY, _FARTHEST = 255, 251


@kernel
def count_sum_faults(
    first: int, moves: ForwardMoves, pieces: PlacedPieces, table: Array, proved: Array
) -> tuple[int, int]:
    """Look at the placements with piece 0 in the cell `first` that are not proved yet.

    Return how many entries are larger than they may be, or not 0 at a goal, and how many others got
    proved: `proved` (uint8) has 1 for those that are.
    """
    cells, count, operators = moves.cells, pieces.rank.size, moves.need.size
    cell, after = np.zeros(count, np.int64), np.empty(count, np.int64)
    own = count - pieces.gaps
    faults, news = 0, 0
    cell[0], cell[1:] = first, -1
    k = next_placement(cell, 1, cells, pieces)
    while k > 0:
        number = number_of_cells(cell, cells, pieces)
        if proved[number] == 0:
            entry: Any = np.int64(table[number])
            least: Any = _NO_WAY
            is_proved = pieces.is_goal[number] == 1 or entry == _NO_WAY
            for o in range(operators):
                has_gap = moves.need[o] < 0
                for j in range(own, count):
                    has_gap = has_gap or moves.need[o] == cell[j]
                if not has_gap:
                    continue
                moved_pieces(o, cell, after, moves, pieces)
                cost = 0
                for j in range(own):
                    if moves.destination[o * cells + cell[j]] != cell[j]:
                        cost = 1
                other = number_of_cells(after, cells, pieces)
                beyond: Any = np.int64(table[other])
                if beyond != _NO_WAY:
                    beyond = min(beyond + cost, _FARTHEST)
                least = min(least, beyond)
                is_proved = is_proved or (beyond == entry and proved[other] == 1)
            if entry > least or (pieces.is_goal[number] == 1 and entry > 0):
                faults += 1
            elif is_proved:
                proved[number] = 1
                news += 1
        k -= 1
        if k > 0:
            cell[k] += 1
        k = next_placement(cell, k, cells, pieces)
    return faults, news
