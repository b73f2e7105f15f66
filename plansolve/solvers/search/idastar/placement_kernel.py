"""IDA* within one f-limit for puzzles of any kind, with the largest sum of pattern lookups.

The loop is that of `bound_kernel`. A child is left as soon as one sum is beyond the f-limit, and
the sum that was so last is tried first; its f need not be the child's, and is a lower bound too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_kernel import PlacementScratch, PlacementTables, look_up, stand
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_arrays import Moves, PathState
from plansolve.solvers.search.node_kernel import Number, applies, is_goal, is_idle
from plansolve.storage.jit import Array, kernel, typed

__all__ = ["NO_WAY", "PlacementState", "PlainOperators", "search"]

NO_WAY = 255


@typed
class PlainOperators(NamedTuple):
    """The goal, what each operator moves, and needs: the arrays of `node_kernel.Operators`."""

    goal: NDArray[np.int32]
    move_first: NDArray[np.uint32]
    move_cell: NDArray[np.uint16]
    move_source: NDArray[np.uint16]
    need: NDArray[np.uint16]


@typed
class PlacementState(NamedTuple):
    """The bound along the current path.

    value[g]       f: the moves made, and the bound on those left
    favourite[0]   the sum to try first
    scratch        for lookups
    """

    value: NDArray[np.int64]
    favourite: NDArray[np.uint64]
    scratch: PlacementScratch


@kernel
def search(
    moves: Moves,
    operators: PlainOperators,
    tables: PlacementTables,
    sums: Array,
    state: PathState,
    bounds: PlacementState,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended.

    Sum s is that of the lookups sums[s] .. sums[s + 1] - 1 (uint64).
    """
    offset, move, following = moves.offset, moves.move, moves.next
    board, path, edge, end = state.board, state.path, state.edge, state.end
    registers, value, scratch = state.registers, bounds.value, bounds.scratch
    goal, first, to_cell, source, need = operators
    one, cells, count = np.uint64(1), np.uint64(goal.size), np.uint64(sums.size) - np.uint64(1)
    g, floor = np.uint64(registers[reg.DEPTH]), np.uint64(registers[reg.FLOOR])
    leaf, limit = np.uint64(registers[reg.LEAF]), registers[reg.LIMIT]
    above, left = registers[reg.NEXT_LIMIT], nodes
    deepest, favourite = np.uint64(registers[reg.DEEPEST]), bounds.favourite[0]
    z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
    f = value[g]
    status = reg.PAUSED
    while True:
        if e == last:
            if g == floor:
                status = reg.EXHAUSTED
                break
            g -= one
            z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
            f = value[g]
            continue
        d = np.uint64(move[e])
        here, there = g * cells, (g + one) * cells
        begin, finish = np.uint64(first[d]), np.uint64(first[d + one])
        if not applies(np.uint64(need[d]), here, cells, board) or is_idle(
            begin, finish, here, to_cell, source, board
        ):
            e += one
            continue
        for cell in range(cells):
            board[there + cell] = board[here + cell]
        for m in range(begin, finish):
            board[there + np.uint64(to_cell[m])] = board[here + np.uint64(source[m])]
        stand(board, there, cells, tables, scratch)
        made = np.int64(g) + 1
        after: Number = made
        s = favourite
        for _ in range(count):
            total: Number = made
            for lookup in range(sums[s], sums[s + one]):
                left_over = look_up(lookup, cells, tables, scratch)
                total = total + left_over if left_over < NO_WAY else reg.NO_LIMIT
                if left_over == NO_WAY:
                    break
            after = max(after, total)
            if after > limit:
                favourite = s
                break
            s = s + one if s + one < count else np.uint64(0)
        if after > limit:
            above = min(above, after)
            e += one
            continue
        if left == 0:
            break
        left -= 1
        path[g], edge[g], end[g], value[g] = z, e + one, last, f
        node = np.uint64(following[e])
        z, e, last = d, np.uint64(offset[node]), np.uint64(offset[node + one])
        f = after
        g += one
        deepest = max(deepest, g)
        if f == np.int64(g) and is_goal(goal, there, board):
            if registers[reg.COUNTING] == 0:
                status = reg.FOUND
                break
            registers[reg.PLANS] += 1
        if g == leaf:
            status = reg.LEAF_REACHED
            e = last
            break
    path[g], edge[g], end[g], value[g] = z, e, last, f
    bounds.favourite[0] = favourite
    registers[reg.DEPTH], registers[reg.NEXT_LIMIT] = np.int64(g), above
    registers[reg.NODES] += nodes - left
    registers[reg.DEEPEST] = np.int64(deepest)
    return status
