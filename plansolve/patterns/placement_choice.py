"""Which patterns prove lower bounds for any puzzle: chosen by what pairs of pieces cost."""

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from plansolve.analysis.automorphisms import symmetries
from plansolve.model.puzzle import Puzzle
from plansolve.patterns.growth import Kinds, grown_pattern, images_of, neighbours
from plansolve.patterns.placement import (
    PlacementLookups,
    placement_key,
    placement_lookups,
    turned_back,
)
from plansolve.patterns.placement_build import (
    Pattern,
    build_table,
    table_length,
)
from plansolve.patterns.placement_grouping import PatternGrouping
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.patterns.placement_sizes import PatternSizes
from plansolve.patterns.table import NO_WAY
from plansolve.storage.store import Store, Tell

__all__ = ["PlacementChoice"]

_TABLES = 4
"""At most so many tables are looked at; the fourth still saves more nodes than it costs."""
_USUAL_BYTES = 8_000_000
"""The tables of the usual size are built in a second or two."""
_MOST_CELLS = 30
_LARGEST_PAIR = 1_000_000
"""On larger boards, and where there are many of a kind, pairs take too long to look at."""


class PlacementChoice(PatternSizes):
    """The patterns for a puzzle of at most 64 cells, by their size: the kinds but for the blank.

    `memory` bounds the bytes of all tables.
    """

    def __init__(self, puzzle: Puzzle, rules: PlacementRules, memory: int | None = None) -> None:
        super().__init__(rules, memory, _USUAL_BYTES)
        self._puzzle = puzzle
        self._patterns: dict[int, list[Pattern]] = {}

    def patterns(self, size: int) -> list[Pattern]:
        """Patterns of so many kinds whose pairs have the largest sums of distances.

        A pair counts half as much for each pattern before that looks at it, as it is or by its
        images. That leaves half the nodes of random 15-puzzles in multi-tile moves that are left
        where such pairs do not count at all.
        """
        if size not in self._patterns:
            self._patterns[size] = self._chosen(size)
        return self._patterns[size]

    def length(self, size: int) -> int:
        """The bytes of all tables of that size."""
        return sum(table_length(self._rules, pattern) for pattern in self.patterns(size))

    def lookups(self, size: int, *, store: Store, tell: Tell, threads: int) -> PlacementLookups:
        """The lookups in the tables of that size, which are loaded or built."""
        return self._looked_up(self.patterns(size), store, tell, threads)

    def guide(self, room: int, *, store: Store, tell: Tell, threads: int) -> PlacementLookups:
        """Lookups that between them look at all kinds, in tables of so many bytes each at most.

        Kinds of which there are so many that their tables are larger are left out.
        """
        patterns = self.patterns(self.size_within(room))
        seen = {
            kind for own in patterns for image in images_of(own, self._kind_maps) for kind in image
        }
        others = [
            (kind,)
            for kind in self._kinds
            if kind not in seen and table_length(self._rules, (kind,)) <= room
        ]
        patterns = [*patterns, *PatternGrouping(self._rules).partition(others, room)]
        return self._looked_up(patterns, store, tell, threads)

    def _looked_up(
        self, patterns: Sequence[Pattern], store: Store, tell: Tell, threads: int
    ) -> PlacementLookups:
        return placement_lookups(
            self._puzzle,
            self._rules,
            patterns,
            self._maps,
            store=store,
            tell=tell,
            threads=threads,
        )

    @cached_property
    def _maps(self) -> tuple[tuple[int, ...], ...]:
        return symmetries(self._puzzle)

    @cached_property
    def _kinds(self) -> list[int]:
        """The kinds that patterns may hold: the rarest first, which take the least room."""
        classes = self._rules.classes
        return sorted(classes, key=lambda kind: (classes[kind].copies, kind))

    def _chosen(self, size: int) -> list[Pattern]:
        worth, near = dict(self._pair_worth), self._neighbours
        tables = min(_TABLES, self._room // table_length(self._rules, tuple(self._kinds[:size])))
        chosen: list[Pattern] = []
        while len(chosen) < max(1, tables):
            pattern = grown_pattern(near, size, worth, self._kind_maps)
            images = images_of(pattern, self._kind_maps)
            if any(frozenset(earlier) in images for earlier in chosen):
                break  # Nothing is left to look at.
            if chosen and table_length(self._rules, pattern) > self._room // len(chosen):
                break
            chosen.append(pattern)
            seen = {frozenset(pair) for image in images for pair in combinations(image, 2)}
            worth |= {pair: worth[pair] // 2 for pair in worth.keys() & seen}
        return chosen

    @cached_property
    def _neighbours(self) -> dict[int, set[int]]:
        """For each kind, those with a goal cell that one move joins with one of its own."""
        rules = self._rules
        cells = neighbours(rules.cells, rules.destinations)
        own = {kind: rules.classes[kind].homes for kind in self._kinds}
        return {
            kind: {
                other
                for other in own
                if other != kind and any(not cells[home].isdisjoint(own[other]) for home in homes)
            }
            for kind, homes in own.items()
        }

    @cached_property
    def _kind_maps(self) -> list[dict[int, int]]:
        """What the symmetries make of the kinds."""
        return [
            {kind: turned_back(self._puzzle, (kind,), image)[0] for kind in self._kinds}
            for image in self._maps
        ]

    @cached_property
    def _pair_worth(self) -> dict[Kinds, int]:
        """The sum of all distances of each pair of kinds; nothing where there are too many."""
        worth: dict[Kinds, int] = {}
        if self._rules.cells > _MOST_CELLS:
            return worth
        for pair in map(frozenset, combinations(self._kinds, 2)):
            if pair in worth or table_length(self._rules, tuple(pair)) > _LARGEST_PAIR:
                continue
            table = build_table(self._rules, tuple(sorted(pair)))
            total = int(table[table < NO_WAY].sum(dtype=np.int64))
            for image in images_of(pair, self._kind_maps):
                worth[image] = total
        return worth

    def size_within(self, room: int) -> int:
        """The most kinds of a pattern, at least one, of which so many bytes hold any table."""
        common = self._kinds[::-1]
        sizes = range(2, len(common) + 1)
        fitting = [k for k in sizes if table_length(self._rules, tuple(common[:k])) <= room]
        return max(fitting, default=1)

    def _are_built(self, size: int, store: Store) -> bool:
        return store.has(placement_key(self._rules, self.patterns(size)))
