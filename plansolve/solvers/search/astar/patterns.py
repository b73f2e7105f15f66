"""The pattern databases that serve A*: additive ones on blank graphs, else those of placements."""

from dataclasses import dataclass

import numpy as np

from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS
from plansolve.model.structure import PuzzleKind
from plansolve.patterns.additive import AdditiveSets, goal_tables, goal_tables_size
from plansolve.patterns.choose import PlacementChooser
from plansolve.patterns.partition import goal_chooser, is_worth_tables
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.search.astar.table_bound_kernel import BoundTables
from plansolve.storage.store import Store, Tell

__all__ = ["BoardTables", "has_patterns", "pattern_tables"]


@dataclass(frozen=True)
class BoardTables:
    """Tables of one kind, or none."""

    additive: AdditiveSets | None = None
    placements: PlacementLookups | None = None

    def for_kernels(self) -> BoundTables:
        """The tables and room to work with them."""
        sets, lookups = self.additive, self.placements
        return BoundTables(
            np.zeros(int(self.largest > 0), np.uint8),
            sets,
            np.zeros(0 if sets is None else len(sets.base), np.uint32),
            None if lookups is None else lookups.tables,
            None if lookups is None else lookups.new_scratch(),
        )

    @property
    def largest(self) -> int:
        """A number that no value exceeds but where there is no plan; 0 without tables."""
        largest = 254
        if self.additive is not None:
            return largest * int(np.diff(self.additive.first.astype(np.int64)).max(initial=0))
        return 0 if self.placements is None else largest


def has_patterns(problem: Problem) -> bool:
    """Whether there may be tables; on a few cells a search is over before they are made."""
    puzzle = problem.puzzle
    if puzzle.cells <= FEW_CELLS:
        return False
    if problem.structure.kind == PuzzleKind.BLANK_GRAPH:
        return is_worth_tables(puzzle.cells)
    return placement_rules(puzzle) is not None


def pattern_tables(problem: Problem, room: int, tell: Tell, threads: int) -> BoardTables | None:
    """The tables, which are loaded or built; None where they take more than `room` bytes."""
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
