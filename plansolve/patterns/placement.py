"""Pattern databases for any puzzle, and their lookups.

`placement_build` says what a table holds. One table serves many lookups: a symmetry of the rules
turns a board into one of the same distance, whose pieces of the pattern are others of the board
itself. The largest of the lookups is a lower bound, or the largest of sums of lookups where no move
counts in two of them (`placement_independence`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.placement_build import (
    Pattern,
    build_table,
    classes_of,
    placement_shape,
    table_length,
)
from plansolve.patterns.placement_kernel import (
    PlacementScratch,
    PlacementTables,
    look_up_all,
)
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.patterns.table import NO_WAY, Table
from plansolve.storage.store import Store, StoreKey, Tell

_KIND, _VERSION = "placement", 2
_SMALL = 1 << 24
"""Smaller tables are built before a line about them is read."""


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
        """Arrays for the kernels of a thread of its own."""
        return PlacementScratch(
            used=np.zeros(len(self.tables.slot), np.uint64),
            where=np.zeros(self.cells, np.uint8),
        )

    def where(self, board: State) -> NDArray[np.uint8]:
        """The cell of the piece in each slot (uint8)."""
        return self._looked_up(board)[0]

    def values(self, board: State) -> list[int]:
        """The lower bound that each lookup gives for a board; `NO_WAY` where there is no plan."""
        return [int(value) for value in self._looked_up(board)[1]]

    def _looked_up(self, board: State) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        scratch, values = self.new_scratch(), np.empty(self.count, np.uint8)
        look_up_all(np.array(board, np.uint16), self.tables, scratch, values)
        return scratch.where, values

    def sums(self, board: State) -> list[int]:
        """Each sum; `UNREACHABLE` where one of its lookups tells that there is no plan."""
        values = self.values(board)
        return [
            UNREACHABLE if NO_WAY in (own := values[begin:end]) else sum(own)
            for begin, end in pairwise(self.first.tolist())
        ]

    def value(self, board: State) -> int:
        """The largest of the sums; `UNREACHABLE` where a lookup tells that there is no plan."""
        return max(self.sums(board))


def placement_lookups(
    puzzle: Puzzle,
    rules: PlacementRules,
    patterns: Sequence[Pattern],
    symmetries: Sequence[CellMap],
    *,
    store: Store,
    tell: Tell,
    threads: int = 1,
) -> PlacementLookups:
    """The lookups in tables of some patterns, under the symmetries of the rules.

    Of symmetries that map a pattern to the same cells one is taken. There must be none but the
    identity where pieces are alike.
    """
    begins = accumulate((table_length(rules, pattern) for pattern in patterns), initial=0)
    looks, seen = list[_Look](), set[frozenset[int]]()
    for pattern, begin in zip(patterns, begins, strict=False):
        for symmetry in symmetries:
            looked_at = turned_back(puzzle, pattern, symmetry)
            if frozenset(looked_at) not in seen:
                seen.add(frozenset(looked_at))
                looks.append(_Look(looked_at, symmetry, pattern, begin))
    table = placement_table(rules, patterns, tell, threads).load(store, tell)
    return _assembled(puzzle, rules, looks, range(len(looks) + 1), table)


def sum_lookups(
    puzzle: Puzzle,
    rules: PlacementRules,
    sums: Sequence[Sequence[Pattern]],
    *,
    store: Store,
    tell: Tell,
    threads: int = 1,
) -> PlacementLookups:
    """The lookups in tables that count their own pieces' moves, which are added.

    Patterns of one sum must be unions of different `independent_kinds`.
    """
    patterns = [*dict.fromkeys(pattern for patterns in sums for pattern in patterns)]
    lengths = (table_length(rules, pattern) for pattern in patterns)
    begin = dict(zip(patterns, accumulate(lengths, initial=0), strict=False))
    same = tuple(range(puzzle.cells))
    looks = [
        _Look(pattern, same, pattern, begin[pattern]) for patterns in sums for pattern in patterns
    ]
    table = placement_table(rules, patterns, tell, threads, are_added=True).load(store, tell)
    return _assembled(puzzle, rules, looks, [*accumulate(map(len, sums), initial=0)], table)


class _Look(NamedTuple):
    """Kinds of a board that count as those of a pattern, whose table begins somewhere."""

    looked_at: Pattern
    symmetry: CellMap
    pattern: Pattern
    begin: int


def _assembled(
    puzzle: Puzzle,
    rules: PlacementRules,
    looks: Sequence[_Look],
    first: Sequence[int],
    table: NDArray[np.uint8],
) -> PlacementLookups:
    slots = [*accumulate(map(puzzle.pieces.count, range(puzzle.pieces[-1])), initial=0)]
    classes, pieces = [classes_of(rules, look.pattern) for look in looks], list[int]()
    for look, own in zip(looks, classes, strict=True):
        kinds = look.looked_at if rules.blank is None else (*look.looked_at, BLANK)
        for kind, one in zip(kinds, own, strict=True):
            pieces += range(slots[kind], slots[kind] + one.copies)
    tables = PlacementTables(
        placement_shape(rules.cells, *classes),
        np.array([*accumulate(map(len, classes), initial=0)], np.uint64),
        np.array(slots, np.uint64),
        np.array(pieces, np.uint8),
        np.array([cell for look in looks for cell in look.symmetry], np.uint8),
        np.array([look.begin for look in looks], np.uint64),
        table,
    )
    return PlacementLookups(rules.cells, tables, np.array(first, np.uint64))


def turned_back(puzzle: Puzzle, pattern: Pattern, symmetry: CellMap) -> Pattern:
    """The kinds that a symmetry of the rules takes to those of the pattern."""
    if symmetry == tuple(range(puzzle.cells)):
        return pattern
    return tuple(puzzle.goal[symmetry.index(puzzle.home[kind])] for kind in pattern)


def placement_key(
    rules: PlacementRules, patterns: Sequence[Pattern], *, are_added: bool = False
) -> StoreKey:
    """What tables depend on: the operators, and the goal cells of the patterns' pieces.

    Those that `are_added` count the moves of their own pieces only.
    """
    effects = zip(rules.destinations, rules.needs, strict=True)
    operators = [[-1 if need is None else need, *goes] for goes, need in effects]
    content = {
        "version": _VERSION,
        "cells": rules.cells,
        "operators": sorted(operators),
        "blank": rules.blank is not None,
        "open": list(rules.open),
        "patterns": [
            [[list(own.homes), own.copies] for own in classes_of(rules, pattern)]
            for pattern in patterns
        ],
    }
    if are_added:
        content["added"] = True
    placed = [sum(rules.classes[kind].copies for kind in pattern) for pattern in patterns]
    sizes = "/".join(map(str, placed))
    return StoreKey(_KIND, f"{rules.cells} cells, {sizes}", content)


def placement_table(
    rules: PlacementRules,
    patterns: Sequence[Pattern],
    tell: Tell,
    threads: int,
    *,
    are_added: bool = False,
) -> Table:
    """The tables of some patterns, one after the other."""
    lengths = [table_length(rules, pattern) for pattern in patterns]
    ends = [*accumulate(lengths)]

    def build() -> NDArray[np.uint8]:
        entries = np.empty(ends[-1], np.uint8)
        for number, (pattern, length, end) in enumerate(zip(patterns, lengths, ends, strict=True)):
            if length > _SMALL:
                tell(f"table {number + 1} of {len(patterns)}")
            entries[end - length : end] = build_table(rules, pattern, threads, are_added=are_added)
        return entries

    return Table(placement_key(rules, patterns, are_added=are_added), ends[-1], build)
