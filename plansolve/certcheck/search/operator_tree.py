"""The sequences of operators of any kind from the start of a problem, bounded by placements."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.placement_tables import KindPlacements
from plansolve.certcheck.search.moves import OperatorMoves, Path
from plansolve.certcheck.search.operator_kernel import (
    ANYWHERE,
    OPEN_CELL,
    OperatorLookups,
    OperatorRules,
    OperatorState,
    search_operators,
)
from plansolve.certcheck.search.path_state import BEGINNING, DEPTH, NUMBERS
from plansolve.certcheck.search.proof import SearchProof
from plansolve.certcheck.search.tree import ProofPosition, ProofTree
from plansolve.errors import ProofError
from plansolve.model.puzzle import BLANK, OPEN

__all__ = ["OperatorProofTree"]


class OperatorProofTree(ProofTree):
    """The tree of a problem of any kind, whose pieces may be alike.

    A table is about all pieces of the kinds that belong into the cells which the proof names, and
    about the gaps where a move needs one somewhere and they are few. Where the proof adds lookups,
    which it may if no move moves two pieces, all tables count the moves of their own pieces alone.
    No symmetries are looked at.
    """

    moves: OperatorMoves

    def __init__(self, moves: OperatorMoves, proof: SearchProof) -> None:
        puzzle = moves.problem.puzzle
        self._placements: list[KindPlacements] = []
        super().__init__(moves, proof)
        number = self._number = {kind: i for i, kind in enumerate(puzzle.kinds)}
        copies = [puzzle.pieces.count(kind) for kind in puzzle.kinds]
        self._slots = [*accumulate(copies[:-1], initial=0)]
        self._rules = OperatorRules(
            np.array(moves.sources, np.uint8).reshape(-1),
            np.array([OPEN_CELL if k == OPEN else number[k] for k in puzzle.goal], np.uint8),
            np.array(self._slots, np.uint8),
            np.array(
                [ANYWHERE if n is None or not moves.has_gaps else n for n in moves.needs], np.uint8
            ),
        )

    def _check(self) -> None:
        proof, goal = self.proof, self.problem.goal
        if any(image != self.moves.identity for image in proof.symmetries):
            raise ProofError("symmetries: only the identity is looked at in such puzzles")
        self._adds = any(len(lookups) > 1 for lookups in proof.sets)
        for number, lookups in enumerate(proof.sets):
            kinds = [goal[cell] for lookup in lookups for cell in proof.tables[lookup.table]]
            adds_up = self.moves.moves_one_piece and len({*kinds, BLANK}) == len(kinds) + 1
            if len(lookups) > 1 and not adds_up:
                raise ProofError(f"sets: entry {number}: these patterns' moves do not add up")
            if any(lookup.is_inverse for lookup in lookups):
                raise ProofError(f"sets: entry {number}: such a board has no inverse")
        for number, cells in enumerate(proof.tables):
            kinds = [goal[cell] for cell in cells]
            if OPEN in kinds or len(set(kinds)) < len(kinds):
                raise ProofError(f"tables: entry {number} does not name different kinds of pieces")
            self._placements.append(
                KindPlacements.of(self.problem.puzzle, kinds, has_blank=self.moves.with_gaps)
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

    def use(self, tables: Sequence[Array]) -> None:
        """Search with these tables from now on."""
        begins = list(accumulate((table.size for table in tables), initial=0))
        used = [lookup.table for lookups in self.proof.sets for lookup in lookups]
        most = max(sum(self._placements[table].copies) for table in used)
        # Where a pattern has fewer pieces, nothing is added for the rest.
        piece = np.zeros((len(used), most), np.uint8)
        value = np.zeros((len(used), most, self.moves.cells), np.uint32)
        for row, table in enumerate(used):
            placements = self._placements[table]
            slots = [
                self._slots[self._number[kind]] + i
                for kind, size in zip(placements.kinds, placements.copies, strict=True)
                for i in range(size)
            ]
            piece[row, : len(slots)], value[row, : len(slots)] = slots, placements.numbers()
        self._lookups = OperatorLookups(
            np.concatenate(tables),
            np.array([not i for s in self.proof.sets for i in range(len(s))] + [True], np.uint8),
            np.array([begins[table] for table in used], np.uint32),
            piece.reshape(-1),
            value.reshape(-1),
        )

    def position(self, path: Path) -> ProofPosition:
        """Return what `search` goes on from, at the end of a path."""
        state, levels, depth = self._state(path), self.proof.bound + 2, len(path) - 1
        board = self.problem.start
        for move in path[1:]:
            board = tuple(board[source] for source in self.moves.sources[move])
        cells = len(board)
        current = OperatorState(
            numbers=np.zeros(NUMBERS, np.int64),
            board=np.zeros(levels * cells, np.uint8),
            state=np.zeros(levels, np.uint32),
            edge=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            refuter=np.zeros(levels, np.uint32),
        )
        current.numbers[[DEPTH, BEGINNING]] = depth
        current.board[depth * cells : (depth + 1) * cells] = [self._number[k] for k in board]
        current.state[depth], current.edge[depth] = state, self.automaton.offset[state]
        return ProofPosition(path, current)

    def search(self, position: ProofPosition, boards: int, longest: int) -> int:
        """Search on for at most so many boards, on paths of at most `longest` moves."""
        limits = np.array([self.proof.bound, longest, boards], np.int64)
        return search_operators(self.automaton, self._rules, self._lookups, position.state, limits)
