"""The two kinds of trees: walks of the blank, and sequences of operators of any kind.

Walks are bounded by sums of additive pattern tables, sequences of operators by lookups. In *free*
puzzles, whose moves permute the cells whatever is in them, a lookup is about single pieces. There a
symmetry of the moves maps a pattern to another, so that one table serves several lookups; and if
one move can undo each move, a board and its inverse are equally far from the goal (Felner, Zahavi,
Schaeffer and Holte 2005). In all other puzzles a lookup is about kinds of pieces, which may be
alike.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.pattern_tables import KindPlacements, blank_table, cells_type, free_table
from plansolve.certcheck.search import search_kernel as kernel
from plansolve.certcheck.search.moves import OperatorMoves, Path, WalkMoves, moves_of
from plansolve.certcheck.search.proof import PatternLookup, SearchProof
from plansolve.certcheck.search.tree import ProofPosition, ProofTree
from plansolve.certcheck.threads import Unwanted, never
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN
from plansolve.model.structure import permutation_parity, reverse


class WalkTables:
    """Tables of the moves of a pattern's own tiles.

    A move moves one tile, so that the moves of patterns without a common tile add up. Raise
    `ProofError` for a map that is not a symmetry, and a set that is not a lower bound.
    """

    def __init__(self, moves: WalkMoves, proof: SearchProof) -> None:
        self.moves, self.proof, self.problem = moves, proof, moves.problem
        # Three sets of cells, two numbers in queues, and the moves.
        self.bytes = 3 * cells_type(moves.cells)().nbytes + 9
        arcs, home = moves.arcs, self.problem.home
        for number, image in enumerate(proof.symmetries):
            if any({image[d] for d in row} != {*arcs[image[b]]} for b, row in enumerate(arcs)):
                raise ProofError(f"symmetries: entry {number} does not preserve the rules")
        for number, lookups in enumerate(proof.sets):
            if any(lookup.is_inverse for lookup in lookups):
                raise ProofError(f"sets: entry {number}: a board with a blank has no inverse")
            tiles = [home for lookup in lookups for home in self._homes(lookup)]
            if len({*tiles, home[BLANK]}) <= len(tiles):
                raise ProofError(f"sets: entry {number}: two of its patterns share a tile")

    def _homes(self, lookup: PatternLookup) -> list[int]:
        image = self.proof.symmetries[lookup.symmetry]
        return [image.index(cell) for cell in self.proof.tables[lookup.table]]

    def entries(self, number: int) -> int:
        """Return the number of placements of a table's tiles, impossible ones included."""
        return int(self.moves.cells ** len(self.proof.tables[number]))

    def build(self, number: int, stop: Array) -> Array:
        """Return the entries of a table, for all goal cells of the blank in lookups that use it."""
        homes, blanks = self.proof.tables[number], self._blanks(number)
        return blank_table(reverse(self.moves.arcs), homes, blanks, stop)

    def key(self, number: int) -> tuple[object, ...]:
        return self.moves.arcs, self.proof.tables[number], frozenset(self._blanks(number))

    def _blanks(self, number: int) -> set[int]:
        blank = self.problem.home[BLANK]
        used = [lookup for lookups in self.proof.sets for lookup in lookups]
        images = [self.proof.symmetries[look.symmetry] for look in used if look.table == number]
        return {image[blank] for image in images}

    def lookups(self, tables: Sequence[Array]) -> tuple[kernel.WalkLookups, Array, Array]:
        """Return the lookups, where each pattern's table begins, and the set of each pattern."""
        cells, sets = self.moves.cells, self.proof.sets
        bases = list(accumulate((table.size for table in tables), initial=0))
        # A tile in no pattern of its set belongs to a pattern whose only entry is 0.
        nothing = bases[-1]
        pattern = np.zeros((len(sets), cells), np.uint32)
        weight = np.zeros((len(sets), cells, cells), np.uint32)
        base, owner = list[int](), list[int]()
        for s, row in enumerate(sets):
            pattern[s] = len(base)
            base.append(nothing)
            owner.append(s)
            for lookup in row:
                image = self.proof.symmetries[lookup.symmetry]
                homes = self._homes(lookup)
                for place, home in enumerate(homes):
                    tile, stride = self.problem.goal[home], cells ** (len(homes) - 1 - place)
                    pattern[s, tile] = len(base)
                    weight[s, tile] = [stride * cell for cell in image]
                base.append(bases[lookup.table])
                owner.append(s)
        table = np.concatenate([*tables, np.zeros(1, np.uint8)])
        lookups = kernel.WalkLookups(table, pattern.reshape(-1), weight.reshape(-1))
        return lookups, np.array(base, np.uint32), np.array(owner)


class WalkTree(ProofTree):
    """The tree of a problem in which each move exchanges the blank with a tile."""

    moves: WalkMoves

    def __init__(self, moves: WalkMoves, proof: SearchProof, is_unwanted: Unwanted = never) -> None:
        self._tables = WalkTables(moves, proof)
        super().__init__(moves, proof, self._tables, is_unwanted)
        self._goal = np.array(self.problem.goal, np.uint8)

    def use(self, tables: Sequence[Array]) -> None:
        self._lookups, self._base, self._owner = self._tables.lookups(tables)

    def position(self, path: Path) -> ProofPosition:
        state, levels, depth = self._state(path), self.proof.bound + 2, len(path) - 1
        board = list(self.problem.start)
        for here, there in pairwise(path):
            board[here], board[there] = board[there], BLANK
        cells, sets, lookups = len(board), len(self.proof.sets), self._lookups
        index = self._base.copy()
        for s in range(sets):
            for cell, tile in enumerate(board):
                if tile != BLANK:
                    row = s * cells + tile
                    index[lookups.pattern[row]] += lookups.weight[row * cells + cell]
        entry = lookups.table[index]
        walk = kernel.WalkState(
            numbers=np.zeros(kernel.NUMBERS, np.int64),
            board=np.array(board, np.uint8),
            place=index,
            entry=entry,
            total=np.bincount(self._owner, entry, sets).astype(np.int64),
            state=np.zeros(levels, np.uint32),
            edge=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            before=np.zeros(levels * sets, np.uint8),
        )
        walk.numbers[[kernel.DEPTH, kernel.BEGINNING]] = depth
        walk.state[depth], walk.taken[depth] = state, path[-1]
        walk.edge[depth] = self.automaton.offset[state]
        return ProofPosition(path, walk)

    def search(self, position: ProofPosition, boards: int, longest: int) -> int:
        limits = np.array([self.proof.bound, longest, boards], np.int64)
        return kernel.search_walks(
            self.automaton, self._lookups, position.state, self._goal, limits
        )


class FreeTables:
    """Tables of the placements of single pieces, with parity if moves differ in it.

    Pieces are named after their homes. Raise `ProofError` for a map that is not a symmetry, a set
    that is not a lower bound, and inverse boards if some move cannot be undone.
    """

    bytes = 4
    """Sets of cells take memory once for all cells of the last piece."""

    def __init__(self, moves: OperatorMoves, proof: SearchProof) -> None:
        self.moves, self.proof = moves, proof
        sources = {*moves.sources}
        for number, image in enumerate(proof.symmetries):
            back = [image.index(cell) for cell in range(moves.cells)]
            if {tuple(image[source[cell]] for cell in back) for source in sources} != sources:
                raise ProofError(f"symmetries: entry {number} does not preserve the rules")
        is_closed = {tuple(map(s.index, moves.identity)) for s in sources} == sources
        for number, lookups in enumerate(proof.sets):
            if len(lookups) > 1:
                raise ProofError(f"sets: entry {number}: moves of these patterns cannot be added")
            if lookups[0].is_inverse and not is_closed:
                raise ProofError(f"sets: entry {number}: some move has no inverse")

    def entries(self, number: int) -> int:
        """Return the number of placements of a table's tiles, with parity if that counts."""
        halves = 2 if any(self.moves.counts_odd) else 1
        return int(halves * self.moves.cells ** len(self.proof.tables[number]))

    def build(self, number: int, stop: Array) -> Array:
        homes = self.proof.tables[number]
        return free_table(self.moves.sources, self.moves.counts_odd, homes, stop)

    def key(self, number: int) -> tuple[object, ...]:
        return self.moves.sources, self.proof.tables[number]

    def lookups(self, tables: Sequence[Array]) -> kernel.OperatorLookups:
        proof, cells = self.proof, self.moves.cells
        # Lookups of boards precede those of inverse boards.
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

    A table is about the kinds whose goal cells the proof names, and about the gaps if moves need
    them and they are few. If the proof adds lookups, which is allowed if no move moves two pieces,
    all tables count only the moves of their own pieces. Raise `ProofError` for symmetries and
    inverse boards, and if lookups do not add up.
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
                raise ProofError(f"sets: entry {number}: moves of these patterns cannot be added")
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
        placements, moves = self._placements[number], self.moves
        return placements.table(moves.sources, moves.needs, own=self._adds, stop=stop)

    def key(self, number: int) -> tuple[object, ...]:
        return self.moves.sources, self.moves.needs, self._placements[number], self._adds

    def lookups(self, tables: Sequence[Array]) -> kernel.OperatorLookups:
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
) -> kernel.OperatorLookups:
    """Return lookups, the first `boards` of them of boards and the others of inverse boards."""
    bases = list(accumulate((table.size for table in tables), initial=0))
    most, cells = max(len(pieces) for _, pieces, _ in rows), len(rows[0][2][0])
    # Patterns with fewer pieces are padded with zeros.
    piece = np.zeros((len(rows), most), np.uint8)
    value = np.zeros((len(rows), most, cells), np.uint32)
    for row, (_, pieces, values) in enumerate(rows):
        piece[row, : len(pieces)], value[row, : len(pieces)] = pieces, values
    return kernel.OperatorLookups(
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
        self._rules = kernel.OperatorRules(
            np.array(moves.sources, np.uint8).reshape(-1),
            np.array(targets, np.uint8).reshape(-1),
            np.array(
                [kernel.OPEN_CELL if k == OPEN else moves.number[k] for k in self.problem.goal],
                np.uint8,
            ),
            np.array(moves.slots, np.uint8),
            np.array([kernel.ANYWHERE if need is None else need for need in needs], np.uint8),
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
        current = kernel.OperatorState(
            numbers=np.zeros(kernel.NUMBERS, np.int64),
            board=np.zeros(levels * cells, np.uint8),
            place=np.zeros(levels * cells, np.uint8),
            odd=np.zeros(levels, np.uint8),
            state=np.zeros(levels, np.uint32),
            edge=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            refuter=np.zeros(levels, np.uint32),
        )
        here = slice(depth * cells, (depth + 1) * cells)
        current.numbers[[kernel.DEPTH, kernel.BEGINNING]] = depth
        current.board[here], current.place[here] = board, np.argsort(board, kind="stable")
        current.state[depth], current.edge[depth] = state, self.automaton.offset[state]
        if any(self.moves.counts_odd):
            current.odd[depth] = permutation_parity(tuple(board), self.moves.identity)
        return ProofPosition(path, current)

    def search(self, position: ProofPosition, boards: int, longest: int) -> int:
        limits = np.array([self.proof.bound, longest, boards], np.int64)
        return kernel.search_operators(
            self.automaton, self._rules, self._lookups, position.state, limits
        )


def tree_of(problem: Problem, proof: SearchProof, is_unwanted: Unwanted = never) -> ProofTree:
    """Return the tree of a proof; raise `ProofError` if the proof does not fit the problem."""
    moves = moves_of(problem)
    if isinstance(moves, WalkMoves):
        return WalkTree(moves, proof, is_unwanted)
    assert isinstance(moves, OperatorMoves)
    return OperatorProofTree(moves, proof, is_unwanted)
