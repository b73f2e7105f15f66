"""Check the local invariants of a permutation pattern database, entry by entry.

Written apart from the builder and in another way: it steps forward from each entry by plain index
arithmetic.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, kernel, typed

__all__ = ["TableShape", "TileMoves", "count_faults"]

NO_WAY = 255


class TableShape(NamedTuple):
    """The numbers of cells, of tiles, and of entries for each parity; the index of the goal."""

    cells: int
    tiles: int
    half: int
    goal: int


@typed
class TileMoves(NamedTuple):
    """What the permutations do to a tile, and to the parity.

    destination[o*cells + cell]   the cell to which permutation o takes a cell's content
    odd[o]                        1 where it leads to the other half of the table
    """

    destination: NDArray[np.uint64]
    odd: NDArray[np.uint8]


@kernel
def count_faults(begin: int, end: int, shape: TableShape, moves: TileMoves, table: Array) -> int:
    """Return the number of wrong entries of `table` (uint8) from begin*cells to end*cells - 1.

    An entry is right if it is 0 at `goal`, `NO_WAY` where two tiles are in one cell, and else the
    least value that a move leads to plus one, or `NO_WAY` where all moves lead to that. If this
    holds for all entries, they are the distances: no value is too large, since each has a way down
    to 0, and none is too small, since no way falls faster.
    """
    cells, tiles, half, goal = shape
    destination, odd = moves
    number_of_cells, unreachable = np.uint64(cells), np.uint64(NO_WAY)
    operators = np.uint64(odd.size)
    last = np.uint64(tiles - 1)
    cell = np.empty(tiles, np.uint64)
    base = np.empty(odd.size, np.uint64)
    faults = 0
    for block in range(np.uint64(begin), np.uint64(end)):
        index = block * number_of_cells
        parity = index // np.uint64(half)
        rest = (index % np.uint64(half)) // number_of_cells
        for i in range(last):
            cell[last - np.uint64(1) - i] = rest % number_of_cells
            rest //= number_of_cells
        clash = False
        for i in range(last):
            for j in range(i):
                clash |= cell[i] == cell[j]
        for o in range(operators):
            to = np.uint64(0)
            for i in range(last):
                to = to * number_of_cells + destination[o * number_of_cells + cell[i]]
            base[o] = (parity ^ np.uint64(odd[o])) * np.uint64(half) + to * number_of_cells
        for own in range(number_of_cells):
            occupied = clash
            for i in range(last):
                occupied |= cell[i] == own
            right = unreachable
            if not occupied:
                for o in range(operators):
                    value = np.uint64(table[base[o] + destination[o * number_of_cells + own]])
                    if value < right:
                        right = value + np.uint64(1)
                if index + own == np.uint64(goal):
                    right = np.uint64(0)
            faults += np.uint64(table[index + own]) != right
    return faults
