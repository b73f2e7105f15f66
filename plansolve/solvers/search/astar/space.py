"""The nodes that A* has met, within a memory: arrays that grow."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import State
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar.tables import Tables

# Nodes entered into a new hash table, or into the open list, at a time.
_ENTRIES = 1 << 19
_FIRST_CAPACITY = 1 << 14
_FIRST_ROWS = 64
_FIELDS = int(kernel.FIELDS)


class Space:
    """The nodes that have been met and the open list, within `memory` bytes.

    The arrays grow to the double size. Their new ends are untouched memory, which takes no room
    before it is used, so that the old and the new array together are within the limit, too. The
    weights are `weight` / `cost`, the first of them is the largest.
    """

    def __init__(self, tables: Tables, start: State, memory: int, cost: int, weight: int) -> None:
        self._tables, self._memory = tables, memory
        self._numbers = np.zeros(kernel.NUMBERS, np.int64)
        self._census = np.zeros(_FIRST_ROWS, np.uint32)
        # Keys fall with the weights, so that more of them are needed for larger f only.
        self._heads = np.zeros(
            cost * _FIRST_ROWS + (weight - cost) * (tables.width - 1) + 1, np.uint32
        )
        # There is always room for the start.
        self._capacity = max(2, min(self._most_nodes, _FIRST_CAPACITY))
        self._states = np.empty(self._capacity * tables.cells, tables.content_type)
        self._fields = np.empty(self._capacity * _FIELDS, np.uint32)
        self._slots = np.zeros(2 * self._capacity, np.uint32)
        self._states[tables.cells : 2 * tables.cells] = start
        self.base = int(kernel.add_start(tables.rules, self._nodes))
        self._order = kernel.Order(cost, weight - cost, self.base, False, tables.branching)
        kernel.enter(1, 2, tables.rules, self._nodes)

    @property
    def _nodes(self) -> kernel.Nodes:
        return kernel.Nodes(
            self._states, self._fields, self._slots, self._heads, self._census, self._numbers
        )

    @property
    def _node_size(self) -> int:
        """What one more node costs, in bytes, with two slots of the hash table."""
        state = self._tables.cells * np.dtype(self._tables.content_type).itemsize
        return state + 4 * _FIELDS + 2 * 4

    @property
    def _fixed_size(self) -> int:
        open_list = self._heads.nbytes + self._census.nbytes
        return self._tables.nbytes + open_list + self._numbers.nbytes

    @property
    def _most_nodes(self) -> int:
        """As many nodes as the memory has room for."""
        return min((self._memory - self._fixed_size) // self._node_size, kernel.LAST_NODE)

    @property
    def stored(self) -> int:
        """The number of nodes."""
        return int(self._numbers[kernel.COUNT]) - 1

    @property
    def counts(self) -> dict[str, int]:
        """The work done: nodes expanded and children generated, nodes stored and opened again."""
        return {
            "expansions": int(self._numbers[kernel.EXPANSIONS]),
            "generated": int(self._numbers[kernel.GENERATED]),
            "stored": self.stored,
            "reopened": int(self._numbers[kernel.REOPENED]),
        }

    @property
    def smallest_f(self) -> int | None:
        """The smallest f in OPEN and INCONS; None where these are empty."""
        rows = np.flatnonzero(self._census)
        return self.base + int(rows[0]) if rows.size else None

    def begin(self, weight: int, limit: int, *, is_last: bool) -> Iterator[None]:
        """Sort the nodes of OPEN and INCONS by a weight, no larger than the last one, leaving out
        those with f of `limit` or more; pause now and then; to be run to its end.
        """
        self._order = self._order._replace(extra=weight - self._order.cost, reopens=is_last)
        self._heads[:] = 0
        self._numbers[kernel.KEY] = self._heads.size
        for first, last in _runs(self.stored):
            kernel.sort(first, last, limit, self._order, self._nodes)
            yield

    def expand(self, expansions: int, limit: int) -> int:
        """Expand at most so many nodes with f below `limit`; return the kernel's status."""
        return int(kernel.expand(expansions, limit, self._order, self._tables.rules, self._nodes))

    @property
    def can_grow(self) -> bool:
        """Whether the memory has room for more nodes."""
        return self._capacity < self._most_nodes

    def grow(self) -> Iterator[None]:
        """Make room for more nodes, pausing now and then; to be run to its end."""
        capacity = min(2 * self._capacity, self._most_nodes)
        self._slots = np.zeros(0, np.uint32)
        self._states = _longer(self._states, capacity * self._tables.cells)
        self._fields = _longer(self._fields, capacity * _FIELDS)
        self._slots = np.zeros(2 * capacity, np.uint32)
        self._capacity = capacity
        for first, last in _runs(self.stored):
            kernel.enter(first, last, self._tables.rules, self._nodes)
            yield

    def add_rows(self) -> bool:
        """Make room for larger f; return False where the memory does not allow it."""
        rows = self._census.size
        keys = self._heads.size + self._order.cost * rows
        used = self._fixed_size + self._capacity * self._node_size
        if used + 4 * (rows + keys) > self._memory:
            return False
        self._heads = _longer(self._heads, keys)
        self._census = _longer(self._census, 2 * rows)
        return True

    def path(self) -> list[State]:
        """Return the states from the start to the goal that was met."""
        states, node = list[State](), int(self._numbers[kernel.GOAL])
        cells = self._tables.cells
        while node:
            states.append(tuple(self._states[node * cells : (node + 1) * cells].tolist()))
            node = 0 if node == 1 else int(self._fields[node * _FIELDS + int(kernel.PARENT)])
        return states[::-1]


def _runs(nodes: int) -> Iterator[tuple[int, int]]:
    """Yield the first and one more than the last of runs of nodes, until all were."""
    for first in range(1, nodes + 1, _ENTRIES):
        yield first, min(first + _ENTRIES, nodes + 1)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the array with zeros behind it, which take no memory before they are used."""
    longer = np.zeros(size, array.dtype)
    longer[: array.size] = array
    return longer
