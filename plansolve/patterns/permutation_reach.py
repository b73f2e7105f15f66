"""What lies within a few moves: pattern databases of a bit an entry, for larger patterns.

A search that has r moves left asks of a lookup no more than whether the goal can be within r. So
for some numbers of moves r a *reach set* holds a bit for each placement of a pattern's tiles: 1
where they can be brought home within r moves. The sets are those that breadth-first search back
from the goal goes through, see `permutation_build.Growth`, and have a 1 wherever a placement cannot
be. The last ones are kept of which no more than half of all placements are part: a set with most of
them refutes little, and one with few of them is asked at few boards, for which smaller patterns do.
Parities are not told apart.

A set takes 4 bytes for the placements of all tiles of a pattern but the last. As it is a bit an
entry, patterns have a tile more than a table of bytes could have in the same memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap
from plansolve.patterns.permutation import lookup_images
from plansolve.patterns.permutation_build import REACH_SETS, Growth, Pattern
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.table import LARGEST, Table
from plansolve.storage.store import Bytes, Store, StoreKey, Tell

MOST_CELLS = 32
"""The cells of the last tile are the bits of a word."""

REACH_BLOCK = 8
"""The number of lookups is padded to a multiple of this: kernels take them in blocks."""

_KIND, _VERSION = "reach", 1
_WORD = 4


@dataclass(frozen=True)
class ReachLookups:
    """Many lookups of a board in reach sets, in arrays for kernels.

    The index of lookup l is the sum of contribution[(tile * cells + cell) * width + l] over the
    tiles in their cells. Bit index % 32 of words[r % REACH_SETS * length + index // 32] is 1 where
    the goal can be within r moves, for r from lowest to highest. The first `count` of the `width`
    columns are lookups.
    """

    cells: int
    count: int
    width: int
    lowest: int
    highest: int
    length: int
    words: NDArray[np.uint32]
    contribution: NDArray[np.uint64]

    def indices(self, arrangement: Sequence[int]) -> NDArray[np.uint64]:
        """The index of each column."""
        columns = self.contribution.reshape(self.cells, self.cells, self.width)
        total: NDArray[np.uint64] = columns[list(arrangement), range(self.cells)].sum(
            0, dtype=np.uint64
        )
        return total


def reach_lookups(
    rules: PermutationRules,
    pattern: Pattern,
    symmetries: Sequence[CellMap],
    *,
    store: Store,
    tell: Tell,
    threads: int = 1,
) -> ReachLookups:
    """The lookups of a pattern under the symmetries of the rules, as in `permutation_lookups`."""
    cells, last = rules.cells, len(pattern) - 1
    _, images = lookup_images(rules, [pattern], symmetries)
    primal, ways = len(images), 2 if rules.is_inverse_closed else 1
    width = -(-primal * ways // REACH_BLOCK) * REACH_BLOCK
    strides = [MOST_CELLS * cells ** (last - 1 - place) for place in range(last)]
    contribution = np.zeros((cells, cells, width), np.uint64)
    for number, (_, symmetry) in enumerate(images):
        image = np.array(symmetry, np.uint64)
        for home, stride in zip(pattern, (*strides, 1), strict=True):
            cell = symmetry.index(home)
            # A lookup and its dual stand side by side: they refute different boards.
            contribution[cell, :, ways * number] = np.uint64(stride) * image
            if ways == 2:
                contribution[:, cell, ways * number + 1] = np.uint64(stride) * image
    words = reach_table(rules, pattern, threads).load(store, tell, kept_above=0).view(np.uint32)
    highest = int(words[-1])
    return ReachLookups(
        cells,
        primal * ways,
        width,
        max(0, highest - REACH_SETS + 1),
        highest,
        words.size // REACH_SETS,
        words,
        contribution.reshape(-1),
    )


def reach_table(rules: PermutationRules, pattern: Pattern, threads: int = 1) -> Table:
    """The reach sets of a pattern."""
    return Table(
        reach_key(rules, pattern),
        reach_length(rules, pattern),
        lambda: build_reach(rules, pattern, threads),
    )


def build_reach(rules: PermutationRules, pattern: Pattern, threads: int = 1) -> Bytes:
    """The reach sets of a pattern of three tiles or more, and in the last word the most moves.

    The set of r moves is the number r % REACH_SETS of them.
    """
    size = rules.cells ** (len(pattern) - 1)
    whole = np.zeros(REACH_SETS * size + 1, np.uint32)
    growth = Growth(rules, pattern, False)
    placements = np.prod(range(rules.cells - len(pattern) + 1, rules.cells + 1), dtype=object)
    whole[:size], known = growth.within, 1
    growth.within = whole[:size]
    while 2 * known <= placements and growth.level < LARGEST:
        begin = (growth.level + 1) % REACH_SETS * size
        found = growth.grow(whole[begin : begin + size], threads)
        if not found:
            break
        known += found
    whole[-1] = growth.level
    return whole.view(np.uint8)


def reach_length(rules: PermutationRules, pattern: Sequence[int]) -> int:
    """The size of a pattern's reach sets in bytes."""
    size: int = REACH_SETS * rules.cells ** (len(pattern) - 1) + 1
    return _WORD * size


def reach_key(rules: PermutationRules, pattern: Pattern) -> StoreKey:
    """What reach sets depend on: the permutations and the pattern."""
    content = {
        "version": _VERSION,
        "cells": rules.cells,
        "sources": sorted(map(list, rules.sources)),
        "pattern": list(pattern),
        "sets": REACH_SETS,
    }
    cells = " ".join(str(home + 1) for home in pattern)
    return StoreKey(_KIND, f"{rules.cells} cells, reach of tiles {cells}", content)
