"""The state that IDA* kernels share with their callers: registers, the automaton, and paths.

Registers are places in an array of int64, by which a kernel and its caller tell each other things.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.storage.jit import typed

DEPTH, FLOOR, LEAF, LIMIT, NEXT_LIMIT, MOST_PENALTY, COUNTING = range(7)
"""The depth of the current node, that of the root of the subtree, and that from which the search
does not go on; the f-limit, and the least f above it that was met; the penalty that a path may
have; whether goals are only counted."""
NODES, EXPANDED, PLANS, DEEPEST = range(7, 11)
"""The work done: the nodes that it entered, and those whose children it generated (0 if a kernel
does not count them); the goals that it counted; the largest depth of a node."""
REGISTERS = 11

PAUSED, EXHAUSTED, FOUND, LEAF_REACHED = range(4)
"""The reasons for the end of a slice: it has entered its nodes; nothing is left within the f-limit;
the current path ends in the goal, or at the depth LEAF. The search goes on after the last two."""

NO_LIMIT = 1 << 40
"""NEXT_LIMIT if no f was beyond it."""
NO_LEAF = 1 << 40
"""LEAF if the search goes down to the end."""


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
    """The position of a depth-first search; the depths 0 .. DEPTH are on the current path.

    board[cell]        the content; if moves are those of a blank its cell's is void
    path[g]            the move that led to depth g, that of the root of all paths the vertex where
                       the automaton begins
    edge[g], end[g]    the next edge of the automaton to try, and the end of the state's
    spent[g]           the total penalty of the moves made
    registers          see above
    """

    board: NDArray[np.uint8 | np.uint16]
    path: NDArray[np.uint8 | np.uint16]
    edge: NDArray[np.uint32]
    end: NDArray[np.uint32]
    spent: NDArray[np.int64]
    registers: NDArray[np.int64]
