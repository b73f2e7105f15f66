"""Pattern databases for any puzzle: the distances of all placements of a few pieces, and lookups.

The gaps are among the pieces if operators need one somewhere, so that the table knows which of them
apply. Of a kind of which there are several pieces all are placed. An entry is the least number of
moves that bring the pattern's pieces home, whatever happens to the others: a lower bound for each
board. Moves may carry pieces of several patterns at once, so the values of different tables are not
added (Culberson and Schaeffer 1998), unless they count the moves of their own pieces only.

One table serves many lookups: a symmetry of the rules turns a board into one of the same distance,
whose pieces of the pattern are others of the board itself. The largest of the lookups is a lower
bound, or the largest of sums of lookups if no move counts in two of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns import placement_kernel as kernel
from plansolve.patterns.rules import PieceClass, PlacementRules
from plansolve.patterns.table import LARGEST, NO_WAY, Pattern, Table, in_parts
from plansolve.storage.store import Bytes, Store, StoreKey, Tell

FARTHEST = 251
"""The entry for this distance or any larger one, in a table of own moves."""

_SMALL = 1 << 24
"""Smaller tables are built so fast that no line announces them."""

_REACHED = 252
"""Entries that are reached, but not settled: this one at even levels, the next at odd levels."""

# For each entry and operator that applies, measured with six tiles and a blank on 4x4 boards.
_SECONDS_A_MOVE = 1e-8


def classes_of(rules: PlacementRules, pattern: Pattern) -> list[PieceClass]:
    """Return the classes of the pattern's pieces, those of the gaps last if they count."""
    own = [rules.classes[kind] for kind in pattern]
    return own if rules.blank is None else [*own, rules.blank]


def table_length(rules: PlacementRules, pattern: Pattern) -> int:
    """Return the size of a pattern's table in bytes."""
    return prod(_ways(rules.cells, classes_of(rules, pattern)))


def placement_table(
    rules: PlacementRules,
    patterns: Sequence[Pattern],
    tell: Tell | None = None,
    threads: int = 1,
    *,
    are_added: bool = False,
) -> Table:
    """Return the tables of some patterns, one after the other.

    Those that `are_added` count the moves of their own pieces only.
    """
    effects = zip(rules.destinations, rules.needs, strict=True)
    every = [classes_of(rules, pattern) for pattern in patterns]
    content = {
        "version": 2,
        "cells": rules.cells,
        "operators": sorted([-1 if need is None else need, *goes] for goes, need in effects),
        "blank": rules.blank is not None,
        "open": list(rules.open),
        "patterns": [[[list(one.homes), one.copies] for one in classes] for classes in every],
    }
    if are_added:
        content["added"] = True
    sizes = "/".join(str(sum(rules.classes[kind].copies for kind in own)) for own in patterns)
    lengths = [prod(_ways(rules.cells, classes)) for classes in every]

    def build() -> Bytes:
        entries, end = np.empty(sum(lengths), np.uint8), 0
        for number, (pattern, length) in enumerate(zip(patterns, lengths, strict=True), start=1):
            if tell and length > _SMALL:
                tell(f"table {number} of {len(patterns)}")
            begin, end = end, end + length
            entries[begin:end] = build_table(rules, pattern, threads, are_added=are_added)
        return entries

    return Table(
        StoreKey("placement", f"{rules.cells} cells, {sizes}", content), sum(lengths), build
    )


def build_seconds(rules: PlacementRules, patterns: Sequence[Pattern], threads: int) -> float:
    """Return a rough estimate for building the tables of some patterns, one after the other."""
    entries = sum(table_length(rules, pattern) for pattern in patterns)
    share = 1.0 if rules.blank is None else rules.blank.copies / rules.cells
    return _SECONDS_A_MOVE * entries * len(rules.destinations) * share / threads


def placement_shape(cells: int, *patterns: Sequence[PieceClass]) -> kernel.PlacementShape:
    """Return how placements of the pieces of some patterns are numbered."""
    sizes = [own.copies for classes in patterns for own in classes]
    width = max(sizes) + 1
    return kernel.PlacementShape(
        np.array([*accumulate(sizes, initial=0)], np.uint64),
        np.array([ways for classes in patterns for ways in _ways(cells, classes)], np.uint64),
        np.array([comb(r, k) for r in range(cells + 1) for k in range(width)], np.uint64),
        np.uint64(width),
    )


def _goal_numbers(rules: PlacementRules, classes: Sequence[PieceClass]) -> NDArray[np.uint64]:
    """Return the numbers of all placements that a goal has."""
    placed = [list[int]()]
    for homes, copies in classes:
        placed = [
            [*cells, *sorted((*homes, *more))]
            for cells in placed
            for more in combinations({*rules.open}.difference(cells), copies - len(homes))
        ]
    numbers = np.empty(len(placed), np.uint64)
    kernel.numbers_of(np.array(placed, np.uint64), placement_shape(rules.cells, classes), numbers)
    return numbers


def build_table(
    rules: PlacementRules, pattern: Pattern, threads: int = 1, *, are_added: bool = False
) -> NDArray[np.uint8]:
    """Return the distances of all placements of a pattern, by breadth-first search from the goal.

    Indexed by the number of the placement of `classes_of`; see `placement_kernel`. If tables
    `are_added` only moves of the pattern's own pieces count, up to `FARTHEST`: such tables of
    patterns that are unions of different `independent_kinds` may be added.
    """
    classes = classes_of(rules, pattern)
    shape, moves = placement_shape(rules.cells, classes), _backward_moves(rules)
    pieces, gaps = sum(own.copies for own in classes), rules.blank.copies if rules.blank else 0
    table = np.full(table_length(rules, pattern), NO_WAY, np.uint8)
    table[_goal_numbers(rules, classes)] = _REACHED if are_added and rules.destinations else 0
    if not rules.destinations:
        return table
    farthest, own = (FARTHEST, pieces - gaps) if are_added else (LARGEST, pieces)
    with in_parts(table.size, threads) as settled:
        for level in range(farthest if are_added else farthest + 1):
            here, following = level, level + 1
            if are_added:
                here, following = (_REACHED + number % 2 for number in (here, following))
            marks = kernel.LevelMarks(np.uint8(here), np.uint8(level), np.uint8(following))
            if not settled(kernel.settle, own, marks, moves, shape, table):
                return table
            # The last entries may have reached others at no cost: stacks are small.
            while are_added and settled(kernel.settle, own, marks, moves, shape, table):
                pass
    # The others are farther than a byte can say, or have no way to the goal.
    table[table > farthest] = farthest
    return table


def _ways(cells: int, classes: Sequence[PieceClass]) -> list[int]:
    sizes = [own.copies for own in classes]
    before = accumulate(sizes, initial=0)
    return [comb(cells - taken, size) for taken, size in zip(before, sizes, strict=False)]


def _backward_moves(rules: PlacementRules) -> kernel.BackwardMoves:
    """Return the operators by the cell in which they leave a gap."""
    groups: list[list[tuple[int, ...]]]
    if rules.blank is None:
        groups = [list(rules.destinations)]
    else:
        groups = [[] for _ in range(rules.cells)]
        for goes, blank in zip(rules.destinations, rules.needs, strict=True):
            # An operator that needs no gap leaves one anywhere.
            for cell in range(rules.cells) if blank is None else (blank,):
                groups[goes[cell]].append(goes)
    origins = [np.argsort(goes) for group in groups for goes in group]
    return kernel.BackwardMoves(
        np.array([*accumulate(map(len, groups), initial=0)], np.uint64),
        np.array(origins, np.uint8).reshape(-1),
        np.arange(rules.cells, dtype=np.uint8),
    )


@dataclass(frozen=True)
class PlacementLookups:
    """Lookups of boards with so many cells, in arrays for kernels.

    The lookups first[s] .. first[s + 1] - 1 (uint64) are added.
    """

    cells: int
    tables: kernel.PlacementTables
    first: NDArray[np.uint64]

    @property
    def count(self) -> int:
        return len(self.tables.base)

    def new_scratch(self) -> kernel.PlacementScratch:
        """Return arrays for the kernels of one thread."""
        return kernel.PlacementScratch(
            used=np.zeros(len(self.tables.slot), np.uint64), where=np.zeros(self.cells, np.uint8)
        )

    def where(self, board: State) -> NDArray[np.uint8]:
        """Return the cell of the piece in each slot (uint8)."""
        return self._looked_up(board)[0]

    def values(self, board: State) -> list[int]:
        """Return the lower bound of each lookup for a board; `NO_WAY` if there is no plan."""
        return [int(value) for value in self._looked_up(board)[1]]

    def _looked_up(self, board: State) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        scratch, values = self.new_scratch(), np.empty(self.count, np.uint8)
        kernel.look_up_all(np.array(board, np.uint16), self.tables, scratch, values)
        return scratch.where, values

    def sums(self, board: State) -> list[int]:
        """Return each sum; `UNREACHABLE` if one of its lookups shows that there is no plan."""
        values = self.values(board)
        return [
            UNREACHABLE if NO_WAY in (own := values[begin:end]) else sum(own)
            for begin, end in pairwise(self.first.tolist())
        ]

    def value(self, board: State) -> int:
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

    If they `are_added` tables count their own pieces' moves only, and the patterns of one sum must
    be unions of different `independent_kinds`; else there is one in each sum. Of symmetries that
    map them to the same cells one is taken. If pieces are alike, there must be no symmetries.
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
    tables = kernel.PlacementTables(
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
