"""Which additive pattern databases serve a graph and a goal cell of the blank: partitions and keys.

Everything here depends on the blank's arcs and its goal cell alone: the symmetries of the arcs,
the partitions of the tiles into patterns, and the distinct tables of these with their key in the
store. A table depends on the pattern's cells and on the blank's cells at the goal, and patterns
that a symmetry takes into one another share one table.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import NamedTuple, TypeAlias

from plansolve.analysis.automorphisms import CellMap, automorphisms
from plansolve.errors import OptionError
from plansolve.model.puzzle import WORD_CELLS
from plansolve.patterns.additive_build import TablePlan, blanks_at_goal
from plansolve.patterns.partition import (
    LARGEST_TABLE,
    Partition,
    choose_several,
    choose_two,
)
from plansolve.storage.store import StoreKey

__all__ = ["KIND", "PatternPlan", "PlacedPattern", "SharedTables", "pattern_plan"]

Arcs: TypeAlias = Sequence[Sequence[int]]

KIND = "additive"
"""The kind of these tables in the store."""

_VERSION = 1
_MOST_SETS = 4
_MOST_SYMMETRIES = 64


class PlacedPattern(NamedTuple):
    """A pattern, the number of its table, the map from the board to it, and the table's cells."""

    pattern: tuple[int, ...]
    number: int
    image: CellMap
    homes: tuple[int, ...]


class PatternPlan:
    """The patterns and tables of one graph and one goal cell of the blank.

    `arcs[cell]` are the cells that the blank can go to, `dear[cell]` those of them to which a move
    counts twice, or empty. Raise `OptionError` where there are more than 64 cells.
    """

    def __init__(self, arcs: Arcs, blank: int, dear: Arcs = ()) -> None:
        if len(arcs) > WORD_CELLS:
            raise OptionError(
                f"the board has {len(arcs)} cells: additive pattern databases go up to {WORD_CELLS}"
            )
        self.arcs, self.blank, self.dear = arcs, blank, dear
        self._two: dict[int, tuple[Partition, Partition]] = {}
        self._several: dict[tuple[int, int], tuple[Partition, ...]] = {}

    @cached_property
    def arcs_of_keys(self) -> list[list[int]]:
        """The arcs as the key of each table of the graph has them under `arcs`."""
        return [sorted(targets) for targets in self.arcs]

    @cached_property
    def symmetries(self) -> tuple[CellMap, ...]:
        """Permutations of the cells that keep the arcs, the identity first; 64 at the most.

        Those that take dear arcs to others do not count. Where there are more of them tables are
        shared less than they could be.
        """
        return tuple(filter(self._keeps_dear, islice(automorphisms(self.arcs), _MOST_SYMMETRIES)))

    def _keeps_dear(self, image: CellMap) -> bool:
        return all(
            {image[target] for target in targets} == set(self.dear[image[cell]])
            for cell, targets in enumerate(self.dear)
        )

    @cached_property
    def reflections(self) -> tuple[CellMap, ...]:
        """Those of the symmetries that keep the blank's cell."""
        return tuple(image for image in self.symmetries if image[self.blank] == self.blank)

    def two_partitions(self, size: int) -> tuple[Partition, Partition]:
        """A compact partition into patterns of `size` cells, and one with other tiles together.

        Among the most compact ones that a short search finds, the first has the fewest distinct
        tables. The second may be equal to it where there are few tiles.
        """
        if size not in self._two:
            self._two[size] = choose_two(
                self.arcs,
                self.blank,
                size,
                tables=lambda partition: len(SharedTables(self, [partition]).tables),
            )
        return self._two[size]

    def several_partitions(self, size: int, count: int) -> tuple[Partition, ...]:
        """Up to `count` partitions, such that many pairs of tiles are together somewhere."""
        if (size, count) not in self._several:
            self._several[size, count] = choose_several(
                self.arcs, self.blank, size, count, self.reflections
            )
        return self._several[size, count]

    def partitions(self, size: int) -> tuple[Partition, ...]:
        """One partition where there are reflections of it, else two, if two cost little."""
        both = self.two_partitions(size)
        alone = len(self.reflections) > 1 or len(self.arcs) ** size > LARGEST_TABLE
        return both[:1] if alone else both

    def reflected(self, partitions: Sequence[Partition]) -> list[Partition]:
        """The partitions and then their reflections, each once; up to four."""
        images: dict[frozenset[tuple[int, ...]], Partition] = {}
        for image in self.reflections:
            for partition in partitions:
                mapped = tuple(
                    tuple(sorted(image[cell] for cell in pattern)) for pattern in partition
                )
                images.setdefault(frozenset(mapped), mapped)
        return list(images.values())[:_MOST_SETS]

    def tables(self, partitions: Sequence[Partition], *, reflected: bool = True) -> "SharedTables":
        """The tables of some partitions, and of their reflections if wanted; up to four sets."""
        chosen = self.reflected(partitions) if reflected else partitions[:_MOST_SETS]
        return SharedTables(self, chosen)


class SharedTables:
    """The distinct tables of some partitions: those that no symmetry takes into one another.

    The least image of a table under all symmetries of the arcs stands for all images. `sets` are
    the patterns of each partition, `tables` the tables in the order of their numbers; table n
    takes the bytes from bases[n] to bases[n + 1], and `length` is the size of all.
    """

    def __init__(self, plan: PatternPlan, partitions: Sequence[Partition]) -> None:
        self._plan = plan
        self._number: dict[TablePlan, int] = {}
        self.sets = [[self._placed(pattern) for pattern in part] for part in partitions]
        self.tables = list(self._number)
        sizes = (len(plan.arcs) ** len(table.pattern) for table in self.tables)
        self.bases = list(accumulate(sizes, initial=0))
        self.length = self.bases[-1]

    def key(self, title: str) -> StoreKey:
        """The key of the tables in the store, where `title` and the patterns' sizes are shown."""
        sizes = "-".join(str(len(placed.pattern)) for placed in self.sets[0])
        content = {
            "version": _VERSION,
            "arcs": self._plan.arcs_of_keys,
            "tables": [[list(table.pattern), list(table.blanks)] for table in self.tables],
            # Once there were tables for a blank that jumps, and the files tell which they are.
            "consistent": False,
        }
        return StoreKey(KIND, f"{title}, {sizes}", content)

    def _placed(self, pattern: tuple[int, ...]) -> PlacedPattern:
        plan = self._plan
        blanks = blanks_at_goal(plan.arcs, pattern, plan.blank)
        table, image = min(
            (
                TablePlan(
                    tuple(sorted(image[cell] for cell in pattern)),
                    tuple(sorted(image[cell] for cell in blanks)),
                ),
                image,
            )
            for image in plan.symmetries
        )
        number = self._number.setdefault(table, len(self._number))
        return PlacedPattern(pattern, number, image, table.pattern)


def pattern_plan(arcs: Arcs, blank: int, dear: Arcs = ()) -> PatternPlan:
    """The plan for a graph and a cell of the blank, kept for the next call with the same ones."""
    return _pattern_plan(_sorted(arcs), blank, _sorted(dear))


@lru_cache(maxsize=64)
def _pattern_plan(
    arcs: tuple[tuple[int, ...], ...], blank: int, dear: tuple[tuple[int, ...], ...]
) -> PatternPlan:
    return PatternPlan(arcs, blank, dear)


def _sorted(arcs: Arcs) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(sorted(targets)) for targets in arcs)
