"""Build tables of placements that count only the moves of their own pieces, level by level.

A move that carries gaps alone, or pieces of other patterns, costs nothing. So a level is settled
together with all placements that lead to it at no cost, from a stack (0-1 breadth-first search).
Placements are numbered as in `placement_kernel`.
"""

import numpy as np

from plansolve.patterns.placement_kernel import (
    NO_WAY,
    BackwardMoves,
    PlacementShape,
    number_of,
    place,
    sort_class,
)
from plansolve.storage.jit import Array, kernel

__all__ = ["FARTHEST", "REACHED", "settle"]

REACHED = 252
"""Entries of this and the next number are reached, and have no distance yet; see `settle`."""

FARTHEST = 251
"""Stands for this distance or any larger one."""

_STACK = 1 << 12


@kernel
def settle(
    begin: int, end: int, level: int, moves: BackwardMoves, shape: PlacementShape, table: Array
) -> int:
    """Give `level` to the placements begin .. end - 1 that are reached, and what is at no cost.

    Those of an even level are reached where `table` (uint8) has `REACHED`, those of an odd one
    where it has `REACHED` + 1; what is one move of the pattern's pieces before is reached then, for
    the next level. Return how many were settled; some may be left where the stack was too small,
    so that the level has to be settled until there are none. Two threads may both count one.
    """
    first = shape.first
    classes, one = np.uint64(shape.ways.size), np.uint64(1)
    pieces = first[classes]
    groups = np.uint64(moves.begin.size) - one
    cells = np.uint64(moves.origin.size) // moves.begin[groups]
    # The gaps come first where they count; else there is one group of operators.
    gaps = first[one] if groups > one else np.uint64(0)
    digit, cell = np.empty(classes, np.uint64), np.empty(pieces, np.uint64)
    before, stack = np.empty(pieces, np.uint64), np.empty(_STACK, np.uint64)
    settled, following = np.uint8(level), np.uint8(REACHED + ((level + 1) & 1))
    here, found = np.uint8(REACHED + (level & 1)), 0
    for met in range(np.uint64(begin), np.uint64(end)):
        if table[met] != here:
            continue
        table[met] = settled
        stack[0], height = met, 1
        while height > 0:
            height -= 1
            found += 1
            place(stack[height], shape, digit, cell)
            for gap in range(max(gaps, one)):
                group = cell[gap] if gaps > np.uint64(0) else np.uint64(0)
                for o in range(moves.begin[group], moves.begin[group + one]):
                    moved = 0
                    for piece in range(pieces):
                        before[piece] = moves.origin[o * cells + cell[piece]]
                        if piece >= gaps and before[piece] != cell[piece]:
                            moved += 1
                    for c in range(classes):
                        if first[c + one] - first[c] > one:
                            sort_class(before, first[c], first[c + one] - first[c])
                    other = number_of(before, np.uint64(0), shape)
                    entry = table[other]
                    if moved:
                        if entry == NO_WAY:
                            table[other] = following
                    elif entry >= np.uint8(REACHED):
                        if height < _STACK:
                            table[other], stack[height] = settled, other
                            height += 1
                        else:
                            table[other] = here
    return found
