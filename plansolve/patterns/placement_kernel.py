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
    "BackwardMoves",
    "PlacementShape",
    "PlacementTables",
    "expand",
    "look_up",
    "number_of",
    "numbers_of",
    "place",
]

NO_WAY = np.uint8(255)

_Number: TypeAlias = Any
"""An unsigned number (uint64) as a kernel sees it."""


@typed
class PlacementShape(NamedTuple):
    """How placements of K pieces in C classes are numbered.

    first[c]                    the first piece of class c; first[C] is K
    ways[c]                     how many sets of cells class c can take beside earlier classes
    binomial[r * (K + 1) + k]   the number of ways to choose k of r things
    """

    first: NDArray[np.uint64]
    ways: NDArray[np.uint64]
    binomial: NDArray[np.uint64]


@typed
class BackwardMoves(NamedTuple):
    """The operators taken back, by where they leave the blank; N is the number of cells.

    begin[b]             the first operator that leaves the blank in cell b, where the first piece
                         is the blank; else there is one group
    origin[o * N + cell] the cell from which operator o brings a cell's content
    """

    begin: NDArray[np.uint64]
    origin: NDArray[np.uint64]


@typed
class PlacementTables(NamedTuple):
    """Lookups of boards; see `placement.PlacementLookups` for the arrays besides the shape."""

    shape: PlacementShape
    piece: NDArray[np.uint64]
    image: NDArray[np.uint64]
    base: NDArray[np.uint64]
    table: NDArray[np.uint8]


@kernel
def number_of(cell: Array, begin: _Number, shape: PlacementShape) -> _Number:
    """The number of the placement cell[begin:] (uint64)."""
    first, ways, binomial = shape
    classes, one = np.uint64(ways.size), np.uint64(1)
    width = np.uint64(first[classes]) + one
    taken, number = np.uint64(0), np.uint64(0)
    for c in range(classes):
        number *= ways[c]
        own = np.uint64(0)
        for piece in range(first[c], first[c + one]):
            bit = one << cell[begin + piece]
            free = cell[begin + piece] - bit_count(taken & (bit - one))
            number += binomial[free * width + piece - first[c] + one]
            own |= bit
        taken |= own
    return number


@kernel
def look_up(
    lookup: _Number, cells: _Number, where: Array, tables: PlacementTables, cell: Array
) -> int:
    """What one lookup tells of the board on which each tile stands in where[tile] (uint64).

    cell[:K] (uint64) is scratch.
    """
    shape, piece, image, base, table = tables
    pieces = np.uint64(cell.size)
    for k in range(pieces):
        cell[k] = image[lookup * cells + where[piece[lookup * pieces + k]]]
    number = number_of(cell, np.uint64(0), shape)
    return int(table[base[lookup] + number])


@kernel
def numbers_of(cell: Array, shape: PlacementShape, number: Array) -> None:
    """Write the numbers of the placements cell[i] (uint64 [n, K]) to number[i] (uint64)."""
    flat, width = cell.reshape(-1), np.uint64(cell.shape[1])
    for i in range(np.uint64(number.size)):
        number[i] = number_of(flat, i * width, shape)


@kernel
def place(number: _Number, shape: PlacementShape, digit: Array, cell: Array) -> None:
    """Write the placement of a number to cell[:K] (uint64); digit[:C] (uint64) is scratch."""
    first, ways, binomial = shape
    classes, one = np.uint64(ways.size), np.uint64(1)
    width = np.uint64(first[classes]) + one
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
    first, ways, _ = shape
    classes, one = np.uint64(ways.size), np.uint64(1)
    pieces = first[classes]
    groups = np.uint64(moves.begin.size) - one
    operators = moves.begin[groups]
    cells = np.uint64(moves.origin.size) // operators
    digit, cell = np.empty(classes, np.uint64), np.empty(pieces, np.uint64)
    before = np.empty(pieces, np.uint64)
    found, wanted, following = 0, np.uint8(level), np.uint8(level + 1)
    for number in range(np.uint64(begin), np.uint64(end)):
        if table[number] != wanted:
            continue
        place(number, shape, digit, cell)
        group = cell[0] if groups > one else np.uint64(0)
        for o in range(moves.begin[group], moves.begin[group + one]):
            for c in range(classes):
                for piece in range(first[c], first[c + one]):
                    at: _Number = moves.origin[o * cells + cell[piece]]
                    slot: _Number = piece
                    while slot > first[c] and before[slot - one] > at:
                        before[slot] = before[slot - one]
                        slot -= one
                    before[slot] = at
            other = number_of(before, np.uint64(0), shape)
            if table[other] == NO_WAY:
                table[other] = following
                found += 1
    return found
