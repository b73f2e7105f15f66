"""Trees that any process can make for itself, so that nobody has to send tables or automata."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from plansolve.formats import read_problem
from plansolve.formats.identity import problem_text
from plansolve.model.problem import Problem
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.storage.store import Tell
from plansolve.storage.used import UsedTable, note_used, used_tables

__all__ = ["Recipe", "tree_identity"]

_VERSION = 1
"""Raised where kernels count or prune in another way, so that answers of before mean nothing."""


@dataclass(frozen=True)
class Recipe(ABC):
    """How to make a tree: by the canonical text of its problem, and patterns of `size` tiles.

    `memory`, in bytes, bounds the pruning automaton.
    """

    text: str
    size: int
    memory: int

    @property
    def problem(self) -> Problem:
        """The problem that the text is of."""
        return read_problem(self.text)

    def of_size(self, size: int) -> Self:
        """Return how the same is made with larger or smaller patterns."""
        return replace(self, size=size)

    @abstractmethod
    def make(self, tell: Tell, threads: int) -> SearchTree[Any]:
        """Make the tree; its tables are found in the user's cache, or built by so many threads.

        Where several processes ask for the same tables one of them builds them.
        """

    def tree(self, tell: Tell = lambda note: None, threads: int = 1) -> SearchTree[Any]:
        """Return the tree, which a process makes once for all units of a round."""
        with _making:
            tree, used = _made.pop(self, (None, ()))
            if tree is None:
                tree = self.make(tell, threads)
                used = used_tables()
            note_used(*used)
            self._keep(tree, used)
            return tree

    def has_made(self, tree: SearchTree[Any]) -> None:
        """Take in that this process has made the tree so already."""
        tree.recipe = self
        with _making:
            self._keep(tree, used_tables())

    def _keep(self, tree: SearchTree[Any], used: tuple[UsedTable, ...]) -> None:
        _made[self] = tree, used
        # The last ones made or used are kept.
        for recipe in [*_made][:-_MOST_KEPT]:
            del _made[recipe]


_MOST_KEPT = 2
_making = Lock()
_made: dict[Recipe, tuple[SearchTree[Any], tuple[UsedTable, ...]]] = {}


def tree_identity(problem: Problem, name: str, arrays: Iterable[NDArray[Any]]) -> str:
    """Return a name for a tree by what it prunes and looks up: the SHA-256 of these arrays.

    The entries of its tables are among them, so that what was found with a wrong table is not
    taken for what a right one finds, and no other machine searches with other tables.
    """
    digest = sha256(f"{_VERSION} {name} {problem_text(problem)}".encode())
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
