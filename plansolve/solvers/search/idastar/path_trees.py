"""The trees whose nodes are given by their paths: walks of a blank, and sequences of operators.

Walks are judged by additive pattern databases, operators of any puzzle by a bound or by tables of
placements.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import Keep
from plansolve.bounds.bound import Bound, NodeBound
from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.model.structure import UNREACHABLE, PuzzleKind
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.goal_tables import goal_tables
from plansolve.patterns.partition import table_choice
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.rules import placement_rules
from plansolve.solvers.search.automaton import (
    MOST_BYTES,
    PruningAutomaton,
    blank_automaton,
    puzzle_automaton,
)
from plansolve.solvers.search.idastar import blank_kernel, operator_kernel
from plansolve.solvers.search.idastar.operator_kernel import NodeRows, PlacementSums
from plansolve.solvers.search.idastar.registers import DEPTH, NO_LIMIT
from plansolve.solvers.search.idastar.symmetric_start import (
    StartSymmetries,
    operator_symmetries,
    walk_symmetries,
)
from plansolve.solvers.search.idastar.tree import (
    Cutting,
    Path,
    PathTree,
    Position,
    Recipe,
    tree_identity,
)
from plansolve.solvers.search.node_tables import lookup_tables, operator_tables
from plansolve.storage.store import Store, Tell

WALK = 10
"""The moves of the longest walks of the blank from which a pruning automaton is made."""

_SLICE = 1 << 20
"""Nodes of a kernel call if a node has up to four children."""


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
    """Return, for each edge of a walk automaton, the cells that the blank leaves and enters."""
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
        self._tables = blank_kernel.PatternTables(
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
        return blank_kernel.search(
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

    def _bounds(self, board: State, depth: int, levels: int) -> blank_kernel.PatternState:
        first = self._sets.first.astype(np.int64)
        index = self._sets.initial(board)
        entry = self._tables.table[index]
        total = np.array([entry[a:b].sum(dtype=np.int64) for a, b in pairwise(first)])
        before = levels * len(total)
        return blank_kernel.PatternState(
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


_CELLS_A_SLICE = 1 << 26
"""Cells that a kernel call looks at: some hundredths of a second."""
_MOST_CELLS = 10_000
_MOST_OPERATORS = 1 << 16  # The automaton's numbers of moves have 16 bits.


def bound_fits(problem: Problem, memory: int) -> bool:
    """Return True if a tree with a `NodeBound` of tile distances fits into bytes of memory."""
    puzzle = problem.puzzle
    is_small = puzzle.cells <= _MOST_CELLS and len(puzzle.operators) <= _MOST_OPERATORS
    return is_small and 16 * puzzle.cells**2 <= memory // 2


def named_bound(name: str | None, problem: Problem) -> Bound:
    """Return the admissible bound of that name, tile distances for None; raise `OptionError`."""
    return TileDistances() if name is None else admissible_bound(name, problem)


def path_automaton(problem: Problem, keep: Keep, *, memory: int) -> PruningAutomaton:
    """Return the pruning automaton of a puzzle's operators by their numbers.

    On a blank graph it is that of the blank's walks, with the operators that the graph names.
    """
    puzzle = problem.puzzle
    if problem.structure.kind != PuzzleKind.BLANK_GRAPH:
        most = min(MOST_BYTES, memory // 16)
        return puzzle_automaton(puzzle, length=WALK, keep=keep, most_bytes=most)
    walks, names = walk_automaton(problem, keep, memory=memory), problem.blank_graph.names
    number = {(one.blank, one.name): i for i, one in enumerate(puzzle.operators)}
    move = [number[b, names[b][d]] for b, d in walk_arcs(walks)]
    return replace(walks, move=np.array(move, np.uint16))


class OperatorTree(PathTree):
    """Sequences of operators by their numbers, of the paths of a `path_automaton`.

    Nodes are judged by a bound that is given as data, or by the largest of several sums of lookups
    of placements.
    """

    def __init__(
        self,
        problem: Problem,
        automaton: PruningAutomaton,
        bound: Bound | PlacementLookups,
        with_penalties: bool = False,
    ) -> None:
        super().__init__(problem, automaton)
        puzzle, operators = problem.puzzle, problem.puzzle.operators
        self.cutting = Cutting(
            slice_nodes=max(1, _CELLS_A_SLICE // (self.degree * puzzle.cells)),
            large_round=300_000,
            subtrees=1000,
            nodes_a_subtree=5000,
            step=1,
        )
        self.least_penalty = min((one.penalty for one in operators), default=0)
        if with_penalties:
            costs = np.array([one.penalty - self.least_penalty for one in operators], np.uint32)
            self.cost = costs[automaton.move]
        self.lookups: PlacementLookups | None = None
        self._sums: PlacementSums | None = None
        self._data = NodeBound()
        if isinstance(bound, PlacementLookups):
            self.name, self.lookups = "pattern databases", bound
            rise = 2 if problem.structure.is_inverse_closed else NO_LIMIT
            self._sums = PlacementSums(bound.tables, bound.first, rise)
            self.initial_bound = bound.value(problem.start)
        else:
            self.name, self._data = bound.title, bound.at_nodes(problem)
            self.initial_bound = min(self._data.value(problem.start), UNREACHABLE)
        self._operators = operator_tables(problem, self._data)
        self._hashed = lookup_tables(problem, self._data) if self._data.lookups else None

    @cached_property
    def identity(self) -> str:
        paths = (*self.moves, self.automaton.roots)
        bound = (self._operators, self._hashed, self._sums)
        return tree_identity(self.problem, self.name, (paths, bound))

    @cached_property
    def _symmetries(self) -> StartSymmetries:
        puzzle = self.problem.puzzle
        if self._is_walk:
            return walk_symmetries(self.problem)
        effects = [(one.destinations(puzzle.cells), one.blank) for one in puzzle.operators]
        return operator_symmetries(self.problem, effects)

    @cached_property
    def _is_walk(self) -> bool:
        return self.problem.structure.kind == PuzzleKind.BLANK_GRAPH

    def has_smaller_image(self, path: Path) -> bool:
        if not self._is_walk:
            return self._symmetries.leave_out(path[1:])
        operators = self.problem.puzzle.operators
        arcs = (operators[number].moves for number in path[1:])
        walk = list(path[:1])
        for (cell, source), _ in arcs:
            walk.append(cell if source == walk[-1] else source)
        return self._symmetries.leave_out(tuple(walk))

    def plan(self, path: Path) -> Plan:
        return tuple(self.problem.puzzle.operators[number].name for number in path[1:])

    def advance(self, position: Position, nodes: int) -> int:
        bound = (self._operators, self._hashed, self._sums)
        return operator_kernel.search(
            self.moves, *bound, self.cost, position.state, position.bounds, nodes
        )

    def estimate(self, position: Position) -> int:
        depth, rows = int(position.registers[DEPTH]), position.bounds
        return int(rows.value[rows.row[depth]]) - depth

    def _after(self, path: Path) -> State:
        board = self.problem.start
        for number in path[1:]:
            board = self.problem.puzzle.operators[number].apply(board)
        return board

    def _bounds(self, board: State, depth: int, levels: int) -> NodeRows:
        lookups, longest = self.lookups, int(np.diff(self._operators.move_first).max(initial=0))
        sums = [] if lookups is None else lookups.sums(board)
        where = np.zeros(0, np.uint8) if lookups is None else lookups.where(board)
        count = levels * self.degree + 1
        rows = NodeRows(
            row=np.full(levels, count - 1, np.uint64),
            begin=np.zeros(levels, np.uint64),
            end=np.zeros(levels, np.uint64),
            edge=np.zeros(count, np.uint32),
            value=np.zeros(count, np.int64),
            total=np.zeros(count, np.int64),
            most=np.zeros(count * len(sums), np.int64),
            held=np.zeros(longest, np.uint16),
            piece=np.argsort(where).astype(np.uint8),
            where=where,
            entry=np.zeros(self.degree * (0 if lookups is None else lookups.count), np.uint64),
            order=np.zeros(len(sums), np.uint64),
        )
        if lookups is None:
            rows.value[-1] = depth + self._data.value(board)
            rows.total[-1] = NodeBound(self._data.distance).value(board)
        else:
            rows.value[-1] = depth + max(sums)
            rows.most[-len(sums) :] = depth + np.array(sums)
        return rows


@dataclass(frozen=True)
class PlacementRecipe(Recipe):
    """The tree with tables of placements."""

    def make(self, tell: Tell, threads: int) -> OperatorTree:
        problem = self.problem
        rules = placement_rules(problem.puzzle)
        if rules is None:
            raise InternalError("there are no tables for this puzzle")
        choice = table_choice(problem.puzzle, rules, self.memory)
        lookups = choice.lookups(self.size, store=Store(), tell=tell, threads=threads)
        automaton = path_automaton(problem, self.keep, memory=self.memory)
        return OperatorTree(problem, automaton, lookups, self.with_penalties)


@dataclass(frozen=True)
class BoundRecipe(Recipe):
    """The tree with a named bound, or with tile distances."""

    def make(self, tell: Tell, threads: int) -> OperatorTree:
        problem = self.problem
        automaton = path_automaton(problem, self.keep, memory=self.memory)
        bound = named_bound(self.bound, problem)
        return OperatorTree(problem, automaton, bound, self.with_penalties)
