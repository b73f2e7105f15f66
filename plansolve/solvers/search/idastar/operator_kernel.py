"""IDA* within one f-limit over the operators of any puzzle (Korf 1985).

A depth-first search over the paths that a pruning automaton lets through, without recursion:

    while a child of the current node, or of one above it, is left to be entered
        if the children of this node are not made: make those whose f is within the f-limit, and
            remember the least f beyond it
        else if none is left: take the node's move back
        else make the next child's move; stop where the goal, the depth asked for or the end of the
            slice is met

There is one board, on which moves are made and taken back: an operator that takes the content of
cell `source` to `cell` is taken back by exchanging the two. The kernel is compiled for each of two
kinds of bounds. A `NodeBound` is evaluated at the child's board. Sums of lookups of placements are
read for all children of a node at once, since most of the time goes into waiting for the tables'
entries, which lie far apart: all are asked for before the first is read. Nor is a sum looked at
that cannot be beyond the limit: where every move can be taken back, it grows by one with a move at
most, and f by two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.placement_kernel import NO_WAY, PlacementTables, entry_of
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.registers import Moves, PathState
from plansolve.solvers.search.node_kernel import (
    Lookups,
    Number,
    Operators,
    applies,
    distance_bound,
    is_goal,
    is_idle,
    looked_up,
)
from plansolve.storage.jit import Array, inlined, kernel, prefetch, typed


@typed
class PlacementSums(NamedTuple):
    """Lookups of placements that are added, and what a move can make of a sum.

    first[s]   the lookups first[s] .. first[s + 1] - 1 are those of sum s
    rise       how much larger f by one sum is after a move, at most
    """

    tables: PlacementTables
    first: NDArray[np.uint64]
    rise: int


@typed
class NodeRows(NamedTuple):
    """The current path's nodes and the children to be entered, with S sums of L lookups in all.

    Each node has a row. Those of the children of depth g follow those of the depths above, and of
    them those that are within the f-limit are kept; the last row is that of the root.

    row[g]                    the row of the current path's node at depth g
    begin[g], end[g]          the rows of its children that are still to be entered
    edge[row]                 the edge that leads to the node
    value[row]                f, or what is known to be no more: the moves made, and the bound on
                              those left
    total[row]                the sum of the distances of a `NodeBound`
    most[row * S + s]         f by sum s, or what is known to be no less
    held                      the contents that a move takes along
    piece[cell], where[slot]  the slot of the piece in each cell, and the cell of each piece
    entry[child * L + lookup] the entries of the children that are being looked at
    order                     the sums to look at
    """

    row: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    end: NDArray[np.uint64]
    edge: NDArray[np.uint32]
    value: NDArray[np.int64]
    total: NDArray[np.int64]
    most: NDArray[np.int64]
    held: NDArray[np.uint16]
    piece: NDArray[np.uint8]
    where: NDArray[np.uint8]
    entry: NDArray[np.uint64]
    order: NDArray[np.uint64]


@kernel
def search(
    moves: Moves,
    operators: Operators,
    lookups: Lookups | None,
    sums: PlacementSums | None,
    cost: Array | None,
    state: PathState,
    rows: NodeRows,
    nodes: int,
) -> int:
    """Enter at most `nodes` nodes; return why the search ended.

    With `sums` these are the bound; else it is that of `operators` and of `lookups`, which are None
    where there are none. `cost[edge]` (uint32) is an edge's penalty; None, and compiled without it,
    where penalties are not looked at. The edges edge[g] .. end[g] - 1 of `state` are those of which
    no children have been made yet: all of a node's, or none.
    """
    board, path, edge, end = state.board, state.path, state.edge, state.end
    spent, registers, begin = state.spent, state.registers, rows.begin
    goal, first, cell, source = (
        operators.goal,
        operators.move_first,
        operators.move_cell,
        operators.move_source,
    )
    held, piece, where = rows.held, rows.piece, rows.where
    zero, one = np.uint64(0), np.uint64(1)
    g, floor = np.uint64(registers[reg.DEPTH]), np.uint64(registers[reg.FLOOR])
    leaf, deepest = np.uint64(registers[reg.LEAF]), np.uint64(registers[reg.DEEPEST])
    left, status = nodes, reg.PAUSED
    while True:
        if edge[g] < end[g]:
            _list_children(g, moves, operators, state, rows)
            if sums is None:
                _bound_children(g, moves, operators, lookups, state, rows)
            else:
                _look_up_children(g, moves, operators, sums, state, rows)
            edge[g] = end[g]
        if begin[g] == rows.end[g]:
            if g == floor:
                status = reg.EXHAUSTED
                break
            d = np.uint64(path[g])
            _carry(np.uint64(first[d]), np.uint64(first[d + one]), source, cell, board, held)
            if sums is not None:
                _carry(np.uint64(first[d]), np.uint64(first[d + one]), source, cell, piece, held)
                for m in range(np.uint64(first[d]), np.uint64(first[d + one])):
                    where[np.uint64(piece[np.uint64(source[m])])] = np.uint8(source[m])
            g -= one
            continue
        row = np.uint64(begin[g])
        e = np.uint64(rows.edge[row])
        if cost is not None:
            penalty = spent[g] + np.int64(cost[e])
            if penalty > registers[reg.MOST_PENALTY]:
                begin[g] = row + one
                continue
            spent[g + one] = penalty
        if left == 0:
            break
        left -= 1
        begin[g] = row + one
        d, node, top = np.uint64(moves.move[e]), np.uint64(moves.next[e]), rows.end[g]
        _carry(np.uint64(first[d]), np.uint64(first[d + one]), cell, source, board, held)
        if sums is not None:
            _carry(np.uint64(first[d]), np.uint64(first[d + one]), cell, source, piece, held)
            for m in range(np.uint64(first[d]), np.uint64(first[d + one])):
                where[np.uint64(piece[np.uint64(cell[m])])] = np.uint8(cell[m])
        g += one
        path[g], edge[g], end[g] = d, moves.offset[node], moves.offset[node + one]
        rows.row[g], begin[g], rows.end[g] = row, top, top
        deepest = max(deepest, g)
        if rows.value[row] == np.int64(g) and is_goal(goal, zero, board):
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


@inlined
def _carry(
    first: Number, last: Number, cell: Array, source: Array, contents: Array, held: Array
) -> None:
    """Bring the content of each cell source[m] to cell[m], for m from `first` to `last` - 1."""
    for m in range(first, last):
        held[m - first] = contents[np.uint64(source[m])]
    for m in range(first, last):
        contents[np.uint64(cell[m])] = held[m - first]


@inlined
def _list_children(
    g: Number, moves: Moves, operators: Operators, state: PathState, rows: NodeRows
) -> None:
    """Give a row to each child of the node at depth g that a move leads to, and changes."""
    first, need, board = operators.move_first, operators.need, state.board
    zero, one, cells = np.uint64(0), np.uint64(1), np.uint64(state.board.size)
    child: Number = np.uint64(rows.begin[g])
    for e in range(np.uint64(state.edge[g]), np.uint64(state.end[g])):
        d = np.uint64(moves.move[e])
        if applies(np.uint64(need[d]), zero, cells, board) and not is_idle(
            np.uint64(first[d]),
            np.uint64(first[d + one]),
            zero,
            operators.move_cell,
            operators.move_source,
            board,
        ):
            rows.edge[child] = e
            child += one
    rows.end[g] = child


@inlined
def _bound_children(
    g: Number,
    moves: Moves,
    operators: Operators,
    lookups: Lookups | None,
    state: PathState,
    rows: NodeRows,
) -> None:
    """Keep the children of the node at depth g that a `NodeBound` leaves within the f-limit."""
    _, move_first, cell, source, _, distance, divisor = operators
    board, registers, held = state.board, state.registers, rows.held
    zero, one, cells = np.uint64(0), np.uint64(1), np.uint64(state.board.size)
    kept: Number = np.uint64(rows.begin[g])
    for child in range(np.uint64(rows.begin[g]), np.uint64(rows.end[g])):
        d = np.uint64(moves.move[np.uint64(rows.edge[child])])
        first, last = np.uint64(move_first[d]), np.uint64(move_first[d + one])
        total = rows.total[np.uint64(rows.row[g])]
        for m in range(first, last):
            tile = np.uint64(board[np.uint64(source[m])]) * cells
            total += np.int64(distance[tile + np.uint64(cell[m])])
            total -= np.int64(distance[tile + np.uint64(source[m])])
        f: Number = np.int64(g) + 1 + total
        if total >= UNREACHABLE:
            f = reg.NO_LIMIT
        elif lookups is not None or divisor != 1:
            _carry(first, last, cell, source, board, held)
            f += distance_bound(total, divisor, zero, cells, board, distance) - total
            if lookups is not None:
                f += looked_up(lookups, zero, cells, board)
            _carry(first, last, source, cell, board, held)
        if f > registers[reg.LIMIT]:
            registers[reg.NEXT_LIMIT] = min(registers[reg.NEXT_LIMIT], f)
            continue
        rows.edge[kept], rows.value[kept], rows.total[kept] = rows.edge[child], f, total
        kept += one
    rows.end[g] = kept


@inlined
def _look_up_children(
    g: Number,
    moves: Moves,
    operators: Operators,
    sums: PlacementSums,
    state: PathState,
    rows: NodeRows,
) -> None:
    """Keep the children of the node at depth g that sums of lookups leave within the f-limit.

    First come the sums that are beyond it unless the move makes them smaller; then, for the
    children that are left, those that the move may make too large.
    """
    most, order, limit = rows.most, rows.order, state.registers[reg.LIMIT]
    one, likely = np.uint64(1), np.uint64(0)
    count, own = np.uint64(sums.first.size) - one, np.uint64(rows.row[g])
    for s in range(count):
        if most[own * count + s] >= limit:
            order[likely] = s
            likely += one
    some: Number = likely
    for s in range(count):
        if most[own * count + s] < limit and most[own * count + s] + sums.rise > limit:
            order[some] = s
            some += one
    for child in range(np.uint64(rows.begin[g]), np.uint64(rows.end[g])):
        rows.value[child] = rows.value[own]
        for s in range(count):
            most[child * count + s] = most[own * count + s] + sums.rise
    first: Number = np.uint64(0)
    last: Number = likely
    for _ in range(2):
        if first < last:
            _ask(g, first, last, moves, operators, sums, rows)
            _keep(g, first, last, sums, state.registers, rows)
        first, last = likely, some


@inlined
def _ask(
    g: Number,
    first: Number,
    last: Number,
    moves: Moves,
    operators: Operators,
    sums: PlacementSums,
    rows: NodeRows,
) -> None:
    """Ask for the entries of the children by the sums order[first] .. order[last - 1]."""
    tables, where, piece = sums.tables, rows.where, rows.piece
    begin, cell, source = operators.move_first, operators.move_cell, operators.move_source
    zero, one, lookups = np.uint64(0), np.uint64(1), np.uint64(tables.base.size)
    cells, start = np.uint64(tables.image.size) // lookups, np.uint64(rows.begin[g])
    for child in range(start, np.uint64(rows.end[g])):
        d = np.uint64(moves.move[np.uint64(rows.edge[child])])
        for m in range(np.uint64(begin[d]), np.uint64(begin[d + one])):
            where[np.uint64(piece[np.uint64(source[m])])] = np.uint8(cell[m])
        for i in range(first, last):
            s = np.uint64(rows.order[i])
            for lookup in range(sums.first[s], sums.first[s + one]):
                number = entry_of(lookup, cells, tables, where, zero)
                rows.entry[(child - start) * lookups + lookup] = number
                prefetch(tables.table, number)
        for m in range(np.uint64(begin[d]), np.uint64(begin[d + one])):
            where[np.uint64(piece[np.uint64(source[m])])] = np.uint8(source[m])


@inlined
def _keep(
    g: Number, first: Number, last: Number, sums: PlacementSums, registers: Array, rows: NodeRows
) -> None:
    """Keep the children that these sums leave within the f-limit."""
    most, value, table = rows.most, rows.value, sums.tables.table
    one, lookups = np.uint64(1), np.uint64(sums.tables.base.size)
    count, start = np.uint64(sums.first.size) - one, np.uint64(rows.begin[g])
    kept: Number = start
    for child in range(start, np.uint64(rows.end[g])):
        f: Number = value[child]
        for i in range(first, last):
            s: Number = np.uint64(rows.order[i])
            total: Number = np.int64(g) + 1
            for lookup in range(sums.first[s], sums.first[s + one]):
                entry = table[rows.entry[(child - start) * lookups + lookup]]
                total += reg.NO_LIMIT if entry == NO_WAY else np.int64(entry)
            most[child * count + s] = total
            f = max(f, total)
        if f > registers[reg.LIMIT]:
            registers[reg.NEXT_LIMIT] = min(registers[reg.NEXT_LIMIT], f)
            continue
        value[kept], rows.edge[kept] = f, rows.edge[child]
        if kept < child:
            for s in range(count):
                most[kept * count + s] = most[child * count + s]
        kept += one
    rows.end[g] = kept
