"""Build pattern databases for any puzzle: the distances of all placements of a few pieces.

The gaps are among the pieces where operators need one somewhere, so that the table knows which of
them apply. Of a kind of which there are several pieces all are placed. An entry is the least number
of moves that bring the pattern's pieces home, whatever happens to the others: a lower bound for
each board. Moves may carry pieces of several patterns at once, so the values of different tables
are not added (Culberson and Schaeffer 1998), unless they count the moves of their own pieces only.
"""

from collections.abc import Sequence
from itertools import accumulate, combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.placement_kernel import (
    BackwardMoves,
    LevelMarks,
    PlacementShape,
    numbers_of,
    settle,
)
from plansolve.patterns.placement_rules import PieceClass, PlacementRules
from plansolve.patterns.table import LARGEST, NO_WAY, Pattern, Table, in_parts
from plansolve.storage.store import Bytes, StoreKey, Tell

FARTHEST = 251
"""Stands in a table of own moves for this distance or any larger one."""

_SMALL = 1 << 24
"""Smaller tables are built before a line about them is read."""

_REACHED = 252
"""Such entries and the next number are reached at an even or an odd level, and not settled."""

# For each entry and operator that applies, measured with six tiles and a blank on 4x4 boards.
_SECONDS_A_MOVE = 1e-8


def classes_of(rules: PlacementRules, pattern: Pattern) -> list[PieceClass]:
    """Return the classes of the pattern's pieces, those of the gaps last where they count."""
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


def placement_shape(cells: int, *patterns: Sequence[PieceClass]) -> PlacementShape:
    """Return how placements of the pieces of some patterns are numbered."""
    sizes = [own.copies for classes in patterns for own in classes]
    width = max(sizes) + 1
    return PlacementShape(
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
    numbers_of(np.array(placed, np.uint64), placement_shape(rules.cells, classes), numbers)
    return numbers


def build_table(
    rules: PlacementRules, pattern: Pattern, threads: int = 1, *, are_added: bool = False
) -> NDArray[np.uint8]:
    """Return the distances of all placements of a pattern, by breadth-first search from the goal.

    Indexed by the number of the placement of `classes_of`; see `placement_kernel`. Where tables
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
            marks = LevelMarks(np.uint8(here), np.uint8(level), np.uint8(following))
            if not settled(settle, own, marks, moves, shape, table):
                return table
            # Some may be left that the last ones reached at no cost: stacks are small.
            while are_added and settled(settle, own, marks, moves, shape, table):
                pass
    # What is left is farther away than a table can tell, or has no way.
    table[table > farthest] = farthest
    return table


def _ways(cells: int, classes: Sequence[PieceClass]) -> list[int]:
    sizes = [own.copies for own in classes]
    before = accumulate(sizes, initial=0)
    return [comb(cells - taken, size) for taken, size in zip(before, sizes, strict=False)]


def _backward_moves(rules: PlacementRules) -> BackwardMoves:
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
    return BackwardMoves(
        np.array([*accumulate(map(len, groups), initial=0)], np.uint64),
        np.array(origins, np.uint8).reshape(-1),
        np.arange(rules.cells, dtype=np.uint8),
    )
