"""The sequences of permutations from the start of a problem, bounded by many pattern lookups."""

from collections.abc import Sequence

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.pattern_tables import free_table
from plansolve.certcheck.search.free_kernel import FreeRules, FreeState, search_free_moves
from plansolve.certcheck.search.free_lookups import (
    can_be_taken_back,
    counted_as_odd,
    free_lookups,
    is_symmetry,
)
from plansolve.certcheck.search.moves import FreeMoves, Path
from plansolve.certcheck.search.path_state import BEGINNING, DEPTH, NUMBERS
from plansolve.certcheck.search.proof import SearchProof
from plansolve.certcheck.search.tree import ProofPosition, ProofTree
from plansolve.errors import ProofError
from plansolve.model.structure import permutation_parity

__all__ = ["FreeTree"]


class FreeTree(ProofTree):
    """The tree of a problem in which no move depends on a blank.

    A board is told by the homes of what stands in its cells, so that the goal is 0, 1, 2, ..
    """

    moves: FreeMoves

    def __init__(self, moves: FreeMoves, proof: SearchProof) -> None:
        self._odd = counted_as_odd(moves.is_odd)
        super().__init__(moves, proof)
        targets = [[source.index(cell) for cell in range(moves.cells)] for source in moves.sources]
        self._rules = FreeRules(
            np.array(targets, np.uint8).reshape(-1),
            np.array(moves.sources, np.uint8).reshape(-1),
            np.array(self._odd, np.uint32),
        )

    def _check(self) -> None:
        sources, proof = self.moves.sources, self.proof
        for number, image in enumerate(proof.symmetries):
            if not is_symmetry(image, sources):
                raise ProofError(f"symmetries: entry {number} does not keep the rules")
        for number, lookups in enumerate(proof.sets):
            if len(lookups) > 1:
                raise ProofError(f"sets: entry {number}: these patterns' moves do not add up")
            if lookups[0].is_inverse and not can_be_taken_back(sources):
                raise ProofError(f"sets: entry {number}: not every move can be taken back")

    def entries(self, number: int) -> int:
        """Return the number of placements of a table's tiles, with parity where that counts."""
        halves = 2 if any(self._odd) else 1
        return int(halves * self.moves.cells ** len(self.proof.tables[number]))

    def build(self, number: int) -> Array:
        """Return the entries of a table."""
        return free_table(self.moves.sources, self._odd, self.proof.tables[number])

    def key(self, number: int) -> tuple[object, ...]:
        """Return all that the entries of a table depend on."""
        return self.moves.sources, self.proof.tables[number]

    def use(self, tables: Sequence[Array]) -> None:
        """Search with these tables from now on."""
        proof = self.proof
        self._lookups = free_lookups(
            self.moves.cells,
            any(self._odd),
            list(zip(proof.tables, tables, strict=True)),
            proof.symmetries,
            [lookup for (lookup,) in proof.sets],
        )

    def position(self, path: Path) -> ProofPosition:
        """Return what `search` goes on from, at the end of a path."""
        state, levels, depth = self._state(path), self.proof.bound + 2, len(path) - 1
        board = self.problem.puzzle.arrangement(self.problem.start)
        for move in path[1:]:
            board = tuple(board[source] for source in self.moves.sources[move])
        current = FreeState(
            numbers=np.zeros(NUMBERS, np.int64),
            cell=np.array([board.index(tile) for tile in range(len(board))], np.uint8),
            tile=np.array(board, np.uint8),
            state=np.zeros(levels, np.uint32),
            edge=np.zeros(levels, np.uint32),
            odd=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            refuter=np.zeros(levels, np.uint32),
        )
        current.numbers[[DEPTH, BEGINNING]] = depth
        current.state[depth], current.edge[depth] = state, self.automaton.offset[state]
        current.odd[depth] = any(self._odd) and permutation_parity(board, self.moves.identity)
        return ProofPosition(path, current)

    def search(self, position: ProofPosition, boards: int, longest: int) -> int:
        """Search on for at most so many boards, on paths of at most `longest` moves."""
        limits = np.array([self.proof.bound, longest, boards], np.int64)
        return search_free_moves(self.automaton, self._rules, self._lookups, position.state, limits)
