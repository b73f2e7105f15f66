"""Pattern databases at whole boards: what they tell of one is worked out from scratch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.placement_kernel import (
    PlacementScratch,
    PlacementTables,
    look_up,
    stand,
)
from plansolve.solvers.search.node_kernel import Number
from plansolve.storage.jit import Array, kernel, typed

_NO_WAY = 255


@typed
class BoundTables(NamedTuple):
    """Tables of one kind or of none: those that there are not are None.

    additive     sums for a blank graph; `places` has room for the indices of their patterns
    placements   lookups for any puzzle; `scratch` is for them
    """

    additive: AdditiveSets | None
    places: NDArray[np.uint32]
    placements: PlacementTables | None
    scratch: PlacementScratch | None


@kernel
def table_bound(tables: BoundTables, here: Number, cells: Number, states: Array) -> Number:
    """Return the tables' bound for the board at states[here]; `UNREACHABLE` if it has no plan."""
    summed = _largest_sum(tables.additive, tables.places, here, cells, states)
    return max(summed, _largest(tables.placements, tables.scratch, here, cells, states))


@kernel
def _largest_sum(
    sets: AdditiveSets | None, places: Array, here: Number, cells: Number, states: Array
) -> Number:
    """Return the largest of the sums of a board's additive patterns, 0 where there are none."""
    if sets is None:
        return np.int64(0)
    table, base, group, weight, first = sets
    one, largest = np.uint64(1), np.int64(0)
    for g in range(np.uint64(base.size)):
        places[g] = base[g]
    for s in range(np.uint64(first.size) - one):
        for cell in range(cells):
            row = s * cells + np.uint64(states[here + cell])
            places[np.uint64(group[row])] += weight[row * cells + cell]
        total = np.int64(0)
        for g in range(np.uint64(first[s]), np.uint64(first[s + one])):
            entry = np.int64(table[np.uint64(places[g])])
            if entry == _NO_WAY:
                return np.int64(UNREACHABLE)
            total += entry
        largest = max(largest, total)
    return largest


@kernel
def _largest(
    tables: PlacementTables | None,
    scratch: PlacementScratch | None,
    here: Number,
    cells: Number,
    states: Array,
) -> Number:
    """Return the largest of a board's lookups of placements, 0 where there are none."""
    if tables is None or scratch is None:
        return np.int64(0)
    largest = np.int64(0)
    stand(states, here, cells, tables, scratch)
    for lookup in range(np.uint64(tables.base.size)):
        entry = np.int64(look_up(lookup, cells, tables, scratch.where, np.uint64(0)))
        if entry == _NO_WAY:
            return np.int64(UNREACHABLE)
        largest = max(largest, entry)
    return largest
