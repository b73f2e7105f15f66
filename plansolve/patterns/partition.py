"""Partition items into patterns whose tables are added, so that no item counts twice.

Compact patterns hold the items that obstruct each other. Tiles are put into patterns of one size by
iterated local search; kinds of pieces, whose tables differ in size, by `choose.Grouping`.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import islice, takewhile
from math import perm
from random import Random
from typing import TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.automorphisms import CellMap, automorphisms
from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, FEW_CELLS, WORD_CELLS, Puzzle, State
from plansolve.model.structure import breadth_first
from plansolve.patterns.additive import KIND, Arcs, Partition, SharedTables, mapped
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.choose import (
    MOST_PLACED,
    Chooser,
    Grouping,
    Loading,
    Needs,
    PlacementChooser,
)
from plansolve.patterns.placement import (
    PlacementLookups,
    build_seconds,
    placement_lookups,
    placement_table,
    table_length,
)
from plansolve.patterns.rules import PlacementRules, independent_kinds
from plansolve.patterns.table import Pattern
from plansolve.storage.store import Store, Tell

LARGEST_TABLE = 17_000_000
"""The most entries of an additive table unless larger ones are requested."""

_LARGEST_SUM, _MOST_BYTES = 64_000_000, 1 << 32
# The tables that a long proof may build by itself.
_MOST_UNASKED = 1 << 30
# Patterns of two tiles prove little more than single tiles, and cost much more at each node.
_SMALLEST_PATTERN = 3
_MOST_BESIDE, _MOST_SETS, _MOST_SYMMETRIES = 3, 4, 64


def default_size(cells: int) -> int:
    """Return the usual number of tiles in an additive pattern (16 cells: 6, 25: 5, 36: 4)."""
    fits = (
        cells**size <= LARGEST_TABLE and -(-(cells - 1) // size) * cells**size <= _LARGEST_SUM
        for size in range(2, cells)
    )
    return 1 + len([*takewhile(bool, fits)])


def is_worth_tables(cells: int) -> bool:
    """Return True if a search on a blank graph of so many cells is better off with tables."""
    return FEW_CELLS < cells <= WORD_CELLS and default_size(cells) >= _SMALLEST_PATTERN


class AdditiveChooser(Chooser):
    """Compact partitions of the tiles, for one graph and one goal cell of the blank.

    The smaller the distances between its home cells, along moves that one move can undo, the more
    compact is a pattern. The tiles beside the blank at the goal belong together too: one of them
    makes the last move of every plan.

    `arcs[cell]` are the cells that the blank can go to, `dear[cell]` those of them to which a move
    counts twice, or empty; files in the store are shown as `title`. Raise `OptionError` if there
    are more than 64 cells.
    """

    def __init__(self, arcs: Arcs, blank: int, dear: Arcs = (), title: str = "") -> None:
        if len(arcs) > WORD_CELLS:
            raise OptionError(
                f"the board has {len(arcs)} cells: additive pattern databases go up to {WORD_CELLS}"
            )
        super().__init__(LARGEST_TABLE, _MOST_UNASKED)
        self.arcs, self.blank, self.dear, self.title = arcs, blank, dear, title
        self._two: dict[int, tuple[Partition, Partition]] = {}

    @cached_property
    def usual(self) -> int:
        return default_size(len(self.arcs))

    def within(self, room: int) -> int:
        """Return one more than the usual size, or that."""
        arcs, size = self.arcs, self.usual + 1
        # Where a move carries a tile far at once, as a transport on Lloyd's square does, larger
        # patterns prove hardly more.
        fits = all(b in arcs[d] for b, to in enumerate(arcs) for d in to)
        fits = fits and size < len(arcs) and len(arcs) ** size <= room
        return size if fits and self.needs(size).nbytes <= room else self.usual

    def needs(self, size: int, threads: int = 1) -> Needs:
        shared = self.tables(self.partitions(size))
        return Needs([shared.key(self.title)], shared.length, *shared.effort(threads))

    def _largest_in(self, store: Store) -> int:
        # Choosing a partition takes longer than checking the files.
        arcs, cells, size = [sorted(to) for to in self.arcs], len(self.arcs), self.usual
        files = ((file.key, file.length) for file in store.files())
        own = (
            n for key, n in files if key and key.kind == KIND and key.content.get("arcs") == arcs
        )
        longest = max(own, default=0)
        while size < cells - 1 and cells ** (size + 1) <= longest:
            size += 1
        return size

    @cached_property
    def symmetries(self) -> tuple[CellMap, ...]:
        """Permutations of the cells that keep the arcs, the identity first; 64 at the most.

        They map dear arcs to dear arcs.
        """
        dear = [*map(sorted, self.dear)]
        return tuple(
            image
            for image in islice(automorphisms(self.arcs), _MOST_SYMMETRIES)
            if all(mapped(image, to) == (*dear[image[cell]],) for cell, to in enumerate(dear))
        )

    @cached_property
    def reflections(self) -> tuple[CellMap, ...]:
        return tuple(image for image in self.symmetries if image[self.blank] == self.blank)

    def partitions(self, size: int) -> tuple[Partition, ...]:
        """Return one partition if there are reflections of it, else two, if two cost little."""
        both = self.two_partitions(size)
        alone = len(self.reflections) > 1 or len(self.arcs) ** size > LARGEST_TABLE
        return both[:1] if alone else both

    def two_partitions(self, size: int) -> tuple[Partition, Partition]:
        """Return the cells but the blank's in patterns of `size`, the last of what is left, twice.

        The first is, among the most compact ones that are found, one with the fewest distinct
        tables; the second combines other tiles. On few cells both may be the same.
        """
        if size not in self._two:
            arcs, blank, distance = self.arcs, self.blank, distances(self.arcs)
            beside = [cell for cell in arcs[blank] if blank in arcs[cell] and cell != blank]
            if len(beside) <= min(size, _MOST_BESIDE):
                # More than all other distances together.
                distance[np.ix_(beside, beside)] -= 3 * len(arcs)
                np.fill_diagonal(distance, 0)
            found = compact_partitions(distance, blank, size)
            least = min(spread(distance, own) for own in found)
            best = [own for own in found if spread(distance, own) == least]
            first = min(best, key=lambda own: (len(self._shared([own]).tables), own))
            # Two for each pair of cells that share a pattern in the first one, too.
            member = _member(len(arcs), first)
            farther = distance + np.equal.outer(member, member)
            self._two[size] = first, min(found, key=lambda own: (spread(farther, own), own))
        return self._two[size]

    def tables(self, partitions: Sequence[Partition]) -> SharedTables:
        """Return the tables of up to four: some partitions, and their reflections."""
        images: dict[frozenset[Pattern], Partition] = {}
        for image in self.reflections:
            for partition in partitions:
                reflected = tuple(mapped(image, pattern) for pattern in partition)
                images.setdefault(frozenset(reflected), reflected)
        return self._shared([*images.values()][:_MOST_SETS])

    def sets(
        self,
        board: State,
        partitions: Sequence[Partition],
        *,
        store: Store,
        tell: Tell,
        threads: int | None = None,
    ) -> AdditiveSets:
        """Return lower bounds on the moves that bring each tile to its cell in `board`.

        Its blank is that of the chooser; with reversed arcs and the start as `board` these are
        bounds on the distance from the start. `partitions` hold home cells, and their reflections
        are further sets. Tables come from `store`, or are built by so many `threads`, None for all
        cores. Raise `OptionError` if they would exceed 4 GiB.
        """
        shared = self.tables(partitions)
        if shared.length >= _MOST_BYTES:
            raise OptionError(
                f"patterns of {max(map(len, partitions[0]))} tiles need tables of "
                f"{shared.length >> 20} MB on {len(self.arcs)} cells: choose smaller ones"
            )
        table = shared.table(self.title, tell, threads)
        return shared.lookups(board, table.load(store, tell, kept_above=0))

    def _shared(self, partitions: Sequence[Partition]) -> SharedTables:
        return SharedTables(self.arcs, self.blank, self.symmetries, partitions, self.dear)


def additive_chooser(arcs: Arcs, blank: int, dear: Arcs = (), title: str = "") -> AdditiveChooser:
    """Return the chooser of a graph, kept for the next call with the same one."""
    arcs, dear = (tuple(tuple(sorted(to)) for to in some) for some in (arcs, dear))
    return _additive_chooser(arcs, blank, dear, title)


_additive_chooser = lru_cache(maxsize=64)(AdditiveChooser)


def goal_chooser(problem: Problem, dear: Arcs = ()) -> AdditiveChooser:
    """Return the chooser for a problem's goal; the problem must have a blank graph."""
    arcs, puzzle = problem.blank_graph.successors, problem.puzzle
    title = f"{puzzle.rows}x{puzzle.columns} {puzzle.name}"
    return additive_chooser(arcs, problem.goal.index(BLANK), dear, title)


# ----------------------------------------------------------------------------- local search

_STARTS, _KICKS, _EXCHANGES = 8, 30, 3

Matrix: TypeAlias = NDArray[np.int64]


def distances(arcs: Arcs) -> Matrix:
    """Return those between all cells; along any arcs if those both ways do not join them."""
    cells = len(arcs)
    both = [[d for d in targets if b in arcs[d]] for b, targets in enumerate(arcs)]
    either = [
        [d for d in range(cells) if d in targets or b in arcs[d]] for b, targets in enumerate(arcs)
    ]
    far = np.array([breadth_first(either, cell) for cell in range(cells)], np.int64)
    near = np.array([breadth_first(both, cell) for cell in range(cells)], np.int64)
    # A path along symmetric arcs, if there is one, is at most that much longer.
    return np.minimum(np.minimum(near, far + cells), 3 * cells)


def compact_partitions(distance: Matrix, blank: int, size: int) -> set[Partition]:
    """Return local optima, among them the best that iterated local search finds."""
    random, found = Random(0), set()
    homes = [cell for cell in range(len(distance)) if cell != blank]
    for _ in range(_STARTS):
        here = _improved(distance, _grown(distance, homes, size, random))
        found.add(here)
        for _ in range(_KICKS):
            member = _member(len(distance), here)
            for _ in range(_EXCHANGES):
                i, j = random.choice(homes), random.choice(homes)
                member[i], member[j] = member[j], member[i]
            there = _improved(distance, member)
            found.add(there)
            if spread(distance, there) <= spread(distance, here):
                here = there
    return found


def spread(distance: Matrix, partition: Partition) -> int:
    """Return the sum of the distances within patterns: the less, the more compact they are."""
    return sum(int(distance[np.ix_(pattern, pattern)].sum()) for pattern in partition)


def _member(cells: int, partition: Partition) -> Matrix:
    """Return the number of each cell's pattern; -1 for the blank's cell."""
    member = np.full(cells, -1)
    for number, pattern in enumerate(partition):
        member[list(pattern)] = number
    return member


def _grown(distance: Matrix, homes: Sequence[int], size: int, random: Random) -> Matrix:
    """Return the number of each cell's pattern, which grow in turn by the nearest cell."""
    member, left = np.full(len(distance), -1), [*homes]
    for place in range(len(homes)):
        if place % size == 0:
            nearest, to_pattern = random.randrange(len(left)), np.zeros(len(distance), np.int64)
        else:
            nearest = int(to_pattern[left].argmin())
        cell = left.pop(nearest)
        to_pattern += distance[cell]
        member[cell] = place // size
    return member


def _improved(distance: Matrix, member: Matrix) -> Partition:
    """Return the partition after the best exchanges of two cells, as long as one helps."""
    patterns, homes = int(member.max()) + 1, np.flatnonzero(member >= 0)
    between, own = distance[np.ix_(homes, homes)], member[homes]
    while True:
        to_pattern = between @ np.eye(patterns, dtype=np.int64)[own]
        # The change where cell i goes to the pattern of cell j, which stays where it is.
        moved = to_pattern[:, own] - np.take_along_axis(to_pattern, own[:, None], axis=1)
        change = moved + moved.T - 2 * between
        change[own[:, None] == own] = 0
        best = int(change.argmin())
        if change.flat[best] >= 0:
            found = [tuple(map(int, homes[own == n])) for n in range(patterns)]
            return tuple(sorted(found, key=lambda pattern: (-len(pattern), pattern)))
        i, j = divmod(best, len(homes))
        own[i], own[j] = own[j], own[i]


# ------------------------------------------------------------------------- sums of placements


_Division: TypeAlias = tuple[Grouping, list[Pattern], list[Pattern], list[list[Pattern]]]


class SumChooser(Chooser):
    """Partitions of the kinds of a puzzle on which `independent_kinds` finds several parts.

    Sizes are numbers of pieces: no table is larger than that of so many different ones.
    """

    _UNASKED = 24_000_000
    """Bytes that are built in some seconds."""
    _SETTLING = 5.0
    """The time to build these tables, as a multiple of that for tables that count all moves."""

    def __init__(self, puzzle: Puzzle, rules: PlacementRules, memory: int | None = None) -> None:
        super().__init__(self._UNASKED, MOST_PLACED, memory)
        self.puzzle, self.rules = puzzle, rules
        self.parts = [tuple(sorted(part)) for part in independent_kinds(rules)]
        self._known: dict[int, _Division] = {}

    def within(self, room: int) -> int:
        """Return the most pieces of a pattern such that `room` bytes hold all tables, or 0."""
        size = 0
        while size < self.rules.cells and self._nbytes(self.sums(size + 1)) <= room:
            size += 1
        return size if size and self.sums(size) else 0

    def needs(self, size: int, threads: int = 1) -> Needs:
        patterns = self.patterns(size)
        table = placement_table(self.rules, patterns, are_added=True)
        seconds = self._SETTLING * build_seconds(self.rules, patterns, threads)
        return Needs([table.key], table.length, seconds, table.length)

    def sums(self, size: int) -> list[list[Pattern]]:
        """Return the patterns of each sum, no kind twice.

        Sums differ in the patterns for parts that are too large for one table.
        """
        _, _, whole, large = self._divided(size)
        return _summed(whole, large)

    def all_sums(self, size: int) -> list[list[Pattern]]:
        """Return those sums, and above the usual size those of another partition if there is room.

        The larger sum of two partitions leaves a quarter to a half of the nodes of 4x4 boards with
        two gaps.
        """
        sums = self.sums(size)
        if size <= self.usual or not sums:
            return sums
        grouping, fits, whole, large = self._divided(size)
        other = grouping.partition(fits, whole)
        both = [*sums, *_summed(other, large)]
        return both if {*other} != {*whole} and self._nbytes(both) <= self._room else sums

    def patterns(self, size: int) -> list[Pattern]:
        """Return the patterns of all sums; none if each kind takes more room."""
        return patterns_of(self.all_sums(size))

    def lookups(self, size: int, **how: Unpack[Loading]) -> PlacementLookups:
        """Return the lookups in the tables of a size, which are loaded or built."""
        return placement_lookups(
            self.puzzle, self.rules, self.all_sums(size), are_added=True, **how
        )

    def guide(self, room: int, **how: Unpack[Loading]) -> PlacementLookups:
        """Return lookups in tables of so many bytes in all, or in the usual ones."""
        sums = self.sums(self.within(room) or self.usual)
        return placement_lookups(self.puzzle, self.rules, sums, are_added=True, **how)

    def _nbytes(self, sums: Sequence[Sequence[Pattern]]) -> int:
        return sum(table_length(self.rules, pattern) for pattern in patterns_of(sums))

    def _divided(self, size: int) -> _Division:
        """Return the parts that fit into a table, these in patterns, and some within each other."""
        if size not in self._known:
            gaps = 0 if self.rules.blank is None else self.rules.blank.copies
            placed = self.rules.cells - gaps
            # The entries of a table of `size` different pieces.
            room = table_length(self.rules, ()) * perm(placed, min(size, placed))
            grouping = Grouping(self.rules, room)
            fits = [part for part in self.parts if grouping.fits(part)]
            large = [grouping.samples(part) for part in self.parts if part not in fits]
            whole = grouping.partition(fits)
            self._known[size] = grouping, fits, whole, [some for some in large if some]
        return self._known[size]


def _summed(whole: Sequence[Pattern], large: Sequence[Sequence[Pattern]]) -> list[list[Pattern]]:
    count = max(map(len, large), default=1)
    sums = [[*whole, *(some[n % len(some)] for some in large)] for n in range(count)]
    return [patterns for patterns in sums if patterns]


def patterns_of(sums: Sequence[Sequence[Pattern]]) -> list[Pattern]:
    """Return the different patterns of some sums."""
    return [*dict.fromkeys(pattern for patterns in sums for pattern in patterns)]


_WHOLE = 8_000_000
"""A table of all pieces that has no more entries knows every distance, so nothing is added."""


def table_choice(
    puzzle: Puzzle, rules: PlacementRules, memory: int | None = None
) -> PlacementChooser | SumChooser:
    """Return the choice for a puzzle: tables are added if that holds, else the largest counts.

    `memory` bounds the bytes of all tables.
    """
    sums = SumChooser(puzzle, rules, memory)
    is_whole = table_length(rules, tuple(rules.classes)) <= _WHOLE
    if is_whole or len(sums.parts) < 2 or not sums.usual:
        return PlacementChooser(puzzle, rules, memory)
    return sums
