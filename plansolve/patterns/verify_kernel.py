"""Check the entries of an additive table one by one against what their neighbours allow.

Placements have the indices that `additive_kernel` gives them: sum of cell[i] * stride[i]. Where the
kernels say P' of P, the tile in cell d has gone to cell b, from which the blank came along the arc
b -> d. All kernels return the index of the first wrong entry, or the table's size where there is
none; `table` is uint8.

The distance belongs to a state, a placement with a cell of the blank, of which the table holds the
least one. So the levels are gone through with sets of blank cells: `mark` finds the placements that
a move joins with the last level, and `settle` works out from the placement itself, forwards along
its moves, which blank cells can get to the last level in one move. An entry is accepted only if no
state of its placement has a shorter way, and one has a way of that length.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.compiler import trailing_zeros
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["ROW_BITS", "ArcBits", "BlankSets", "check_unsettled", "mark", "settle"]

ROW_BITS = 8
"""A row is so many of the lowest bits of a placement's index."""


@typed
class ArcBits(NamedTuple):
    """The arcs b -> d of the blank, and how a tile's cell counts in an index.

    into[d]     a bit for each b
    out[b]      a bit for each d
    stride[i]   what a step of tile i to the next cell adds to an index
    """

    into: NDArray[np.uint64]
    out: NDArray[np.uint64]
    stride: NDArray[np.uint64]


@typed
class BlankSets(NamedTuple):
    """The blank cells of each placement by level, and which placements are to be looked at.

    settled, last, new   those of lower levels, of the last and of the current one
    touched              by placement: 1 where `mark` has found it
    rows, new_rows       by row: 1 where a placement of the row is in `last`, in `new`
    """

    settled: NDArray[np.uint32 | np.uint64]
    last: NDArray[np.uint32 | np.uint64]
    new: NDArray[np.uint32 | np.uint64]
    touched: NDArray[np.uint8]
    rows: NDArray[np.uint8]
    new_rows: NDArray[np.uint8]


@kernel
def _place(index: Array, stride: Array, cell_of: Array) -> Array:
    """Write the tiles' cells; return them as bits, or 0 where two tiles are in one cell."""
    rest = np.uint64(index)
    occupied = np.uint64(0)
    for tile in range(stride.size):
        cell = rest // stride[tile]
        rest -= cell * stride[tile]
        if occupied >> cell & np.uint64(1):
            return np.uint64(0)
        occupied |= np.uint64(1) << cell
        cell_of[tile] = cell
    return occupied


@kernel
def mark(arcs: ArcBits, sets: BlankSets) -> int:
    """Mark each placement P such that `last` has a state of P'; return how many.

    All but those whose states are settled already.
    """
    out, stride = arcs.out, arcs.stride
    settled, last, touched, rows = sets.settled, sets.last, sets.touched, sets.rows
    one, zero = np.uint64(1), np.uint64(0)
    everywhere = ~zero >> np.uint64(64 - out.size)
    cell_of = np.empty(stride.size, np.uint64)
    marked = 0
    for row in range(np.uint64(rows.size)):
        if not rows[row]:
            continue
        begin = row << np.uint64(ROW_BITS)
        for index in range(begin, min(np.uint64(last.size), begin + (one << np.uint64(ROW_BITS)))):
            blanks = np.uint64(last[index])
            if blanks == zero:
                continue
            occupied = _place(index, stride, cell_of)
            for tile in range(stride.size):
                b = cell_of[tile]
                targets = blanks & out[b]
                while targets != zero:
                    d = trailing_zeros(targets)
                    targets &= targets - one
                    before = np.uint64(index) + (d - b) * stride[tile]
                    # There b is free and d is not.
                    there = occupied ^ (one << b) ^ (one << d)
                    if (np.uint64(settled[before]) | there) != everywhere and not touched[before]:
                        touched[before] = 1
                        marked += 1
    return marked


@kernel
def settle(level: int, table: Array, arcs: ArcBits, sets: BlankSets) -> int:
    """Find the states of this level among the touched placements, and test their entries."""
    into, stride = arcs.into, arcs.stride
    settled, last, new = sets.settled, sets.last, sets.new
    touched, rows = sets.touched, sets.new_rows
    one, zero = np.uint64(1), np.uint64(0)
    cell_of = np.empty(stride.size, np.uint64)
    for index in range(np.uint64(table.size)):
        if not touched[index]:
            continue
        touched[index] = 0
        occupied = _place(index, stride, cell_of)
        reached = zero
        for tile in range(stride.size):
            d = cell_of[tile]
            sources = into[d] & ~occupied
            while sources != zero:
                b = trailing_zeros(sources)
                sources &= sources - one
                after = np.uint64(index) + (b - d) * stride[tile]
                if np.uint64(last[after]) >> d & one:
                    reached |= one << b
        # The blank gets to these cells from others, round the tiles.
        todo = reached
        while todo != zero:
            found = into[trailing_zeros(todo)] & ~occupied & ~reached
            reached |= found
            todo = (todo & (todo - one)) | found
        earlier = np.uint64(settled[index])
        reached &= ~earlier
        if reached == zero:
            continue
        if earlier == zero and table[index] != level:
            return int(np.int64(index))
        new[index] = reached
        settled[index] = earlier | reached
        rows[index >> np.uint64(ROW_BITS)] = 1
    return int(table.size)


@kernel
def check_unsettled(table: Array, settled: Array, wanted: int) -> int:
    """Test the entries of the placements without a settled state: all have to be `wanted`."""
    for index in range(table.size):
        if settled[index] == 0 and table[index] != wanted:
            return index
    return int(table.size)
