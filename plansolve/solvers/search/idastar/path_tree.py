"""The tree of the paths that a pruning automaton lets through, as two IDA* kernels search it."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.solvers.search.automaton import PruningAutomaton, vertex_of
from plansolve.solvers.search.bound_tables import content_type
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.registers import Moves, PathState
from plansolve.solvers.search.idastar.tree import Path, Position, SearchTree


class PathTree(SearchTree):
    """What the kernels of paths have in common: the automaton, and nodes given by their paths.

    The root is the vertex of the automaton in which the start is. A subclass sets `initial_bound`
    and `cutting`, makes moves, gives the state of its lower bound at a board, and reads it. It sets
    `cost`, the penalty of each edge above the least one, where penalties are looked at.
    """

    cost: NDArray[np.uint32] | None = None

    def __init__(self, problem: Problem, automaton: PruningAutomaton) -> None:
        self.problem, self.automaton = problem, automaton
        self.root = (vertex_of(problem.puzzle, problem.start),)
        self.moves = Moves(automaton.offset, automaton.move, automaton.next)
        self.degree = int(np.diff(automaton.offset.astype(np.int64)).max(initial=1))

    def penalty(self, path: Path) -> int:
        """The total penalty of a path that the automaton lets through, as the kernels count it."""
        if self.cost is None:
            return 0
        _, edges = self.automaton.follow(path[0], path[1:])
        return int(self.cost[edges].sum(dtype=np.int64))

    def position(self, path: Path, levels: int) -> Position:
        """A fresh position at the end of a path, with room for nodes of depth below `levels`."""
        puzzle, board, depth = self.problem.puzzle, self._after(path), self.depth(path)
        node, _ = self.automaton.follow(path[0], path[1:])
        kind = np.min_scalar_type(puzzle.cells - 1)
        state = PathState(
            board=np.array(board, content_type(puzzle)),
            path=np.zeros(levels, np.promote_types(kind, self.automaton.move.dtype)),
            edge=np.zeros(levels, np.uint32),
            end=np.zeros(levels, np.uint32),
            spent=np.zeros(levels, np.int64),
            registers=np.zeros(reg.REGISTERS, np.int64),
        )
        state.path[: depth + 1] = path
        state.edge[depth], state.end[depth] = self.automaton.offset[node : node + 2]
        state.spent[depth] = self.penalty(path)
        return Position(state, path, self._bounds(board, depth, levels))

    def path(self, position: Position) -> Path:
        """The vertex of the root, and the moves from the start to the current node."""
        return tuple(map(int, position.state.path[: int(position.registers[reg.DEPTH]) + 1]))

    @abstractmethod
    def _after(self, path: Path) -> State:
        """The board at the end of a path."""

    @abstractmethod
    def _bounds(self, board: State, depth: int, levels: int) -> Any:
        """The lower bound's own state where `board` is the node of that depth."""
