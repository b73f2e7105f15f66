"""The least number of moves of a few tiles, by search over their cells and the blank's.

A placement of k tiles has the number sum of cell[i] * cells**(k - 1 - i). The search goes by the
number of moves of these tiles; all other tiles let the blank pass. It keeps, for each placement,
the cells in which the blank has been, as bits.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.justify.legend import AT, EXCESS
from plansolve.certcheck.justify.rules_kernel import MeantClauses
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["NEVER", "ExcessTables", "are_forced", "search"]

NEVER = 255
"""The number of moves where there is no way; 254 stands for any larger number too."""

Number: TypeAlias = Any


@kernel
def search(cells: Number, ways: Array, homes: Array, blank: Number, moves: Array) -> None:
    """Fill `moves` (uint8, one entry a placement), which holds `NEVER`.

    From the placement `homes` (int64) with the blank in cell `blank`. Row x of `ways` (int64),
    filled up with -1, are the cells that the blank goes to from x: a tile there is in x then.
    """
    tiles = homes.size
    weight = np.ones(tiles, np.int64)
    for i in range(tiles - 2, -1, -1):
        weight[i] = weight[i + 1] * cells
    seen = np.zeros(moves.size, np.uint64)
    fresh = np.zeros((2, moves.size), np.uint64)
    queue = np.zeros((2, moves.size), np.int32)
    one = np.uint64(1)
    start = np.int64(0)
    for i in range(tiles):
        start += homes[i] * weight[i]
    queue[0, 0] = start
    fresh[0, start] = one << np.uint64(blank)
    size, side, steps = 1, 0, 0
    owner = np.full(cells, -1, np.int64)
    stack = np.zeros(cells, np.int64)
    while size:
        grown = 0
        for place in range(size):
            placement = np.int64(queue[side, place])
            entering = fresh[side, placement] & ~seen[placement]
            fresh[side, placement] = 0
            if entering == np.uint64(0):
                continue
            for cell in range(cells):
                owner[cell] = -1
            rest = placement
            for i in range(tiles - 1, -1, -1):
                owner[rest % cells] = i
                rest //= cells
            if moves[placement] == NEVER:
                moves[placement] = min(steps, NEVER - 1)
            height = 0
            for cell in range(cells):
                if entering & (one << np.uint64(cell)):
                    seen[placement] |= one << np.uint64(cell)
                    stack[height] = cell
                    height += 1
            while height:
                height -= 1
                here = stack[height]
                for way in range(ways.shape[1]):
                    there = ways[here, way]
                    if there < 0:
                        break
                    bit = one << np.uint64(there)
                    tile = owner[there]
                    if tile < 0:
                        if seen[placement] & bit == np.uint64(0):
                            seen[placement] |= bit
                            stack[height] = there
                            height += 1
                        continue
                    other = placement + (here - there) * weight[tile]
                    if seen[other] & bit:
                        continue
                    if fresh[1 - side, other] == np.uint64(0):
                        queue[1 - side, grown] = other
                        grown += 1
                    fresh[1 - side, other] |= bit
        side = 1 - side
        size = grown
        steps += 1


@typed
class ExcessTables(NamedTuple):
    """The excesses of the legend's patterns, and where the blank may be.

    `place[p, tile]` is a tile's position in pattern p, or -1. `least[offset[p, mask] + n]` is the
    least excess where the tiles in the positions of the mask are placed as n says, which is
    numbered as above. `may_be_blank[t, cell]` is true of all cells that the blank may be in after
    t moves.
    """

    place: NDArray[np.int64]
    offset: NDArray[np.int64]
    least: NDArray[np.uint8]
    may_be_blank: NDArray[np.bool_]


@kernel
def are_forced(clauses: MeantClauses, wanted: Array, tables: ExcessTables, found: Array) -> None:
    """Set `found[i]` for those clauses in `wanted` whose places force the excess they state.

    Such a clause has one excess, the places of up to three tiles of its pattern, and for each
    place that is a move older than the excess the blank's being there.
    """
    kind, row = clauses.kind, clauses.row
    cells = tables.may_be_blank.shape[1]
    for w in range(wanted.size):
        number = wanted[w]
        begin = np.int64(0) if number == 0 else np.int64(clauses.ends[number - 1])
        clause = clauses.literals[begin : clauses.ends[number]]
        stated = np.int64(0)
        for literal in clause:
            if literal > 0 and kind[literal] == EXCESS:
                stated = np.int64(literal)
        if stated == 0:
            continue
        t, level, pattern = row[stated, 0], row[stated, 1], row[stated, 2]
        mask, index = np.int64(0), np.int64(0)
        fits = True
        for position in range(tables.place.shape[1]):
            # In the order of the positions, whatever the order of the literals.
            for literal in clause:
                variable = abs(literal)
                if (
                    literal > 0
                    or kind[variable] != AT
                    or row[variable, 2] == 0
                    or tables.place[pattern, row[variable, 2]] != position
                ):
                    continue
                if not _still_there(variable, t, clause, clauses, tables) or mask & (
                    np.int64(1) << position
                ):
                    fits = False
                    continue
                mask |= np.int64(1) << position
                index = index * cells + row[variable, 1]
        if fits and mask and tables.offset[pattern, mask] >= 0:
            found[number] = tables.least[tables.offset[pattern, mask] + index] >= level


@kernel
def _still_there(
    variable: Number, t: Number, clause: Array, clauses: MeantClauses, tables: ExcessTables
) -> Any:
    """Whether the tile that the variable places is there after t moves, if the clause is false."""
    kind, row = clauses.kind, clauses.row
    time, cell = row[variable, 0], row[variable, 1]
    if time != t - 1:
        return time == t
    # Only the blank's coming takes a tile away.
    if not tables.may_be_blank[t, cell]:
        return True
    for other in clause:
        if (
            other > 0
            and kind[other] == AT
            and row[other, 0] == t
            and row[other, 1] == cell
            and row[other, 2] == 0
        ):
            return True
    return False
