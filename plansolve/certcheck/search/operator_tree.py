"""The sequences of operators of any kind from the start of a problem, bounded by lookups."""

from collections.abc import Sequence

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.search.free_tables import FreeTables
from plansolve.certcheck.search.kind_tables import KindTables
from plansolve.certcheck.search.moves import OperatorMoves, Path
from plansolve.certcheck.search.operator_kernel import (
    ANYWHERE,
    OPEN_CELL,
    OperatorRules,
    OperatorState,
    search_operators,
)
from plansolve.certcheck.search.path_state import BEGINNING, DEPTH, NUMBERS
from plansolve.certcheck.search.proof import SearchProof
from plansolve.certcheck.search.tree import ProofPosition, ProofTree
from plansolve.model.puzzle import OPEN
from plansolve.model.structure import permutation_parity


class OperatorProofTree(ProofTree):
    """The tree of a problem of any kind, whose pieces may be alike."""

    moves: OperatorMoves

    def __init__(self, moves: OperatorMoves, proof: SearchProof) -> None:
        self._tables = FreeTables(moves, proof) if moves.is_free else KindTables(moves, proof)
        super().__init__(moves, proof, self._tables)
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
        """Search with these tables from now on."""
        self._lookups = self._tables.lookups(tables)

    def position(self, path: Path) -> ProofPosition:
        """Return what `search` goes on from, at the end of a path."""
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
        """Search on for at most so many boards, on paths of at most `longest` moves."""
        limits = np.array([self.proof.bound, longest, boards], np.int64)
        return search_operators(self.automaton, self._rules, self._lookups, position.state, limits)
