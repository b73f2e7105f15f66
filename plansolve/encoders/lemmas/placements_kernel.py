"""The least excess of some tiles of a pattern, over all cells of the pattern's other tiles.

`table[index]` (uint8) holds the least number of moves for a placement of k tiles, index sum of
cell[i] * cells**(k - 1 - i); `distance[i, cell]` (int64) that of tile i alone. Row m of `parts`
(int64) holds the positions of some s of the tiles, in rising order; `least[m, index]` (uint8)
receives the least excess for each placement of these, and stays as it is where two of them are in
one cell.
"""

import numpy as np

from plansolve.storage.jit import Array, kernel

__all__ = ["NEVER", "least_excess"]

NEVER = 255
"""The entry of `table` where there is no way, and of `least` where there is no placement."""


@kernel
def least_excess(cells: int, table: Array, distance: Array, parts: Array, least: Array) -> None:
    """Fills `least`, which holds `NEVER` before; an excess of 254 stands for no way at all."""
    tiles = distance.shape[0]
    cell = np.zeros(tiles, np.int64)
    for index in range(table.size):
        rest = index
        occupied = np.uint64(0)
        doubled = False
        moves = np.int64(0)
        for back in range(tiles):
            tile = tiles - 1 - back
            cell[tile] = rest % cells
            rest //= cells
            bit = np.uint64(1) << np.uint64(cell[tile])
            doubled |= occupied & bit != np.uint64(0)
            occupied |= bit
            moves += distance[tile, cell[tile]]
        if doubled:
            continue
        excess = np.uint8(NEVER - 1)
        if table[index] != NEVER:
            # Where the largest entry stands for more, it may be less than the distances.
            excess = np.uint8((max(np.int64(table[index]), moves) - moves) // np.int64(2))
        for m in range(parts.shape[0]):
            place = np.int64(0)
            for i in range(parts.shape[1]):
                place = place * cells + cell[parts[m, i]]
            if least[m, place] > excess:
                least[m, place] = excess
