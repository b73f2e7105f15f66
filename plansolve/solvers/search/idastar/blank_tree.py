"""The tree of the blank's walks from the start of a problem, judged by pattern databases."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import Keep
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.goal_tables import goal_tables
from plansolve.solvers.search.automaton import MOST_BYTES, PruningAutomaton, blank_automaton
from plansolve.solvers.search.idastar import blank_kernel as kernel
from plansolve.solvers.search.idastar.symmetric_start import StartSymmetries, walk_symmetries
from plansolve.solvers.search.idastar.tree import (
    Cutting,
    Path,
    PathTree,
    Position,
    Recipe,
    tree_identity,
)
from plansolve.storage.store import Tell

WALK = 10
"""The moves of the longest walks of the blank from which a pruning automaton is made."""

_SLICE = 1 << 20
"""Nodes of a kernel call where a node has up to four children."""


def walk_automaton(problem: Problem, keep: Keep, *, memory: int) -> PruningAutomaton:
    """Return the pruning automaton of the problem's blank graph and penalties."""
    graph = problem.blank_graph
    penalties = tuple(tuple(row.values()) for row in graph.penalties)
    ranked = len({p for row in penalties for p in row}) > 1
    return blank_automaton(
        graph.successors,
        length=WALK,
        keep=keep,
        penalty=penalties if ranked else None,
        most_bytes=min(MOST_BYTES, memory // 16),
    )


def walk_arcs(automaton: PruningAutomaton) -> list[tuple[int, int]]:
    """For each edge of a walk automaton, the cells from which and to which the blank goes."""
    vertex = np.zeros(automaton.states, np.int64)
    vertex[automaton.next] = automaton.move
    vertex[automaton.roots] = np.arange(len(automaton.roots))
    origin = np.repeat(vertex, np.diff(automaton.offset).astype(np.int64))
    return list(zip(origin.tolist(), automaton.move.tolist(), strict=True))


class PatternTree(PathTree):
    """The blank's walks, judged by additive pattern databases.

    Each set must hold all tiles: a board whose bound is 0 is taken for the goal. `priced` sets are
    further ones for a search that looks at penalties, see `patterns.additive`.
    """

    name = "pattern databases"

    def __init__(
        self,
        problem: Problem,
        sets: AdditiveSets,
        automaton: PruningAutomaton,
        with_penalties: bool = False,
        priced: AdditiveSets | None = None,
    ) -> None:
        super().__init__(problem, automaton)
        self.graph = problem.blank_graph
        self.initial_bound = sets.value(problem.start)
        self.cutting = Cutting(
            slice_nodes=max(1, _SLICE * 4 // max(self.degree, 4)),
            large_round=1_000_000,
            subtrees=2000,
            nodes_a_subtree=20_000,
            step=2,
        )
        penalties = self.graph.penalties
        self.least_penalty = min((min(row.values()) for row in penalties if row), default=0)
        if with_penalties:
            costs = [penalties[b][d] - self.least_penalty for b, d in walk_arcs(automaton)]
            self.cost = np.array(costs, np.uint32)
        assert priced is None or with_penalties
        self.plain_sets, plain = sets, len(sets.first) - 1
        if priced is not None:
            sets = sets.with_others(priced)
        self._sets, self._plain = sets, plain
        is_priced = np.arange(len(sets.first) - 1) >= plain
        # One type for tables in memory and in files: the kernel is compiled once.
        table: NDArray[np.uint8] = np.asarray(sets.table).view()
        table.flags.writeable = False
        self._tables = kernel.PatternTables(
            is_priced.astype(np.uint8), sets.group, sets.weight, table
        )
        self.table_bytes = table.nbytes

    @cached_property
    def identity(self) -> str:
        walks = (*self.moves, self.automaton.roots)
        return tree_identity(self.problem, self.name, (walks, self._sets))

    @cached_property
    def _symmetries(self) -> StartSymmetries:
        return walk_symmetries(self.problem)

    def has_smaller_image(self, path: Path) -> bool:
        return self._symmetries.leave_out(path)

    def plan(self, path: Path) -> Plan:
        return self.graph.plan(path)

    def advance(self, position: Position, nodes: int) -> int:
        return kernel.search(
            self.moves, self._tables, self.cost, position.state, position.bounds, nodes
        )

    def estimate(self, position: Position) -> int:
        """Return the largest sum of a set of patterns at the current node, priced ones left out."""
        return int(position.bounds.total[: self._plain].max())

    def _after(self, path: Path) -> State:
        board = list(self.problem.start)
        for b, d in pairwise(path):
            board[b], board[d] = board[d], BLANK
        return tuple(board)

    def _bounds(self, board: State, depth: int, levels: int) -> kernel.PatternState:
        first = self._sets.first.astype(np.int64)
        index = self._sets.initial(board)
        entry = self._tables.table[index]
        total = np.array([entry[a:b].sum(dtype=np.int64) for a, b in pairwise(first)])
        before = levels * len(total)
        return kernel.PatternState(
            index, entry, total, np.zeros(before, np.uint32), np.zeros(before, np.uint8)
        )


@dataclass(frozen=True)
class BlankRecipe(Recipe):
    """The tree of a blank's walks with pattern databases."""

    def make(self, tell: Tell, threads: int) -> PatternTree:
        problem = self.problem
        sets = goal_tables(problem, tell, size=self.size, threads=threads)
        automaton = walk_automaton(problem, self.keep, memory=self.memory)
        return PatternTree(problem, sets, automaton, self.with_penalties)
