"""Pattern databases for any puzzle, and their lookups.

`placement_build` says what a table holds. One table serves many lookups: a symmetry of the rules
turns a board into one of the same distance, whose pieces of the pattern are others of the board
itself. The largest of the lookups is a lower bound, or the largest of sums of lookups where no move
counts in two of them (`placement_independence`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.model.structure import UNREACHABLE
from plansolve.patterns.placement_alternation import alternating_classes, changes_classes
from plansolve.patterns.placement_build import (
    NO_WAY,
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
from plansolve.patterns.placement_sum_build import build_sum_table
from plansolve.patterns.placement_turn_build import build_turn_table
from plansolve.patterns.placement_turn_kernel import DEARER, MOVES
from plansolve.patterns.sampling import placement_overstates, sound_table
from plansolve.storage.store import Store, StoreKey, Tell

__all__ = [
    "KIND",
    "PlacementLookups",
    "placement_key",
    "placement_lookups",
    "sum_lookups",
    "turned_back",
]

KIND = "placement"
"""The kind of these tables in the store."""

_EVERY_BIT = 0xFF
_VERSION = 2
_KEPT = 1 << 20
"""Smaller tables are built anew in less time than a file takes."""
_SMALL = 1 << 24
"""Smaller tables are built before a line about them is read."""


@dataclass(frozen=True)
class PlacementLookups:
    """Lookups of boards with so many cells, in arrays for kernels.

    The lookups first[s] .. first[s + 1] - 1 (uint64) are added. `turns` has the class of each
    operator of the rules where the tables tell of `alternating_classes`.
    """

    cells: int
    tables: PlacementTables
    first: NDArray[np.uint64]
    turns: tuple[int, ...] | None = None

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
    table, turns = _tables(rules, patterns, store, tell, threads), alternating_classes(rules)
    return _assembled(puzzle, rules, looks, range(len(looks) + 1), table, turns)


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
    table = _tables(rules, patterns, store, tell, threads, are_added=True)
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
    turns: tuple[int, ...] | None = None,
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
        np.uint8(_EVERY_BIT if turns is None else MOVES),
        np.array([_turned(rules, turns, look.symmetry) for look in looks], np.uint8),
    )
    return PlacementLookups(rules.cells, tables, np.array(first, np.uint64), turns)


def _turned(rules: PlacementRules, turns: Sequence[int] | None, symmetry: CellMap) -> int:
    """What changes the bits of classes of moves into those that they have in a lookup."""
    return sum(DEARER) if turns is not None and changes_classes(rules, turns, symmetry) else 0


def turned_back(puzzle: Puzzle, pattern: Pattern, symmetry: CellMap) -> Pattern:
    """The kinds that a symmetry of the rules takes to those of the pattern."""
    if symmetry == tuple(range(puzzle.cells)):
        return pattern
    return tuple(puzzle.goal[symmetry.index(puzzle.home[kind])] for kind in pattern)


def placement_key(
    rules: PlacementRules, patterns: Sequence[Pattern], *, are_added: bool = False
) -> StoreKey:
    """What tables depend on: the operators, and the goal cells of the patterns' pieces.

    Those that `are_added` count the moves of their own pieces only. Others tell of the classes of
    moves that take turns, if there are such.
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
    elif (turns := alternating_classes(rules)) is not None:
        content["turns"] = [turn for _, turn in sorted(zip(operators, turns, strict=True))]
    placed = [sum(rules.classes[kind].copies for kind in pattern) for pattern in patterns]
    sizes = "/".join(map(str, placed))
    return StoreKey(KIND, f"{rules.cells} cells, {sizes}", content)


def _tables(
    rules: PlacementRules,
    patterns: Sequence[Pattern],
    store: Store,
    tell: Tell,
    threads: int,
    *,
    are_added: bool = False,
) -> NDArray[np.uint8]:
    """The tables of some patterns, one after the other."""
    lengths = [table_length(rules, pattern) for pattern in patterns]
    ends, turns = list(accumulate(lengths)), None if are_added else alternating_classes(rules)
    built = build_sum_table if are_added else build_table
    if turns is not None:
        built = partial(build_turn_table, turns=turns)

    def build() -> NDArray[np.uint8]:
        entries = np.empty(ends[-1], np.uint8)
        for number, (pattern, length, end) in enumerate(zip(patterns, lengths, ends, strict=True)):
            if length > _SMALL:
                tell(f"table {number + 1} of {len(patterns)}")
            entries[end - length : end] = built(rules, pattern, threads=threads)
        return entries

    def overstate(entries: NDArray[np.uint8]) -> bool:
        return any(
            placement_overstates(
                rules,
                classes_of(rules, pattern),
                entries[end - length : end],
                are_added=are_added,
                turns=turns,
            )
            for pattern, length, end in zip(patterns, lengths, ends, strict=True)
        )

    if ends[-1] <= _KEPT:
        return build()
    key = placement_key(rules, patterns, are_added=are_added)
    return sound_table(store, key, ends[-1], build, tell, overstates=overstate)
