"""The children of a node that sums of pattern lookups leave within the f-limit.

Most of the time of a search goes into waiting for the tables' entries, which lie far apart. So all
children of a node are made at once, and all entries asked for before the first of them is read.
Sums that cannot exceed the limit are skipped: if every move can be taken back, a move changes a sum
by at most one, and f by at most two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_kernel import NO_WAY, PlacementTables, entry_of
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_arrays import Moves, PathState
from plansolve.solvers.search.node_kernel import Number, applies, is_idle
from plansolve.storage.jit import Array, inlined, prefetch, typed

__all__ = ["PlacementState", "PlacementSums", "PlainOperators", "make_children"]


@typed
class PlainOperators(NamedTuple):
    """The goal, what each operator moves, and needs: the arrays of `node_kernel.Operators`."""

    goal: NDArray[np.int32]
    move_first: NDArray[np.uint32]
    move_cell: NDArray[np.uint16]
    move_source: NDArray[np.uint16]
    need: NDArray[np.uint16]


@typed
class PlacementSums(NamedTuple):
    """Which lookups are added, and what a move can make of a sum.

    first[s]   the lookups first[s] .. first[s + 1] - 1 are those of sum s
    rise       how much larger f by one sum is after a move, at most
    degree     no node has more children
    """

    first: NDArray[np.uint64]
    rise: int
    degree: np.uint64


@typed
class PlacementState(NamedTuple):
    """The bound along the current path, on boards of N cells, with S sums of L lookups in all.

    Each node has a row. Those of the children of depth g begin with g * degree, and of them those
    that are within the f-limit are kept; the last row is that of the root.

    row[g]                    the row of the current path's node at depth g
    begin[g], end[g]          the rows of its children that are still to be entered
    piece[g * N + cell]       the slot of the piece in each cell at depth g
    edge[row]                 the edge that leads to the node
    value[row]                f, or what is known to be no more: the moves made, and the bound on
                              those left
    most[row * S + s]         f by sum s, or what is known to be no less
    where[row * N + slot]     the cell of each piece
    entry[child * L + lookup] the entries of the children that are being looked at
    order                     the sums to look at
    """

    row: NDArray[np.uint64]
    begin: NDArray[np.uint64]
    end: NDArray[np.uint64]
    piece: NDArray[np.uint8]
    edge: NDArray[np.uint32]
    value: NDArray[np.int64]
    most: NDArray[np.int64]
    where: NDArray[np.uint8]
    entry: NDArray[np.uint64]
    order: NDArray[np.uint64]


@inlined
def make_children(
    g: Number,
    moves: Moves,
    operators: PlainOperators,
    tables: PlacementTables,
    sums: PlacementSums,
    state: PathState,
    bounds: PlacementState,
) -> None:
    """Find the children of the node at depth g that are within the f-limit.

    First come the sums that are beyond it unless the move makes them smaller; then, for the
    children that are left, those that the move may make too large.
    """
    most, order, limit = bounds.most, bounds.order, state.registers[reg.LIMIT]
    one, likely = np.uint64(1), np.uint64(0)
    count = np.uint64(sums.first.size) - one
    node = np.uint64(bounds.row[g]) * count
    for s in range(count):
        if most[node + s] >= limit:
            order[likely] = s
            likely += one
    some: Number = likely
    for s in range(count):
        if most[node + s] < limit and most[node + s] + sums.rise > limit:
            order[some] = s
            some += one
    _move(g, moves, operators, sums, state, bounds)
    first: Number = np.uint64(0)
    last: Number = likely
    for _ in range(2):
        if first < last:
            _ask(g, first, last, tables, sums, bounds)
            _keep(g, first, last, tables, sums, state.registers, bounds)
        first, last = likely, some


@inlined
def _move(
    g: Number,
    moves: Moves,
    operators: PlainOperators,
    sums: PlacementSums,
    state: PathState,
    bounds: PlacementState,
) -> None:
    """Make all children of the node at depth g, before anything is looked up."""
    goal, first, to_cell, source, need = operators
    board, piece, where, most = state.board, bounds.piece, bounds.where, bounds.most
    one, cells = np.uint64(1), np.uint64(goal.size)
    count, here, node = np.uint64(sums.first.size) - one, g * cells, np.uint64(bounds.row[g])
    child: Number = g * sums.degree
    bounds.begin[g] = child
    for e in range(np.uint64(state.edge[g]), np.uint64(state.end[g])):
        d = np.uint64(moves.move[e])
        begin, end = np.uint64(first[d]), np.uint64(first[d + one])
        if not applies(np.uint64(need[d]), here, cells, board) or is_idle(
            begin, end, here, to_cell, source, board
        ):
            continue
        bounds.edge[child], bounds.value[child] = e, bounds.value[node]
        for s in range(count):
            most[child * count + s] = most[node * count + s] + sums.rise
        for slot in range(cells):
            where[child * cells + slot] = where[node * cells + slot]
        for m in range(begin, end):
            moved = np.uint64(piece[here + np.uint64(source[m])])
            where[child * cells + moved] = np.uint8(to_cell[m])
        child += one
    bounds.end[g] = child


@inlined
def _ask(
    g: Number,
    first: Number,
    last: Number,
    tables: PlacementTables,
    sums: PlacementSums,
    bounds: PlacementState,
) -> None:
    """Ask for the entries of the children by the sums order[first] .. order[last - 1]."""
    one, lookups = np.uint64(1), np.uint64(tables.base.size)
    cells, start = np.uint64(tables.image.size) // lookups, np.uint64(bounds.begin[g])
    for child in range(start, np.uint64(bounds.end[g])):
        for i in range(first, last):
            s = np.uint64(bounds.order[i])
            for lookup in range(sums.first[s], sums.first[s + one]):
                number = entry_of(lookup, cells, tables, bounds.where, child * cells)
                bounds.entry[(child - start) * lookups + lookup] = number
                prefetch(tables.table, number)


@inlined
def _keep(
    g: Number,
    first: Number,
    last: Number,
    tables: PlacementTables,
    sums: PlacementSums,
    registers: Array,
    bounds: PlacementState,
) -> None:
    """Keep the children that these sums leave within the f-limit."""
    most, where, value = bounds.most, bounds.where, bounds.value
    one, lookups = np.uint64(1), np.uint64(tables.base.size)
    count, cells = np.uint64(sums.first.size) - one, np.uint64(tables.image.size) // lookups
    start, limit = np.uint64(bounds.begin[g]), registers[reg.LIMIT]
    kept: Number = start
    for child in range(start, np.uint64(bounds.end[g])):
        f: Number = value[child]
        for i in range(first, last):
            s: Number = np.uint64(bounds.order[i])
            total: Number = np.int64(g) + 1
            for lookup in range(sums.first[s], sums.first[s + one]):
                entry = tables.table[bounds.entry[(child - start) * lookups + lookup]]
                if entry == NO_WAY:
                    total += reg.NO_LIMIT
                else:
                    total += np.int64(entry)
            most[child * count + s] = total
            f = max(f, total)
        if f > limit:
            registers[reg.NEXT_LIMIT] = min(registers[reg.NEXT_LIMIT], f)
            continue
        value[kept] = f
        if kept < child:
            bounds.edge[kept] = bounds.edge[child]
            for s in range(count):
                most[kept * count + s] = most[child * count + s]
            for slot in range(cells):
                where[kept * cells + slot] = where[child * cells + slot]
        kept += one
    bounds.end[g] = kept
