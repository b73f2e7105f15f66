"""A* with the strongest bound that fits, or a chosen one: plain, or with falling weights.

Plain A* (Hart, Nilsson, Raphael 1968) raises the lower bound as it goes and ends with a shortest
plan. If a plan need not be optimal the bound has a weight, with the first one of which a plan is
likely within seconds; smaller ones follow, with the nodes of before, until no plan can be shorter
than the best one (ARA*: Likhachev, Gordon, Thrun 2003). `astar_kernel` says what is proved on the
way. Either ends, too, when the memory is full.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.bounds.bound import Bound
from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, Plan, State
from plansolve.model.structure import UNREACHABLE, PuzzleKind, raised_to_parity
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.goal_tables import goal_tables, goal_tables_size
from plansolve.patterns.partition import goal_chooser, is_worth_tables
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN, Budget, Incumbent, Report
from plansolve.solvers.result import StopReason
from plansolve.solvers.search.astar import astar_kernel as kernel
from plansolve.solvers.search.astar.astar_kernel import BoundTables, Choices, NodeRules
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.node_tables import (
    content_type,
    lookup_tables,
    operator_tables,
    starts,
)
from plansolve.storage.store import Store, Tell
from plansolve.text import counted

_SHARE = 4
"""Pattern databases take no more than this part of the memory; the rest is for nodes."""
_LARGEST = 254
"""No entry of a pattern database is larger but where there is no plan."""


Patterns: TypeAlias = AdditiveSets | PlacementLookups
"""Pattern databases of one kind."""


def has_patterns(problem: Problem) -> bool:
    """Return True if there may be tables; on a few cells a search ends before they are made."""
    puzzle = problem.puzzle
    if puzzle.cells <= FEW_CELLS:
        return False
    if problem.structure.kind == PuzzleKind.BLANK_GRAPH:
        return is_worth_tables(puzzle.cells)
    return placement_rules(puzzle) is not None


def pattern_tables(problem: Problem, room: int, tell: Tell, threads: int) -> Patterns | None:
    """Load or build the tables; return None if they take more than `room` bytes."""
    if problem.structure.kind == PuzzleKind.BLANK_GRAPH:
        if goal_chooser(problem).needs(goal_tables_size(problem)).nbytes > room:
            return None
        return goal_tables(problem, tell, threads=threads)
    rules = placement_rules(problem.puzzle)
    assert rules is not None
    choice = PlacementChooser(problem.puzzle, rules, room)
    size = choice.built(Store())
    if choice.needs(size).nbytes > room:
        return None
    return choice.lookups(size, store=Store(), tell=tell, threads=threads)


def bound_tables(patterns: Patterns | None) -> BoundTables:
    """Return the tables as kernels take them, and room to work with them."""
    if isinstance(patterns, PlacementLookups):
        return BoundTables(None, np.zeros(0, np.uint32), patterns.tables, patterns.new_scratch())
    size = 0 if patterns is None else len(patterns.base)
    return BoundTables(patterns, np.zeros(size, np.uint32), None, None)


@dataclass(frozen=True)
class Tables:
    """A puzzle and a bound as the kernels take them; the arrays are described there."""

    rules: NodeRules
    pieces: State
    content_type: type[np.uint8 | np.uint16]

    @classmethod
    def of(
        cls, problem: Problem, bound: Bound | None = None, patterns: Patterns | None = None
    ) -> "Tables":
        """Return the tables of a problem, which do not depend on its start.

        The bound at nodes is the largest of `bound`, by default tile distances, and what the
        `patterns` tell, if there are any.
        """
        puzzle, cells = problem.puzzle, problem.puzzle.cells
        choices: list[list[int]] = [[] for _ in range(cells if puzzle.has_one_blank else 1)]
        for index, operator in enumerate(puzzle.operators):
            is_bound = operator.blank is not None and puzzle.has_one_blank
            for choice in [choices[operator.blank or 0]] if is_bound else choices:
                choice.append(index)
        data = (bound or TileDistances()).at_nodes(problem)
        operators = operator_tables(problem, data)
        random = np.random.default_rng(0)
        applicable = Choices(
            choice_first=starts(len(choice) for choice in choices),
            choice=np.array([i for choice in choices for i in choice], np.uint32),
            hashes=random.integers(0, 1 << 64, operators.distance.size, np.uint64),
        )
        lookups = lookup_tables(problem, data)
        rules = NodeRules(applicable, operators, lookups, bound_tables(patterns))
        return cls(rules, puzzle.pieces, content_type(puzzle))

    @property
    def cells(self) -> int:
        return int(self.rules.operators.goal.size)

    @cached_property
    def branching(self) -> int:
        return int(np.diff(self.rules.choices.choice_first.astype(np.int64)).max())

    @cached_property
    def width(self) -> int:
        """One more than the largest h."""
        operators, lookups = self.rules.operators, self.rules.lookups
        table = operators.distance.reshape(-1, self.cells)
        largest = np.where(table < UNREACHABLE, table, 0).max(axis=1).astype(np.int64)
        total = int(largest[list(self.pieces)].sum())
        parts = [lookups.worth[a:b].max(initial=0) for a, b in pairwise(lookups.begin.tolist())]
        summed = max(-(-total // operators.divisor), int(largest.max())) + int(sum(parts))
        added = int(self.rules.tables.placements is not None)
        if (sets := self.rules.tables.additive) is not None:
            added = int(np.diff(sets.first.astype(np.int64)).max(initial=0))
        return max(summed, _LARGEST * added) + 1

    @property
    def nbytes(self) -> int:
        return _size(self.rules)


def _size(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return int(value.nbytes) if isinstance(value, np.ndarray) else 0


def tables_for(problem: Problem, budget: Budget, by: str) -> Generator[Report, None, Tables]:
    """Make the tables with the bound of the options, or else with the strongest there is.

    Reports are made while pattern databases are.
    """
    if budget.options.bound is not None:
        return Tables.of(problem, admissible_bound(budget.options.bound, problem))
    patterns = None
    if has_patterns(problem):
        room = budget.memory // _SHARE
        patterns = yield from run_in_background(
            lambda tell: pattern_tables(problem, room, tell, budget.threads), by
        )
    return Tables.of(problem, patterns=patterns)


COST = 16
WEIGHTS: tuple[int, ...] = (80, 64, 48, 40, 36, *range(32, 15, -1))
"""The weights of h if a plan need not be optimal, and a move has the weight `COST`."""

_NAME = "A*"

_CELLS_A_SLICE = 6_000_000
"""Cells that a slice writes: it takes a tenth of a second or a few."""


def astar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Find better and better plans and lower bounds, until these meet.

    Only plans shorter than `incumbent.upper_bound` are reported. The last lower bound is `NO_PLAN`
    if the search has shown that the board has no plan. The bound of the options has to be
    admissible, and need not be consistent. After every slice the search reports its findings and
    looks at the incumbent. If weights fall, the counts hold the current one, and the proved
    "ratio": the best plan is at most so many times as long as a shortest one.

    Raise `CutShort` if its nodes would not fit into `budget.memory`.
    """
    if problem.is_solved:
        yield Report(_NAME, plan=())
        return
    tables = yield from tables_for(problem, budget, _NAME)
    search = _Weighting(problem, incumbent, budget, tables)
    # Each expansion writes so many states.
    yield from search.run(max(1, _CELLS_A_SLICE // (tables.cells * max(tables.branching, 1))))


class _Weighting:
    """The search with one weight after the other; plain A* has only one."""

    def __init__(
        self, problem: Problem, incumbent: Incumbent, budget: Budget, tables: Tables
    ) -> None:
        self._problem, self._incumbent = problem, incumbent
        self._is_plain = budget.optimal
        # A little more than 1 has the smallest h come first of equal f.
        self._cost = tables.width if self._is_plain else COST
        self._weights = (self._cost + 1,) if self._is_plain else WEIGHTS
        self._weight = self._weights[0]
        self._space = Space(tables, problem.start, budget.memory, self._cost, self._weight)
        self._parity = problem.structure.plan_parity(problem.start)
        self._bound = NO_PLAN
        if self._space.base < UNREACHABLE:
            self._bound = raised_to_parity(self._space.base, self._parity)
        self._best = NO_PLAN

    def run(self, expansions: int) -> Iterator[Report]:
        """Work until plan and lower bound meet, in slices of so many expansions."""
        yield self._report()
        if not self._is_over:
            yield from self._begin()
        while not self._is_over:
            status = self._space.expand(expansions, self._limit)
            # The goal is in no list, so that its plan has to count before a bound does.
            plan = self._plan() if status == kernel.SOLVED else None
            self._prove()
            yield self._report(plan)
            if self._is_over:
                return
            if status == kernel.NOTHING_LEFT:
                self._weight = self._next_weight()
                yield from self._begin()
            elif status in (kernel.MORE_ROWS, kernel.FULL):
                yield from self._make_room(status)

    def _begin(self) -> Iterator[Report]:
        is_last = self._weight == self._weights[-1]
        for _ in self._space.begin(self._weight, self._limit, is_last=is_last):
            yield self._report()

    def _make_room(self, status: int) -> Iterator[Report]:
        has_room = self._space.can_grow if status == kernel.FULL else self._space.add_rows()
        if not has_room:
            stored = counted(self._space.stored, "board")
            raise CutShort(StopReason.MEMORY, f"{_NAME} ran out of memory after storing {stored}")
        if status == kernel.FULL:
            for _ in self._space.grow():
                yield self._report()

    def _plan(self) -> Plan:
        """Return the plan that was found: for each step the first move that makes it."""
        plan, applicable = list[str](), self._problem.puzzle.applicable
        board, *path = self._space.path()
        for after in path:
            moves = applicable(board).items()
            plan.append(next(name for name, move in moves if move.apply(board) == after))
            board = after
        # Its moves may be fewer than g, if better ways were found and not gone on with.
        self._best = len(plan)
        return tuple(plan)

    @property
    def _upper(self) -> int:
        """The length of the best plan that any engine has found, or `NO_PLAN`."""
        return min(self._best, self._incumbent.upper_bound)

    @property
    def _limit(self) -> int:
        """The f from which on a node leads to no plan of less than `_upper` moves.

        If all plans are odd or all are even, f one below the best plan is of no use either.
        """
        upper, parity = self._upper, self._parity
        return upper - (parity is not None and (upper - parity) % 2 == 0 and upper < NO_PLAN)

    @property
    def _is_over(self) -> bool:
        return max(self._bound, self._incumbent.lower_bound) >= self._upper

    def _prove(self) -> None:
        """Raise the lower bound to the smallest f, or to the best plan."""
        least, upper = self._space.smallest_f, self._upper
        proved = upper if least is None else raised_to_parity(least, self._parity)
        self._bound = max(self._bound, min(proved, upper))

    def _next_weight(self) -> int:
        """Return the largest smaller weight that is below the ratio which is proved.

        With a larger one no node need be expanded: g + w * h >= f * w is beyond the plan.
        """
        smaller = (w for w in self._weights if w < self._weight)
        fitting = (w for w in smaller if w * self._bound < self._cost * self._upper)
        return next(fitting, self._weights[-1])

    def _report(self, plan: Plan | None = None) -> Report:
        counts: dict[str, float] = {**self._space.counts}
        if self._is_plain:
            return Report(_NAME, plan, self._bound, counts)
        counts["weight"] = weight = self._weight / self._cost
        if self._upper < NO_PLAN:
            bound = max(self._bound, self._incumbent.lower_bound, 1)
            counts["ratio"] = ceil(1000 * self._upper / bound) / 1000
        return Report(f"{_NAME} with weight {weight:g}", plan, self._bound, counts)


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
        """Return the bytes that one more node takes, with two slots of the hash table."""
        state = self._tables.cells * np.dtype(self._tables.content_type).itemsize
        return state + 4 * _FIELDS + 2 * 4

    @property
    def _fixed_size(self) -> int:
        open_list = self._heads.nbytes + self._census.nbytes
        return self._tables.nbytes + open_list + self._numbers.nbytes

    @property
    def _most_nodes(self) -> int:
        return min((self._memory - self._fixed_size) // self._node_size, kernel.LAST_NODE)

    @property
    def stored(self) -> int:
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
        """The smallest f in OPEN and INCONS; None if these are empty."""
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
        """Return True if the memory has room for more nodes."""
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
        """Make room for larger f; return False if the memory does not allow it."""
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
