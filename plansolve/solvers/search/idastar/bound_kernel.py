"""IDA* within one f-limit, with a lower bound that is given as data, see `NodeBound` (Korf 1985).

A depth-first search over the paths that a pruning automaton lets through, without recursion:

    while some edge of the current node, or of one above it, is left
        if no edge of this node is left: go back, and take its move back
        else if f after the edge's move exceeds the f-limit: remember the least such f
        else make the move; stop where the goal, the depth asked for or the end of the slice is met

It stops after a number of nodes and goes on where it stopped. It is compiled for each of two kinds
of moves. On a blank graph with a bound that is a sum, a move exchanges two cells of the one board,
and changes the sum by what one tile adds. In any other case each depth has a board of its own, on
which an operator writes the next one, as in A*; on 16 cells that takes the blank graph's moves five
times as long. Tile distances alone could be pattern databases of one tile each, but
`pattern_kernel` then takes 1.7 times as long on 16 cells, and 2.4 times on 81 (measured).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_arrays import Moves, PathState
from plansolve.solvers.search.node_kernel import (
    Edge,
    Lookups,
    Operators,
    applies,
    distance_bound,
    is_goal,
    is_idle,
    look_up,
    looked_up,
    write_child,
)
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["ArcTables", "BoundState", "search"]


@typed
class ArcTables(NamedTuple):
    """How the blank's moves change the sum of distances, and the goal.

    row[edge]                the number of the edge's arc of the blank, times the cells
    delta[row[edge] + tile]  the change of f when a tile goes against the arc
    goal[cell]               the content
    """

    row: NDArray[np.uint32]
    delta: NDArray[np.int16]
    goal: NDArray[np.int32]


@typed
class BoundState(NamedTuple):
    """The bound along the current path, with g for the depth and P lookups.

    value[g]                        f, the moves made and the bound on those left
    total[g]                        the sum of distances; on arcs left alone
    code[g * P + p], worth[..]      the key of lookup p, and what its table holds; used on arcs only
    """

    value: NDArray[np.int64]
    total: NDArray[np.int64]
    code: NDArray[np.uint64]
    worth: NDArray[np.int64]


@kernel
def search(
    moves: Moves,
    arcs: ArcTables | None,
    operators: Operators | None,
    lookups: Lookups | None,
    cost: Array | None,
    state: PathState,
    bounds: BoundState,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended.

    Either `arcs` or `operators` is None, and tells the kind of the moves. `cost[edge]` (uint32) is
    an edge's penalty. `lookups` and `cost` are None, and the kernel is compiled without them, where
    there are no lookups and where penalties are not looked at.
    """
    offset, move, following = moves.offset, moves.move, moves.next
    board, path, edge, end = state.board, state.path, state.edge, state.end
    spent, registers, value = state.spent, state.registers, bounds.value
    if arcs is not None:
        row, delta, goal = arcs.row, arcs.delta, arcs.goal
        if lookups is not None:
            cells, parts = np.uint64(board.size), np.uint64(lookups.begin.size) - np.uint64(1)
            weight, begin = lookups.weight, lookups.begin
            key, held = lookups.key, lookups.worth
            code, worth = bounds.code, bounds.worth
    if operators is not None:
        goal, distance, divisor = operators.goal, operators.distance, operators.divisor
        first, cell, source = operators.move_first, operators.move_cell, operators.move_source
        need = operators.need
        cells, total = np.uint64(goal.size), bounds.total
    one = np.uint64(1)
    g, floor = np.uint64(registers[reg.DEPTH]), np.uint64(registers[reg.FLOOR])
    leaf, limit = np.uint64(registers[reg.LEAF]), registers[reg.LIMIT]
    above, left = registers[reg.NEXT_LIMIT], nodes
    deepest = np.uint64(registers[reg.DEEPEST])
    z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
    f, penalty = value[g], spent[g]
    status = reg.PAUSED
    while True:
        if e == last:
            if g == floor:
                status = reg.EXHAUSTED
                break
            d = z
            g -= one
            z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
            f = value[g]
            if cost is not None:
                penalty = spent[g]
            if arcs is not None:
                board[d] = board[z]
            continue
        d = np.uint64(move[e])
        if arcs is not None:
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
        if operators is not None:
            here, there = g * cells, (g + one) * cells
            child = Edge(np.uint64(first[d]), np.uint64(first[d + one]), here, there, total[g], 0)
            if not applies(np.uint64(need[d]), here, cells, board) or is_idle(
                child.first, child.last, here, cell, source, board
            ):
                e += one
                continue
            fresh, _ = write_child(child, cells, cell, source, distance, None, board)
            total[g + one] = fresh
            after = reg.NO_LIMIT
            if fresh < UNREACHABLE:
                after = np.int64(g) + 1
                after += distance_bound(fresh, divisor, there, cells, board, distance)
                if lookups is not None:
                    after += looked_up(lookups, there, cells, board)
        if after > limit:
            above = min(above, after)
            e += one
            continue
        if cost is not None:
            more = penalty + np.int64(cost[e])
            if more > registers[reg.MOST_PENALTY]:
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
        if arcs is not None:
            board[z] = tile
        node = np.uint64(following[e])
        z, e, last = d, np.uint64(offset[node]), np.uint64(offset[node + one])
        f = after
        g += one
        deepest = max(deepest, g)
        is_solved = f == np.int64(g)
        if is_solved:
            if arcs is not None:
                is_solved = _is_goal(z, board, goal)
            if operators is not None:
                is_solved = is_goal(goal, g * cells, board)
        if is_solved:
            if registers[reg.COUNTING] == 0:
                status = reg.FOUND
                break
            registers[reg.PLANS] += 1
        if g == leaf:
            status = reg.LEAF_REACHED
            e = last
            break
    path[g], edge[g], end[g], value[g], spent[g] = z, e, last, f, penalty
    registers[reg.DEPTH], registers[reg.NEXT_LIMIT] = np.int64(g), above
    registers[reg.NODES] += nodes - left
    registers[reg.DEEPEST] = np.int64(deepest)
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
