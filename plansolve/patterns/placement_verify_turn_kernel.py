"""Check pattern databases of placements for puzzles whose moves take turns, entry by entry.

Written apart from the builder: it knows no levels and looks forward. For each class of moves the
distance of a placement is one more than the least one, for the other class, of what a move of the
class leads to, or the placement itself. So all distances are right where that holds for each, and
just those of the goals are 0.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_verify_kernel import (
    PlacedPieces,
    cells_of_number,
    number_of_cells,
)
from plansolve.storage.jit import Array, inlined, kernel, typed

__all__ = ["ForwardSteps", "count_wrong"]

_NO_WAY, _MOVES, _NEVER = 255, 63, 1 << 20


@typed
class ForwardSteps(NamedTuple):
    """Where the operators of both classes bring the content of each cell.

    to[o * cells + cell]; those from begin[c] on, up to begin[c + 1], need a gap in cell c, and
    those from begin[cells] on need none. The other class follows, from begin[cells + 1] on.
    """

    cells: int
    to: NDArray[np.int64]
    begin: NDArray[np.int64]


@inlined
def _for_class(entry: Any, turn: Any) -> Any:
    """The distance if a move of that class comes first."""
    if entry == _NO_WAY:
        return _NEVER
    return (entry & _MOVES) + (entry >> (6 + turn) & 1)


@kernel
def count_wrong(
    begin: int, end: int, steps: ForwardSteps, pieces: PlacedPieces, table: Array
) -> int:
    """How many of the entries begin .. end - 1 (uint8), but for the goals', are not right."""
    cells, count = steps.cells, pieces.rank.size
    cell, after, least = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(2, np.int64)
    wrong = 0
    for number in range(begin, end):
        entry = np.int64(table[number])
        if entry == 0:
            continue
        cells_of_number(number, cells, pieces, cell)
        for turn in range(2):
            least[turn] = _for_class(entry, 1 - turn)
            for gap in range(pieces.gaps + 1):
                group = cell[count - pieces.gaps + gap] if gap < pieces.gaps else cells
                group += turn * (cells + 1)
                for o in range(steps.begin[group], steps.begin[group + 1]):
                    for j in range(count):
                        to = steps.to[o * cells + cell[j]]
                        # Within its class it comes before those in later cells.
                        at = j
                        while at > j - pieces.rank[j] and after[at - 1] > to:
                            after[at] = after[at - 1]
                            at -= 1
                        after[at] = to
                    other = np.int64(table[number_of_cells(after, cells, pieces)])
                    least[turn] = min(least[turn], _for_class(other, 1 - turn))
        for turn in range(2):
            known, expected = _for_class(entry, turn), min(least[turn] + 1, _NEVER)
            # The farthest entry stands for all that is farther.
            is_far = entry & _MOVES == pieces.farthest and known <= expected
            if known != expected and not is_far:
                wrong += 1
                break
    return wrong
