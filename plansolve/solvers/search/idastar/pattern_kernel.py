"""IDA* on a blank graph below one bound, with additive pattern databases (Korf and Felner 2002).

As `distance_idastar`, whose registers and return values it shares; the bound of a board is the
largest sum of a set of patterns. A move changes one pattern of each set: the table is read once for
each set, and the sets are tested in turn, so that the first one that exceeds the bound ends the
test. What outlives a slice, with g for the depth, N cells and S sets:

    board, path, edge, end, spent, registers   as in `distance_idastar`
    index[k], entry[k]                         uint32, uint8: the index of pattern k into the table
                                               (its base included), and the entry there
    total[s]                                   int64: the sum of the entries of set s
    index_before[g * S + s], entry_before[..]  uint32, uint8: those of the pattern of set s that the
                                               move away from depth g has changed, before it

Tables: the automaton's, `cost`, and `group`, `weight`, `table` of `AdditiveSets`.
"""

import numpy as np

from plansolve.solvers.search.idastar.distance_kernel import (
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

__all__ = ["search"]


@kernel
def search(
    offset: Array,
    move: Array,
    following: Array,
    group: Array,
    weight: Array,
    table: Array,
    cost: Array,
    board: Array,
    path: Array,
    edge: Array,
    end: Array,
    spent: Array,
    index: Array,
    entry: Array,
    total: Array,
    index_before: Array,
    entry_before: Array,
    registers: Array,
    nodes: int,
) -> int:
    """Enters at most `nodes` nodes; returns why it ended."""
    one, zero = np.uint64(1), np.uint64(0)
    cells, sets = np.uint64(board.size), np.uint64(total.size)
    square = cells * cells
    g, floor = np.uint64(registers[DEPTH]), np.uint64(registers[FLOOR])
    leaf, bound = np.uint64(registers[LEAF]), registers[BOUND]
    above, left = registers[NEXT_BOUND], nodes
    deepest = np.uint64(registers[DEEPEST])
    z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
    penalty = spent[g]
    status = PAUSED
    while True:
        if e == last:
            if g == floor:
                status = EXHAUSTED
                break
            d = z
            g -= one
            z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
            if cost is not None:
                penalty = spent[g]
            tile = board[z]
            board[d] = tile
            row, frame = np.uint64(tile), g * sets
            s = zero
            while s < sets:
                k = np.uint64(group[row])
                before = entry_before[frame + s]
                total[s] += np.int64(before) - np.int64(entry[k])
                index[k], entry[k] = index_before[frame + s], before
                row += cells
                s += one
            continue
        d = np.uint64(move[e])
        tile = board[d]
        # The sum that a set may have after the move, g + 1 moves being made.
        room = bound - np.int64(g) - 1
        row, base, frame = np.uint64(tile), np.uint64(tile) * cells, g * sets
        highest = np.int64(0)
        s = zero
        while s < sets:
            k = np.uint64(group[row])
            place = np.uint64(index[k]) + np.uint64(weight[base + z]) - np.uint64(weight[base + d])
            fresh = table[place]
            after = total[s] + np.int64(fresh) - np.int64(entry[k])
            highest = max(highest, after)
            if after > room:
                break
            # For the time being what comes after the move: exchanged when it is made.
            index_before[frame + s], entry_before[frame + s] = place, fresh
            row += cells
            base += square
            s += one
        if s < sets:
            above = min(above, highest + np.int64(g) + 1)
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
        path[g], edge[g], end[g] = z, e + one, last
        board[z] = tile
        row = np.uint64(tile)
        s = zero
        while s < sets:
            k = np.uint64(group[row])
            place, fresh = np.uint64(index_before[frame + s]), entry_before[frame + s]
            before = entry[k]
            total[s] += np.int64(fresh) - np.int64(before)
            index_before[frame + s], entry_before[frame + s] = index[k], before
            index[k], entry[k] = place, fresh
            row += cells
            s += one
        state = np.uint64(following[e])
        z, e, last = d, np.uint64(offset[state]), np.uint64(offset[state + one])
        g += one
        deepest = max(deepest, g)
        if highest == 0:
            if registers[COUNTING] == 0:
                status = FOUND
                break
            registers[PLANS] += 1
        if g == leaf:
            status = LEAF_REACHED
            e = last
            break
    path[g], edge[g], end[g], spent[g] = z, e, last, penalty
    registers[DEPTH], registers[NEXT_BOUND] = np.int64(g), above
    registers[NODES] += nodes - left
    registers[DEEPEST] = np.int64(deepest)
    return status
