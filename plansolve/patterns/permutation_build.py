"""Build pattern databases for puzzles whose moves permute the cells.

A table holds, for each placement of the tiles of a pattern (the homes 0..cells-1 of a few tiles)
and, where operators differ in parity, each parity of the whole board, the least number of moves
that bring those tiles home and make the board even. It is filled by breadth-first search back
from the goal, see `permutation_kernel`.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.permutation_kernel import BlockShape, MovedBits, PlacementSets, next_level
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.table import LARGEST, NO_WAY, in_parts

Pattern = tuple[int, ...]
"""The homes of the tiles of a pattern."""

REACH_SETS = 2
"""So many numbers of moves are told apart by reach sets, see `permutation_reach`."""

# For each operator; measured with tables of 5 and 6 tiles on 5x5 boards, beside another search.
_SECONDS_AN_ENTRY = 2e-9


def table_length(rules: PermutationRules, pattern: Pattern, parity: bool) -> int:
    """The size of a pattern's table in bytes."""
    size: int = rules.cells ** len(pattern)
    return 2 * size if parity and rules.differ_in_parity else size


def build_seconds(rules: PermutationRules, patterns: Sequence[Pattern], threads: int) -> float:
    """A rough estimate for building the tables of some patterns, one after the other."""
    entries = sum(table_length(rules, pattern, True) for pattern in patterns)
    return _SECONDS_AN_ENTRY * entries * len(rules.sources) / threads


def build_table(
    rules: PermutationRules, pattern: Pattern, parity: bool, threads: int = 1
) -> NDArray[np.uint8]:
    """The distances of all placements of a pattern of two tiles or more, `NO_WAY` where none.

    Indexed by the sum of cell[i] * cells**(k-1-i) over the k tiles, and cells**k more for the odd
    boards.
    """
    distance = np.full(table_length(rules, pattern, parity), NO_WAY, np.uint8)
    growth = Growth(rules, pattern, parity, distance)
    while growth.level < LARGEST:
        if not growth.grow(growth.within, threads):
            return distance
    # What is left is farther away than a table can tell, or a placement that cannot be.
    distance[distance == NO_WAY] = LARGEST
    return distance


class Growth:
    """Breadth-first search over the placements of a pattern, back from the goal.

    `within` is the set of those within `level` moves, as words like those of `PlacementSets`; those
    that cannot be are in it too. Where there is a table of `distance` it is filled on the way.
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
    """What the permutations do, as the kernel takes it."""
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
    """For each block of `tiles` tiles the bits of their cells; all where two are in one cell."""
    bits = np.zeros((cells, words), element)
    for cell in range(cells):
        bits[cell, cell // 64] = element(1 << cell % 64)
    every = element(np.iinfo(element).max)
    spare = every ^ np.bitwise_or.reduce(bits, axis=0)
    result = np.broadcast_to(spare, (cells,) * tiles + (words,)).copy()
    for tile in range(tiles):
        result |= bits.reshape((*_along(cells, tiles, tile), words))
    numbers = np.arange(cells)
    for one, other in combinations(range(tiles), 2):
        first = numbers.reshape(_along(cells, tiles, one))
        second = numbers.reshape(_along(cells, tiles, other))
        result |= np.where(first == second, every, element(0))[..., np.newaxis]
    return result.reshape(-1)


def _along(cells: int, axes: int, axis: int) -> tuple[int, ...]:
    """The shape that spreads an array over one of several axes."""
    return tuple(cells if i == axis else 1 for i in range(axes))
