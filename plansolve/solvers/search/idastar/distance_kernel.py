"""IDA* on a blank graph below one bound, with the sum of the tiles' distances (Korf 1985).

A depth-first search over the walks that a pruning automaton lets through, without recursion:

    while some edge of the current node, or of one above it, is left
        if no edge of this node is left: go back, and take its move back
        else if f after the edge's move exceeds the bound: remember the least such f
        else make the move; stop where the goal, the depth asked for or the end of the slice is met

It stops after a number of nodes and goes on where it stopped.
"""

from typing import NamedTuple

import numpy as np

from plansolve.solvers.search.idastar.blank_arrays import BlankState, Moves
from plansolve.solvers.search.idastar.registers import (
    BOUND,
    COUNTING,
    DEEPEST,
    DEPTH,
    EXHAUSTED,
    FLOOR,
    FOUND,
    LEAF,
    LEAF_REACHED,
    MOST_PENALTY,
    NEXT_BOUND,
    NODES,
    PAUSED,
    PLANS,
)
from plansolve.storage.jit import Array, kernel

__all__ = ["DistanceTables", "search"]


class DistanceTables(NamedTuple):
    """How moves change the sum of distances.

    row[edge]                uint32: the number of the edge's arc of the blank, times the cells
    delta[row[edge] + tile]  int16: the change of f when a tile goes against the arc
    """

    row: Array
    delta: Array


@kernel
def search(
    moves: Moves,
    tables: DistanceTables,
    cost: Array,
    state: BlankState,
    value: Array,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended.

    `value[g]` (int64) is f at depth g: the moves made and the distances left. `cost[edge]` (uint32)
    is an edge's penalty; None, and compiled without it, where penalties are not looked at.
    """
    offset, move, following = moves.offset, moves.move, moves.next
    row, delta = tables.row, tables.delta
    board, path, edge, end = state.board, state.path, state.edge, state.end
    spent, registers = state.spent, state.registers
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
        node = np.uint64(following[e])
        z, e, last = d, np.uint64(offset[node]), np.uint64(offset[node + one])
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
