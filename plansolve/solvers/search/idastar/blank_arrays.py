"""The arrays that the kernels of blank graphs have in common.

Node arrays have a row for each depth g; the rows 0 .. DEPTH belong to the current path.
"""

from typing import NamedTuple

from plansolve.storage.jit import Array

__all__ = ["BlankMoves", "BlankState"]


class BlankMoves(NamedTuple):
    """A pruning automaton, see `PruningAutomaton`; `move[edge]` is the cell the blank goes to.

    `offset` and `next` are uint32, `move` is uint8 or uint16.
    """

    offset: Array
    move: Array
    next: Array


class BlankState(NamedTuple):
    """Where a depth-first search over the blank's walks stands.

    board[cell]       uint8 or uint16: the tile; what stands in the blank's cell is void
    path[g]           the cell of the blank, of the type of `BlankMoves.move`
    edge[g], end[g]   uint32: the next edge of the automaton to try, and the end of the state's
    spent[g]          int64: the total penalty of the moves made
    registers         int64: see `registers`
    """

    board: Array
    path: Array
    edge: Array
    end: Array
    spent: Array
    registers: Array
