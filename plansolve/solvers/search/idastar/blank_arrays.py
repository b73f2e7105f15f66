"""The arrays that the kernels of blank graphs have in common.

Node arrays have a row for each depth g; the rows 0 .. DEPTH belong to the current path.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import typed

__all__ = ["BlankMoves", "BlankState"]


@typed
class BlankMoves(NamedTuple):
    """A pruning automaton, see `PruningAutomaton`; `move[edge]` is the cell the blank goes to."""

    offset: NDArray[np.uint32]
    move: NDArray[np.uint8 | np.uint16]
    next: NDArray[np.uint32]


@typed
class BlankState(NamedTuple):
    """Where a depth-first search over the blank's walks stands.

    board[cell]       the tile; what stands in the blank's cell is void
    path[g]           the cell of the blank, of the type of `BlankMoves.move`
    edge[g], end[g]   the next edge of the automaton to try, and the end of the state's
    spent[g]          the total penalty of the moves made
    registers         see `registers`
    """

    board: NDArray[np.uint8 | np.uint16]
    path: NDArray[np.uint8 | np.uint16]
    edge: NDArray[np.uint32]
    end: NDArray[np.uint32]
    spent: NDArray[np.int64]
    registers: NDArray[np.int64]
