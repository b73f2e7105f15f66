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
from plansolve.solvers.search.idastar import placement_kernel as kernel
from plansolve.solvers.search.idastar.blank_tree import WALK
from plansolve.solvers.search.idastar.path_tree import OperatorPaths, PathPosition
from plansolve.solvers.search.idastar.recipe import Recipe, tree_identity
from plansolve.solvers.search.idastar.registers import DEPTH
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
        self._operators = kernel.PlainOperators(
            np.array(problem.goal, np.int32),
            *move_tables(problem.puzzle),
            need_table(problem.puzzle),
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
        return kernel.search(
            self.moves, self._operators, lookups.tables, lookups.first, state, bounds, nodes
        )

    def estimate(self, position: PathPosition) -> int:
        """The bound at the current node."""
        depth = int(position.registers[DEPTH])
        return int(position.bounds.value[depth]) - depth

    def _bounds(self, board: State, depth: int, levels: int) -> kernel.PlacementState:
        state = kernel.PlacementState(
            value=np.zeros(levels, np.int64),
            favourite=np.zeros(1, np.uint64),
            scratch=self.lookups.new_scratch(),
        )
        state.value[depth] = depth + self.lookups.value(board)
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
