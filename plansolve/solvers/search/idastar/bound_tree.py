"""The trees that IDA* searches with a bound that is given as data, see `NodeBound`."""

from functools import cached_property

import numpy as np

from plansolve.bounds.bound import Bound, NodeBound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.model.structure import UNREACHABLE, PuzzleKind
from plansolve.solvers.protocol import Budget
from plansolve.solvers.search.automaton import (
    MOST_BYTES,
    MOST_OPERATOR_SEQUENCES,
    MOST_SEQUENCES,
    ONE_PLAN,
    Keep,
    PruningAutomaton,
    puzzle_automaton,
)
from plansolve.solvers.search.bound_tables import distance_table, lookup_tables, operator_tables
from plansolve.solvers.search.idastar import bound_kernel as kernel
from plansolve.solvers.search.idastar.blank_tree import WALK, BlankTree, walk_automaton
from plansolve.solvers.search.idastar.path_tree import OperatorPaths, PathPosition, PathTree
from plansolve.solvers.search.idastar.recipe import tree_identity
from plansolve.solvers.search.idastar.registers import DEPTH
from plansolve.solvers.search.idastar.tree import FAR
from plansolve.solvers.search.node_kernel import Lookups, Operators

__all__ = ["ArcTree", "BoundTree", "OperatorTree", "bound_tree"]

_MOST_CELLS = 10_000
_MOST_OPERATORS = 1 << 16  # The automaton's numbers of moves have 16 bits.


class BoundTree(PathTree):
    """Paths judged by a bound: on arcs of the blank, or else by operators, see the kernel."""

    _arcs: kernel.ArcTables | None = None
    _operators: Operators | None = None
    _lookups: Lookups | None = None

    def _judge_by(self, name: str, data: NodeBound) -> None:
        self.name, self._data = name, data
        self._lookups = lookup_tables(self.problem, data) if data.lookups else None
        self.initial_bound = min(data.value(self.problem.start), UNREACHABLE)

    @cached_property
    def identity(self) -> str:
        """A name for the paths that the automaton leaves and the bound at their boards."""
        automaton, data = self.automaton, (self._arcs, self._operators, self._lookups)
        paths = (automaton.offset, automaton.move, automaton.next, automaton.roots)
        tables = [np.asarray(part) for parts in data if parts is not None for part in parts]
        return tree_identity(self.problem, self.name, (*paths, *tables))

    def advance(self, position: PathPosition, nodes: int) -> int:
        """Searches on, entering at most `nodes` nodes; returns why the kernel ended."""
        return kernel.search(
            self.moves,
            self._arcs,
            self._operators,
            self._lookups,
            self.cost,
            position.state,
            position.bounds,
            nodes,
        )

    def estimate(self, position: PathPosition) -> int:
        """The bound at the current node."""
        depth = int(position.registers[DEPTH])
        return int(position.bounds.value[depth]) - depth

    def _bounds(self, board: State, depth: int, levels: int) -> kernel.BoundState:
        parts = len(self._data.lookups)
        state = kernel.BoundState(
            value=np.zeros(levels, np.int64),
            total=np.zeros(levels, np.int64),
            code=np.zeros(levels * parts, np.uint64),
            worth=np.zeros(levels * parts, np.int64),
        )
        for part, lookup in enumerate(self._data.lookups):
            state.code[depth * parts + part] = lookup.key(board)
            state.worth[depth * parts + part] = lookup.worth(board)
        state.total[depth] = NodeBound(self._data.distance).value(board)
        state.value[depth] = depth + self._data.value(board)
        return state


class ArcTree(BoundTree, BlankTree):
    """The blank's walks; the bound is a sum of tile distances and lookups."""

    def __init__(
        self,
        problem: Problem,
        name: str,
        data: NodeBound,
        automaton: PruningAutomaton,
        with_penalties: bool = False,
    ) -> None:
        BlankTree.__init__(self, problem, automaton, with_penalties)
        assert data.divisor == 1
        self._judge_by(name, data)
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
        self._arcs = kernel.ArcTables(row, delta.reshape(-1), np.array(problem.goal, np.int32))


class OperatorTree(BoundTree, OperatorPaths):
    """Sequences of the operators of any puzzle; any bound."""

    def __init__(
        self, problem: Problem, name: str, data: NodeBound, automaton: PruningAutomaton
    ) -> None:
        OperatorPaths.__init__(self, problem, automaton)
        self._judge_by(name, data)
        self._operators = operator_tables(problem, data)


def bound_tree(
    problem: Problem,
    bound: Bound,
    budget: Budget,
    keep: Keep = ONE_PLAN,
    *,
    with_penalties: bool = False,
    length: int = WALK,
    most_sequences: int = MOST_SEQUENCES,
) -> BoundTree | None:
    """The tree with a bound; None where its tables are too large for the memory.

    `length` and `most_sequences` say from which paths the pruning automaton is made. Penalties are
    counted on blank graphs only, with a bound that is a sum.
    """
    puzzle = problem.puzzle
    if puzzle.cells > _MOST_CELLS or _nbytes(problem) > budget.memory // 2:
        return None
    data = bound.at_nodes(problem)
    if problem.structure.kind == PuzzleKind.BLANK_GRAPH and data.divisor == 1:
        automaton = walk_automaton(problem, keep, length, most_sequences, memory=budget.memory)
        return ArcTree(problem, bound.title, data, automaton, with_penalties)
    if len(puzzle.operators) > _MOST_OPERATORS:
        return None
    automaton = puzzle_automaton(
        puzzle,
        length=length,
        keep=keep,
        most_sequences=min(most_sequences, MOST_OPERATOR_SEQUENCES),
        most_bytes=min(MOST_BYTES, budget.memory // 16),
    )
    return OperatorTree(problem, bound.title, data, automaton)


def _nbytes(problem: Problem) -> int:
    """About how much memory the distances of a problem take."""
    graph, cells = problem.structure.blank_graph, problem.puzzle.cells
    arcs = 2 * cells if graph is None else sum(map(len, graph.successors))
    return 2 * cells * arcs + 8 * cells * cells
