"""Number placements of a few pieces, and build their distances to the goal level by level.

Pieces that are alike form a *class*. A placement is the cells of its pieces, class by class and
ascending within a class. Its number is put together of one digit for each class: which set of cells
it takes of those that earlier classes leave, in the combinatorial number system (Knuth, TAOCP 4A,
7.2.1.3). So there are no gaps between the numbers.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import Array, bit_count, kernel, typed

__all__ = [
    "NO_WAY",
    "BackwardMoves",
    "PlacementScratch",
    "PlacementShape",
    "PlacementTables",
    "expand",
    "look_up",
    "number_of",
    "numbers_of",
    "place",
    "sort_class",
    "stand",
]

NO_WAY = np.uint8(255)

_Number: TypeAlias = Any
"""An unsigned number (uint64) as a kernel sees it."""


@typed
class PlacementShape(NamedTuple):
    """How placements are numbered: those of one pattern, or of several one after the other.

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

    begin[b]             the first operator that leaves a gap in cell b, where the first class are
                         the gaps; else there is one group
    origin[o * N + cell] the cell from which operator o brings a cell's content
    """

    begin: NDArray[np.uint64]
    origin: NDArray[np.uint64]


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
    piece: NDArray[np.uint64]
    image: NDArray[np.uint64]
    base: NDArray[np.uint64]
    table: NDArray[np.uint8]


@typed
class PlacementScratch(NamedTuple):
    """What `stand` writes and `look_up` reads.

    used[kind]    how many pieces of a kind were met
    where[slot]   the cell of each piece; those of one kind have slots in the order of their cells
    cell[k]       the cells of one class
    """

    used: NDArray[np.uint64]
    where: NDArray[np.uint64]
    cell: NDArray[np.uint64]


@kernel
def _digit(cell: Array, begin: _Number, size: _Number, taken: _Number, shape: Any) -> _Number:
    """The digit of a class of `size` pieces in cell[begin:], beside the cells `taken`."""
    one, digit = np.uint64(1), np.uint64(0)
    for k in range(size):
        at = cell[begin + k]
        free = at - bit_count(taken & ((one << at) - one))
        digit += shape.binomial[free * shape.width + k + one]
    return digit


@kernel
def sort_class(cell: Array, begin: _Number, size: _Number) -> None:
    """Sort the cells of a class."""
    one = np.uint64(1)
    for k in range(one, size):
        at, slot = cell[begin + k], begin + k
        while slot > begin and cell[slot - one] > at:
            cell[slot] = cell[slot - one]
            slot -= one
        cell[slot] = at


@kernel
def number_of(cell: Array, begin: _Number, shape: PlacementShape) -> _Number:
    """The number of the placement cell[begin:] (uint64), sorted within classes, of one pattern."""
    one = np.uint64(1)
    taken, number = np.uint64(0), np.uint64(0)
    for c in range(np.uint64(shape.ways.size)):
        here, size = begin + shape.first[c], shape.first[c + one] - shape.first[c]
        number = number * shape.ways[c] + _digit(cell, here, size, taken, shape)
        for k in range(size):
            taken |= one << cell[here + k]
    return number


@kernel
def numbers_of(cell: Array, shape: PlacementShape, number: Array) -> None:
    """Write the numbers of the placements cell[i] (uint64 [n, K]) to number[i] (uint64)."""
    flat, width = cell.reshape(-1), np.uint64(cell.shape[1])
    for i in range(np.uint64(number.size)):
        number[i] = number_of(flat, i * width, shape)


@kernel
def stand(
    states: Array,
    here: _Number,
    cells: _Number,
    tables: PlacementTables,
    scratch: PlacementScratch,
) -> None:
    """Find out where the pieces of the board at states[here] stand."""
    slot, used, where = tables.slot, scratch.used, scratch.where
    for kind in range(np.uint64(slot.size)):
        used[kind] = slot[kind]
    for at in range(cells):
        own = np.uint64(states[here + at])
        where[used[own]] = at
        used[own] += np.uint64(1)


@kernel
def look_up(
    lookup: _Number, cells: _Number, tables: PlacementTables, scratch: PlacementScratch
) -> int:
    """What one lookup tells of the board that `stand` was last given."""
    shape, one = tables.shape, np.uint64(1)
    where, cell = scratch.where, scratch.cell
    taken, number = np.uint64(0), np.uint64(0)
    for c in range(tables.begin[lookup], tables.begin[lookup + one]):
        first, size = shape.first[c], shape.first[c + one] - shape.first[c]
        for k in range(size):
            cell[k] = tables.image[lookup * cells + where[tables.piece[first + k]]]
        if size > one:
            sort_class(cell, np.uint64(0), size)
        number = number * shape.ways[c] + _digit(cell, np.uint64(0), size, taken, shape)
        for k in range(size):
            taken |= one << cell[k]
    return int(tables.table[tables.base[lookup] + number])


@kernel
def place(number: _Number, shape: PlacementShape, digit: Array, cell: Array) -> None:
    """Write the placement of a number to `cell` (uint64); digit[:C] (uint64) is scratch."""
    first, ways, binomial, width = shape
    classes, one = np.uint64(ways.size), np.uint64(1)
    rows = np.uint64(binomial.size) // width
    rest: _Number = number
    for back in range(classes):
        c: _Number = classes - one - back
        digit[c] = rest % ways[c]
        rest //= ways[c]
    taken = np.uint64(0)
    for c in range(classes):
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


@kernel
def expand(
    begin: int, end: int, level: int, moves: BackwardMoves, shape: PlacementShape, table: Array
) -> int:
    """Give level + 1 to what is new one move before the placements begin .. end - 1 of a level.

    `table` (uint8) holds the distances, `NO_WAY` where none is known. Return how many are new; two
    threads may both count one.
    """
    first = shape.first
    classes, one = np.uint64(shape.ways.size), np.uint64(1)
    pieces = first[classes]
    groups = np.uint64(moves.begin.size) - one
    cells = np.uint64(moves.origin.size) // moves.begin[groups]
    gaps = first[one] if groups > one else one
    digit, cell = np.empty(classes, np.uint64), np.empty(pieces, np.uint64)
    before = np.empty(pieces, np.uint64)
    found, wanted, following = 0, np.uint8(level), np.uint8(level + 1)
    for number in range(np.uint64(begin), np.uint64(end)):
        if table[number] != wanted:
            continue
        place(number, shape, digit, cell)
        for gap in range(gaps):
            group = cell[gap] if groups > one else np.uint64(0)
            for o in range(moves.begin[group], moves.begin[group + one]):
                for piece in range(pieces):
                    before[piece] = moves.origin[o * cells + cell[piece]]
                for c in range(classes):
                    if first[c + one] - first[c] > one:
                        sort_class(before, first[c], first[c + one] - first[c])
                other = number_of(before, np.uint64(0), shape)
                if table[other] == NO_WAY:
                    table[other] = following
                    found += 1
    return found
