"""Build tables of placements that tell which of two classes of moves has the longer way.

See `placement_alternation`. An entry has the least number of moves to the goal, of which the
classes take turns, whichever comes first; and the bit of the class that needs one more where it has
to come first. That is never more than one, for each class has a move that does nothing as well,
which makes no way longer. So after a move of the class that came next, the other's way is longer by
one at most than that class's was.
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

__all__ = ["DEARER", "MOVES", "expand_turns"]

MOVES = 0x3F
"""The part of an entry that is a number of moves."""

DEARER = (0x40, 0x80)
"""The bit of each class: the way that begins with it takes a move more."""


@kernel
def expand_turns(
    begin: int,
    end: int,
    level: int,
    dear: int,
    moves: BackwardMoves,
    shape: PlacementShape,
    table: Array,
) -> int:
    """Go back from the placements begin .. end - 1 that are at a level if one class comes next.

    `dear` is the bit of that class, and `moves` are those of the other class: if these come next,
    what is before one of them is at the next level. What one of them leads to from each other is
    equally far then; so where the level if they come next was known before, all of that is done.
    Return from how many placements it went back. Two threads may write to one entry, and write the
    same.
    """
    first, ways, start = shape.first, shape.ways, moves.begin
    classes, zero, one = np.uint64(ways.size), np.uint64(0), np.uint64(1)
    last, groups = classes - one, np.uint64(start.size) - one
    cells = np.uint64(moves.origin.size) // start[groups]
    gaps = first[classes] - first[last] if groups > one else one
    digit, cell = np.empty(classes, np.uint64), np.empty(first[classes], np.uint64)
    other = (DEARER[0] | DEARER[1]) ^ dear
    here = np.uint8(level | other if level else 0)
    fresh, half, whole = np.uint8((level + 1) | dear), np.uint8((level + 1) | other), level + 1
    found = 0
    # Those that differ in the last class alone follow each other.
    placed, taken = ~zero, zero
    for number in range(np.uint64(begin), np.uint64(end)):
        if table[number] != here:
            continue
        found += 1
        others = number // ways[last]
        if others != placed:
            taken = place(others, zero, last, zero, shape, digit, cell)
            placed = others
        place(number - others * ways[last], last, classes, taken, shape, digit, cell)
        for gap in range(gaps):
            group = cell[first[last] + gap] if groups > one else zero
            for o in range(start[group], start[group + one]):
                before = number_before(cell, o, cells, moves, shape)
                if table[before] == NO_WAY:
                    table[before] = fresh
                elif table[before] == half:
                    table[before] = np.uint8(whole)
    return found
