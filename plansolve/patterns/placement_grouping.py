"""Group kinds of pieces into patterns whose tables are small enough, close ones together."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np

from plansolve.model.structure import UNREACHABLE, breadth_first
from plansolve.patterns.growth import neighbours
from plansolve.patterns.placement_build import Pattern, table_length
from plansolve.patterns.placement_rules import PlacementRules

__all__ = ["PatternGrouping"]

_STARTS = 200
_AGAIN = 8
"""Kinds that another partition has in one pattern count as so much farther apart."""
_SAMPLES = 4


class PatternGrouping:
    """Patterns for the kinds of a puzzle; `room` is the length of a table."""

    def __init__(self, rules: PlacementRules) -> None:
        self._rules = rules

    def partition(
        self, parts: Sequence[Pattern], room: int, other: Sequence[Pattern] = ()
    ) -> list[Pattern]:
        """The parts in patterns of few but many kinds that lie close together.

        Patterns grow from a random part by the nearest one that has room, time and again; those
        count whose sizes have the largest sum of squares, and then the most compact ones. What
        the patterns of another partition have together counts as farther apart.
        """
        apart, random = self._apart(parts), Random(0)
        together = {frozenset(pair) for pattern in other for pair in combinations(pattern, 2)}
        found = []
        for _ in range(_STARTS if len(parts) > 1 else 1):
            left, patterns, spread, squares = [*range(len(parts))], list[Pattern](), 0, 0
            while left:
                first = left.pop(random.randrange(len(left)))
                chosen, near = self._grown(first, left, parts, apart, room)
                left = [part for part in left if part not in chosen]
                patterns.append(tuple(sorted(kind for part in chosen for kind in parts[part])))
                spread += near
                squares += sum(self._rules.classes[kind].copies for kind in patterns[-1]) ** 2
                pairs = map(frozenset, combinations(patterns[-1], 2))
                spread += _AGAIN * sum(pair in together for pair in pairs)
            found.append((-squares, spread, sorted(patterns)))
        return min(found)[2]

    def samples(self, part: Pattern, room: int) -> list[Pattern]:
        """Some patterns within a part, each as large as there is room, from different kinds on."""
        kinds = [(kind,) for kind in part if self._fits((kind,), room)]
        apart, patterns = self._apart(kinds), list[Pattern]()
        left = [*range(len(kinds))]
        while left and len(patterns) < _SAMPLES:
            first = left[0]
            others = [kind for kind in range(len(kinds)) if kind != first]
            chosen, _ = self._grown(first, others, kinds, apart, room)
            left = [kind for kind in left if kind not in chosen]
            patterns.append(tuple(sorted(kinds[kind][0] for kind in chosen)))
        return patterns

    def _grown(
        self,
        first: int,
        others: Sequence[int],
        parts: Sequence[Pattern],
        apart: Sequence[Sequence[int]],
        room: int,
    ) -> tuple[list[int], int]:
        """The parts of a pattern that grows by the nearest ones, and how far they lie apart."""
        chosen, pattern, spread = [first], parts[first], 0
        while True:
            fitting = [
                other
                for other in others
                if other not in chosen and self._fits((*pattern, *parts[other]), room)
            ]
            if not fitting:
                return chosen, spread
            far = {other: sum(apart[other][one] for one in chosen) for other in fitting}
            near = min(fitting, key=far.__getitem__)
            spread += far[near]
            chosen.append(near)
            pattern = (*pattern, *parts[near])

    def _fits(self, pattern: Pattern, room: int) -> bool:
        return table_length(self._rules, pattern) <= room

    def _apart(self, parts: Sequence[Pattern]) -> list[list[int]]:
        """The sums of distances between goal cells, for each two parts."""
        rules = self._rules
        near = neighbours(rules.cells, rules.destinations)
        beside = [sorted(cells) for cells in near.values()]
        distance = np.array([breadth_first(beside, cell) for cell in near], np.int64)
        distance[distance == UNREACHABLE] = rules.cells
        homes = [[cell for kind in part for cell in rules.classes[kind].homes] for part in parts]
        return [[int(distance[np.ix_(own, others)].sum()) for others in homes] for own in homes]
