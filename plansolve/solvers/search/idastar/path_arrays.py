"""The arrays that the kernels of paths have in common: the blank's walks, or operators in sequence.

Node arrays have a row for each depth g; the rows 0 .. DEPTH belong to the current path.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import typed

__all__ = ["Moves", "PathState"]


@typed
class Moves(NamedTuple):
    """A pruning automaton, see `PruningAutomaton`.

    `move[edge]` is the cell that the blank goes to, or the number of the operator.
    """

    offset: NDArray[np.uint32]
    move: NDArray[np.uint8 | np.uint16]
    next: NDArray[np.uint32]


@typed
class PathState(NamedTuple):
    """Where a depth-first search over paths stands.

    board[cell]        the tile, on a blank graph; what stands in the blank's cell is void;
    board[g * N + cell]  the tile at each depth, where moves are those of any puzzle with N cells
    path[g]            the move that led to depth g, that of the root of all paths the vertex where
                       the automaton begins
    edge[g], end[g]    the next edge of the automaton to try, and the end of the state's
    spent[g]           the total penalty of the moves made
    registers          see `registers`
    """

    board: NDArray[np.uint8 | np.uint16]
    path: NDArray[np.uint8 | np.uint16]
    edge: NDArray[np.uint32]
    end: NDArray[np.uint32]
    spent: NDArray[np.int64]
    registers: NDArray[np.int64]
