"""The walks of the blank from the start of a problem, bounded by additive pattern tables."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.pattern_tables import blank_table, cells_type
from plansolve.certcheck.search import search_kernel as kernel
from plansolve.certcheck.search.moves import Path, WalkMoves
from plansolve.certcheck.search.proof import PatternLookup, SearchProof
from plansolve.certcheck.search.tree import ProofPosition, ProofTree
from plansolve.certcheck.threads import Unwanted, never
from plansolve.errors import ProofError
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import reverse


class WalkTables:
    """Tables of the moves of a pattern's own tiles.

    A move moves one tile, so that the moves of patterns without a common tile add up. Raise
    `ProofError` for a map that is no symmetry and a set that is no lower bound.
    """

    def __init__(self, moves: WalkMoves, proof: SearchProof) -> None:
        self.moves, self.proof, self.problem = moves, proof, moves.problem
        # Three sets of cells, two numbers in queues, and the moves.
        self.bytes = 3 * cells_type(moves.cells)().nbytes + 9
        arcs, home = moves.arcs, self.problem.home
        for number, image in enumerate(proof.symmetries):
            if any({image[d] for d in row} != {*arcs[image[b]]} for b, row in enumerate(arcs)):
                raise ProofError(f"symmetries: entry {number} does not keep the rules")
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
        """Return the entries of a table, for the blank's home in all lookups that use it."""
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
        # A tile that no pattern of its set has belongs to one whose only entry is 0.
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
