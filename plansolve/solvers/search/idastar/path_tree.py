"""The tree of the paths that a pruning automaton lets through, as some IDA* kernels search it."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, State
from plansolve.solvers.search.automaton import PruningAutomaton, vertex_of
from plansolve.solvers.search.bound_tables import content_type
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.path_arrays import Moves, PathState
from plansolve.solvers.search.idastar.symmetric_start import StartSymmetries, operator_symmetries
from plansolve.solvers.search.idastar.tree import Cutting, Path, Position, SearchTree

__all__ = ["OperatorPaths", "PathPosition", "PathTree"]

_CELLS_A_SLICE = 1 << 26
"""Cells that a kernel call writes: some hundredths of a second."""


@dataclass(frozen=True)
class PathPosition(Position):
    """The kernels' common state, and what one lower bound adds to it."""

    bounds: Any

    @property
    def path(self) -> Path:
        """The vertex of the root, and the moves from the start to the current node."""
        return tuple(map(int, self.state.path[: int(self.registers[reg.DEPTH]) + 1]))


class PathTree(SearchTree[PathPosition]):
    """What the kernels of paths have in common: the automaton, and nodes given by their paths.

    The root is the vertex of the automaton in which the start is. A subclass sets `initial_bound`
    and `cutting`, makes moves, gives the state of its lower bound at a board, and reads it.
    """

    cost: NDArray[np.uint32] | None = None
    """The penalty of each edge above the least one, where penalties are looked at."""

    def __init__(self, problem: Problem, automaton: PruningAutomaton, vertex: int) -> None:
        self.problem, self.automaton, self.root = problem, automaton, (vertex,)
        self.moves = Moves(automaton.offset, automaton.move, automaton.next)
        self.degrees = np.diff(automaton.offset).astype(np.int64)
        self.degree = int(self.degrees.max(initial=1))

    def position(self, path: Path, levels: int) -> PathPosition:
        """A fresh position at the end of a path, with room for nodes of depth below `levels`."""
        board, depth = self._after(path), self.depth(path)
        node, _ = self.automaton.follow(path[0], path[1:])
        kind = np.min_scalar_type(self.problem.puzzle.cells - 1)
        state = PathState(
            board=self._boards(board, depth, levels),
            path=np.zeros(levels, np.promote_types(kind, self.automaton.move.dtype)),
            edge=np.zeros(levels, np.uint32),
            end=np.zeros(levels, np.uint32),
            spent=np.zeros(levels, np.int64),
            registers=np.zeros(reg.REGISTERS, np.int64),
        )
        state.path[: depth + 1] = path
        state.edge[depth], state.end[depth] = self.automaton.offset[node : node + 2]
        state.spent[depth] = self.penalty(path)
        return PathPosition(state, self._bounds(board, depth, levels))

    @abstractmethod
    def _after(self, path: Path) -> State:
        """The board at the end of a path."""

    @abstractmethod
    def _boards(self, board: State, depth: int, levels: int) -> NDArray[Any]:
        """What `PathState.board` holds where `board` is the node of that depth."""

    @abstractmethod
    def _bounds(self, board: State, depth: int, levels: int) -> Any:
        """The lower bound's own state where `board` is the node of that depth."""


class OperatorPaths(PathTree):
    """Sequences of the operators of any puzzle, by their numbers; each node has its own board.

    The vertices of the automaton are the cells of the blank, where there is just one.
    """

    def __init__(self, problem: Problem, automaton: PruningAutomaton) -> None:
        puzzle = problem.puzzle
        PathTree.__init__(self, problem, automaton, vertex_of(puzzle, problem.start))
        self.cutting = Cutting(
            slice_nodes=max(1, _CELLS_A_SLICE // (self.degree * puzzle.cells)),
            large_round=300_000,
            subtrees=1000,
            nodes_a_subtree=5000,
            step=1,
        )

    @cached_property
    def _symmetries(self) -> StartSymmetries:
        puzzle = self.problem.puzzle
        effects = [(one.destinations(puzzle.cells), one.blank) for one in puzzle.operators]
        return operator_symmetries(self.problem, effects)

    def has_smaller_image(self, path: Path) -> bool:
        """Whether a symmetry that keeps the start turns a path into a smaller one."""
        return self._symmetries.leave_out(path[1:])

    def plan(self, path: Path) -> Plan:
        """The names of the operators of a path."""
        return tuple(self.problem.puzzle.operators[number].name for number in path[1:])

    def _after(self, path: Path) -> State:
        board = self.problem.start
        for number in path[1:]:
            board = self.problem.puzzle.operators[number].apply(board)
        return board

    def _boards(self, board: State, depth: int, levels: int) -> NDArray[Any]:
        boards = np.zeros((levels, len(board)), content_type(self.problem.puzzle))
        boards[depth] = board
        return boards.reshape(-1)
