"""A* with tile distances, or another bound: the conventional engine (Hart, Nilsson, Raphael 1968).

It proves the lower bound as it goes (the smallest f of its open list, as long as that is not
empty) and ends with a shortest plan, with the proof that there is none, or with its memory full.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.bounds.bound import Bound
from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.model.structure import UNREACHABLE, raised_to_parity
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.bound_tables import (
    content_type,
    lookup_tables,
    operator_tables,
    starts,
)
from plansolve.solvers.search.node_kernel import Lookups, Operators

__all__ = ["Space", "Tables", "astar"]

NAME = "A*"

_CELLS_A_SLICE = 6_000_000
# Nodes entered into a new hash table at a time.
_ENTRIES = 1 << 19
_FIRST_CAPACITY = 1 << 14
_MOST_NODES = (1 << 32) - 2
_FIELDS = int(kernel.FIELDS)
# Of each node, beside its state, with two slots of the hash table.
_BYTES = _FIELDS * 4 + 2 * 4


@dataclass(frozen=True)
class Tables:
    """A puzzle and a bound as the kernel takes them; the arrays are described there."""

    rules: kernel.AStarRules
    operators: Operators
    lookups: Lookups
    pieces: State
    content_type: type[np.uint8 | np.uint16]

    @classmethod
    def of(cls, problem: Problem, bound: Bound | None = None) -> "Tables":
        """The tables of a problem, which do not depend on its start; by default tile distances."""
        puzzle, cells = problem.puzzle, problem.puzzle.cells
        choices: list[list[int]] = [[] for _ in range(cells if puzzle.has_one_blank else 1)]
        for index, operator in enumerate(puzzle.operators):
            is_bound = operator.blank is not None and puzzle.has_one_blank
            for choice in [choices[operator.blank or 0]] if is_bound else choices:
                choice.append(index)
        data = (bound or TileDistances()).at_nodes(problem)
        tables = operator_tables(problem, data)
        random = np.random.default_rng(0)
        rules = kernel.AStarRules(
            choice_first=starts(len(choice) for choice in choices),
            choice=np.array([i for choice in choices for i in choice], np.uint32),
            hashes=random.integers(0, 1 << 64, tables.distance.size, np.uint64),
        )
        return cls(rules, tables, lookup_tables(problem, data), puzzle.pieces, content_type(puzzle))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return int(self.operators.goal.size)

    @cached_property
    def branching(self) -> int:
        """The most operators that may be applied in one state."""
        return int(np.diff(self.rules.choice_first.astype(np.int64)).max())

    @cached_property
    def _rises(self) -> NDArray[np.int64]:
        """For each move (cell, source), the most by which it takes a tile from its goal."""
        by_cell = np.ascontiguousarray(self.operators.distance.reshape(-1, self.cells).T)
        # A stuck tile is never in a node.
        may_be = by_cell < UNREACHABLE
        rises = [
            np.where(may_be[cell] & may_be[source], by_cell[cell] - by_cell[source], 0).max()
            for cell, source in zip(
                self.operators.move_cell, self.operators.move_source, strict=True
            )
        ]
        return np.array(rises, np.int64)

    @cached_property
    def rise(self) -> int:
        """A number that h does not grow by more than along a move."""
        totals = np.concatenate(([0], np.maximum(self._rises, 0).cumsum()))
        largest = int(np.diff(totals[self.operators.move_first]).max(initial=0))
        of_distances = max(-(-largest // self.operators.divisor), int(self._rises.max(initial=0)))
        return of_distances + self._most_looked_up

    @cached_property
    def width(self) -> int:
        """One more than the largest h."""
        table = self.operators.distance.reshape(-1, self.cells)
        largest = np.where(table < UNREACHABLE, table, 0).max(axis=1).astype(np.int64)
        total = int(largest[list(self.pieces)].sum())
        of_distances = max(-(-total // self.operators.divisor), int(largest.max()))
        return of_distances + self._most_looked_up + 1

    @cached_property
    def _most_looked_up(self) -> int:
        """A number that the sum of all lookups does not exceed."""
        worth = self.lookups.worth
        parts = [worth[a:b].max(initial=0) for a, b in pairwise(self.lookups.begin.tolist())]
        return int(sum(parts))

    @property
    def nbytes(self) -> int:
        """The size of all arrays together."""
        arrays = (*self.rules, *self.operators[:-1], *self.lookups)
        return sum(array.nbytes for array in arrays)


class Space:
    """The nodes that have been met and the open list, within `memory` bytes.

    The arrays grow to the double size. Their new ends are untouched memory, which takes no room
    before it is used, so that the old and the new array together are within the limit, too.
    """

    def __init__(self, tables: Tables, start: State, memory: int) -> None:
        self._tables = tables
        self._memory = memory
        self.numbers = np.zeros(kernel.NUMBERS, np.int64)
        self._heads = np.zeros((tables.rise + 2) * tables.width, np.uint32)
        # There is always room for the start.
        self._capacity = max(2, min(self._most_nodes, _FIRST_CAPACITY))
        self._states = np.empty(self._capacity * tables.cells, tables.content_type)
        self._fields = np.empty(self._capacity * _FIELDS, np.uint32)
        self._slots = np.zeros(2 * self._capacity, np.uint32)
        self._states[tables.cells : 2 * tables.cells] = start
        self.base = int(
            kernel.add_start(tables.rules, tables.operators, tables.lookups, self._arrays)
        )
        self._shape = kernel.Shape(self.base, tables.rise, tables.width, tables.branching)
        self._enter(1, 2)

    @property
    def _arrays(self) -> kernel.Nodes:
        return kernel.Nodes(self._states, self._fields, self._slots, self._heads, self.numbers)

    @property
    def _node_size(self) -> int:
        """What one more node costs, in bytes."""
        return self._tables.cells * np.dtype(self._tables.content_type).itemsize + _BYTES

    @property
    def _most_nodes(self) -> int:
        """As many nodes as the memory has room for."""
        room = self._memory - self._tables.nbytes - self._heads.nbytes - self.numbers.nbytes
        return min(room // self._node_size, _MOST_NODES)

    @property
    def smallest_f(self) -> int:
        """The smallest f of the open list, as of the end of the last slice."""
        return self.base + int(self.numbers[kernel.ROW])

    @property
    def counts(self) -> dict[str, int]:
        """The work done: nodes expanded, children generated, nodes stored."""
        return {
            "expansions": int(self.numbers[kernel.EXPANSIONS]),
            "generated": int(self.numbers[kernel.GENERATED]),
            "stored": int(self.numbers[kernel.COUNT]) - 1,
        }

    def expand(self, expansions: int, limit: int) -> int:
        """Expands at most so many nodes with f below `limit`; the kernel's status."""
        tables = self._tables
        return int(
            kernel.expand(
                expansions,
                limit,
                self._shape,
                tables.rules,
                tables.operators,
                tables.lookups,
                self._arrays,
            )
        )

    def add_rows(self) -> bool:
        """Makes room for larger f; False where the memory does not allow it."""
        heads = np.zeros(2 * self._heads.size, np.uint32)
        used = self._tables.nbytes + self.numbers.nbytes + self._capacity * self._node_size
        if used + heads.nbytes > self._memory:
            return False
        heads[: self._heads.size] = self._heads
        self._heads = heads
        return True

    @property
    def can_grow(self) -> bool:
        """Whether the memory has room for more nodes."""
        return self._capacity < self._most_nodes

    def grow(self) -> Iterator[None]:
        """Makes room for more nodes, pausing now and then; to be run to its end."""
        capacity = min(2 * self._capacity, self._most_nodes)
        self._slots = np.zeros(0, np.uint32)
        self._states = _longer(self._states, capacity * self._tables.cells)
        self._fields = _longer(self._fields, capacity * _FIELDS)
        self._slots = np.zeros(2 * capacity, np.uint32)
        self._capacity = capacity
        count = int(self.numbers[kernel.COUNT])
        for first in range(1, count, _ENTRIES):
            self._enter(first, min(first + _ENTRIES, count))
            yield

    def _enter(self, first: int, last: int) -> None:
        tables = self._tables
        kernel.enter(first, last, tables.rules, tables.operators, self._arrays)

    def path(self) -> list[int]:
        """The indices of the operators that lead from the start to the goal that was found."""
        operators, node = list[int](), int(self.numbers[kernel.GOAL])
        while node != 1:
            fields = self._fields[node * _FIELDS : (node + 1) * _FIELDS]
            operators.append(int(fields[kernel.OPERATOR]))
            node = int(fields[kernel.PARENT])
        return operators[::-1]


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty(size, array.dtype)
    longer[: array.size] = array
    return longer


def astar(
    problem: Problem, incumbent: Incumbent, budget: Budget, cells_a_slice: int = _CELLS_A_SLICE
) -> Iterator[Report]:
    """Finds a shortest plan, if one is shorter than `incumbent.upper_bound`.

    The reports' lower bounds rise with the smallest f of the open list; the last is `NO_PLAN`
    where the search has shown that the board has no plan. The search ends early where its nodes
    would not fit into `budget.memory`. The bound of the options has to be admissible, and need not
    be consistent. After every slice, in which so many cells are written (a tenth of a second or a
    few), the search tells what it knows and looks at the incumbent.
    """
    name = budget.options.bound
    tables = Tables.of(problem, None if name is None else admissible_bound(name, problem))
    space = Space(tables, problem.start, budget.memory)
    if space.base >= UNREACHABLE:
        yield Report(NAME, lower_bound=NO_PLAN, counts=space.counts)
        return
    parity = problem.structure.plan_parity(problem.start)
    expansions = max(1, cells_a_slice // (tables.cells * max(tables.branching, 1)))
    bound = raised_to_parity(space.base, parity)
    while True:
        # Another search may have shown more than this one.
        yield Report(NAME, lower_bound=bound, counts=space.counts)
        if incumbent.is_closed:
            return
        # Where all plans are odd or all are even, f one below the best plan is of no use either.
        upper = incumbent.upper_bound
        limit = upper - (parity is not None and (upper - parity) % 2 == 0 and upper < NO_PLAN)
        status = space.expand(expansions, limit)
        if status == kernel.SOLVED:
            names = [problem.puzzle.operators[index].name for index in space.path()]
            yield Report(NAME, tuple(names), len(names), space.counts)
            return
        if status == kernel.NOTHING_LEFT:
            yield Report(NAME, lower_bound=max(bound, upper), counts=space.counts)
            return
        bound = max(bound, raised_to_parity(space.smallest_f, parity))
        if status == kernel.MORE_ROWS and not space.add_rows():
            break
        if status == kernel.FULL:
            if not space.can_grow:
                break
            for _ in space.grow():
                yield Report(NAME, counts=space.counts)
    yield Report(NAME, lower_bound=bound, counts=space.counts)
