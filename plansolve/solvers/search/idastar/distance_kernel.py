"""IDA* on a blank graph below one bound, with the sum of the tiles' distances (Korf 1985).

A depth-first search over the walks that a pruning automaton lets through. It stops after a number
of nodes and goes on where it stopped. What outlives a slice, with g for the depth:

    board[cell]                uint8 or uint16: the tile; what stands in the blank's cell is void
    path[g]                    the cell of the blank, of the same type
    edge[g], end[g]            uint32: the next edge of the automaton to try, and the end of the
                               edges of the state
    value[g]                   int64: f, the moves made and the distances left
    spent[g]                   int64: the total penalty of the moves made
    registers                  int64: see the constants

The rows 0..DEPTH belong to the current path. Tables:

    offset[state], move[edge], following[edge]   the automaton's, see `PruningAutomaton`
    row[edge], delta[row[edge] + tile]           uint32, int16: the edge's arc of the blank, times
                                                 the number of cells; the change of f when a tile
                                                 goes against the arc
    cost[edge]                                   uint32: the penalty; None where penalties are not
                                                 looked at (compiled without them)
"""

import numpy as np

from plansolve.storage.jit import Array, kernel

__all__ = [
    "BOUND",
    "COUNTING",
    "DEEPEST",
    "DEPTH",
    "EXHAUSTED",
    "FLOOR",
    "FOUND",
    "LEAF",
    "LEAF_REACHED",
    "MOST_PENALTY",
    "NEXT_BOUND",
    "NODES",
    "NO_BOUND",
    "PAUSED",
    "PLANS",
    "REGISTERS",
    "search",
]

DEPTH, FLOOR, LEAF, BOUND, NEXT_BOUND, NODES, MOST_PENALTY, COUNTING, PLANS, DEEPEST = range(10)
"""Places in the registers: the depth of the current node, that of the tree's root, and that from
which the search does not go on; the bound, and the least f above it that was met; the nodes
entered, that is the nodes with f within the bound, without the root; the penalty that a path may
have; whether goals are only counted, and how many there were; the largest depth of a node."""
REGISTERS = 10

PAUSED, EXHAUSTED, FOUND, LEAF_REACHED = range(4)
"""Why a slice ended: its nodes are done; nothing is left within the bound; the current path ends in
the goal, or at the depth LEAF. The search goes on after either of them."""

NO_BOUND = 1 << 40
"""NEXT_BOUND where nothing was cut off."""


@kernel
def search(
    offset: Array,
    move: Array,
    following: Array,
    row: Array,
    delta: Array,
    cost: Array,
    board: Array,
    path: Array,
    edge: Array,
    end: Array,
    value: Array,
    spent: Array,
    registers: Array,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended."""
    one = np.uint64(1)
    g, floor = np.uint64(registers[DEPTH]), np.uint64(registers[FLOOR])
    leaf, bound = np.uint64(registers[LEAF]), registers[BOUND]
    above, left = registers[NEXT_BOUND], nodes
    deepest = np.uint64(registers[DEEPEST])
    z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
    f, penalty = value[g], spent[g]
    status = PAUSED
    while True:
        if e == last:
            if g == floor:
                status = EXHAUSTED
                break
            d = z
            g -= one
            z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
            f = value[g]
            if cost is not None:
                penalty = spent[g]
            board[d] = board[z]
            continue
        d = np.uint64(move[e])
        tile = board[d]
        after = f + delta[np.uint64(row[e]) + np.uint64(tile)]
        if after > bound:
            above = min(above, after)
            e += one
            continue
        if cost is not None:
            more = penalty + np.int64(cost[e])
            if more > registers[MOST_PENALTY]:
                e += one
                continue
            spent[g] = penalty
            penalty = more
        if left == 0:
            if cost is not None:
                penalty = spent[g]
            break
        left -= 1
        path[g], edge[g], end[g], value[g] = z, e + one, last, f
        board[z] = tile
        state = np.uint64(following[e])
        z, e, last = d, np.uint64(offset[state]), np.uint64(offset[state + one])
        f = after
        g += one
        deepest = max(deepest, g)
        if f == np.int64(g):
            if registers[COUNTING] == 0:
                status = FOUND
                break
            registers[PLANS] += 1
        if g == leaf:
            status = LEAF_REACHED
            e = last
            break
    path[g], edge[g], end[g], value[g], spent[g] = z, e, last, f, penalty
    registers[DEPTH], registers[NEXT_BOUND] = np.int64(g), above
    registers[NODES] += nodes - left
    registers[DEEPEST] = np.int64(deepest)
    return status
