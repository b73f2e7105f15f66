"""Lookups in the tables of puzzles whose moves permute the cells; see `permutation_build`.

One table serves many *lookups*. A symmetry of the rules turns a board into one of the same
distance, and where every move can be taken back, so does exchanging the roles of tiles and cells
(the dual lookup of Felner, Zahavi, Schaeffer, Holte 2005). The maximum over the lookups is
admissible. A primal lookup (without that exchange) changes by at most one with a move and back, a
dual lookup may jump.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.errors import InternalError
from plansolve.model.structure import permutation_parity
from plansolve.patterns.permutation_build import (
    REACH_CELLS,
    REACH_SETS,
    permutation_table,
    reach_table,
)
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.table import Pattern
from plansolve.storage.store import Store, Tell

LOOKUP_BLOCK, REACH_BLOCK = 16, 8
"""The numbers of lookups are padded to multiples of these: kernels take them in blocks."""


@dataclass(frozen=True)
class _Lookups:
    """Many lookups of a board, in arrays for kernels.

    The index of lookup l is the sum of contribution[(tile * cells + cell) * width + l] over the
    tiles in their cells; so a move changes it by the contributions of the tiles that it moves. The
    first `count` of the `width` columns are lookups; the rest is padding whose index is 0.
    """

    cells: int
    count: int
    width: int
    contribution: NDArray[Any]

    def indices(self, arrangement: Sequence[int]) -> NDArray[Any]:
        """Return the index of each column."""
        columns = self.contribution.reshape(self.cells, self.cells, self.width)
        own = columns[list(arrangement), range(self.cells)]
        total: NDArray[Any] = own.sum(0, dtype=self.contribution.dtype)
        return total


@dataclass(frozen=True)
class PermutationLookups(_Lookups):
    """Lookups in tables of bytes; `contribution` (int32) is that of `_Lookups`.

    To the index of lookup l base[l] is added, and parity[l] where the arrangement is an odd
    permutation. The first `primal` columns are the primal lookups.
    """

    primal: int
    table: NDArray[np.uint8]
    base: NDArray[np.int32]
    parity: NDArray[np.int32]

    def indices(self, arrangement: Sequence[int]) -> NDArray[np.int32]:
        """Return the table index of each column."""
        is_odd = permutation_parity(tuple(arrangement), tuple(range(self.cells))) == 1
        return super().indices(arrangement) + self.base + is_odd * self.parity

    def values(self, arrangement: Sequence[int]) -> NDArray[np.uint8]:
        """Return the lower bound that each lookup gives."""
        result: NDArray[np.uint8] = self.table[self.indices(arrangement)[: self.count]]
        return result

    def value(self, arrangement: Sequence[int]) -> int:
        """Return the largest of the lookups' lower bounds."""
        return int(self.values(arrangement).max(initial=0))


@dataclass(frozen=True)
class ReachLookups(_Lookups):
    """Lookups in reach sets; `contribution` (uint64) is that of `_Lookups`.

    Bit index % 32 of words[r % REACH_SETS * length + index // 32] is 1 where the goal can be within
    r moves, for r from lowest to highest.
    """

    lowest: int
    highest: int
    length: int
    words: NDArray[np.uint32]


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
    """Return the lookups in tables of some patterns under the symmetries of the rules.

    With `parity` the tables have a parity bit where permutations differ in parity. Those that
    `lookup_images` leaves out would give equal values, or are more than `most`.
    """
    used, images = lookup_images(rules, patterns, symmetries, most)
    tables = [
        permutation_table(rules, pattern, parity, threads).load(store, tell) for pattern in used
    ]
    begins = np.cumsum([0, *(table.size for table in tables)])
    if begins[-1] > np.iinfo(np.int32).max:
        raise InternalError("the permutation pattern databases are too large for 32-bit indices")
    cells, primal, ways = rules.cells, len(images), 1 + rules.is_inverse_closed
    width = _padded(ways * primal, LOOKUP_BLOCK)
    contribution = np.zeros((cells, cells, width), np.int32)
    base, odd = np.zeros((2, width), np.int32)
    for lookup, (number, symmetry) in enumerate(images):
        size = len(used[number])
        strides = [cells ** (size - 1 - place) for place in range(size)]
        columns = [lookup, primal + lookup][:ways]
        _contribute(contribution, columns, used[number], strides, symmetry)
        base[columns] = begins[number]
        if parity and rules.differ_in_parity:
            odd[columns] = cells**size
    table = tables[0] if len(tables) == 1 else np.concatenate(tables)
    return PermutationLookups(
        cells, ways * primal, width, contribution.reshape(-1), primal, table, base, odd
    )


def reach_lookups(
    rules: PermutationRules,
    pattern: Pattern,
    symmetries: Sequence[CellMap],
    *,
    store: Store,
    tell: Tell,
    threads: int = 1,
) -> ReachLookups:
    """Return the lookups in a pattern's reach sets under the symmetries of the rules."""
    cells, last, ways = rules.cells, len(pattern) - 1, 1 + rules.is_inverse_closed
    _, images = lookup_images(rules, [pattern], symmetries)
    count = ways * len(images)
    width = _padded(count, REACH_BLOCK)
    strides = [*(REACH_CELLS * cells ** (last - 1 - place) for place in range(last)), 1]
    contribution = np.zeros((cells, cells, width), np.uint64)
    for number, (_, symmetry) in enumerate(images):
        # A lookup and its dual stand side by side: they refute different boards.
        columns = range(ways * number, ways * number + ways)
        _contribute(contribution, columns, pattern, strides, symmetry)
    words = reach_table(rules, pattern, threads).load(store, tell, kept_above=0).view(np.uint32)
    highest, length = int(words[-1]), words.size // REACH_SETS
    lowest = max(0, highest - REACH_SETS + 1)
    return ReachLookups(
        cells, count, width, contribution.reshape(-1), lowest, highest, length, words
    )


def lookup_images(
    rules: PermutationRules,
    patterns: Sequence[Pattern],
    symmetries: Sequence[CellMap],
    most: int | None = None,
) -> tuple[list[Pattern], list[tuple[int, CellMap]]]:
    """Return the patterns that are looked up, and lookups of a board: (a pattern's number, a map).

    A lookup looks up the tiles that the symmetry takes to those of the pattern. Where moves can be
    taken back each of them is made of the inverse board too. Left out are symmetries that map a
    pattern to the same set of cells, and patterns that are images of earlier ones. At most `most`
    lookups are taken, each next one with tiles that the earlier ones have least.
    """
    kept, found = list[Pattern](), dict[frozenset[int], tuple[int, CellMap]]()
    for pattern in patterns:
        if frozenset(pattern) not in found:
            for symmetry in symmetries:
                tiles = frozenset(map(symmetry.index, pattern))
                found.setdefault(tiles, (len(kept), symmetry))
            kept.append(pattern)
    images, uses = [*found.items()], [0] * rules.cells
    if most is not None and len(images) > (most := max(1, most // (1 + rules.is_inverse_closed))):
        left, images = images, []
        for _ in range(most):
            best = min(left, key=lambda image: sum(uses[tile] for tile in image[0]))
            left.remove(best)
            images.append(best)
            for tile in best[0]:
                uses[tile] += 1
    used = sorted({number for _, (number, _) in images})
    return [kept[n] for n in used], [(used.index(n), symmetry) for _, (n, symmetry) in images]


def _padded(count: int, block: int) -> int:
    return -(-count // block) * block


def _contribute(
    contribution: NDArray[Any],
    columns: Sequence[int],
    pattern: Pattern,
    strides: Sequence[int],
    symmetry: CellMap,
) -> None:
    """Write what tiles in their cells add to the index of a lookup, and of its dual if any."""
    image = np.array(symmetry, contribution.dtype)
    for home, stride in zip(pattern, strides, strict=True):
        cell, adds = symmetry.index(home), image.dtype.type(stride) * image
        contribution[cell, :, columns[0]] = adds
        if len(columns) > 1:
            contribution[:, cell, columns[1]] = adds
