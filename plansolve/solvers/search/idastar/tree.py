"""The tree that IDA* searches, and how any process makes it: nobody has to send tables around."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from threading import Lock
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import ONE_PLAN, Keep
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, State
from plansolve.solvers.search.automaton import PruningAutomaton, vertex_of
from plansolve.solvers.search.idastar import registers as reg
from plansolve.solvers.search.idastar.registers import Moves, PathState
from plansolve.solvers.search.node_tables import content_type
from plansolve.storage.notices import UsedTable, note_used, recording_used
from plansolve.storage.store import Tell

Path: TypeAlias = tuple[int, ...]
"""The path to a node: the root, and the moves, which are cells of the blank or operators."""

_VERSION = 1
"""Raised when kernels count or prune in another way, so that answers of before mean nothing."""


@dataclass(frozen=True)
class Cutting:
    """The cuts of a round of IDA*.

    A kernel call enters at most `slice_nodes` nodes, some hundredths of a second. If the round
    before had more than `large_round` nodes, it pays to cut the tree into subtrees, for several
    threads and for a better order. There are at least `subtrees` of them if nothing tells how
    large the tree is, else one for each `nodes_a_subtree` nodes of the round before. The more there
    are the better is their order, but to enter one takes some 0.2 ms, as long as some thousand
    nodes. They begin at a depth that is a multiple of `step`.
    """

    slice_nodes: int
    large_round: int
    subtrees: int
    nodes_a_subtree: int
    step: int


@dataclass(frozen=True)
class Position:
    """A place in the tree from which a kernel goes on: its state, below the end of a path `above`.

    `bounds` is what the lower bound adds to the state, if that is apart.
    """

    state: Any
    above: Path
    bounds: Any = None

    @property
    def registers(self) -> NDArray[np.int64]:
        """Return the registers that kernel and caller share, see `registers`."""
        registers: NDArray[np.int64] = self.state.registers
        return registers


class SearchTree(ABC):
    """The paths from the start of a problem that a pruning automaton lets through.

    `root` is the path to the start. `initial_bound` is a lower bound on the length of plans,
    `UNREACHABLE` if there is none. Penalties are counted from `least_penalty` upwards. With the
    `recipe` another process makes the same tree.
    """

    name: str
    problem: Problem
    root: Path
    initial_bound: int
    cutting: Cutting
    recipe: "Recipe | None" = None
    least_penalty = 0

    @property
    def identity(self) -> str:
        """A name for all that nodes and plans of a round depend on; of trees with a recipe."""
        raise NotImplementedError

    def depth(self, path: Path) -> int:
        return len(path) - len(self.root)

    def penalty(self, path: Path) -> int:
        """Return the total penalty of a path above the least possible, as the kernel counts it."""
        return 0

    def for_round(self, nodes_before: int) -> "SearchTree":
        """Return the tree to use if the round before had so many nodes."""
        return self

    @abstractmethod
    def has_smaller_image(self, path: Path) -> bool:
        """Return True if a search for one plan can leave out a path, see `symmetric_start`."""

    @abstractmethod
    def position(self, path: Path, levels: int) -> Position:
        """Return a fresh position at the end of a path, with room for nodes of depth below
        `levels`.

        All its registers are 0.
        """

    @abstractmethod
    def advance(self, position: Position, nodes: int) -> int:
        """Search on, entering at most `nodes` nodes; return why the kernel ended."""

    @abstractmethod
    def estimate(self, position: Position) -> int:
        """Return the lower bound at the current node."""

    @abstractmethod
    def path(self, position: Position) -> Path:
        """Return the path from the start to the current node."""

    @abstractmethod
    def plan(self, path: Path) -> Plan:
        """Return the names of the moves along a path."""


@dataclass(frozen=True)
class Recipe(ABC):
    """The recipe of a tree: the canonical text of its problem, and patterns of `size` tiles.

    `memory`, in bytes, bounds the pruning automaton, and tables if several fit. `keep` says
    which shortest plans the automaton lets through. `with_penalties` the kernel looks at them.
    `bound` names the bound of a tree without patterns, tile distances if it is None.
    """

    text: str
    size: int
    memory: int
    keep: Keep = ONE_PLAN
    with_penalties: bool = False
    bound: str | None = None

    @property
    def problem(self) -> Problem:
        return read_problem(self.text)

    def of_size(self, size: int) -> Self:
        """Return how the same is made with larger or smaller patterns."""
        return replace(self, size=size)

    @abstractmethod
    def make(self, tell: Tell, threads: int) -> SearchTree:
        """Make the tree; its tables are found in the user's cache, or built by so many threads.

        If several processes ask for the same tables one of them builds them.
        """

    def tree(self, tell: Tell = lambda note: None, threads: int = 1) -> SearchTree:
        """Return the tree, which a process makes once for all units of a round."""
        with _making:
            if self in _made:
                tree, used = _made.pop(self)
                note_used(*used)
            else:
                with recording_used() as used:
                    tree = self.make(tell, threads)
                tree.recipe = self
            _made[self] = tree, used
            # The last ones made or used are kept.
            for recipe in [*_made][:-_MOST_KEPT]:
                del _made[recipe]
            return tree


_MOST_KEPT = 2
_making = Lock()
_made: dict[Recipe, tuple[SearchTree, dict[UsedTable, None]]] = {}


def tree_identity(problem: Problem, name: str, arrays: Iterable[Any]) -> str:
    """Return a name for a tree by what it prunes and looks up: the SHA-256 of these arrays.

    The entries of its tables are among them, so that what was found with a wrong table is not
    taken for what a right one finds, and no other machine searches with other tables. Tuples of
    arrays stand for their arrays.
    """
    digest = sha256(f"{_VERSION} {name} {problem_text(problem)}".encode())
    for array in map(np.asarray, _flat(arrays)):
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _flat(arrays: Iterable[Any]) -> Iterable[Any]:
    for array in arrays:
        if isinstance(array, tuple):
            yield from _flat(array)
        elif array is not None:
            yield array


class PathTree(SearchTree):
    """A tree whose nodes are given by their paths, which a pruning automaton lets through.

    The root is the vertex of the automaton in which the start is. A subclass sets `initial_bound`
    and `cutting`, makes moves, gives the state of its lower bound at a board, and reads it. It sets
    `cost`, the penalty of each edge above the least one, if penalties are looked at.
    """

    cost: NDArray[np.uint32] | None = None

    def __init__(self, problem: Problem, automaton: PruningAutomaton) -> None:
        self.problem, self.automaton = problem, automaton
        self.root = (vertex_of(problem.puzzle, problem.start),)
        self.moves = Moves(automaton.offset, automaton.move, automaton.next)
        self.degree = int(np.diff(automaton.offset.astype(np.int64)).max(initial=1))

    def penalty(self, path: Path) -> int:
        if self.cost is None:
            return 0
        _, edges = self.automaton.follow(path[0], path[1:])
        return int(self.cost[edges].sum(dtype=np.int64))

    def position(self, path: Path, levels: int) -> Position:
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
        """Return the vertex of the root, and the moves from the start to the current node."""
        return tuple(map(int, position.state.path[: int(position.registers[reg.DEPTH]) + 1]))

    @abstractmethod
    def _after(self, path: Path) -> State:
        """Return the board at the end of a path."""

    @abstractmethod
    def _bounds(self, board: State, depth: int, levels: int) -> Any:
        """Return the lower bound's own state if `board` is the node of that depth."""
