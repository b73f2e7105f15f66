"""IDA* on a blank graph within one f-limit, with additive pattern databases (Korf and Felner 2002).

A depth-first search over the paths that a pruning automaton lets through, without recursion:

    while some edge of the current node, or of one above it, is left
        if no edge of this node is left: go back, and take its move back
        else if f after the edge's move exceeds the f-limit: remember the least such f
        else make the move; stop where the goal, the depth asked for or the end of the slice is met

The bound of a board is the largest sum of a set of patterns. A move changes one pattern of each
set: the table is read once for each set, and the sets are tested in turn, so that the first one
that exceeds the f-limit ends the test.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.registers import Moves, PathState
from plansolve.storage.jit import Array, kernel, typed


@typed
class PatternTables(NamedTuple):
    """`group`, `weight` and `table` of `AdditiveSets`.

    is_priced[s] is 1 for sets that bound the moves plus the penalty of what is left: those of a
    plan that has spent all but d of the penalty allowed may be d above the f-limit. They are looked
    at where penalties are.
    """

    is_priced: NDArray[np.uint8]
    group: NDArray[np.uint8]
    weight: NDArray[np.uint32]
    table: NDArray[np.uint8]


@typed
class PatternState(NamedTuple):
    """The lookups at the current node, and what the moves that led there have changed.

    With S sets, and g for the depth:

    indices[k], entry[k]                       the index of pattern k into the table (its base
                                               included), and the entry there
    total[s]                                   the sum of the entries of set s
    index_before[g * S + s], entry_before[..]  those of the pattern of set s that the move away from
                                               depth g has changed, before it
    """

    indices: NDArray[np.uint32]
    entry: NDArray[np.uint8]
    total: NDArray[np.int64]
    index_before: NDArray[np.uint32]
    entry_before: NDArray[np.uint8]


@kernel
def search(
    moves: Moves,
    tables: PatternTables,
    cost: Array | None,
    state: PathState,
    lookups: PatternState,
    nodes: int,
) -> int:
    """Enter at most `nodes` nodes; return why the search ended.

    `cost[edge]` (uint32) is an edge's penalty; None, and compiled without it, where penalties are
    not looked at.
    """
    offset, move, following = moves.offset, moves.move, moves.next
    is_priced, group, weight, table = tables
    board, path, edge, end = state.board, state.path, state.edge, state.end
    spent, registers = state.spent, state.registers
    indices, entry, total = lookups.indices, lookups.entry, lookups.total
    index_before, entry_before = lookups.index_before, lookups.entry_before
    one, zero = np.uint64(1), np.uint64(0)
    cells, sets = np.uint64(board.size), np.uint64(total.size)
    square = cells * cells
    g, floor = np.uint64(registers[reg.DEPTH]), np.uint64(registers[reg.FLOOR])
    leaf, limit = np.uint64(registers[reg.LEAF]), registers[reg.LIMIT]
    above, left = registers[reg.NEXT_LIMIT], nodes
    deepest = np.uint64(registers[reg.DEEPEST])
    z, e, last = np.uint64(path[g]), np.uint64(edge[g]), np.uint64(end[g])
    penalty = spent[g]
    status = reg.PAUSED
    while True:
        if e == last:
            if g == floor:
                status = reg.EXHAUSTED
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
                indices[k], entry[k] = index_before[frame + s], before
                row += cells
                s += one
            continue
        d = np.uint64(move[e])
        tile = board[d]
        # The sum that a set may have after the move, g + 1 moves being made.
        room = limit - np.int64(g) - 1
        if cost is not None:
            more = penalty + np.int64(cost[e])
            spare = registers[reg.MOST_PENALTY] - more
            if spare < 0:
                e += one
                continue
        row, base, frame = np.uint64(tile), np.uint64(tile) * cells, g * sets
        highest = np.int64(0)
        s = zero
        while s < sets:
            k = np.uint64(group[row])
            place = (
                np.uint64(indices[k]) + np.uint64(weight[base + z]) - np.uint64(weight[base + d])
            )
            fresh = table[place]
            after = total[s] + np.int64(fresh) - np.int64(entry[k])
            needed = after
            if cost is not None and is_priced[s]:
                needed -= spare
            highest = max(highest, needed)
            if needed > room:
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
            index_before[frame + s], entry_before[frame + s] = indices[k], before
            indices[k], entry[k] = place, fresh
            row += cells
            s += one
        node = np.uint64(following[e])
        z, e, last = d, np.uint64(offset[node]), np.uint64(offset[node + one])
        g += one
        deepest = max(deepest, g)
        if highest == 0:
            if registers[reg.COUNTING] == 0:
                status = reg.FOUND
                break
            registers[reg.PLANS] += 1
        if g == leaf:
            status = reg.LEAF_REACHED
            e = last
            break
    path[g], edge[g], end[g], spent[g] = z, e, last, penalty
    registers[reg.DEPTH], registers[reg.NEXT_LIMIT] = np.int64(g), above
    registers[reg.NODES] += nodes - left
    registers[reg.DEEPEST] = np.int64(deepest)
    return status
