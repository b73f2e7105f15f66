"""Number placements of a few pieces, and settle their distances to the goal level by level.

Pieces that are alike form a *class*. A placement is the cells of its pieces, class by class and
ascending within a class. Its number is put together of one digit for each class: which set of cells
it takes of those that earlier classes leave, in the combinatorial number system (Knuth, TAOCP 4A,
7.2.1.3). So there are no gaps between the numbers.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.table import NO_WAY as NO_WAY
from plansolve.storage.jit import Array, bit_count, inlined, kernel, typed

_STACK = 1 << 12

_Number: TypeAlias = Any
"""An unsigned number (uint64) as a kernel sees it."""


@typed
class PlacementShape(NamedTuple):
    """The numbering of placements, of one pattern or of several in turn.

    first[c]                  the first piece of class c; the last entry is the number of pieces
    ways[c]                   how many sets of cells class c can take beside its pattern's earlier
                              classes
    binomial[r * width + k]   the number of ways to choose k of r things
    """

    first: NDArray[np.uint64]
    ways: NDArray[np.uint64]
    binomial: NDArray[np.uint64]
    width: np.uint64


@typed
class BackwardMoves(NamedTuple):
    """The operators taken back, by where they leave a gap; N is the number of cells.

    begin[b]             the first operator that leaves a gap in cell b, where the last class are
                         the gaps; else there is one group
    origin[o * N + cell] the cell from which operator o brings a cell's content
    piece[p]             p
    """

    begin: NDArray[np.uint64]
    origin: NDArray[np.uint8]
    piece: NDArray[np.uint8]


@typed
class LevelMarks(NamedTuple):
    """The entries of placements that are reached by a level, are settled, or are reached next."""

    here: np.uint8
    settled: np.uint8
    following: np.uint8


@typed
class PlacementTables(NamedTuple):
    """Lookups of boards with N cells in tables of placements.

    shape                   of the patterns of all lookups, one after the other
    begin[l]                the first class of lookup l; the last entry is the number of classes
    slot[kind]              the first slot of a kind's pieces, see `PlacementScratch`
    piece[p]                the slot of piece p
    image[l * N + cell]     the cell in which a piece counts as standing
    base[l], table          where the table of lookup l begins; the tables
    """

    shape: PlacementShape
    begin: NDArray[np.uint64]
    slot: NDArray[np.uint64]
    piece: NDArray[np.uint8]
    image: NDArray[np.uint8]
    base: NDArray[np.uint64]
    table: NDArray[np.uint8]


@typed
class PlacementScratch(NamedTuple):
    """The scratch space that `stand` writes and `look_up` reads.

    used[kind]    how many pieces of a kind were met
    where[slot]   the cell of each piece
    """

    used: NDArray[np.uint64]
    where: NDArray[np.uint8]


@inlined
def _number(
    where: Array,
    at: _Number,
    piece: Array,
    image: Array,
    row: _Number,
    begin: _Number,
    end: _Number,
    shape: PlacementShape,
) -> _Number:
    """Return the number of a placement (uint64) of the classes `begin` .. `end` - 1 of the shape.

    Piece p counts as standing in the cell image[row + where[at + piece[p]]].
    """
    first, ways, binomial, width = shape
    one, taken, number = np.uint64(1), np.uint64(0), np.uint64(0)
    if first[end] - first[begin] == end - begin:
        # All differ: this loop is the inner one of searches.
        shift: _Number = first[begin] - begin
        for c in range(begin, end):
            cell = one << np.uint64(image[row + np.uint64(where[at + np.uint64(piece[c + shift])])])
            number = number * ways[c] + bit_count((cell - one) & ~taken)
            taken |= cell
        return number
    for c in range(begin, end):
        own, digit = np.uint64(0), np.uint64(0)
        for p in range(first[c], first[c + one]):
            own |= one << np.uint64(image[row + np.uint64(where[at + np.uint64(piece[p])])])
        # From the first cell on, whatever the order of the pieces.
        rest: _Number = own
        k: _Number = one
        while rest:
            below = (rest & (~rest + one)) - one
            digit += binomial[bit_count(below & ~taken) * width + k]
            rest &= rest - one
            k += one
        number = number * ways[c] + digit
        taken |= own
    return number


@inlined
def number_before(
    cell: Array, o: _Number, cells: _Number, moves: BackwardMoves, shape: PlacementShape
) -> _Number:
    """Return the number (uint64) of what operator o makes of the placement `cell` (uint64)."""
    zero, classes = np.uint64(0), np.uint64(shape.ways.size)
    return _number(cell, zero, moves.piece, moves.origin, o * cells, zero, classes, shape)


@kernel
def numbers_of(cell: Array, shape: PlacementShape, number: Array) -> None:
    """Write the numbers of the placements cell[i] (uint64 [n, K]) to number[i] (uint64)."""
    flat, width = cell.reshape(-1), np.uint64(cell.shape[1])
    zero, classes = np.uint64(0), np.uint64(shape.ways.size)
    same = np.arange(64).astype(np.uint64)
    for i in range(np.uint64(number.size)):
        number[i] = _number(flat, i * width, same, same, zero, zero, classes, shape)


@inlined
def stand(
    states: Array, here: _Number, cells: _Number, tables: PlacementTables, scratch: PlacementScratch
) -> None:
    """Write down where the pieces of the board at states[here] stand."""
    slot, used, where = tables.slot, scratch.used, scratch.where
    for kind in range(np.uint64(slot.size)):
        used[kind] = slot[kind]
    for at in range(cells):
        own = np.uint64(states[here + at])
        where[used[own]] = np.uint8(at)
        used[own] += np.uint64(1)


@inlined
def entry_of(
    lookup: _Number, cells: _Number, tables: PlacementTables, where: Array, at: _Number
) -> _Number:
    """Return the entry of one lookup for the board whose pieces stand in where[at:] (uint64)."""
    shape, piece, image = tables.shape, tables.piece, tables.image
    begin, end = tables.begin[lookup], tables.begin[lookup + np.uint64(1)]
    number = _number(where, at, piece, image, lookup * cells, begin, end, shape)
    return tables.base[lookup] + number


@inlined
def look_up(
    lookup: _Number, cells: _Number, tables: PlacementTables, where: Array, at: _Number
) -> int:
    """Return the value of one lookup for that board."""
    return int(tables.table[entry_of(lookup, cells, tables, where, at)])


@kernel
def look_up_all(
    board: Array, tables: PlacementTables, scratch: PlacementScratch, found: Array
) -> None:
    """Write the value of each lookup for a board (uint16) to `found` (uint8)."""
    cells = np.uint64(board.size)
    stand(board, np.uint64(0), cells, tables, scratch)
    for lookup in range(np.uint64(found.size)):
        entry = entry_of(lookup, cells, tables, scratch.where, np.uint64(0))
        found[lookup] = tables.table[entry]


@inlined
def place(
    number: _Number,
    begin: _Number,
    end: _Number,
    taken: _Number,
    shape: PlacementShape,
    digit: Array,
    cell: Array,
) -> _Number:
    """Write the cells of the classes `begin` .. `end` - 1 to `cell` (uint64), by their number.

    They are those of one pattern, or of its last classes, where `taken` are the cells of earlier
    ones; digit[:C] (uint64) is scratch. Return all cells that are taken then.
    """
    first, ways, binomial, width = shape
    one, rows = np.uint64(1), np.uint64(binomial.size) // width
    rest: _Number = number
    for back in range(end - begin):
        c: _Number = end - one - back
        if c == begin:
            digit[c] = rest
        else:
            digit[c] = rest % ways[c]
            rest //= ways[c]
    for c in range(begin, end):
        own, rest, size = np.uint64(0), digit[c], first[c + one] - first[c]
        for back in range(size):
            k = size - back
            free = rest
            if k > one:
                free = rows - one
                while binomial[free * width + k] > rest:
                    free -= one
                rest -= binomial[free * width + k]
            # The cell that has `free` cells before it which are not taken.
            at = free + bit_count(taken & ((one << free) - one))
            while True:
                after = free + bit_count(taken & (((one << at) - one) | (one << at)))
                if after == at:
                    break
                at = after
            cell[first[c] + k - one] = at
            own |= one << at
        taken |= own
    return taken


@kernel
def cells_of(begin: int, shape: PlacementShape, cell: Array) -> None:
    """Write the cells of the placements begin, begin + 1, .. to cell[i] (uint64 [n, K])."""
    zero, classes = np.uint64(0), np.uint64(shape.ways.size)
    digit = np.empty(shape.ways.size, np.uint64)
    for i in range(np.uint64(cell.shape[0])):
        place(np.uint64(begin) + i, zero, classes, zero, shape, digit, cell[i])


@kernel
def settle(
    begin: int,
    end: int,
    own: int,
    marks: LevelMarks,
    moves: BackwardMoves,
    shape: PlacementShape,
    table: Array,
) -> int:
    """Settle the placements begin .. end - 1 that a level has reached; return how many.

    Those are the entries `marks.here` of `table` (uint8). What is one move before them is reached
    by the next level, unless the move leaves the first `own` pieces where they are: that costs
    nothing, and what is before it is settled too, from a stack (0-1 breadth-first search). Some
    may be left where the stack is too small. Two threads may both count one.
    """
    first, ways, start = shape.first, shape.ways, moves.begin
    classes, zero, one = np.uint64(ways.size), np.uint64(0), np.uint64(1)
    last, groups, counted = classes - one, np.uint64(start.size) - one, np.uint64(own)
    cells = np.uint64(moves.origin.size) // start[groups]
    gaps = first[classes] - first[last] if groups > one else one
    digit, cell = np.empty(classes, np.uint64), np.empty(first[classes], np.uint64)
    stack = np.empty(_STACK, np.uint64)
    here, settled, following = marks
    found = 0
    # Those that differ in the last class alone follow each other.
    placed, taken = ~zero, zero
    for met in range(np.uint64(begin), np.uint64(end)):
        if table[met] != here:
            continue
        table[met] = settled
        stack[0], height = met, 1
        while height > 0:
            height -= 1
            found += 1
            number = stack[height]
            others = number // ways[last]
            if others != placed:
                taken = place(others, zero, last, zero, shape, digit, cell)
                placed = others
            place(number - others * ways[last], last, classes, taken, shape, digit, cell)
            for gap in range(gaps):
                group = cell[first[last] + gap] if groups > one else zero
                for o in range(start[group], start[group + one]):
                    other = number_before(cell, o, cells, moves, shape)
                    entry = table[other]
                    if entry <= settled:
                        continue
                    is_counted = False
                    for piece in range(counted):
                        is_counted |= moves.origin[o * cells + cell[piece]] != cell[piece]
                    if is_counted:
                        if entry == NO_WAY:
                            table[other] = following
                    elif height < _STACK:
                        table[other], stack[height] = settled, other
                        height += 1
                    else:
                        table[other] = here
    return found
