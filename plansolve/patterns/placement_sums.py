"""Which patterns are added for puzzles whose operators move pieces of few kinds at a time."""

from collections.abc import Sequence
from functools import cached_property
from math import perm

from plansolve.model.puzzle import Puzzle
from plansolve.patterns.placement import PlacementLookups, placement_key, sum_lookups
from plansolve.patterns.placement_build import Pattern, table_length
from plansolve.patterns.placement_grouping import PatternGrouping
from plansolve.patterns.placement_independence import independent_kinds
from plansolve.patterns.placement_rules import PlacementRules
from plansolve.patterns.placement_sizes import PatternSizes
from plansolve.storage.store import Store, Tell

__all__ = ["SumChoice", "patterns_of"]

_USUAL_BYTES = 24_000_000
"""The tables of the usual size are built in some seconds."""
_SETTLING = 5.0
"""How many times as long it takes to build these tables as those that count all moves."""


class SumChoice(PatternSizes):
    """The patterns of a puzzle on which `independent_kinds` finds several parts.

    Sizes are numbers of pieces: no table is larger than that of so many different ones. `memory`
    bounds the bytes of all tables.
    """

    def __init__(self, puzzle: Puzzle, rules: PlacementRules, memory: int | None = None) -> None:
        super().__init__(rules, memory, _USUAL_BYTES, _SETTLING)
        self._puzzle = puzzle
        self._grouping = PatternGrouping(rules)
        self._known: dict[int, tuple[list[Pattern], list[list[Pattern]]]] = {}
        self._others: dict[int, list[Pattern]] = {}

    @cached_property
    def parts(self) -> list[frozenset[int]]:
        """The kinds by what may be added."""
        return independent_kinds(self._rules)

    def sums(self, size: int) -> list[list[Pattern]]:
        """The patterns of each sum, no kind twice.

        Sums differ in what stands for parts too large for a table of their own.
        """
        return _summed(*self._whole_and_large(size))

    def all_sums(self, size: int) -> list[list[Pattern]]:
        """Those sums, and above the usual size as many of another partition if there is room.

        The larger sum of two partitions leaves a quarter to a half of the nodes of 4x4 boards with
        two gaps.
        """
        sums = self.sums(size)
        if size <= self.usual_size or not sums:
            return sums
        whole, large = self._whole_and_large(size)
        if size not in self._others:
            fits, room = self._fitting(size), self._largest(size)
            self._others[size] = self._grouping.partition(fits, room, whole)
        both = [*sums, *_summed(self._others[size], large)]
        is_new = set(self._others[size]) != set(whole)
        return both if is_new and self._length(both) <= self._room else sums

    def size_within(self, room: int) -> int:
        """The most pieces of a pattern of which so many bytes hold all tables, or 0."""
        size = 0
        while size < self._rules.cells and self._bytes(size + 1) <= room:
            size += 1
        return size if size and self.sums(size) else 0

    def lookups(self, size: int, *, store: Store, tell: Tell, threads: int) -> PlacementLookups:
        """The lookups in the tables of that size, which are loaded or built."""
        return self._looked_up(self.all_sums(size), store, tell, threads)

    def guide(self, room: int, *, store: Store, tell: Tell, threads: int) -> PlacementLookups:
        """Lookups in tables of so many bytes in all, or in the usual ones."""
        size = self.size_within(room) or self.usual_size
        return self._looked_up(self.sums(size), store, tell, threads)

    def _looked_up(
        self, sums: Sequence[Sequence[Pattern]], store: Store, tell: Tell, threads: int
    ) -> PlacementLookups:
        return sum_lookups(self._puzzle, self._rules, sums, store=store, tell=tell, threads=threads)

    def patterns(self, size: int) -> list[Pattern]:
        """The patterns of all sums; none where each kind takes more room."""
        return patterns_of(self.all_sums(size))

    def _bytes(self, size: int) -> int:
        return self._length(self.sums(size))

    def _length(self, sums: Sequence[Sequence[Pattern]]) -> int:
        return sum(table_length(self._rules, pattern) for pattern in patterns_of(sums))

    def _are_built(self, size: int, store: Store) -> bool:
        return store.has(placement_key(self._rules, self.patterns(size), are_added=True))

    def _largest(self, size: int) -> int:
        """The entries of a table of so many different pieces."""
        gaps = 0 if self._rules.blank is None else self._rules.blank.copies
        beside = table_length(self._rules, ())
        return beside * perm(self._rules.cells - gaps, min(size, self._rules.cells - gaps))

    def _whole_and_large(self, size: int) -> tuple[list[Pattern], list[list[Pattern]]]:
        """The parts that fit into a table, in patterns, and some patterns within each other one."""
        if size not in self._known:
            fits, room = self._fitting(size), self._largest(size)
            large = [
                self._grouping.samples(part, room)
                for part in map(tuple, map(sorted, self.parts))
                if part not in fits
            ]
            self._known[size] = (
                self._grouping.partition(fits, room),
                [some for some in large if some],
            )
        return self._known[size]

    def _fitting(self, size: int) -> list[Pattern]:
        """The parts of which all kinds fit into a table."""
        parts, room = map(tuple, map(sorted, self.parts)), self._largest(size)
        return [part for part in parts if table_length(self._rules, part) <= room]


def _summed(whole: Sequence[Pattern], large: Sequence[Sequence[Pattern]]) -> list[list[Pattern]]:
    count = max(map(len, large), default=1)
    sums = [[*whole, *(some[n % len(some)] for some in large)] for n in range(count)]
    return [patterns for patterns in sums if patterns]


def patterns_of(sums: Sequence[Sequence[Pattern]]) -> list[Pattern]:
    """The different patterns of some sums."""
    return [*dict.fromkeys(pattern for patterns in sums for pattern in patterns)]
