"""Pattern databases for puzzles whose moves permute the cells, and the lookups in them.

A table holds, for each placement of the tiles of a pattern (the homes 0..cells-1 of a few tiles)
and, if operators differ in parity, each parity of the whole board, the least number of moves that
bring those tiles home and make the board even. It is filled by breadth-first search back from the
goal, see `permutation_kernel`.

A search that has r moves left asks only if the goal can be within r moves. So for some r a *reach
set* holds a bit for each placement, and patterns have one more tile in the same memory. The bit is
1 if the tiles can be brought home within r moves, or if the placement is impossible. Kept are the
last sets of the search that hold at most half of all placements: a set with most of them refutes
little, and one with few of them is used at few boards. Parities are not distinguished.

One table serves many *lookups*. A symmetry of the rules turns a board into one of the same
distance, and if every move can be taken back, so does exchanging the roles of tiles and cells (the
dual lookup of Felner, Zahavi, Schaeffer, Holte 2005). The maximum over the lookups is admissible. A
primal lookup (without that exchange) changes by at most one with each move, a dual lookup may jump.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.errors import InternalError
from plansolve.model.structure import permutation_parity
from plansolve.patterns.permutation_kernel import BlockShape, MovedBits, PlacementSets, next_level
from plansolve.patterns.rules import PermutationRules
from plansolve.patterns.table import LARGEST, NO_WAY, Pattern, Table, in_parts
from plansolve.storage.store import Bytes, Store, StoreKey, Tell

REACH_SETS, REACH_CELLS = 2, 32
"""The numbers of moves that reach sets tell apart, and the most cells: bits of a word for the last
tile."""

# For each operator; measured with tables of 5 and 6 tiles on 5x5 boards, beside another search.
_SECONDS_AN_ENTRY = 2e-9


def permutation_table(
    rules: PermutationRules, pattern: Pattern, parity: bool, threads: int = 1
) -> Table:
    """Return the table of a pattern, with a parity bit if wanted and permutations differ."""
    return Table(
        _key("permutation", rules, pattern, "", parity=parity and rules.differ_in_parity),
        table_length(rules, pattern, parity),
        lambda: build_table(rules, pattern, parity, threads),
    )


def reach_table(rules: PermutationRules, pattern: Pattern, threads: int = 1) -> Table:
    """Return the reach sets of a pattern of three tiles or more."""
    length = 4 * (REACH_SETS * rules.cells ** (len(pattern) - 1) + 1)
    key = _key("reach", rules, pattern, "reach of ", sets=REACH_SETS)
    return Table(key, length, lambda: _build_reach(rules, pattern, threads))


def _key(kind: str, rules: PermutationRules, pattern: Pattern, title: str, **more: int) -> StoreKey:
    """Return the key of a table: the permutations, the pattern, and some `more`."""
    sources = sorted(map(list, rules.sources))
    content = {"version": 1, "cells": rules.cells, "sources": sources, "pattern": list(pattern)}
    tiles = " ".join(str(home + 1) for home in pattern)
    return StoreKey(kind, f"{rules.cells} cells, {title}tiles {tiles}", content | more)


def table_length(rules: PermutationRules, pattern: Sequence[int], parity: bool) -> int:
    """Return the size of a pattern's table in bytes."""
    size: int = rules.cells ** len(pattern)
    return 2 * size if parity and rules.differ_in_parity else size


def build_seconds(rules: PermutationRules, patterns: Sequence[Pattern], threads: int) -> float:
    """Return a rough estimate for building the tables of some patterns, one after the other."""
    entries = sum(table_length(rules, pattern, True) for pattern in patterns)
    return _SECONDS_AN_ENTRY * entries * len(rules.sources) / threads


def build_table(rules: PermutationRules, pattern: Pattern, parity: bool, threads: int = 1) -> Bytes:
    """Return the distances of all placements of two tiles or more, `NO_WAY` if there is none.

    Indexed by the sum of cell[i] * cells**(k-1-i) over the k tiles, and cells**k more for the odd
    boards.
    """
    distance = np.full(table_length(rules, pattern, parity), NO_WAY, np.uint8)
    growth = _Growth(rules, pattern, parity, distance)
    while growth.level < LARGEST:
        if not growth.grow(growth.within, threads):
            return distance
    # The others are farther than a byte can say, or impossible.
    distance[distance == NO_WAY] = LARGEST
    return distance


def _build_reach(rules: PermutationRules, pattern: Pattern, threads: int) -> Bytes:
    """Return the reach sets, that of r moves as number r % REACH_SETS, and last the most moves."""
    size = rules.cells ** (len(pattern) - 1)
    whole = np.zeros(REACH_SETS * size + 1, np.uint32)
    growth, known = _Growth(rules, pattern, False), 1
    whole[:size] = growth.within
    growth.within = whole[:size]
    while 2 * known <= perm(rules.cells, len(pattern)) and growth.level < LARGEST:
        begin = (growth.level + 1) % REACH_SETS * size
        found = growth.grow(whole[begin : begin + size], threads)
        if not found:
            break
        known += found
    whole[-1] = growth.level
    return whole.view(np.uint8)


class _Growth:
    """Breadth-first search over the placements of a pattern, back from the goal.

    `within` is the set of those within `level` moves, as words like those of `PlacementSets`; those
    that cannot be are in it too. If there is a table of `distance` it is filled on the way.
    """

    def __init__(
        self,
        rules: PermutationRules,
        pattern: Pattern,
        parity: bool,
        distance: NDArray[np.uint8] | None = None,
    ) -> None:
        cells, self._outer = rules.cells, len(pattern) - 2
        halves = 1 + (parity and rules.differ_in_parity)
        words = -(-cells // 64)
        self.element = np.uint32 if cells <= 32 else np.uint64
        self.level = 0
        self._shape = BlockShape(cells, words, self._outer)
        self._moves = _moved_bits(rules, words, self.element, halves == 2)
        self._prefixes = halves * cells**self._outer

        within = _impossible(cells, self._outer + 1, words, self.element)
        self.within = np.concatenate([within] * halves)
        self._here, self._after = np.zeros_like(self.within), np.zeros_like(self.within)
        self._distance = np.empty(0, np.uint8) if distance is None else distance
        block = sum(home * cells ** (self._outer - i) for i, home in enumerate(pattern[:-1]))
        word, bit = divmod(pattern[-1], 64)
        for words_of in (self.within, self._here):
            words_of[block * words + word] |= self.element(1 << bit)
        if distance is not None:
            distance[block * cells + pattern[-1]] = 0

    def grow(self, into: NDArray[Any], threads: int) -> int:
        """Make the next level, and return how many placements it has.

        `within` becomes `into`, an array of its size or `within` itself.
        """
        sets = PlacementSets(self.within, self._here, self._after, self._distance)
        self.level += 1
        placements = self._prefixes * self._shape.cells**2
        with in_parts(self._prefixes, threads, entries=placements) as grown:
            found = grown(next_level, self.level, self._shape, self._moves, sets)
        self._here, self._after = self._after, self._here
        self.within = np.bitwise_or(self.within, self._here, out=into)
        return found


def _moved_bits(
    rules: PermutationRules, words: int, element: type[Any], with_parity: bool
) -> MovedBits:
    """Return the effects of the permutations in the form that the kernel reads."""
    stay, first, moved = [], [0], []
    for destination in rules.destinations:
        for word in range(words):
            cells = range(64 * word, min(64 * word + 64, rules.cells))
            stay.append(sum(1 << cell % 64 for cell in cells if destination[cell] == cell))
            moved += [
                (cell % 64, *divmod(destination[cell], 64))
                for cell in cells
                if destination[cell] != cell
            ]
            first.append(len(moved))
    bits = np.array(moved, np.uint64).reshape(-1, 3)
    return MovedBits(
        np.array(rules.destinations, np.uint64).reshape(-1),
        np.array([odd and with_parity for odd in rules.is_odd], np.uint8),
        np.array(stay, element),
        np.array(first, np.uint64),
        *(np.ascontiguousarray(column) for column in bits.T),
    )


def _impossible(cells: int, tiles: int, words: int, element: type[Any]) -> NDArray[Any]:
    """Return for each block of `tiles` tiles their cells' bits; all if two are in one cell."""
    bits = np.zeros((cells, words), element)
    for cell in range(cells):
        bits[cell, cell // 64] = element(1 << cell % 64)
    every = element(np.iinfo(element).max)
    spare = every ^ np.bitwise_or.reduce(bits, axis=0)
    result = np.broadcast_to(spare, (cells,) * tiles + (words,)).copy()
    places = np.indices((cells,) * tiles, sparse=True)
    for place in places:
        result |= bits[place]
    for one, other in combinations(places, 2):
        result |= np.where(one == other, every, element(0))[..., np.newaxis]
    return result.reshape(-1)


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

    To the index of lookup l base[l] is added, and parity[l] if the arrangement is an odd
    permutation.
    """

    table: NDArray[np.uint8]
    base: NDArray[np.int32]
    parity: NDArray[np.int32]

    def indices(self, arrangement: Sequence[int]) -> NDArray[np.int32]:
        is_odd = permutation_parity(tuple(arrangement), tuple(range(self.cells))) == 1
        return super().indices(arrangement) + self.base + is_odd * self.parity

    def values(self, arrangement: Sequence[int]) -> NDArray[np.uint8]:
        result: NDArray[np.uint8] = self.table[self.indices(arrangement)[: self.count]]
        return result

    def value(self, arrangement: Sequence[int]) -> int:
        return int(self.values(arrangement).max(initial=0))


@dataclass(frozen=True)
class ReachLookups(_Lookups):
    """Lookups in reach sets; `contribution` (uint64) is that of `_Lookups`.

    Bit index % 32 of words[r % REACH_SETS * length + index // 32] is 1 if the goal can be within
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

    With `parity` the tables have a parity bit if permutations differ in parity. Those that
    `lookup_images` leaves out would give equal values, or are more than `most`.
    """
    used, images = lookup_images(rules, patterns, symmetries, most)
    tables = [
        permutation_table(rules, pattern, parity, threads).load(store, tell) for pattern in used
    ]
    begins = np.cumsum([0, *(table.size for table in tables)])
    if begins[-1] > np.iinfo(np.int32).max:
        raise InternalError("the permutation pattern databases are too large for 32-bit indices")
    cells, ways = rules.cells, 1 + rules.is_inverse_closed
    count = ways * len(images)
    width = _padded(count, LOOKUP_BLOCK)
    contribution = np.zeros((cells, cells, width), np.int32)
    base, odd = np.zeros((2, width), np.int32)
    for lookup, (number, symmetry) in enumerate(images):
        size = len(used[number])
        strides = [cells ** (size - 1 - place) for place in range(size)]
        columns = [lookup, len(images) + lookup][:ways]
        _contribute(contribution, columns, used[number], strides, symmetry)
        base[columns] = begins[number]
        if parity and rules.differ_in_parity:
            odd[columns] = cells**size
    table = tables[0] if len(tables) == 1 else np.concatenate(tables)
    return PermutationLookups(cells, count, width, contribution.reshape(-1), table, base, odd)


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
        # A lookup and its dual are neighbours: they refute different boards.
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

    A lookup is about the tiles that the symmetry maps to those of the pattern. If moves can be
    undone, each is also made for the inverse board. Symmetries that map a pattern to the same set
    of cells, and patterns that are images of earlier ones, are left out. At most `most` lookups are
    taken; each next one has the tiles that are rarest in the earlier ones.
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
    """Write what each tile in each cell adds to the index of a lookup, and of its dual if any."""
    image = np.array(symmetry, contribution.dtype)
    for home, stride in zip(pattern, strides, strict=True):
        cell, adds = symmetry.index(home), image.dtype.type(stride) * image
        contribution[cell, :, columns[0]] = adds
        if len(columns) > 1:
            contribution[:, cell, columns[1]] = adds
