"""Whether the places of a few tiles force the excess that a clause states, for many clauses."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.certcheck.justify.legend import AT, EXCESS
from plansolve.certcheck.justify.rules_kernel import MeantClauses
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["ExcessTables", "are_forced"]

Number: TypeAlias = Any


@typed
class ExcessTables(NamedTuple):
    """The excesses of the legend's patterns, and where the blank may be.

    `place[p, tile]` is a tile's position in pattern p, or -1. `least[offset[p, mask] + n]` is the
    least excess where the tiles in the positions of the mask are placed as n says, the sum of
    cell[i] * cells**(k - 1 - i) over these k tiles. `may_be_blank[t, cell]` is true of all cells
    that the blank may be in after t moves.
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
