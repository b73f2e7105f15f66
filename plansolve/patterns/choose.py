"""Choose the patterns of pattern databases: one small chooser for each kind of table.

A *pattern* is a set of items: tiles, which are named by their goal cells, or kinds of pieces; its
size is their number. A chooser knows which items are *near* each other, what a *pair is worth* (if
the largest lookup counts, the sum of all its distances; if tables are added, see `partition`, the
more the nearer it is), and which size is taken: the one that is *built* already, or else the
*usual* one, which takes a second or two, and in long proofs one *larger*.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from math import factorial
from random import Random
from typing import NamedTuple, NotRequired, TypeAlias, TypedDict, Unpack

import numpy as np

from plansolve.analysis.automorphisms import CellMap, symmetries
from plansolve.errors import InternalError
from plansolve.model.puzzle import Puzzle
from plansolve.model.structure import UNREACHABLE, breadth_first
from plansolve.patterns import permutation, placement
from plansolve.patterns.rules import PermutationRules, PlacementRules, permutation_rules
from plansolve.patterns.table import NO_WAY, Pattern, Table
from plansolve.storage.store import Bytes, Store, StoreKey, Tell

Items: TypeAlias = frozenset[int]
ItemMap: TypeAlias = Sequence[int] | Mapping[int, int]
"""The image of each item under a symmetry."""


class Loading(TypedDict):
    """The store of tables, the listener for slow steps, and the number of building threads."""

    store: Store
    tell: Tell
    threads: NotRequired[int]


class Needs(NamedTuple):
    """Tables by their keys, their bytes, and the seconds and bytes of memory to build them."""

    keys: list[StoreKey]
    nbytes: int
    seconds: float
    memory: int


class Larger(NamedTuple):
    """Patterns of `size`: about so many `seconds` to have them, which takes bytes of `memory`."""

    size: int
    seconds: float
    memory: int


class Chooser(ABC):
    """The patterns of one kind of table for one puzzle, by their size.

    All tables of the usual size take at most `unasked` bytes, those of the largest size at most
    `most`, or `memory` if that is less.
    """

    seconds_to_load = 0.0

    def __init__(self, unasked: int, most: int, memory: int | None = None) -> None:
        self._room = most if memory is None else min(memory, most)
        self._unasked = min(unasked, self._room)

    @abstractmethod
    def within(self, room: int) -> int:
        """Return the largest size whose tables take at most `room` bytes."""

    @abstractmethod
    def needs(self, size: int, threads: int = 1) -> Needs:
        """Return the needs of the tables of a size."""

    @cached_property
    def usual(self) -> int:
        """The largest size that is built without request."""
        return self.within(self._unasked)

    @cached_property
    def largest(self) -> int:
        """The largest size that a long proof may have."""
        return self.within(self._room)

    def built(self, store: Store) -> int:
        """Return the largest size whose tables are in the store, or else the usual one."""
        for size in range(self._largest_in(store), self.usual, -1):
            if all(map(store.has, self.needs(size).keys)):
                return size
        return self.usual

    def larger(self, store: Store, threads: int) -> Larger | None:
        """Return the next size after the usual one with its cost; None if that is too large.

        Tables that are in the store are only loaded.
        """
        size = self.usual + 1
        if size > self.largest:
            return None
        keys, nbytes, seconds, memory = self.needs(size, threads)
        if all(map(store.has, keys)):
            return Larger(size, self.seconds_to_load, nbytes)
        return Larger(size, seconds, memory)

    def _largest_in(self, store: Store) -> int:
        return self.largest


def neighbours(cells: int, moves: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """Return for each cell those that one move fills from it, or from which one move fills it.

    A move is given by the source of each cell, or by the destination of each content.
    """
    near: dict[int, set[int]] = {cell: set() for cell in range(cells)}
    for move in moves:
        for cell, other in enumerate(move):
            if cell != other:
                near[cell].add(other)
                near[other].add(cell)
    return near


_MOST_TABLES = 4
"""At most so many tables are used; the fourth still saves more nodes than it costs."""
_LARGEST_PAIR = 1_000_000
"""Larger tables of pairs of many like pieces take too long to examine."""


class LookupChooser(Chooser):
    """Overlapping patterns whose pairs have the largest sums of distances.

    A pair that an earlier pattern, or one of its images under the `maps`, contains counts `again`
    times as much. Patterns are `enough` if they have so many images. On more than `most_cells`
    cells there are too many pairs, and all count the same.
    """

    again: float
    most_cells: int
    enough = 1 << 62

    def __init__(
        self,
        cells: int,
        near: Mapping[int, set[int]],
        maps: Sequence[ItemMap],
        unasked: int,
        most: int,
        memory: int | None,
    ) -> None:
        super().__init__(unasked, most, memory)
        self._cells, self._near, self._maps = cells, near, maps
        self._patterns: dict[int, list[Pattern]] = {}

    @abstractmethod
    def length(self, pattern: Pattern) -> int:
        """Return the bytes of a pattern's table."""

    @abstractmethod
    def pair_table(self, pair: Pattern) -> Bytes:
        """Return the table of two items."""

    def patterns(self, size: int) -> list[Pattern]:
        """Return some patterns of so many items."""
        if size not in self._patterns:
            worth, chosen, seen = dict(self._worth), list[Pattern](), 0
            most = min(_MOST_TABLES, self._room // self.length((*self._near,)[:size]))
            while len(chosen) < max(1, most) and seen < self.enough:
                pattern = self.grown(size, worth)
                images = self._images(pattern)
                if any(frozenset(earlier) in images for earlier in chosen):
                    break  # No pair is left.
                if chosen and self.length(pattern) > self._room // len(chosen):
                    break
                chosen.append(pattern)
                seen += len(images)
                pairs = {frozenset(pair) for image in images for pair in combinations(image, 2)}
                worth |= {pair: int(self.again * worth[pair]) for pair in worth.keys() & pairs}
            self._patterns[size] = chosen
        return self._patterns[size]

    def grown(self, size: int, worth: Mapping[Items, int] | None = None) -> Pattern:
        """Return the best pattern that grows from some item by the neighbour that is worth most.

        The best has the most images, and among those is worth most.
        """
        near, worth, found = self._near, self._worth if worth is None else worth, []
        for first in near if worth else [*near][:1]:
            pattern, total = [first], 0
            while len(pattern) < size:
                gains = {
                    item: (
                        not near[item].isdisjoint(pattern),
                        sum(worth.get(frozenset((item, other)), 0) for other in pattern),
                    )
                    for item in near
                    if item not in pattern
                }
                # The first one of those that are worth most.
                best = max(gains, key=gains.__getitem__)
                total += gains[best][1]
                pattern.append(best)
            found.append((-len(self._images(pattern)), -total, tuple(sorted(pattern))))
        return min(found)[2]

    @cached_property
    def _worth(self) -> dict[Items, int]:
        """The sum of all distances of each pair; empty if there are too many."""
        worth: dict[Items, int] = {}
        for pair in combinations(self._near, 2) if self._cells <= self.most_cells else ():
            if frozenset(pair) not in worth and self.length(pair) <= _LARGEST_PAIR:
                table = self.pair_table(tuple(sorted(pair)))
                total = int(table[table < NO_WAY].sum(dtype=np.int64))
                worth |= dict.fromkeys(self._images(pair), total)
        return worth

    def _images(self, items: Iterable[int]) -> set[Items]:
        return {frozenset(map(image.__getitem__, items)) for image in self._maps}


class PermutationChooser(LookupChooser):
    """Tables of bytes for moves that permute the cells: the lookups that prove most in least time.

    A pattern of one tile more reaches one or two moves further.
    """

    again, most_cells = 0.0, 40
    _UNASKED, _MOST, _LOOKUPS = 20_000_000, 500_000_000, 32

    def __init__(
        self, rules: PermutationRules, maps: Sequence[CellMap], memory: int | None = None
    ) -> None:
        # More entries than boards would be wasteful.
        unasked = min(self._UNASKED, factorial(rules.cells))
        near = neighbours(rules.cells, rules.sources)
        super().__init__(rules.cells, near, maps, unasked, self._MOST, memory)
        self.rules, self.maps = rules, maps
        self.enough = self._LOOKUPS // (1 + rules.is_inverse_closed)

    @cached_property
    def usual(self) -> int:
        return 2 if self.rules.cells > _MOST_CELLS_TURNED else self.within(self._unasked)

    def within(self, room: int) -> int:
        # All tiles but one determine the board.
        sizes = range(2, max(3, self.rules.cells))
        fitting = [size for size in sizes if self.length((*range(size),)) <= room]
        return max(fitting, default=min(2, self.rules.cells))

    def length(self, pattern: Pattern) -> int:
        return permutation.table_length(self.rules, pattern, True)

    def pair_table(self, pair: Pattern) -> Bytes:
        return permutation.build_table(self.rules, pair, True)

    def patterns(self, size: int) -> list[Pattern]:
        """Return some patterns of so many tiles, or of fewer if there is no room for them."""
        return super().patterns(max(min(2, self.rules.cells), min(size, self.largest)))

    def needs(self, size: int, threads: int = 1) -> Needs:
        patterns = self.patterns(size)
        tables = [permutation.permutation_table(self.rules, own, True) for own in patterns]
        seconds = permutation.build_seconds(self.rules, patterns, threads)
        nbytes = sum(table.length for table in tables)
        return Needs([table.key for table in tables], nbytes, seconds, nbytes)

    def images(self, size: int) -> tuple[list[Pattern], list[tuple[int, CellMap]]]:
        """Return the patterns and lookups of `lookup_images` that `lookups` takes."""
        return permutation.lookup_images(self.rules, self.patterns(size), self.maps, self._LOOKUPS)

    def lookups(self, size: int, **how: Unpack[Loading]) -> permutation.PermutationLookups:
        """Return the lookups in the tables of a size, which are loaded or built."""
        made = permutation.permutation_lookups
        return made(self.rules, self.patterns(size), self.maps, most=self._LOOKUPS, **how)


_MOST_CELLS_TURNED = 150
"""On larger boards symmetries are expensive to find, and proofs do not get far with any table."""


def permutation_chooser(puzzle: Puzzle, memory: int | None = None) -> PermutationChooser:
    """Return the chooser of a puzzle, no move of which may need a gap; kept for the next call."""
    if (rules := permutation_rules(puzzle)) is None:
        raise InternalError("a move depends on where the blank is")
    is_turned = rules.cells <= _MOST_CELLS_TURNED
    maps = symmetries(puzzle) if is_turned else (tuple(range(rules.cells)),)
    return _permutation_chooser(rules, maps, memory)


_permutation_chooser = lru_cache(maxsize=4)(PermutationChooser)


class ReachChooser(Chooser):
    """Reach sets of one pattern, with one tile more than the largest tables of bytes.

    The size of those tables counts as the usual one, for which there are no sets.
    """

    seconds_to_load = 1.0
    # For each operator and word of a set; measured with 7 tiles on a 5x5 board, beside other work.
    _SECONDS_A_WORD = 8e-8
    _MOST = 2_000_000_000

    def __init__(self, tables: PermutationChooser, memory: int | None = None) -> None:
        super().__init__(0, self._MOST, memory)
        self._tables, self._rules = tables, tables.rules

    @cached_property
    def usual(self) -> int:
        return self._tables.largest

    def within(self, room: int) -> int:
        size, cells = self.usual + 1, self._rules.cells
        is_pattern = 3 <= size < cells <= permutation.REACH_CELLS
        fits = is_pattern and self._table((*range(size),)).length <= room
        return size if fits else self.usual

    def needs(self, size: int, threads: int = 1) -> Needs:
        table = self._table(self._tables.grown(size))
        words, operators = self._rules.cells ** (size - 1), len(self._rules.sources)
        seconds = self._SECONDS_A_WORD * words * operators / threads
        # Building them takes twice the memory.
        return Needs([table.key], table.length, seconds, 2 * table.length)

    def lookups(self, size: int, **how: Unpack[Loading]) -> permutation.ReachLookups | None:
        """Return those of a proof with patterns of `size` tiles; None if bytes are enough."""
        if not self.usual < self.largest <= size:
            return None
        pattern = self._tables.grown(self.largest)
        return permutation.reach_lookups(self._rules, pattern, self._tables.maps, **how)

    def _table(self, pattern: Pattern) -> Table:
        return permutation.reach_table(self._rules, pattern)


MOST_PLACED = 300_000_000
"""The bytes of all tables of placements."""


class PlacementChooser(LookupChooser):
    """Tables of placements for any puzzle of at most 64 cells: the kinds but for the blank."""

    # Counting pairs half that are in earlier patterns leaves, on random 15-puzzles with multi-tile
    # moves, half the nodes of not counting them.
    again, most_cells = 0.5, 30
    _UNASKED = 8_000_000

    def __init__(self, puzzle: Puzzle, rules: PlacementRules, memory: int | None = None) -> None:
        homes = {kind: {*own.homes} for kind, own in rules.classes.items()}
        # The rarest first, since they take the least room.
        kinds = sorted(homes, key=lambda kind: (rules.classes[kind].copies, kind))
        beside = neighbours(rules.cells, rules.destinations)
        around = {kind: set().union(*map(beside.__getitem__, homes[kind])) for kind in kinds}
        near = {
            k: {other for other in kinds if other != k and around[k] & homes[other]} for k in kinds
        }
        self.puzzle, self.rules, self.maps = puzzle, rules, symmetries(puzzle)
        maps = [{k: placement.turned_back(puzzle, (k,), m)[0] for k in kinds} for m in self.maps]
        super().__init__(rules.cells, near, maps, self._UNASKED, MOST_PLACED, memory)

    def within(self, room: int) -> int:
        """Return the most kinds, at least one, any table of which fits into `room` bytes."""
        common = [*self._near][::-1]
        sizes = range(2, len(common) + 1)
        return max((k for k in sizes if self.length((*common[:k],)) <= room), default=1)

    def length(self, pattern: Pattern) -> int:
        return placement.table_length(self.rules, pattern)

    def pair_table(self, pair: Pattern) -> Bytes:
        return placement.build_table(self.rules, pair)

    def needs(self, size: int, threads: int = 1) -> Needs:
        patterns = self.patterns(size)
        table = placement.placement_table(self.rules, patterns)
        seconds = placement.build_seconds(self.rules, patterns, threads)
        return Needs([table.key], table.length, seconds, table.length)

    def lookups(self, size: int, **how: Unpack[Loading]) -> placement.PlacementLookups:
        """Return the lookups in the tables of a size, which are loaded or built."""
        return self._lookups(self.patterns(size), **how)

    def guide(self, room: int, **how: Unpack[Loading]) -> placement.PlacementLookups:
        """Return lookups that together cover all kinds, in tables of at most `room` bytes each.

        Kinds with so many pieces that their tables are larger are left out.
        """
        patterns = self.patterns(self.within(room))
        seen = {kind for own in patterns for image in self._images(own) for kind in image}
        others = [(k,) for k in self._near if k not in seen and self.length((k,)) <= room]
        return self._lookups([*patterns, *Grouping(self.rules, room).partition(others)], **how)

    def _lookups(
        self, patterns: Sequence[Pattern], **how: Unpack[Loading]
    ) -> placement.PlacementLookups:
        alone = [[pattern] for pattern in patterns]
        return placement.placement_lookups(self.puzzle, self.rules, alone, self.maps, **how)


_GROWTHS = 200
_AGAIN = 8
"""Kinds that another partition has in one pattern count as so much farther apart."""
_SAMPLES = 4


class Grouping:
    """Patterns for the kinds of a puzzle, in tables of the length `room` at most."""

    def __init__(self, rules: PlacementRules, room: int) -> None:
        self._rules, self._room = rules, room

    def partition(self, parts: Sequence[Pattern], other: Sequence[Pattern] = ()) -> list[Pattern]:
        """Return the parts in patterns of few but many kinds that lie close together.

        In many rounds, patterns grow from a random part by the nearest one that has room. The best
        have the largest sum of squared sizes, and then are the most compact ones. Kinds that share
        a pattern of the `other` partition count as farther apart.
        """
        apart, random, found = self._apart(parts), Random(0), []
        together = {pair for pattern in other for pair in combinations(sorted(pattern), 2)}
        for _ in range(_GROWTHS if len(parts) > 1 else 1):
            left, patterns, far, squares = [*range(len(parts))], list[Pattern](), 0, 0
            while left:
                first = left.pop(random.randrange(len(left)))
                chosen, near = self._grown(first, left, parts, apart)
                left = [part for part in left if part not in chosen]
                patterns.append(tuple(sorted(kind for part in chosen for kind in parts[part])))
                far += near + _AGAIN * len(together & {*combinations(patterns[-1], 2)})
                squares += sum(self._rules.classes[kind].copies for kind in patterns[-1]) ** 2
            found.append((-squares, far, sorted(patterns)))
        return min(found)[2]

    def samples(self, part: Pattern) -> list[Pattern]:
        """Return some patterns within a part, each as large as there is room, each kind in one."""
        kinds = [(kind,) for kind in part if self.fits((kind,))]
        apart, patterns, left = self._apart(kinds), list[Pattern](), [*range(len(kinds))]
        while left and len(patterns) < _SAMPLES:
            others = [kind for kind in range(len(kinds)) if kind != left[0]]
            chosen, _ = self._grown(left[0], others, kinds, apart)
            left = [kind for kind in left if kind not in chosen]
            patterns.append(tuple(sorted(kinds[kind][0] for kind in chosen)))
        return patterns

    def fits(self, pattern: Pattern) -> bool:
        """Return True if there is room for the pattern's table."""
        return placement.table_length(self._rules, pattern) <= self._room

    def _grown(
        self,
        first: int,
        others: Sequence[int],
        parts: Sequence[Pattern],
        apart: Sequence[Sequence[int]],
    ) -> tuple[list[int], int]:
        """Return the parts of a pattern that grows by the nearest ones, and how far apart it is."""
        chosen, pattern, far = [first], parts[first], 0
        while fitting := {
            other: sum(apart[other][one] for one in chosen)
            for other in others
            if other not in chosen and self.fits((*pattern, *parts[other]))
        }:
            near = min(fitting, key=fitting.__getitem__)
            far += fitting[near]
            chosen.append(near)
            pattern = (*pattern, *parts[near])
        return chosen, far

    def _apart(self, parts: Sequence[Pattern]) -> list[list[int]]:
        """Return the sums of distances between goal cells, for each two parts."""
        rules = self._rules
        near = neighbours(rules.cells, rules.destinations)
        beside = [sorted(cells) for cells in near.values()]
        distance = np.array([breadth_first(beside, cell) for cell in near], np.int64)
        distance[distance == UNREACHABLE] = rules.cells
        homes = [[cell for kind in part for cell in rules.classes[kind].homes] for part in parts]
        return [[int(distance[np.ix_(own, others)].sum()) for others in homes] for own in homes]
