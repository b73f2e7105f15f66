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
    number_before,
    place,
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
    classes, zero, one = np.uint64(shape.ways.size), np.uint64(0), np.uint64(1)
    pieces = first[classes]
    groups = np.uint64(moves.begin.size) - one
    cells = np.uint64(moves.origin.size) // moves.begin[groups]
    # The gaps come last where they count; else there is one group of operators.
    own = first[classes - one] if groups > one else pieces
    digit, cell = np.empty(classes, np.uint64), np.empty(pieces, np.uint64)
    stack = np.empty(_STACK, np.uint64)
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
            place(stack[height], zero, classes, zero, shape, digit, cell)
            for gap in range(max(pieces - own, one)):
                group = cell[own + gap] if own < pieces else zero
                for o in range(moves.begin[group], moves.begin[group + one]):
                    moved = 0
                    for piece in range(own):
                        moved += moves.origin[o * cells + cell[piece]] != cell[piece]
                    other = number_before(cell, o, cells, moves, shape)
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
