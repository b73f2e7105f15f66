"""The paths of a search proof, with a lower bound at each: the base of both kinds of trees."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.search.moves import Path, PlanMoves
from plansolve.certcheck.search.proof import MOST_ENTRIES, SearchProof
from plansolve.certcheck.search.search_kernel import BEGINNING, DEPTH
from plansolve.certcheck.search.words import Automaton, automaton
from plansolve.certcheck.threads import Unwanted
from plansolve.errors import ProofError

MOST_BYTES = 1 << 30
"""The most memory for the tables that are built at one time."""

_MOST_STEPS = 1 << 33
"""Entries of all tables, times the moves to each: some minutes of work for one core."""
_BOARDS, _LOOKUPS = 1 << 21, 1 << 25
"""The most boards, and the most lookups, between two checks of the clock: usually a tenth of a
second.
"""


@dataclass(frozen=True)
class ProofPosition:
    """A path from the start of the problem, and the state of the kernel that searches below it."""

    path: Path
    state: Any

    @property
    def numbers(self) -> Array:
        return self.state.numbers


class ProofTables(Protocol):
    """The tables that a proof names; while a table is built, each entry takes `bytes` bytes."""

    bytes: int

    def entries(self, number: int) -> int:
        """Return the number of entries of a table."""

    def build(self, number: int, stop: Array) -> Array:
        """Return the entries (uint8) of a table, computed from the rules; `stop` is a flag."""

    def key(self, number: int) -> tuple[object, ...]:
        """Return all that the entries of a table depend on."""


class ProofTree(ABC):
    """The paths from the start of a problem that are not pruned by words, and a bound at each.

    After `use` with the tables that the proof names, any part of the tree can be searched. Raise
    `ProofError` if the proof does not fit the problem. A search of `slice` boards is short,
    whatever the proof says.
    """

    automaton: Automaton

    def __init__(
        self, moves: PlanMoves, proof: SearchProof, tables: ProofTables, is_unwanted: Unwanted
    ) -> None:
        self.moves, self.proof, self.tables, self.problem = moves, proof, tables, moves.problem
        sizes = [tables.entries(number) for number in range(len(proof.tables))]
        if sum(sizes) > MOST_ENTRIES:
            raise ProofError(
                f"tables: {sum(sizes):,} entries are too many: at most {MOST_ENTRIES:,}"
            )
        if sum(sizes) * moves.most > _MOST_STEPS:
            what = f"{sum(sizes):,} entries with {moves.most} moves each"
            raise ProofError(f"tables: {what} are too much work")
        self.largest_build = max(sizes) * tables.bytes
        if self.largest_build > MOST_BYTES:
            raise ProofError(
                f"tables: building one takes {self.largest_build / 1e9:.1f} GB, which is too much: "
                f"at most {MOST_BYTES / 1e9:.1f} GB"
            )
        try:
            self.automaton = automaton(
                moves, proof.words, every_plan=proof.every_plan, is_unwanted=is_unwanted
            )
        except ValueError as error:
            raise ProofError(f"words: {error}") from None
        widest = int(np.diff(self.automaton.offset).max(initial=1))
        lookups = widest * sum(map(len, proof.sets)) * max(map(len, proof.tables))
        self.slice = max(1, min(_BOARDS, _LOOKUPS // lookups))

    @abstractmethod
    def use(self, tables: Sequence[Array]) -> None:
        """Search with these tables from now on."""

    @abstractmethod
    def position(self, path: Path) -> ProofPosition:
        """Return the position at the end of a path, with nothing searched yet.

        Raise `ProofError` for a pruned path.
        """

    @abstractmethod
    def search(self, position: ProofPosition, boards: int, longest: int) -> int:
        """Continue the search for about `boards` boards, on paths of at most `longest` moves.

        Return why it ended, see `search_kernel`.
        """

    def path(self, position: ProofPosition) -> Path:
        """Return the current path of a search, from the start of the problem."""
        begun, now = int(position.numbers[BEGINNING]), int(position.numbers[DEPTH])
        return (*position.path, *position.state.taken[begun + 1 : now + 1].tolist())

    def _state(self, path: Path) -> int:
        state = self.automaton.follow(path) if path[0] == self.moves.start else None
        if state is None:
            raise ProofError("units: a path that is not searched")
        return state
