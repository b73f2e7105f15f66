"""IDA* within one f-limit for puzzles of any kind, with the largest sum of pattern lookups."""

import numpy as np

from plansolve.patterns.placement_kernel import PlacementTables
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_arrays import Moves, PathState
from plansolve.solvers.search.idastar.placement_children_kernel import (
    PlacementState,
    PlacementSums,
    PlainOperators,
    make_children,
)
from plansolve.solvers.search.node_kernel import is_goal
from plansolve.storage.jit import kernel

__all__ = ["search"]


@kernel
def search(
    moves: Moves,
    operators: PlainOperators,
    tables: PlacementTables,
    sums: PlacementSums,
    state: PathState,
    bounds: PlacementState,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended.

    The edges edge[g] .. end[g] - 1 of `state` are those of which no children have been made yet:
    all of a node's, or none.
    """
    board, path, edge, end = state.board, state.path, state.edge, state.end
    registers, piece, begin = state.registers, bounds.piece, bounds.begin
    goal, first, to_cell, source, _ = operators
    one, cells = np.uint64(1), np.uint64(goal.size)
    g, floor = np.uint64(registers[reg.DEPTH]), np.uint64(registers[reg.FLOOR])
    leaf, deepest = np.uint64(registers[reg.LEAF]), np.uint64(registers[reg.DEEPEST])
    left, status = nodes, reg.PAUSED
    while True:
        if edge[g] < end[g]:
            make_children(g, moves, operators, tables, sums, state, bounds)
            edge[g] = end[g]
        if begin[g] == bounds.end[g]:
            if g == floor:
                status = reg.EXHAUSTED
                break
            g -= one
            continue
        if left == 0:
            break
        left -= 1
        row = np.uint64(begin[g])
        begin[g] = row + one
        e = np.uint64(bounds.edge[row])
        d, node = np.uint64(moves.move[e]), np.uint64(moves.next[e])
        here, there = g * cells, (g + one) * cells
        for cell in range(cells):
            board[there + cell] = board[here + cell]
            piece[there + cell] = piece[here + cell]
        for m in range(np.uint64(first[d]), np.uint64(first[d + one])):
            to, origin = np.uint64(to_cell[m]), here + np.uint64(source[m])
            board[there + to] = board[origin]
            piece[there + to] = piece[origin]
        g += one
        path[g], edge[g], end[g] = d, moves.offset[node], moves.offset[node + one]
        bounds.row[g], begin[g], bounds.end[g] = row, row, row
        deepest = max(deepest, g)
        if bounds.value[row] == np.int64(g) and is_goal(goal, there, board):
            if registers[reg.COUNTING] == 0:
                status = reg.FOUND
                break
            registers[reg.PLANS] += 1
        if g == leaf:
            status = reg.LEAF_REACHED
            edge[g] = end[g]
            break
    registers[reg.DEPTH], registers[reg.DEEPEST] = np.int64(g), np.int64(deepest)
    registers[reg.NODES] += nodes - left
    return status
