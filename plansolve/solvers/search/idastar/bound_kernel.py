"""IDA* on a blank graph below one bound, with a sum of distances and lookups (Korf 1985).

A depth-first search over the walks that a pruning automaton lets through, without recursion:

    while some edge of the current node, or of one above it, is left
        if no edge of this node is left: go back, and take its move back
        else if f after the edge's move exceeds the bound: remember the least such f
        else make the move; stop where the goal, the depth asked for or the end of the slice is met

It stops after a number of nodes and goes on where it stopped. Tile distances alone could be pattern
databases of one tile each, but `pattern_kernel` then takes 1.7 times as long on 16 cells, and 2.4
times on 81 (measured).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.idastar.blank_arrays import BlankMoves, BlankState
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
from plansolve.solvers.search.lookup_kernel import Lookups, look_up
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["BoundState", "BoundTables", "search"]


@typed
class BoundTables(NamedTuple):
    """How moves change the sum of distances, and the goal.

    row[edge]                the number of the edge's arc of the blank, times the cells
    delta[row[edge] + tile]  the change of f when a tile goes against the arc
    goal[cell]               the content
    """

    row: NDArray[np.uint32]
    delta: NDArray[np.int16]
    goal: NDArray[np.int64]


@typed
class BoundState(NamedTuple):
    """The bound along the current path, with g for the depth and P lookups.

    value[g]                        f, the moves made and the bound on those left
    code[g * P + p], worth[..]      the key of lookup p, and what its table holds
    """

    value: NDArray[np.int64]
    code: NDArray[np.uint64]
    worth: NDArray[np.int64]


@kernel
def search(
    moves: BlankMoves,
    tables: BoundTables,
    lookups: Lookups | None,
    cost: Array | None,
    state: BlankState,
    bounds: BoundState,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended.

    `cost[edge]` (uint32) is an edge's penalty. `lookups` and `cost` are None, and the kernel is
    compiled without them, where there are no lookups and where penalties are not looked at.
    """
    offset, move, following = moves.offset, moves.move, moves.next
    row, delta, goal = tables.row, tables.delta, tables.goal
    board, path, edge, end = state.board, state.path, state.edge, state.end
    spent, registers, value = state.spent, state.registers, bounds.value
    if lookups is not None:
        cells, parts = np.uint64(board.size), np.uint64(lookups.begin.size) - np.uint64(1)
        weight, begin = lookups.weight, lookups.begin
        key, held = lookups.key, lookups.worth
        code, worth = bounds.code, bounds.worth
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
        if lookups is not None:
            here = np.uint64(tile) * cells
            for p in range(parts):
                old = g * parts + p
                known = worth[old]
                change = weight[(here + z) * parts + p] - weight[(here + d) * parts + p]
                fresh = known
                if change != np.uint64(0):
                    fresh = look_up(code[old] + change, begin[p], begin[p + one], key, held)
                code[old + parts], worth[old + parts] = code[old] + change, fresh
                after += fresh - known
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
        if f == np.int64(g) and _is_goal(z, board, goal):
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


@kernel
def _is_goal(blank: np.uint64, board: Array, goal: Array) -> bool:
    """Whether the board is the goal; what it holds in the blank's cell is void."""
    if goal[blank] != 0:
        return False
    for cell in range(board.size):
        if np.uint64(cell) != blank and board[cell] != goal[cell]:
            return False
    return True
