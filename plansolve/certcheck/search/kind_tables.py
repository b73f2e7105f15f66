"""The tables of a search proof about kinds of pieces, which may be alike, and the lookups."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.placement_tables import KindPlacements
from plansolve.certcheck.search.moves import OperatorMoves
from plansolve.certcheck.search.operator_kernel import OperatorLookups
from plansolve.certcheck.search.proof import SearchProof
from plansolve.errors import ProofError
from plansolve.model.puzzle import BLANK, OPEN


class KindTables:
    """Tables of the placements of all pieces of some kinds.

    A table is about the kinds that belong into the cells which the proof names, and about the gaps
    where a move needs one somewhere and they are few. Where the proof adds lookups, which it may if
    no move moves two pieces, all tables count the moves of their own pieces alone. Raise
    `ProofError` for symmetries and inverse boards, and where lookups do not add up.
    """

    def __init__(self, moves: OperatorMoves, proof: SearchProof) -> None:
        self.moves, self.proof, goal = moves, proof, moves.problem.goal
        if any(image != moves.identity for image in proof.symmetries):
            raise ProofError("symmetries: only the identity is looked at in such puzzles")
        self._adds = any(len(lookups) > 1 for lookups in proof.sets)
        for number, lookups in enumerate(proof.sets):
            kinds = [goal[cell] for lookup in lookups for cell in proof.tables[lookup.table]]
            adds_up = moves.moves_one_piece and len({*kinds, BLANK}) == len(kinds) + 1
            if len(lookups) > 1 and not adds_up:
                raise ProofError(f"sets: entry {number}: these patterns' moves do not add up")
            if any(lookup.is_inverse for lookup in lookups):
                raise ProofError(f"sets: entry {number}: such a board has no inverse")
        self._placements = list[KindPlacements]()
        for number, cells in enumerate(proof.tables):
            kinds = [goal[cell] for cell in cells]
            if OPEN in kinds or len(set(kinds)) < len(kinds):
                raise ProofError(f"tables: entry {number} does not name different kinds of pieces")
            self._placements.append(
                KindPlacements.of(moves.problem.puzzle, kinds, has_blank=moves.with_gaps)
            )

    def entries(self, number: int) -> int:
        """Return the number of placements of a table's pieces, impossible ones included."""
        return self._placements[number].entries

    def build(self, number: int) -> Array:
        """Return the entries of a table."""
        placements = self._placements[number]
        return placements.table(self.moves.sources, self.moves.needs, own=self._adds)

    def key(self, number: int) -> tuple[object, ...]:
        """Return all that the entries of a table depend on."""
        return self.moves.sources, self.moves.needs, self._placements[number], self._adds

    def lookups(self, tables: Sequence[Array]) -> OperatorLookups:
        """Return the lookups of the proof in these tables."""
        begins = list(accumulate((table.size for table in tables), initial=0))
        used = [lookup.table for lookups in self.proof.sets for lookup in lookups]
        slots = self.moves.slots
        most = max(sum(self._placements[table].copies) for table in used)
        # Where a pattern has fewer pieces, nothing is added for the rest.
        piece = np.zeros((len(used), most), np.uint8)
        value = np.zeros((len(used), most, self.moves.cells), np.uint32)
        for row, table in enumerate(used):
            placements = self._placements[table]
            pieces = [
                slots[self.moves.number[kind]] + i
                for kind, size in zip(placements.kinds, placements.copies, strict=True)
                for i in range(size)
            ]
            piece[row, : len(pieces)], value[row, : len(pieces)] = pieces, placements.numbers()
        return OperatorLookups(
            np.concatenate(tables),
            np.array([len(used)], np.uint32),
            np.array([not i for s in self.proof.sets for i in range(len(s))] + [True], np.uint8),
            np.array([begins[table] for table in used], np.uint32),
            np.zeros(len(used), np.uint32),
            piece.reshape(-1),
            value.reshape(-1),
        )
