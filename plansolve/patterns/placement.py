"""Lookups in the tables of any puzzle; `placement_build` says what a table holds.

One table serves many lookups: a symmetry of the rules turns a board into one of the same distance,
whose pieces of the pattern are others of the board itself. The largest of the lookups is a lower
bound, or the largest of sums of lookups where no move counts in two of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.placement_build import (
    classes_of,
    placement_shape,
    placement_table,
    table_length,
)
from plansolve.patterns.placement_kernel import PlacementScratch, PlacementTables, look_up_all
from plansolve.patterns.placement_rules import PieceClass, PlacementRules
from plansolve.patterns.table import NO_WAY, Pattern
from plansolve.storage.store import Store, Tell


@dataclass(frozen=True)
class PlacementLookups:
    """Lookups of boards with so many cells, in arrays for kernels.

    The lookups first[s] .. first[s + 1] - 1 (uint64) are added.
    """

    cells: int
    tables: PlacementTables
    first: NDArray[np.uint64]

    @property
    def count(self) -> int:
        """The number of lookups."""
        return len(self.tables.base)

    def new_scratch(self) -> PlacementScratch:
        """Return arrays for the kernels of a thread of its own."""
        return PlacementScratch(
            used=np.zeros(len(self.tables.slot), np.uint64),
            where=np.zeros(self.cells, np.uint8),
        )

    def where(self, board: State) -> NDArray[np.uint8]:
        """Return the cell of the piece in each slot (uint8)."""
        return self._looked_up(board)[0]

    def values(self, board: State) -> list[int]:
        """Return the lower bound of each lookup for a board; `NO_WAY` where there is no plan."""
        return [int(value) for value in self._looked_up(board)[1]]

    def _looked_up(self, board: State) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        scratch, values = self.new_scratch(), np.empty(self.count, np.uint8)
        look_up_all(np.array(board, np.uint16), self.tables, scratch, values)
        return scratch.where, values

    def sums(self, board: State) -> list[int]:
        """Return each sum; `UNREACHABLE` where one of its lookups tells that there is no plan."""
        values = self.values(board)
        return [
            UNREACHABLE if NO_WAY in (own := values[begin:end]) else sum(own)
            for begin, end in pairwise(self.first.tolist())
        ]

    def value(self, board: State) -> int:
        """Return the largest of the sums."""
        return max(self.sums(board))


def placement_lookups(
    puzzle: Puzzle,
    rules: PlacementRules,
    sums: Sequence[Sequence[Pattern]],
    symmetries: Sequence[CellMap] = (),
    *,
    store: Store,
    tell: Tell,
    threads: int = 1,
    are_added: bool = False,
) -> PlacementLookups:
    """Return the lookups in tables of some patterns, as they are and under symmetries of the rules.

    Where they `are_added` tables count their own pieces' moves only, and the patterns of one sum
    must be unions of different `independent_kinds`; else there is one in each sum. Of symmetries
    that map them to the same cells one is taken. There must be none where pieces are alike.
    """
    patterns = [*dict.fromkeys(pattern for own in sums for pattern in own)]
    lengths = (table_length(rules, pattern) for pattern in patterns)
    begin = dict(zip(patterns, accumulate(lengths, initial=0), strict=False))
    slots = [*accumulate(map(puzzle.pieces.count, range(puzzle.pieces[-1])), initial=0)]
    seen, first, classes = set[frozenset[Pattern]](), [0], list[list[PieceClass]]()
    pieces, images, base = list[int](), list[int](), list[int]()
    for own in sums:
        for image in symmetries or [tuple(range(puzzle.cells))]:
            looked_at = [turned_back(puzzle, pattern, image) for pattern in own]
            if (key := frozenset(tuple(sorted(kinds)) for kinds in looked_at)) in seen:
                continue
            seen.add(key)
            for pattern, kinds in zip(own, looked_at, strict=True):
                classes.append(classes_of(rules, pattern))
                for kind, one in zip((*kinds, BLANK), classes[-1], strict=False):
                    pieces += range(slots[kind], slots[kind] + one.copies)
                images += image
                base.append(begin[pattern])
            first.append(len(base))
    table = placement_table(rules, patterns, tell, threads, are_added=are_added).load(store, tell)
    tables = PlacementTables(
        placement_shape(rules.cells, *classes),
        np.array([*accumulate(map(len, classes), initial=0)], np.uint64),
        np.array(slots, np.uint64),
        np.array(pieces, np.uint8),
        np.array(images, np.uint8),
        np.array(base, np.uint64),
        table,
    )
    return PlacementLookups(rules.cells, tables, np.array(first, np.uint64))


def turned_back(puzzle: Puzzle, pattern: Pattern, symmetry: CellMap) -> Pattern:
    """Return the kinds that a symmetry of the rules takes to those of the pattern."""
    if symmetry == tuple(range(puzzle.cells)):
        return pattern
    return tuple(puzzle.goal[symmetry.index(puzzle.home[kind])] for kind in pattern)
