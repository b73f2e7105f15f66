"""The sequences of operators of any kind from the start of a problem, bounded by lookups.

A lookup is about single pieces where each move permutes the cells, whatever is in them (*free*
puzzles). There a symmetry of the moves takes a pattern to another, so that one table serves several
lookups; and where each move can be taken back by one move, a board and its inverse are equally far
from the goal (Felner, Zahavi, Schaeffer and Holte 2005). In all other puzzles a lookup is about
kinds of pieces, which may be alike.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.pattern_tables import KindPlacements, free_table
from plansolve.certcheck.search.moves import OperatorMoves, Path
from plansolve.certcheck.search.proof import SearchProof
from plansolve.certcheck.search.search_kernel import (
    ANYWHERE,
    BEGINNING,
    DEPTH,
    NUMBERS,
    OPEN_CELL,
    OperatorLookups,
    OperatorRules,
    OperatorState,
    search_operators,
)
from plansolve.certcheck.search.tree import ProofPosition, ProofTree
from plansolve.certcheck.threads import Unwanted, never
from plansolve.errors import ProofError
from plansolve.model.puzzle import BLANK, OPEN
from plansolve.model.structure import permutation_parity


class FreeTables:
    """Tables of the placements of single pieces, with parity where moves differ in it.

    Pieces are named by their homes. Raise `ProofError` for a map that is no symmetry, a set that is
    no lower bound, and inverse boards where some move cannot be taken back.
    """

    bytes = 4
    """Sets of cells count once for all cells of the last piece."""

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

    def build(self, number: int, stop: Array) -> Array:
        """Return the entries of a table."""
        homes = self.proof.tables[number]
        return free_table(self.moves.sources, self.moves.counts_odd, homes, stop)

    def key(self, number: int) -> tuple[object, ...]:
        """Return all that the entries of a table depend on."""
        return self.moves.sources, self.proof.tables[number]

    def lookups(self, tables: Sequence[Array]) -> OperatorLookups:
        """Return the lookups of the proof in these tables."""
        proof, cells = self.proof, self.moves.cells
        # Those of boards come first.
        used = sorted((lookup for (lookup,) in proof.sets), key=lambda look: look.is_inverse)
        rows = []
        for lookup in used:
            homes, image = proof.tables[lookup.table], proof.symmetries[lookup.symmetry]
            strides = [cells ** (len(homes) - 1 - i) for i in range(len(homes))]
            values = [[stride * cell for cell in image] for stride in strides]
            rows.append((lookup.table, [image.index(home) for home in homes], values))
        boards = sum(not lookup.is_inverse for lookup in used)
        ones = [1] * len(used)
        return _lookups(tables, rows, boards, ones, has_halves=any(self.moves.counts_odd))


class KindTables:
    """Tables of the placements of all pieces of some kinds.

    A table is about the kinds that belong into the cells which the proof names, and about the gaps
    where a move needs one somewhere and they are few. Where the proof adds lookups, which it may if
    no move moves two pieces, all tables count the moves of their own pieces alone. Raise
    `ProofError` for symmetries and inverse boards, and where lookups do not add up.
    """

    bytes = 9
    """The moves, and two numbers in queues."""

    def __init__(self, moves: OperatorMoves, proof: SearchProof) -> None:
        self.moves, self.proof, goal = moves, proof, moves.problem.goal
        if any(image != moves.identity for image in proof.symmetries):
            raise ProofError("symmetries: such puzzles have only the identity")
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

    def build(self, number: int, stop: Array) -> Array:
        """Return the entries of a table."""
        placements, moves = self._placements[number], self.moves
        return placements.table(moves.sources, moves.needs, own=self._adds, stop=stop)

    def key(self, number: int) -> tuple[object, ...]:
        """Return all that the entries of a table depend on."""
        return self.moves.sources, self.moves.needs, self._placements[number], self._adds

    def lookups(self, tables: Sequence[Array]) -> OperatorLookups:
        """Return the lookups of the proof in these tables."""
        slots, rows = self.moves.slots, []
        for table in (lookup.table for lookups in self.proof.sets for lookup in lookups):
            placements = self._placements[table]
            pieces = [
                slots[self.moves.number[kind]] + i
                for kind, size in zip(placements.kinds, placements.copies, strict=True)
                for i in range(size)
            ]
            rows.append((table, pieces, placements.numbers()))
        begins = [not i for lookups in self.proof.sets for i in range(len(lookups))]
        return _lookups(tables, rows, len(rows), begins, has_halves=False)


def _lookups(
    tables: Sequence[Array],
    rows: Sequence[tuple[int, Sequence[int], Any]],
    boards: int,
    begins: Sequence[int],
    *,
    has_halves: bool,
) -> OperatorLookups:
    """Return lookups, the first so many of `boards`: each a table, its pieces, what each adds."""
    bases = list(accumulate((table.size for table in tables), initial=0))
    most, cells = max(len(pieces) for _, pieces, _ in rows), len(rows[0][2][0])
    # Where a pattern has fewer pieces, nothing is added for the rest.
    piece = np.zeros((len(rows), most), np.uint8)
    value = np.zeros((len(rows), most, cells), np.uint32)
    for row, (_, pieces, values) in enumerate(rows):
        piece[row, : len(pieces)], value[row, : len(pieces)] = pieces, values
    return OperatorLookups(
        np.concatenate(tables),
        np.array([boards], np.uint32),
        np.array([*begins, 1], np.uint8),
        np.array([bases[table] for table, _, _ in rows], np.uint32),
        np.array([tables[table].size // 2 * has_halves for table, _, _ in rows], np.uint32),
        piece.reshape(-1),
        value.reshape(-1),
    )


class OperatorProofTree(ProofTree):
    """The tree of a problem of any kind, whose pieces may be alike."""

    moves: OperatorMoves

    def __init__(
        self, moves: OperatorMoves, proof: SearchProof, is_unwanted: Unwanted = never
    ) -> None:
        self._tables = FreeTables(moves, proof) if moves.is_free else KindTables(moves, proof)
        super().__init__(moves, proof, self._tables, is_unwanted)
        targets = [[source.index(cell) for cell in range(moves.cells)] for source in moves.sources]
        needs = (need if moves.has_gaps else None for need in moves.needs)
        self._rules = OperatorRules(
            np.array(moves.sources, np.uint8).reshape(-1),
            np.array(targets, np.uint8).reshape(-1),
            np.array(
                [OPEN_CELL if k == OPEN else moves.number[k] for k in self.problem.goal], np.uint8
            ),
            np.array(moves.slots, np.uint8),
            np.array([ANYWHERE if need is None else need for need in needs], np.uint8),
            np.array(moves.counts_odd, np.uint8),
        )

    def use(self, tables: Sequence[Array]) -> None:
        self._lookups = self._tables.lookups(tables)

    def position(self, path: Path) -> ProofPosition:
        state, levels, depth = self._state(path), self.proof.bound + 2, len(path) - 1
        board = [self.moves.number[kind] for kind in self.problem.start]
        for move in path[1:]:
            board = [board[source] for source in self.moves.sources[move]]
        cells = len(board)
        current = OperatorState(
            numbers=np.zeros(NUMBERS, np.int64),
            board=np.zeros(levels * cells, np.uint8),
            place=np.zeros(levels * cells, np.uint8),
            odd=np.zeros(levels, np.uint8),
            state=np.zeros(levels, np.uint32),
            edge=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            refuter=np.zeros(levels, np.uint32),
        )
        here = slice(depth * cells, (depth + 1) * cells)
        current.numbers[[DEPTH, BEGINNING]] = depth
        current.board[here], current.place[here] = board, np.argsort(board, kind="stable")
        current.state[depth], current.edge[depth] = state, self.automaton.offset[state]
        if any(self.moves.counts_odd):
            current.odd[depth] = permutation_parity(tuple(board), self.moves.identity)
        return ProofPosition(path, current)

    def search(self, position: ProofPosition, boards: int, longest: int) -> int:
        limits = np.array([self.proof.bound, longest, boards], np.int64)
        return search_operators(self.automaton, self._rules, self._lookups, position.state, limits)
