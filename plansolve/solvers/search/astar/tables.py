"""The input of A*: a puzzle, a bound, and the pattern databases that make it stronger.

The databases are additive ones on blank graphs, else those of placements.
"""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from plansolve.bounds.bound import Bound
from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, State
from plansolve.model.structure import UNREACHABLE, PuzzleKind
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.goal_tables import goal_tables, goal_tables_size
from plansolve.patterns.partition import goal_chooser, is_worth_tables
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.protocol import Budget, Report
from plansolve.solvers.search.astar.astar_kernel import BoundTables, Choices, NodeRules
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.node_tables import (
    content_type,
    lookup_tables,
    operator_tables,
    starts,
)
from plansolve.storage.store import Store, Tell

_SHARE = 4
"""Pattern databases take no more than this part of the memory; the rest is for nodes."""
_LARGEST = 254
"""No entry of a pattern database is larger but where there is no plan."""


@dataclass(frozen=True)
class BoardTables:
    """Pattern databases of one kind, or none."""

    additive: AdditiveSets | None = None
    placements: PlacementLookups | None = None

    def for_kernels(self) -> BoundTables:
        """Return the tables and room to work with them."""
        sets, lookups = self.additive, self.placements
        return BoundTables(
            sets,
            np.zeros(0 if sets is None else len(sets.base), np.uint32),
            None if lookups is None else lookups.tables,
            None if lookups is None else lookups.new_scratch(),
        )

    @property
    def largest(self) -> int:
        """A number that no value exceeds but where there is no plan; 0 without tables."""
        if self.additive is not None:
            return _LARGEST * int(np.diff(self.additive.first.astype(np.int64)).max(initial=0))
        return 0 if self.placements is None else _LARGEST


def has_patterns(problem: Problem) -> bool:
    """Return True if there may be tables; on a few cells a search ends before they are made."""
    puzzle = problem.puzzle
    if puzzle.cells <= FEW_CELLS:
        return False
    if problem.structure.kind == PuzzleKind.BLANK_GRAPH:
        return is_worth_tables(puzzle.cells)
    return placement_rules(puzzle) is not None


def pattern_tables(problem: Problem, room: int, tell: Tell, threads: int) -> BoardTables | None:
    """Load or build the tables; return None where they take more than `room` bytes."""
    if problem.structure.kind == PuzzleKind.BLANK_GRAPH:
        if goal_chooser(problem).needs(goal_tables_size(problem)).nbytes > room:
            return None
        return BoardTables(additive=goal_tables(problem, tell, threads=threads))
    rules = placement_rules(problem.puzzle)
    assert rules is not None
    choice = PlacementChooser(problem.puzzle, rules, room)
    size = choice.built(Store())
    if choice.needs(size).nbytes > room:
        return None
    lookups = choice.lookups(size, store=Store(), tell=tell, threads=threads)
    return BoardTables(placements=lookups)


@dataclass(frozen=True)
class Tables:
    """A puzzle and a bound as the kernels take them; the arrays are described there."""

    rules: NodeRules
    patterns: BoardTables
    pieces: State
    content_type: type[np.uint8 | np.uint16]

    @classmethod
    def of(
        cls, problem: Problem, bound: Bound | None = None, patterns: BoardTables | None = None
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
        patterns = patterns or BoardTables()
        rules = NodeRules(
            applicable, operators, lookup_tables(problem, data), patterns.for_kernels()
        )
        return cls(rules, patterns, puzzle.pieces, content_type(puzzle))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return int(self.rules.operators.goal.size)

    @cached_property
    def branching(self) -> int:
        """The most operators of one state."""
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
        return max(summed, self.patterns.largest) + 1

    @property
    def nbytes(self) -> int:
        """The size of all arrays together."""
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
