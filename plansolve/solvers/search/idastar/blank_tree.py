"""The tree of the blank's walks from the start of a problem, as the IDA* kernels search it."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.bounds.bound import Bound
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.additive import AdditiveSets
from plansolve.solvers.search.automaton import MOST_BYTES, Keep, PruningAutomaton, blank_automaton
from plansolve.solvers.search.bound_tables import distance_table, lookup_tables
from plansolve.solvers.search.idastar import bound_kernel as kernel
from plansolve.solvers.search.idastar import pattern_kernel
from plansolve.solvers.search.idastar.blank_arrays import BlankMoves, BlankState
from plansolve.solvers.search.idastar.registers import DEPTH, REGISTERS
from plansolve.solvers.search.idastar.tree import FAR, Cutting, Path, SearchTree

__all__ = ["BlankTree", "BoundTree", "PatternTree", "walk_automaton"]

_SLICE = 1 << 20
"""Nodes of a kernel call where a node has up to four children."""


def walk_automaton(
    problem: Problem, keep: Keep, length: int, most_sequences: int, memory: int
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


@dataclass(frozen=True)
class BlankPosition:
    """A place in the tree: the kernels' common state, and what one heuristic adds to it."""

    state: BlankState
    heuristic: Any

    @property
    def registers(self) -> NDArray[np.int64]:
        """What the kernel is told and tells."""
        registers: NDArray[np.int64] = self.state.registers
        return registers

    @property
    def path(self) -> Path:
        """The cells that the blank goes through on its way from the start to the current node."""
        return tuple(map(int, self.state.path[: int(self.registers[DEPTH]) + 1]))


class BlankTree(SearchTree[BlankPosition]):
    """What the heuristics have in common: the automaton, and nodes given by the blank's walks.

    A subclass sets `initial_bound`, gives the state of its heuristic at a board, and reads it.
    """

    def __init__(self, problem: Problem, automaton: PruningAutomaton, with_penalties: bool) -> None:
        graph = problem.blank_graph
        self.problem, self.graph, self.automaton = problem, graph, automaton
        self.root = (problem.start.index(BLANK),)
        self.least_penalty = min((min(row.values()) for row in graph.penalties if row), default=0)
        offset = automaton.offset.astype(np.int64)
        vertex = np.zeros(automaton.states, np.int64)
        vertex[automaton.next] = automaton.move
        vertex[automaton.roots] = np.arange(problem.puzzle.cells)
        self._origin = np.repeat(vertex, np.diff(offset))
        self.cost = self._costs() if with_penalties else None
        self.moves = BlankMoves(automaton.offset, automaton.move, automaton.next)
        degree = int(np.diff(offset).max(initial=1))
        self.cutting = Cutting(
            slice_nodes=max(1, _SLICE * 4 // max(degree, 4)),
            large_round=1_000_000,
            subtrees=2000,
            nodes_a_subtree=5000,
            step=2,
        )

    def _costs(self) -> NDArray[np.uint32]:
        edges = zip(self._origin.tolist(), self.automaton.move.tolist(), strict=True)
        penalties = self.graph.penalties
        return np.array([penalties[b][d] - self.least_penalty for b, d in edges], np.uint32)

    def plan(self, path: Path) -> Plan:
        """The names of the moves along a walk."""
        return self.graph.plan(path)

    def penalty(self, path: Path) -> int:
        """The total penalty of a walk that the automaton lets through, as the kernels count it."""
        return sum(int(self.cost[e]) for e in self._edges(path)) if self.cost is not None else 0

    def _edges(self, path: Path) -> list[int]:
        state, edges = int(self.automaton.roots[path[0]]), []
        for cell in path[1:]:
            first, end = map(int, self.automaton.offset[state : state + 2])
            edges.append(first + self.automaton.move[first:end].tolist().index(cell))
            state = int(self.automaton.next[edges[-1]])
        return edges

    def position(self, path: Path, levels: int) -> BlankPosition:
        """A fresh position at the end of a walk, with room for nodes of depth below `levels`."""
        cells, depth = self.problem.puzzle.cells, self.depth(path)
        board = list(self.problem.start)
        for b, d in pairwise(path):
            board[b], board[d] = board[d], BLANK
        edges = self._edges(path)
        node = int(self.automaton.next[edges[-1]] if edges else self.automaton.roots[path[0]])
        state = BlankState(
            board=np.array(board, np.uint8 if cells <= 1 << 8 else np.uint16),
            path=np.zeros(levels, self.automaton.move.dtype),
            edge=np.zeros(levels, np.uint32),
            end=np.zeros(levels, np.uint32),
            spent=np.zeros(levels, np.int64),
            registers=np.zeros(REGISTERS, np.int64),
        )
        state.path[: depth + 1] = path
        state.edge[depth], state.end[depth] = self.automaton.offset[node : node + 2]
        state.spent[depth] = self.penalty(path)
        return BlankPosition(state, self._heuristic(tuple(board), depth, levels))

    def _heuristic(self, board: State, depth: int, levels: int) -> Any:
        """The heuristic's own state where `board` is the node of that depth."""
        raise NotImplementedError


class BoundTree(BlankTree):
    """Nodes are judged by a bound that is a sum of tile distances and lookups.

    Raises `OptionError` where the bound is something else.
    """

    def __init__(
        self,
        problem: Problem,
        bound: Bound,
        automaton: PruningAutomaton,
        with_penalties: bool = False,
    ) -> None:
        super().__init__(problem, automaton, with_penalties)
        self.name = bound.title
        data = bound.at_nodes(problem)
        if data.divisor != 1:
            raise OptionError(f"idastar needs a bound that is a sum: {bound.name} is none")
        cells = problem.puzzle.cells
        distance = np.minimum(distance_table(problem, data), FAR)
        # A tile on the arc's far end comes to its near end.
        arcs = [(b, d) for b, targets in enumerate(self.graph.successors) for d in targets]
        delta = np.empty((len(arcs), cells), np.int16)
        for number, (b, d) in enumerate(arcs):
            delta[number] = 1 + distance[:, b] - distance[:, d]
        numbers = {arc: number * cells for number, arc in enumerate(arcs)}
        edges = zip(self._origin.tolist(), self.automaton.move.tolist(), strict=True)
        row = np.array([numbers[edge] for edge in edges], np.uint32)
        self._distance = distance
        self._tables = kernel.BoundTables(row, delta.reshape(-1), np.array(problem.goal, np.int64))
        self._lookups = lookup_tables(problem, data) if data.lookups else None
        self._data = data
        start = distance[list(problem.start), range(cells)]
        h = int(self._heuristic(problem.start, 0, 1).value[0])
        self.initial_bound = UNREACHABLE if FAR in start else h

    @staticmethod
    def nbytes(problem: Problem) -> int:
        """About how much memory the distances of a problem take."""
        graph = problem.blank_graph
        cells = problem.puzzle.cells
        return 2 * cells * sum(map(len, graph.successors)) + 8 * cells * cells

    def advance(self, position: BlankPosition, nodes: int) -> int:
        """Searches on, entering at most `nodes` nodes; returns why the kernel ended."""
        return kernel.search(
            self.moves,
            self._tables,
            self._lookups,
            self.cost,
            position.state,
            position.heuristic,
            nodes,
        )

    def estimate(self, position: BlankPosition) -> int:
        """The bound at the current node."""
        depth = int(position.registers[DEPTH])
        return int(position.heuristic.value[depth]) - depth

    def _heuristic(self, board: State, depth: int, levels: int) -> kernel.BoundState:
        parts = len(self._data.lookups)
        state = kernel.BoundState(
            np.zeros(levels, np.int64),
            np.zeros(levels * parts, np.uint64),
            np.zeros(levels * parts, np.int64),
        )
        for part, lookup in enumerate(self._data.lookups):
            state.code[depth * parts + part] = lookup.key(board)
            state.worth[depth * parts + part] = lookup.worth(board)
        h = self._distance[list(board), range(len(board))].sum() + state.worth.sum()
        state.value[depth] = depth + h
        return state


class PatternTree(BlankTree):
    """Nodes are judged by additive pattern databases.

    Each set must hold all tiles: a board whose bound is 0 is taken for the goal.
    """

    name = "pattern databases"

    def __init__(
        self,
        problem: Problem,
        sets: AdditiveSets,
        automaton: PruningAutomaton,
        with_penalties: bool = False,
    ) -> None:
        super().__init__(problem, automaton, with_penalties)
        self._sets = sets
        # One type for tables in memory and in files: the kernel is compiled once.
        table = np.asarray(sets.table).view()
        table.flags.writeable = False
        self._tables = pattern_kernel.PatternTables(sets.group, sets.weight, table)
        self.initial_bound = sets.value(problem.start)

    def advance(self, position: BlankPosition, nodes: int) -> int:
        """Searches on, entering at most `nodes` nodes; returns why the kernel ended."""
        return pattern_kernel.search(
            self.moves, self._tables, self.cost, position.state, position.heuristic, nodes
        )

    def estimate(self, position: BlankPosition) -> int:
        """The largest sum of a set of patterns at the current node."""
        return int(position.heuristic.total.max())

    def _heuristic(self, board: State, depth: int, levels: int) -> pattern_kernel.PatternState:
        first = self._sets.first.astype(np.int64)
        index = self._sets.initial(board)
        entry = self._tables.table[index]
        total = np.array([entry[a:b].sum(dtype=np.int64) for a, b in pairwise(first)])
        before = levels * len(total)
        return pattern_kernel.PatternState(
            index, entry, total, np.zeros(before, np.uint32), np.zeros(before, np.uint8)
        )
