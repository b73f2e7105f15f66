"""Pattern databases for any puzzle, and their lookups.

`placement_build` says what a table holds. One table serves many lookups: a symmetry of the rules
turns a board into one of the same distance, whose pieces of the pattern are others of the board
itself. The largest of the lookups is a lower bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.model.puzzle import Puzzle, State
from plansolve.patterns.placement_build import (
    Pattern,
    build_table,
    classes_of,
    placement_shape,
    table_length,
)
from plansolve.patterns.placement_kernel import PlacementTables, look_up
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.patterns.sampling import placement_overstates, sound_table
from plansolve.storage.store import Store, StoreKey, Tell

__all__ = ["KIND", "PlacementLookups", "placement_key", "placement_lookups"]

KIND = "placement"
"""The kind of these tables in the store."""

_VERSION = 1
_KEPT = 1 << 20
"""Smaller tables are built anew in less time than a file takes."""
_SMALL = 1 << 24
"""Smaller tables are built before a line about them is read."""


@dataclass(frozen=True)
class PlacementLookups:
    """Lookups of boards with N cells, all of K pieces, in arrays for kernels.

    Piece k of lookup l is the tile piece[l * K + k], the blank included, and counts as standing in
    image[l * N + cell] where it stands in a cell. The placement has an entry in `table`, where the
    part of the lookup begins at base[l].
    """

    cells: int
    tables: PlacementTables

    @property
    def count(self) -> int:
        """The number of lookups."""
        return len(self.tables.base)

    @property
    def pieces(self) -> int:
        """The number of pieces of each, with the blank where it counts."""
        return len(self.tables.piece) // self.count

    def values(self, board: State) -> list[int]:
        """The lower bound that each lookup gives for a board; `NO_WAY` where there is no plan."""
        where = np.zeros(max(board) + 1, np.uint64)
        where[list(board)] = range(self.cells)
        cell, cells = np.empty(self.pieces, np.uint64), np.uint64(self.cells)
        return [look_up(np.uint64(n), cells, where, self.tables, cell) for n in range(self.count)]

    def value(self, board: State) -> int:
        """The largest of the lookups' lower bounds."""
        return max(self.values(board))


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
    """The lookups in tables of some patterns of one size, under the symmetries of the rules.

    Of symmetries that map a pattern to the same cells one is taken.
    """
    begins = accumulate((table_length(rules, pattern) for pattern in patterns), initial=0)
    pieces, images, bases = list[int](), list[int](), list[int]()
    seen: set[frozenset[int]] = set()
    for pattern, begin in zip(patterns, begins, strict=False):
        for symmetry in symmetries:
            # The symmetry takes these tiles to those of the pattern.
            homes = [symmetry.index(home) for (home,) in classes_of(rules, pattern)]
            if (looked_at := frozenset(homes)) in seen:
                continue
            seen.add(looked_at)
            pieces += [puzzle.goal[home] for home in homes]
            images += symmetry
            bases.append(begin)
    return PlacementLookups(
        rules.cells,
        PlacementTables(
            placement_shape(rules.cells, classes_of(rules, patterns[0])),
            np.array(pieces, np.uint64),
            np.array(images, np.uint64),
            np.array(bases, np.uint64),
            _tables(rules, patterns, store, tell, threads),
        ),
    )


def placement_key(rules: PlacementRules, patterns: Sequence[Pattern]) -> StoreKey:
    """What tables depend on: the operators, and the homes of the patterns' pieces."""
    effects = zip(rules.destinations, rules.needs, strict=True)
    content = {
        "version": _VERSION,
        "cells": rules.cells,
        "operators": sorted([-1 if need is None else need, *goes] for goes, need in effects),
        "blank": rules.home,
        "patterns": [list(pattern) for pattern in patterns],
    }
    sizes = "/".join(str(len(pattern)) for pattern in patterns)
    return StoreKey(KIND, f"{rules.cells} cells, {sizes}", content)


def _tables(
    rules: PlacementRules, patterns: Sequence[Pattern], store: Store, tell: Tell, threads: int
) -> NDArray[np.uint8]:
    """The tables of some patterns, one after the other."""
    lengths = [table_length(rules, pattern) for pattern in patterns]
    ends = list(accumulate(lengths))

    def build() -> NDArray[np.uint8]:
        entries = np.empty(ends[-1], np.uint8)
        for number, (pattern, length, end) in enumerate(zip(patterns, lengths, ends, strict=True)):
            if length > _SMALL:
                tell(f"table {number + 1} of {len(patterns)}")
            entries[end - length : end] = build_table(rules, pattern, threads)
        return entries

    def overstate(entries: NDArray[np.uint8]) -> bool:
        return any(
            placement_overstates(rules, classes_of(rules, pattern), entries[end - length : end])
            for pattern, length, end in zip(patterns, lengths, ends, strict=True)
        )

    if ends[-1] <= _KEPT:
        return build()
    key = placement_key(rules, patterns)
    return sound_table(store, key, ends[-1], build, tell, overstates=overstate)
