"""The nodes that A* and ARA* have met, within a memory: arrays that grow."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import State
from plansolve.solvers.search.astar import anytime_kernel, astar_kernel
from plansolve.solvers.search.astar.nodes_kernel import (
    FIELDS,
    LAST_NODE,
    OPERATOR,
    PARENT,
    Nodes,
    enter,
)
from plansolve.solvers.search.astar.tables import Tables

__all__ = ["AnytimeSpace", "NodeSpace", "Space"]

# Nodes entered into a new hash table, or into the open list, at a time.
_ENTRIES = 1 << 19
_FIRST_CAPACITY = 1 << 14
_FIELDS = int(FIELDS)


class NodeSpace:
    """The nodes that have been met and the open list, within `memory` bytes.

    The arrays grow to the double size. Their new ends are untouched memory, which takes no room
    before it is used, so that the old and the new array together are within the limit, too.
    """

    # Places in the `numbers` of the search's own kernel.
    _count: ClassVar[int]
    _goal: ClassVar[int]
    # Of each node, beside its state, with two slots of the hash table.
    _bytes: ClassVar[int] = _FIELDS * 4 + 2 * 4

    def __init__(self, tables: Tables, start: State, memory: int, buckets: int) -> None:
        self._tables = tables
        self._memory = memory
        self.numbers = np.zeros(astar_kernel.NUMBERS, np.int64)
        self._heads = np.zeros(buckets, np.uint32)
        # There is always room for the start.
        self._capacity = max(2, min(self._most_nodes, _FIRST_CAPACITY))
        self._states = np.empty(self._capacity * tables.cells, tables.content_type)
        self._fields = np.empty(self._capacity * _FIELDS, np.uint32)
        self._slots = np.zeros(2 * self._capacity, np.uint32)
        self._states[tables.cells : 2 * tables.cells] = start

    @property
    def _arrays(self) -> Nodes:
        return Nodes(self._states, self._fields, self._slots, self._heads, self.numbers)

    @property
    def _open_bytes(self) -> int:
        """What the open list takes beside its nodes."""
        return self._heads.nbytes

    @property
    def _node_size(self) -> int:
        """What one more node costs, in bytes."""
        return self._tables.cells * np.dtype(self._tables.content_type).itemsize + self._bytes

    @property
    def _most_nodes(self) -> int:
        """As many nodes as the memory has room for."""
        room = self._memory - self._tables.nbytes - self._open_bytes - self.numbers.nbytes
        return min(room // self._node_size, LAST_NODE)

    @property
    def stored(self) -> int:
        """The number of nodes."""
        return int(self.numbers[self._count]) - 1

    @property
    def can_grow(self) -> bool:
        """Whether the memory has room for more nodes."""
        return self._capacity < self._most_nodes

    def grow(self) -> Iterator[None]:
        """Makes room for more nodes, pausing now and then; to be run to its end."""
        capacity = min(2 * self._capacity, self._most_nodes)
        self._slots = np.zeros(0, np.uint32)
        self._lengthen(capacity)
        self._slots = np.zeros(2 * capacity, np.uint32)
        self._capacity = capacity
        for first, last in _runs(self.stored):
            self._enter(first, last)
            yield

    def _lengthen(self, capacity: int) -> None:
        self._states = _longer(self._states, capacity * self._tables.cells)
        self._fields = _longer(self._fields, capacity * _FIELDS)

    def _has_room(self, more: int) -> bool:
        """Whether the open list may take so many bytes more for now."""
        used = self._tables.nbytes + self.numbers.nbytes + self._capacity * self._node_size
        return used + self._open_bytes + more <= self._memory

    def _enter(self, first: int, last: int) -> None:
        enter(first, last, self._tables.rules, self._arrays)

    def path(self) -> list[int]:
        """The indices of the operators that lead from the start to the goal that was found."""
        operators, node = list[int](), int(self.numbers[self._goal])
        while node != 1:
            fields = self._fields[node * _FIELDS : (node + 1) * _FIELDS]
            operators.append(int(fields[OPERATOR]))
            node = int(fields[PARENT])
        return operators[::-1]


class Space(NodeSpace):
    """The nodes of A*, whose open list is sorted by f and h."""

    _count, _goal = astar_kernel.COUNT, astar_kernel.GOAL

    def __init__(self, tables: Tables, start: State, memory: int) -> None:
        super().__init__(tables, start, memory, (tables.rise + 2) * tables.width)
        self.base = int(astar_kernel.add_start(tables.rules, self._arrays))
        self._shape = astar_kernel.Shape(self.base, tables.rise, tables.width, tables.branching)
        self._enter(1, 2)

    @property
    def smallest_f(self) -> int:
        """The smallest f of the open list, as of the end of the last slice."""
        return self.base + int(self.numbers[astar_kernel.ROW])

    @property
    def counts(self) -> dict[str, int]:
        """The work done: nodes expanded, children generated, nodes stored."""
        return {
            "expansions": int(self.numbers[astar_kernel.EXPANSIONS]),
            "generated": int(self.numbers[astar_kernel.GENERATED]),
            "stored": self.stored,
        }

    def expand(self, expansions: int, limit: int) -> int:
        """Expands at most so many nodes with f below `limit`; the kernel's status."""
        rules = self._tables.rules
        return int(astar_kernel.expand(expansions, limit, self._shape, rules, self._arrays))

    def add_rows(self) -> bool:
        """Makes room for larger f; False where the memory does not allow it."""
        if not self._has_room(self._heads.nbytes):
            return False
        heads = np.zeros(2 * self._heads.size, np.uint32)
        heads[: self._heads.size] = self._heads
        self._heads = heads
        return True


class AnytimeSpace(NodeSpace):
    """The nodes of ARA*, whose open list is sorted by g + w * h.

    Weights are `weight / cost`; `largest` is the first one.
    """

    _count, _goal = anytime_kernel.COUNT, anytime_kernel.GOAL
    _bytes = NodeSpace._bytes + 4

    def __init__(self, tables: Tables, start: State, memory: int, cost: int, largest: int) -> None:
        self._census = np.zeros(tables.rise + 2, np.uint32)
        # Keys fall with the weights, so that more of them are needed for larger f only.
        super().__init__(tables, start, memory, largest * (2 * tables.width + 1) + cost + 1)
        self._height = np.empty(self._capacity, np.uint32)
        self.base = int(anytime_kernel.add_start(tables.rules, self._arrays, self._heights))
        self._order = anytime_kernel.Weighted(
            cost, largest, self.base, tables.rise, tables.branching
        )
        self._enter(1, 2)

    @property
    def _heights(self) -> anytime_kernel.Heights:
        return anytime_kernel.Heights(self._height, self._census)

    @property
    def _open_bytes(self) -> int:
        return self._heads.nbytes + self._census.nbytes

    def _lengthen(self, capacity: int) -> None:
        super()._lengthen(capacity)
        self._height = _longer(self._height, capacity)

    @property
    def smallest_f(self) -> int | None:
        """The smallest f in OPEN and INCONS; None where these are empty."""
        row = int(anytime_kernel.least_row(self._arrays, self._heights))
        return None if row == self._census.size else self.base + row

    @property
    def expansions(self) -> int:
        """The nodes expanded so far."""
        return int(self.numbers[anytime_kernel.EXPANSIONS])

    @property
    def counts(self) -> dict[str, int]:
        """The work done: nodes expanded and children generated, nodes stored and opened again."""
        return {
            "expansions": self.expansions,
            "generated": int(self.numbers[anytime_kernel.GENERATED]),
            "stored": self.stored,
            "reopened": int(self.numbers[anytime_kernel.REOPENED]),
        }

    def begin(self, weight: int, limit: int) -> Iterator[None]:
        """Sorts the nodes of OPEN and INCONS by a weight, no larger than the last one, leaving out
        those with f of `limit` or more; pauses now and then; to be run to its end.
        """
        self._order = self._order._replace(weight=weight)
        self._heads[:] = 0
        self.numbers[anytime_kernel.KEY] = self._heads.size
        for first, last in _runs(self.stored):
            anytime_kernel.reopen(first, last, limit, self._order, self._arrays, self._heights)
            yield

    def expand(self, expansions: int, limit: int) -> int:
        """Expands at most so many nodes with f below `limit`; the kernel's status."""
        return int(
            anytime_kernel.expand(
                expansions,
                limit,
                self._order,
                self._tables.rules,
                self._arrays,
                self._heights,
            )
        )

    def add_rows(self) -> bool:
        """Makes room for larger f; False where the memory does not allow it."""
        if not self._has_room(self._open_bytes):
            return False
        self._heads, old = np.zeros(2 * self._heads.size, np.uint32), self._heads
        self._heads[: old.size] = old
        self._census, old = np.zeros(2 * self._census.size, np.uint32), self._census
        self._census[: old.size] = old
        return True


def _runs(nodes: int) -> Iterator[tuple[int, int]]:
    """The first and one more than the last of some nodes that follow each other, until all were."""
    for first in range(1, nodes + 1, _ENTRIES):
        yield first, min(first + _ENTRIES, nodes + 1)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty(size, array.dtype)
    longer[: array.size] = array
    return longer
