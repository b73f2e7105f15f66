"""What A* reads: a puzzle, a bound, and the pattern databases that make it stronger."""

from collections.abc import Generator
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
from plansolve.model.structure import UNREACHABLE
from plansolve.solvers.protocol import Budget, Report
from plansolve.solvers.search.astar.nodes_kernel import Choices, NodeRules
from plansolve.solvers.search.astar.patterns import BoardTables, has_patterns, pattern_tables
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.bound_tables import (
    content_type,
    lookup_tables,
    operator_tables,
    starts,
)

__all__ = ["Tables", "tables_for"]

_SHARE = 4
"""Pattern databases take no more than this part of the memory; the rest is for nodes."""


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
        """The tables of a problem, which do not depend on its start; by default tile distances.

        The bound at nodes is the largest of `bound` and what the `patterns` tell, if there are any.
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
        """The most operators that may be applied in one state."""
        return int(np.diff(self.rules.choices.choice_first.astype(np.int64)).max())

    @cached_property
    def _rises(self) -> NDArray[np.int64]:
        """For each move (cell, source), the most by which it takes a tile from its goal."""
        operators = self.rules.operators
        by_cell = np.ascontiguousarray(operators.distance.reshape(-1, self.cells).T)
        # A stuck tile is never in a node.
        may_be = by_cell < UNREACHABLE
        rises = [
            np.where(may_be[cell] & may_be[source], by_cell[cell] - by_cell[source], 0).max()
            for cell, source in zip(operators.move_cell, operators.move_source, strict=True)
        ]
        return np.array(rises, np.int64)

    @cached_property
    def rise(self) -> int:
        """A number that h does not grow by more than along a move."""
        if self.patterns.largest:
            return self.width - 1
        operators = self.rules.operators
        totals = np.concatenate(([0], np.maximum(self._rises, 0).cumsum()))
        largest = int(np.diff(totals[operators.move_first]).max(initial=0))
        of_distances = max(-(-largest // operators.divisor), int(self._rises.max(initial=0)))
        return of_distances + self._most_looked_up

    @cached_property
    def width(self) -> int:
        """One more than the largest h."""
        operators = self.rules.operators
        table = operators.distance.reshape(-1, self.cells)
        largest = np.where(table < UNREACHABLE, table, 0).max(axis=1).astype(np.int64)
        total = int(largest[list(self.pieces)].sum())
        of_distances = max(-(-total // operators.divisor), int(largest.max()))
        return max(of_distances + self._most_looked_up, self.patterns.largest) + 1

    @cached_property
    def _most_looked_up(self) -> int:
        """A number that the sum of all lookups does not exceed."""
        lookups = self.rules.lookups
        parts = [lookups.worth[a:b].max(initial=0) for a, b in pairwise(lookups.begin.tolist())]
        return int(sum(parts))

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
