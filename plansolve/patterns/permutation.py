"""Pattern databases for puzzles whose moves permute the cells, and their lookups.

`permutation_build` says what a table holds. One table serves many *lookups*. A symmetry of the
rules turns a board into one of the same distance, whose tiles of the pattern are others of the
board itself. Where every move can be taken back, so does exchanging the roles of
tiles and cells: a board and its inverse are equally far from the goal (the dual lookup of Felner,
Zahavi, Schaeffer, Holte 2005). The maximum over the lookups is admissible. A primal lookup (one
without that exchange) changes by at most one with a move and back, a dual lookup may jump.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.errors import InternalError
from plansolve.model.structure import permutation_parity
from plansolve.patterns.permutation_build import Pattern, build_table, table_length
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.table import Table
from plansolve.storage.store import Store, StoreKey, Tell

LOOKUP_BLOCK = 16
"""The number of lookups is padded to a multiple of this: kernels take them in blocks."""

_KIND, _VERSION = "permutation", 1


@dataclass(frozen=True)
class PermutationLookups:
    """Many lookups of a board, in arrays for kernels.

    The table index of lookup l is base[l], plus parity[l] where the arrangement is an odd
    permutation, plus the sum of contribution[(tile * cells + cell) * width + l] over the tiles in
    their cells; so a move changes it by the contributions of the tiles that it moves. The first
    `count` of the `width` columns are lookups, and of these the first `primal` are primal; the
    rest is padding whose index is 0.
    """

    cells: int
    count: int
    primal: int
    width: int
    table: NDArray[np.uint8]
    contribution: NDArray[np.int32]
    base: NDArray[np.int32]
    parity: NDArray[np.int32]

    def indices(self, arrangement: Sequence[int]) -> NDArray[np.int32]:
        """The table index of each column."""
        columns = self.contribution.reshape(self.cells, self.cells, self.width)
        total = self.base + columns[list(arrangement), range(self.cells)].sum(0, dtype=np.int32)
        result: NDArray[np.int32] = total + self.parity if _is_odd(arrangement) else total
        return result

    def values(self, arrangement: Sequence[int]) -> NDArray[np.uint8]:
        """The lower bound that each lookup gives."""
        result: NDArray[np.uint8] = self.table[self.indices(arrangement)[: self.count]]
        return result

    def value(self, arrangement: Sequence[int]) -> int:
        """The largest of the lookups' lower bounds."""
        return int(self.values(arrangement).max(initial=0))


def permutation_lookups(
    rules: PermutationRules,
    patterns: Sequence[Pattern],
    symmetries: Sequence[CellMap],
    *,
    store: Store,
    tell: Tell,
    parity: bool = True,
    most: int | None = None,
    threads: int = 1,
) -> PermutationLookups:
    """The lookups in tables of some patterns under the symmetries of the rules.

    Lookups that would give equal values are left out: those of symmetries that map a pattern to the
    same set of cells, and those of a pattern that is an image of an earlier one. With `parity`
    the tables have a parity bit where permutations differ in parity. At most `most` lookups are
    taken, such that they look at each tile about equally often.
    """
    dual = rules.is_inverse_closed
    used, images = lookup_images(rules, patterns, symmetries, most)
    tables = [
        permutation_table(rules, pattern, parity, threads).load(store, tell) for pattern in used
    ]
    begins = np.concatenate([[0], np.cumsum([table.size for table in tables])])
    if begins[-1] > np.iinfo(np.int32).max:
        raise InternalError("the permutation pattern databases are too large for 32-bit indices")

    cells, primal = rules.cells, len(images)
    count = 2 * primal if dual else primal
    width = -(-count // LOOKUP_BLOCK) * LOOKUP_BLOCK
    contribution = np.zeros((cells, cells, width), np.int32)
    base, odd = np.zeros(width, np.int32), np.zeros(width, np.int32)
    for lookup, (number, symmetry) in enumerate(images):
        pattern, image, begin = used[number], np.array(symmetry), begins[number]
        for place, home in enumerate(pattern):
            cell = symmetry.index(home)
            stride = cells ** (len(pattern) - 1 - place)
            contribution[cell, :, lookup] = stride * image
            if dual:
                contribution[:, cell, primal + lookup] = stride * image
        for column in (lookup, primal + lookup) if dual else (lookup,):
            base[column] = begin
            if parity and rules.differ_in_parity:
                odd[column] = cells ** len(pattern)
    table = tables[0] if len(tables) == 1 else np.concatenate(tables)
    return PermutationLookups(
        cells, count, primal, width, table, contribution.reshape(-1), base, odd
    )


def lookup_images(
    rules: PermutationRules,
    patterns: Sequence[Pattern],
    symmetries: Sequence[CellMap],
    most: int | None = None,
) -> tuple[list[Pattern], list[tuple[int, CellMap]]]:
    """The patterns that are looked up, and each lookup of a board: (the pattern's number, a map).

    It looks up the tiles that the symmetry takes to those of the pattern. Where moves can be taken
    back each of them is made of the inverse board too. `most` and what is left out are those of
    `permutation_lookups`.
    """
    kept, images = _images(patterns, symmetries)
    if most is not None:
        images = _spread(images, kept, max(1, most // 2 if rules.is_inverse_closed else most))
    used = sorted({number for number, _ in images})
    return [kept[number] for number in used], [(used.index(n), image) for n, image in images]


def table_key(rules: PermutationRules, pattern: Pattern, parity: bool) -> StoreKey:
    """What a table depends on: the permutations, the pattern, and whether it has a parity bit."""
    content = {
        "version": _VERSION,
        "cells": rules.cells,
        "sources": sorted(map(list, rules.sources)),
        "pattern": list(pattern),
        "parity": parity and rules.differ_in_parity,
    }
    cells = " ".join(str(home + 1) for home in pattern)
    return StoreKey(_KIND, f"{rules.cells} cells, tiles {cells}", content)


def permutation_table(
    rules: PermutationRules, pattern: Pattern, parity: bool, threads: int = 1
) -> Table:
    """The table of a pattern, with a parity bit where wanted and permutations differ in parity."""
    return Table(
        table_key(rules, pattern, parity),
        table_length(rules, pattern, parity),
        lambda: build_table(rules, pattern, parity, threads),
    )


def _images(
    patterns: Sequence[Pattern], symmetries: Sequence[CellMap]
) -> tuple[list[Pattern], list[tuple[int, CellMap]]]:
    """The patterns that are no images of earlier ones, and the lookups: (its number, a symmetry).

    A lookup's tiles are those that the symmetry takes to the tiles of the pattern.
    """
    kept: list[Pattern] = []
    images: dict[frozenset[int], tuple[int, CellMap]] = {}
    for pattern in patterns:
        if frozenset(pattern) in images:
            continue
        for symmetry in symmetries:
            tiles = frozenset(map(symmetry.index, pattern))
            images.setdefault(tiles, (len(kept), symmetry))
        kept.append(pattern)
    return kept, list(images.values())


def _spread(
    images: list[tuple[int, CellMap]], kept: list[Pattern], most: int
) -> list[tuple[int, CellMap]]:
    """At most `most` of the lookups, each next one with tiles that the earlier ones have least."""
    if len(images) <= most:
        return images
    tiles = [list(map(symmetry.index, kept[number])) for number, symmetry in images]
    uses = [0] * len(images[0][1])
    left, chosen = list(range(len(images))), []
    for _ in range(most):
        best = min(left, key=lambda lookup: sum(uses[tile] for tile in tiles[lookup]))
        left.remove(best)
        chosen.append(images[best])
        for tile in tiles[best]:
            uses[tile] += 1
    return chosen


def _is_odd(arrangement: Sequence[int]) -> bool:
    return permutation_parity(tuple(arrangement), tuple(range(len(arrangement)))) == 1
