"""Checks the entries of an additive table one by one against what their neighbours allow.

Placements have the indices that `additive_kernel` gives them: sum of cell[i] * stride[i]. Where the
kernels say P' of P, the tile in cell d has gone to cell b, from which the blank came along the arc
b -> d. `into[d]` holds a bit for each such b, `out[b]` for each d (uint64). All kernels return the
index of the first wrong entry, or the table's size where there is none.

Where the blank jumps freely, an entry is the distance if and only if it is 0 at home and one more
than the least of its successors elsewhere: `check_free` tests that. Otherwise the distance belongs
to a state, a placement with a cell of the blank, of which the table holds the least one. Then the
levels are gone through with sets of blank cells: `mark` finds the placements that a move joins
with the last level, and `settle` works out from the placement itself, forwards along its moves,
which blank cells can get to the last level in one move. So an entry is accepted only if no state
of its placement has a shorter way, and one has a way of that length.

`settled`, `last` and `new` (uint32 or uint64 by placement) are the blank cells that belong to lower
levels, to the last and to the current one; `touched` (uint8) marks placements, `rows` (uint8)
blocks of them.
"""

import numpy as np

from plansolve.storage.jit import Array, kernel, trailing_zeros

__all__ = ["ROW_BITS", "check_free", "check_unsettled", "mark", "settle"]

ROW_BITS = 8
NO_WAY = 255
LARGEST = 254


@kernel
def _place(index: Array, stride: Array, cell_of: Array) -> Array:
    """Writes the tiles' cells; returns them as bits, or 0 where two tiles are in one cell."""
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
def check_free(table: Array, home: int, saturated: bool, into: Array, stride: Array) -> int:
    """Tests a table for a blank that jumps; `saturated` where `LARGEST` stands for no way too."""
    one, zero = np.uint64(1), np.uint64(0)
    cell_of = np.empty(stride.size, np.uint64)
    for index in range(np.uint64(table.size)):
        entry = table[index]
        occupied = _place(index, stride, cell_of)
        least = NO_WAY
        if occupied:
            for tile in range(stride.size):
                sources = into[cell_of[tile]] & ~occupied
                while sources != zero:
                    b = trailing_zeros(sources)
                    sources &= sources - one
                    other = np.uint64(index) + (b - cell_of[tile]) * stride[tile]
                    least = min(least, int(np.int64(table[other])))
        if index == np.uint64(home):
            right = entry == 0
        elif least == NO_WAY:
            right = entry == NO_WAY or (saturated and entry == LARGEST)
        else:
            right = entry == min(least + 1, LARGEST)
        if not right:
            return int(np.int64(index))
    return int(table.size)


@kernel
def mark(
    last: Array, rows: Array, out: Array, stride: Array, settled: Array, touched: Array
) -> int:
    """Marks each placement P such that `last` has a state of P'; returns how many.

    All but those whose states are settled already.
    """
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
def settle(
    level: int,
    table: Array,
    into: Array,
    stride: Array,
    touched: Array,
    settled: Array,
    last: Array,
    new: Array,
    rows: Array,
) -> int:
    """Finds the states of this level among the touched placements and tests their entries."""
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
    """Tests the entries of the placements without a settled state: all have to be `wanted`."""
    for index in range(table.size):
        if settled[index] == 0 and table[index] != wanted:
            return index
    return int(table.size)
