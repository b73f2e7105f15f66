"""The tables of a search proof about moves that no blank decides, and the lookups in them.

Each move permutes the cells, whatever is in them. A symmetry of the moves takes a pattern to
another, so that one table serves several lookups. Where each move can be taken back by one move, a
board and its inverse are equally far from the goal (Felner, Zahavi, Schaeffer and Holte 2005).
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.pattern_tables import free_table
from plansolve.certcheck.search.moves import OperatorMoves
from plansolve.certcheck.search.operator_kernel import OperatorLookups
from plansolve.certcheck.search.proof import SearchProof
from plansolve.errors import ProofError


class FreeTables:
    """Tables of the placements of single pieces, with parity where moves differ in it.

    Pieces are named by their homes. Raise `ProofError` for a map that is no symmetry, a set that is
    no lower bound, and inverse boards where some move cannot be taken back.
    """

    def __init__(self, moves: OperatorMoves, proof: SearchProof) -> None:
        self.moves, self.proof = moves, proof
        sources = {*moves.sources}
        for number, image in enumerate(proof.symmetries):
            back = [image.index(cell) for cell in range(moves.cells)]
            if {tuple(image[source[cell]] for cell in back) for source in sources} != sources:
                raise ProofError(f"symmetries: entry {number} does not keep the rules")
        is_closed = {tuple(map(s.index, moves.identity)) for s in sources} == sources
        for number, lookups in enumerate(proof.sets):
            if len(lookups) > 1:
                raise ProofError(f"sets: entry {number}: these patterns' moves do not add up")
            if lookups[0].is_inverse and not is_closed:
                raise ProofError(f"sets: entry {number}: not every move can be taken back")

    def entries(self, number: int) -> int:
        """Return the number of placements of a table's tiles, with parity where that counts."""
        halves = 2 if any(self.moves.counts_odd) else 1
        return int(halves * self.moves.cells ** len(self.proof.tables[number]))

    def build(self, number: int) -> Array:
        """Return the entries of a table."""
        return free_table(self.moves.sources, self.moves.counts_odd, self.proof.tables[number])

    def key(self, number: int) -> tuple[object, ...]:
        """Return all that the entries of a table depend on."""
        return self.moves.sources, self.proof.tables[number]

    def lookups(self, tables: Sequence[Array]) -> OperatorLookups:
        """Return the lookups of the proof in these tables."""
        proof, cells = self.proof, self.moves.cells
        begins = list(accumulate((table.size for table in tables), initial=0))
        # Those of boards come first.
        used = sorted((lookup for (lookup,) in proof.sets), key=lambda look: look.is_inverse)
        most = max(len(proof.tables[lookup.table]) for lookup in used)
        # Where a pattern has fewer tiles, nothing is added for the rest.
        piece = np.zeros((len(used), most), np.uint8)
        value = np.zeros((len(used), most, cells), np.uint32)
        for row, lookup in enumerate(used):
            homes, image = proof.tables[lookup.table], proof.symmetries[lookup.symmetry]
            for i, home in enumerate(homes):
                piece[row, i] = image.index(home)
                value[row, i] = [cells ** (len(homes) - 1 - i) * cell for cell in image]
        has_halves = any(self.moves.counts_odd)
        return OperatorLookups(
            np.concatenate(tables),
            np.array([sum(not lookup.is_inverse for lookup in used)], np.uint32),
            np.ones(len(used) + 1, np.uint8),
            np.array([begins[lookup.table] for lookup in used], np.uint32),
            np.array([tables[look.table].size // 2 * has_halves for look in used], np.uint32),
            piece.reshape(-1),
            value.reshape(-1),
        )
