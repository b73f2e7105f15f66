"""The tree of the blank's walks from the start of a problem, as the IDA* kernels search it."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.additive import AdditiveSets
from plansolve.solvers.search.automaton import MOST_BYTES, Keep, PruningAutomaton, blank_automaton
from plansolve.solvers.search.idastar import distance_kernel as distance_idastar
from plansolve.solvers.search.idastar import pattern_kernel as pattern_idastar
from plansolve.solvers.search.idastar.distance_kernel import (
    BOUND,
    COUNTING,
    DEPTH,
    FLOOR,
    LEAF,
    MOST_PENALTY,
    NEXT_BOUND,
    NO_BOUND,
    REGISTERS,
)

__all__ = [
    "FAR",
    "Cursor",
    "DistanceTree",
    "PatternTree",
    "Walk",
    "WalkTree",
    "walk_automaton",
]

Walk: TypeAlias = tuple[int, ...]
"""The cells that the blank goes through, the first one included."""

FAR = 30_000
"""Stands for an infinite distance of a tile; larger than any other, and fits into an int16."""

_NO_LEAF = 1 << 40


def walk_automaton(
    problem: Problem, keep: Keep, length: int, most_words: int, memory: int
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
        most_words=most_words,
        most_bytes=min(MOST_BYTES, memory // 16),
    )


@dataclass(frozen=True)
class Cursor:
    """A place in the tree; the arrays are those of the kernels. `own` are those of one kernel."""

    board: NDArray[Any]
    path: NDArray[Any]
    edge: NDArray[np.uint32]
    end: NDArray[np.uint32]
    spent: NDArray[np.int64]
    registers: NDArray[np.int64]
    own: tuple[NDArray[Any], ...]

    @property
    def walk(self) -> Walk:
        """The blank's walk from the start to the current node."""
        return tuple(map(int, self.path[: int(self.registers[DEPTH]) + 1]))


class WalkTree:
    """What the two kernels have in common: the automaton, and nodes given by their walks.

    `initial_bound` is the heuristic's bound at the start, `UNREACHABLE` where it shows that there
    is no plan. Penalties are counted from the smallest one of an arc, `least_penalty`, upwards.
    """

    name = ""

    def __init__(self, problem: Problem, automaton: PruningAutomaton, with_penalties: bool) -> None:
        graph = problem.blank_graph
        self.problem, self.graph, self.automaton = problem, graph, automaton
        self.least_penalty = min((min(row.values()) for row in graph.penalties if row), default=0)
        offset = self.automaton.offset.astype(np.int64)
        vertex = np.zeros(self.automaton.states, np.int64)
        vertex[self.automaton.next] = self.automaton.move
        vertex[self.automaton.roots] = np.arange(problem.puzzle.cells)
        self._origin = np.repeat(vertex, np.diff(offset))
        self.cost = self._costs() if with_penalties else None
        self.degree = int(np.diff(offset).max(initial=1))
        self.initial_bound = 0

    def _costs(self) -> NDArray[np.uint32]:
        edges = zip(self._origin.tolist(), self.automaton.move.tolist(), strict=True)
        penalties = self.graph.penalties
        return np.array([penalties[b][d] - self.least_penalty for b, d in edges], np.uint32)

    def plan(self, walk: Walk) -> Plan:
        """The names of the moves along a walk."""
        return self.graph.plan(walk)

    def penalty(self, walk: Walk) -> int:
        """The total penalty of a walk that the automaton lets through, as the kernels count it."""
        return sum(int(self.cost[e]) for e in self._edges(walk)) if self.cost is not None else 0

    def _edges(self, walk: Walk) -> list[int]:
        state, edges = int(self.automaton.roots[walk[0]]), []
        for cell in walk[1:]:
            first, end = map(int, self.automaton.offset[state : state + 2])
            edges.append(first + self.automaton.move[first:end].tolist().index(cell))
            state = int(self.automaton.next[edges[-1]])
        return edges

    def enter(
        self,
        walk: Walk,
        bound: int,
        *,
        leaf: int = _NO_LEAF,
        most_penalty: int = UNREACHABLE,
        counting: bool = False,
    ) -> Cursor:
        """A cursor at the node that `walk` leads to, for a search of its subtree."""
        cells, depth = self.problem.puzzle.cells, len(walk) - 1
        board = list(self.problem.start)
        for b, d in pairwise(walk):
            board[b], board[d] = board[d], BLANK
        edges = self._edges(walk)
        state = int(self.automaton.next[edges[-1]] if edges else self.automaton.roots[walk[0]])
        rows = max(bound, depth) + 2
        kind = self.automaton.move.dtype
        cursor = Cursor(
            board=np.array(board, np.uint8 if cells <= 1 << 8 else np.uint16),
            path=np.zeros(rows, kind),
            edge=np.zeros(rows, np.uint32),
            end=np.zeros(rows, np.uint32),
            spent=np.zeros(rows, np.int64),
            registers=np.zeros(REGISTERS, np.int64),
            own=self._own(tuple(board), depth, rows),
        )
        cursor.path[: depth + 1] = walk
        cursor.edge[depth], cursor.end[depth] = self.automaton.offset[state : state + 2]
        cursor.spent[depth] = self.penalty(walk)
        registers = cursor.registers
        registers[[DEPTH, FLOOR]], registers[LEAF], registers[BOUND] = depth, leaf, bound
        registers[NEXT_BOUND], registers[MOST_PENALTY] = NO_BOUND, most_penalty
        registers[COUNTING] = counting
        return cursor

    def advance(self, cursor: Cursor, nodes: int) -> int:
        """Enters at most `nodes` nodes; returns the kernel's reason for ending."""
        raise NotImplementedError

    def estimate(self, cursor: Cursor) -> int:
        """The heuristic's bound at the current node."""
        raise NotImplementedError

    def _own(self, board: tuple[int, ...], depth: int, rows: int) -> tuple[NDArray[Any], ...]:
        raise NotImplementedError


class DistanceTree(WalkTree):
    """Nodes are judged by the sum of the single tiles' distances."""

    name = "tile distances"

    def __init__(
        self,
        problem: Problem,
        automaton: PruningAutomaton,
        with_penalties: bool = False,
    ) -> None:
        super().__init__(problem, automaton, with_penalties)
        cells = problem.puzzle.cells
        self._distance = np.zeros((cells, cells), np.int32)
        for cell, tile in enumerate(problem.goal):
            if tile != BLANK:
                self._distance[tile] = problem.structure.tile_distances_to(cell)
        self._distance = np.minimum(self._distance, FAR)
        # A tile on the arc's far end comes to its near end.
        arcs = [(b, d) for b, targets in enumerate(self.graph.successors) for d in targets]
        self._delta = np.empty((len(arcs), cells), np.int16)
        for number, (b, d) in enumerate(arcs):
            self._delta[number] = 1 + self._distance[:, b] - self._distance[:, d]
        numbers = {arc: number * cells for number, arc in enumerate(arcs)}
        edges = zip(self._origin.tolist(), self.automaton.move.tolist(), strict=True)
        self._row = np.array([numbers[edge] for edge in edges], np.uint32)
        start = [int(self._distance[tile, cell]) for cell, tile in enumerate(problem.start)]
        self.initial_bound = UNREACHABLE if FAR in start else sum(start)

    @staticmethod
    def nbytes(problem: Problem) -> int:
        """About how much memory the tables of a problem take."""
        graph = problem.blank_graph
        cells = problem.puzzle.cells
        return 2 * cells * sum(map(len, graph.successors)) + 8 * cells * cells

    def advance(self, cursor: Cursor, nodes: int) -> int:
        """Enters at most `nodes` nodes; returns the kernel's reason for ending."""
        (value,) = cursor.own
        return distance_idastar.search(
            self.automaton.offset,
            self.automaton.move,
            self.automaton.next,
            self._row,
            self._delta.reshape(-1),
            self.cost,
            cursor.board,
            cursor.path,
            cursor.edge,
            cursor.end,
            value,
            cursor.spent,
            cursor.registers,
            nodes,
        )

    def estimate(self, cursor: Cursor) -> int:
        """The sum of the tiles' distances at the current node."""
        depth = int(cursor.registers[DEPTH])
        return int(cursor.own[0][depth]) - depth

    def _own(self, board: tuple[int, ...], depth: int, rows: int) -> tuple[NDArray[Any], ...]:
        value = np.zeros(rows, np.int64)
        value[depth] = depth + self._distance[list(board), range(len(board))].sum()
        return (value,)


class PatternTree(WalkTree):
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
        self._table = np.asarray(sets.table).view()
        self._table.flags.writeable = False
        self.initial_bound = sets.value(problem.start)

    def advance(self, cursor: Cursor, nodes: int) -> int:
        """Enters at most `nodes` nodes; returns the kernel's reason for ending."""
        index, entry, total, index_before, entry_before = cursor.own
        return pattern_idastar.search(
            self.automaton.offset,
            self.automaton.move,
            self.automaton.next,
            self._sets.group,
            self._sets.weight,
            self._table,
            self.cost,
            cursor.board,
            cursor.path,
            cursor.edge,
            cursor.end,
            cursor.spent,
            index,
            entry,
            total,
            index_before,
            entry_before,
            cursor.registers,
            nodes,
        )

    def estimate(self, cursor: Cursor) -> int:
        """The largest sum of a set of patterns at the current node."""
        return int(cursor.own[2].max())

    def _own(self, board: tuple[int, ...], depth: int, rows: int) -> tuple[NDArray[Any], ...]:
        first = self._sets.first.astype(np.int64)
        index = self._sets.initial(board)
        entry = self._table[index]
        total = np.array([entry[a:b].sum(dtype=np.int64) for a, b in pairwise(first)])
        before = rows * len(total)
        return (index, entry, total, np.zeros(before, np.uint32), np.zeros(before, np.uint8))
