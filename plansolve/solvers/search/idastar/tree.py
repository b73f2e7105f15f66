"""The tree that IDA* searches: what blank graphs and free operators have to provide."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.storage.store import Tell

__all__ = ["FAR", "Cutting", "Path", "Position", "SearchTree", "TreeSource"]

FAR = 30_000
"""Stands for an infinite distance of a tile; larger than any other, and fits into an int16."""

Path: TypeAlias = tuple[int, ...]
"""What leads to a node: the root, and the moves, which are cells of the blank or operators."""


@dataclass(frozen=True)
class Cutting:
    """How a round of IDA* is cut up.

    A kernel call enters at most `slice_nodes` nodes, some hundredths of a second. Where the round
    before had more than `large_round` nodes, it pays to cut the tree into subtrees, for several
    threads and for a better order. There are at least `subtrees` of them where nothing tells how
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
class Position(ABC):
    """A place in the tree from which a kernel goes on: the kernel's state."""

    state: Any

    @property
    def registers(self) -> NDArray[np.int64]:
        """What the kernel is told and tells, see `registers`."""
        registers: NDArray[np.int64] = self.state.registers
        return registers

    @property
    @abstractmethod
    def path(self) -> Path:
        """The path from the start to the current node."""


class TreeSource(Protocol):
    """How another process makes the same tree: with patterns of `size` tiles, see `Recipe`."""

    @property
    def size(self) -> int: ...

    def tree(self, tell: Tell = ..., threads: int = ...) -> "SearchTree[Any]":
        """Return the tree."""

    def of_size(self, size: int) -> Self:
        """Return how the same is made with larger or smaller patterns."""


P = TypeVar("P", bound=Position)


class SearchTree(ABC, Generic[P]):
    """The paths from the start of a problem that a pruning automaton lets through.

    `root` is the path to the start. `initial_bound` is a lower bound on the length of plans,
    `UNREACHABLE` where there is none. Penalties are counted from `least_penalty` upwards. With the
    `recipe` another process makes the same tree.
    """

    name: str
    problem: Problem
    root: Path
    initial_bound: int
    cutting: Cutting
    recipe: "TreeSource | None" = None
    least_penalty = 0

    @property
    def identity(self) -> str:
        """A name for all that nodes and plans of a round depend on; of trees with a recipe."""
        raise NotImplementedError

    def depth(self, path: Path) -> int:
        """The number of moves of a path."""
        return len(path) - len(self.root)

    def penalty(self, path: Path) -> int:
        """The total penalty of a path above the least possible, as the kernel counts it."""
        return 0

    def for_round(self, nodes_before: int) -> "SearchTree[P]":
        """The tree to use where the round before had so many nodes."""
        return self

    def has_smaller_image(self, path: Path) -> bool:
        """Whether a search for one plan can leave out a path, see `symmetric_start`."""
        return False

    @abstractmethod
    def position(self, path: Path, levels: int) -> P:
        """A fresh position at the end of a path, with room for nodes of depth below `levels`.

        All its registers are 0.
        """

    @abstractmethod
    def advance(self, position: P, nodes: int) -> int:
        """Searches on, entering at most `nodes` nodes; returns why the kernel ended."""

    @abstractmethod
    def estimate(self, position: P) -> int:
        """The lower bound at the current node."""

    @abstractmethod
    def plan(self, path: Path) -> Plan:
        """The names of the moves along a path."""
