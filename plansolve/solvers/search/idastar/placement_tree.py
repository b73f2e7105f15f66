"""The tree of operator sequences of any puzzle, with pattern databases of placements."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.placement_rules import placement_rules
from plansolve.patterns.placement_tables import table_choice
from plansolve.solvers.search.automaton import (
    MOST_BYTES,
    MOST_OPERATOR_SEQUENCES,
    ONE_PLAN,
    Keep,
    puzzle_automaton,
)
from plansolve.solvers.search.bound_tables import move_tables, need_table
from plansolve.solvers.search.idastar.blank_tree import WALK
from plansolve.solvers.search.idastar.path_tree import OperatorPaths, PathPosition
from plansolve.solvers.search.idastar.placement_children_kernel import (
    PlacementState,
    PlacementSums,
    PlainOperators,
)
from plansolve.solvers.search.idastar.placement_kernel import search
from plansolve.solvers.search.idastar.recipe import Recipe, tree_identity
from plansolve.solvers.search.idastar.registers import DEPTH, NO_LIMIT
from plansolve.storage.store import Store, Tell

__all__ = ["PlacementRecipe", "PlacementTree"]


class PlacementTree(OperatorPaths):
    """Sequences of operators, judged by the largest of several sums of pattern lookups."""

    name = "pattern databases"

    def __init__(
        self, problem: Problem, lookups: PlacementLookups, memory: int, keep: Keep = ONE_PLAN
    ) -> None:
        automaton = puzzle_automaton(
            problem.puzzle,
            length=WALK,
            keep=keep,
            most_sequences=MOST_OPERATOR_SEQUENCES,
            most_bytes=min(MOST_BYTES, memory // 16),
        )
        super().__init__(problem, automaton)
        self.lookups = lookups
        self._operators = PlainOperators(
            np.array(problem.goal, np.int32),
            *move_tables(problem.puzzle),
            need_table(problem.puzzle),
        )
        is_closed = problem.structure.is_inverse_closed
        self._sums = PlacementSums(
            lookups.first, 2 if is_closed else NO_LIMIT, np.uint64(self.degree)
        )
        self.initial_bound = lookups.value(problem.start)

    @cached_property
    def identity(self) -> str:
        """A name for the sequences that the automaton leaves and the lookups at their boards."""
        automaton, tables = self.automaton, self.lookups.tables
        paths = (automaton.offset, automaton.move, automaton.next, automaton.roots)
        patterns = (tables.shape.first, tables.shape.ways, tables.begin, tables.slot, tables.piece)
        lookups = (tables.image, tables.base, tables.table, self.lookups.first)
        return tree_identity(self.problem, self.name, (*paths, *patterns, *lookups))

    def advance(self, position: PathPosition, nodes: int) -> int:
        """Searches on, entering at most `nodes` nodes; returns why the kernel ended."""
        lookups, state, bounds = self.lookups, position.state, position.bounds
        return search(self.moves, self._operators, lookups.tables, self._sums, state, bounds, nodes)

    def estimate(self, position: PathPosition) -> int:
        """The bound at the current node."""
        depth = int(position.registers[DEPTH])
        bounds: PlacementState = position.bounds
        return int(bounds.value[bounds.row[depth]]) - depth

    def _bounds(self, board: State, depth: int, levels: int) -> PlacementState:
        cells, sums, where = len(board), self.lookups.sums(board), self.lookups.where(board)
        rows = levels * self.degree + 1
        state = PlacementState(
            row=np.full(levels, rows - 1, np.uint64),
            begin=np.zeros(levels, np.uint64),
            end=np.zeros(levels, np.uint64),
            piece=np.zeros(levels * cells, np.uint8),
            edge=np.zeros(rows, np.uint32),
            value=np.zeros(rows, np.int64),
            most=np.zeros(rows * len(sums), np.int64),
            where=np.zeros(rows * cells, np.uint8),
            entry=np.zeros(self.degree * self.lookups.count, np.uint64),
            order=np.zeros(len(sums), np.uint64),
        )
        state.value[-1] = depth + max(sums)
        state.most[-len(sums) :] = depth + np.array(sums)
        state.where[-cells:] = where
        state.piece[depth * cells : (depth + 1) * cells] = np.argsort(where)
        return state


@dataclass(frozen=True)
class PlacementRecipe(Recipe):
    """The tree that leads to one shortest plan, with patterns of `size` pieces."""

    def make(self, tell: Tell, threads: int) -> PlacementTree:
        """Make the tree; its tables are found in the user's store, or built."""
        tree = PlacementTree(self.problem, self.lookups(tell, threads), self.memory)
        tree.recipe = self
        return tree

    def lookups(self, tell: Tell, threads: int) -> PlacementLookups:
        """The lookups alone."""
        puzzle = self.problem.puzzle
        rules = placement_rules(puzzle)
        if rules is None:
            raise InternalError("there are no tables for this puzzle")
        choice = table_choice(puzzle, rules, self.memory)
        return choice.lookups(self.size, store=Store(), tell=tell, threads=threads)
