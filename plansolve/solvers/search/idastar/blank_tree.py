"""The tree of the blank's walks from the start of a problem, as the IDA* kernels search it."""

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.patterns.additive import AdditiveSets
from plansolve.solvers.search.automaton import (
    MOST_BYTES,
    MOST_SEQUENCES,
    Keep,
    PruningAutomaton,
    blank_automaton,
)
from plansolve.solvers.search.idastar import pattern_kernel
from plansolve.solvers.search.idastar.path_tree import PathPosition, PathTree
from plansolve.solvers.search.idastar.recipe import tree_identity
from plansolve.solvers.search.idastar.symmetric_start import StartSymmetries, walk_symmetries
from plansolve.solvers.search.idastar.tree import Cutting, Path

__all__ = ["WALK", "BlankTree", "PatternTree", "walk_automaton"]

WALK = 10
"""The moves of the longest walks of the blank from which a pruning automaton is made."""

_SLICE = 1 << 20
"""Nodes of a kernel call where a node has up to four children."""


def walk_automaton(
    problem: Problem,
    keep: Keep,
    length: int = WALK,
    most_sequences: int = MOST_SEQUENCES,
    *,
    memory: int,
) -> PruningAutomaton:
    """The pruning automaton of the problem's blank graph and penalties."""
    graph = problem.blank_graph
    penalties = [[*row.values()] for row in graph.penalties]
    ranked = len({p for row in penalties for p in row}) > 1
    return blank_automaton(
        graph.successors,
        length=length,
        keep=keep,
        penalty=penalties if ranked else None,
        most_sequences=most_sequences,
        most_bytes=min(MOST_BYTES, memory // 16),
    )


class BlankTree(PathTree):
    """The blank's walks, on one board where what stands in the blank's cell is void."""

    def __init__(self, problem: Problem, automaton: PruningAutomaton, with_penalties: bool) -> None:
        super().__init__(problem, automaton, problem.start.index(BLANK))
        self.graph = problem.blank_graph
        penalties = self.graph.penalties
        self.least_penalty = min((min(row.values()) for row in penalties if row), default=0)
        vertex = np.zeros(automaton.states, np.int64)
        vertex[automaton.next] = automaton.move
        vertex[automaton.roots] = np.arange(problem.puzzle.cells)
        self._origin = np.repeat(vertex, self.degrees)
        if with_penalties:
            self.cost = self._costs()
        self.cutting = Cutting(
            slice_nodes=max(1, _SLICE * 4 // max(self.degree, 4)),
            large_round=1_000_000,
            subtrees=2000,
            nodes_a_subtree=20_000,
            step=2,
        )

    def _costs(self) -> NDArray[np.uint32]:
        edges = zip(self._origin.tolist(), self.automaton.move.tolist(), strict=True)
        penalties = self.graph.penalties
        return np.array([penalties[b][d] - self.least_penalty for b, d in edges], np.uint32)

    @cached_property
    def _symmetries(self) -> StartSymmetries:
        return walk_symmetries(self.problem)

    def has_smaller_image(self, path: Path) -> bool:
        """Whether a symmetry that keeps the start turns a walk into a smaller one."""
        return self._symmetries.leave_out(path)

    def plan(self, path: Path) -> Plan:
        """The names of the moves along a walk."""
        return self.graph.plan(path)

    def penalty(self, path: Path) -> int:
        """The total penalty of a walk that the automaton lets through, as the kernels count it."""
        if self.cost is None:
            return 0
        _, edges = self.automaton.follow(path[0], path[1:])
        return int(self.cost[edges].sum(dtype=np.int64))

    def _after(self, path: Path) -> State:
        board = list(self.problem.start)
        for b, d in pairwise(path):
            board[b], board[d] = board[d], BLANK
        return tuple(board)

    def _boards(self, board: State, depth: int, levels: int) -> NDArray[Any]:
        return np.array(board, np.uint8 if len(board) <= 1 << 8 else np.uint16)


class PatternTree(BlankTree):
    """Nodes are judged by additive pattern databases.

    Each set must hold all tiles: a board whose bound is 0 is taken for the goal. `priced` sets are
    further ones for a search that looks at penalties, see `patterns.priced`.
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
        super().__init__(problem, automaton, with_penalties)
        assert priced is None or with_penalties
        self.initial_bound = sets.value(problem.start)
        self.plain_sets, plain = sets, len(sets.first) - 1
        if priced is not None:
            sets = sets.with_others(priced)
        self._sets, self._plain = sets, plain
        is_priced = np.arange(len(sets.first) - 1) >= plain
        # One type for tables in memory and in files: the kernel is compiled once.
        table = np.asarray(sets.table).view()
        table.flags.writeable = False
        self._tables = pattern_kernel.PatternTables(
            is_priced.astype(np.uint8), sets.group, sets.weight, table
        )
        self.table_bytes = table.nbytes

    @cached_property
    def identity(self) -> str:
        """A name for the walks that the automaton leaves and the lookups at their boards."""
        automaton, sets = self.automaton, self._sets
        walks = (automaton.offset, automaton.move, automaton.next, automaton.roots)
        return tree_identity(self.problem, self.name, (*walks, *sets))

    def advance(self, position: PathPosition, nodes: int) -> int:
        """Searches on, entering at most `nodes` nodes; returns why the kernel ended."""
        return pattern_kernel.search(
            self.moves, self._tables, self.cost, position.state, position.bounds, nodes
        )

    def estimate(self, position: PathPosition) -> int:
        """The largest sum of a set of patterns at the current node, priced ones left out."""
        return int(position.bounds.total[: self._plain].max())

    def _bounds(self, board: State, depth: int, levels: int) -> pattern_kernel.PatternState:
        first = self._sets.first.astype(np.int64)
        index = self._sets.initial(board)
        entry = self._tables.table[index]
        total = np.array([entry[a:b].sum(dtype=np.int64) for a, b in pairwise(first)])
        before = levels * len(total)
        return pattern_kernel.PatternState(
            index, entry, total, np.zeros(before, np.uint32), np.zeros(before, np.uint8)
        )
