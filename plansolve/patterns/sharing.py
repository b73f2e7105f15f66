"""One table for all patterns that the symmetries of the blank's arcs take into one another."""

from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

from plansolve.analysis.automorphisms import CellMap, automorphisms
from plansolve.patterns.additive_build import Table, blanks_at_goal

__all__ = ["SharedTables", "arc_symmetries"]

Arcs: TypeAlias = Sequence[Sequence[int]]

_MOST_SYMMETRIES = 64


def arc_symmetries(arcs: Arcs) -> tuple[CellMap, ...]:
    """Return permutations of the cells that keep `arcs`, the identity first; 64 at the most.

    They need not keep the blank's goal cell. Where there are more of them tables are shared less
    than they could be.
    """
    return tuple(islice(automorphisms(arcs), _MOST_SYMMETRIES))


class SharedTables:
    """The distinct tables of some patterns: those that no symmetry takes into one another.

    A table depends on the pattern's cells and on the blank's cells at the goal. The least image of
    both under all symmetries of the arcs stands for all images.
    """

    def __init__(self, arcs: Arcs, blank: int, consistent: bool) -> None:
        self._arcs, self._blank, self._consistent = arcs, blank, consistent
        self._symmetries = arc_symmetries(arcs)
        self._number: dict[Table, int] = {}

    def place(self, pattern: tuple[int, ...]) -> tuple[int, CellMap, tuple[int, ...]]:
        """Which table serves a pattern, the map from the board to it, and the table's cells."""
        blanks = (
            frozenset(range(len(self._arcs))) - frozenset(pattern)
            if self._consistent
            else blanks_at_goal(self._arcs, pattern, self._blank)
        )
        table, image = min(
            (
                Table(
                    tuple(sorted(image[cell] for cell in pattern)),
                    tuple(sorted(image[cell] for cell in blanks)),
                ),
                image,
            )
            for image in self._symmetries
        )
        number = self._number.setdefault(table, len(self._number))
        return number, image, table.pattern

    @property
    def tables(self) -> list[Table]:
        """The distinct tables, in the order of their numbers."""
        return list(self._number)

    @property
    def bases(self) -> list[int]:
        """Where each table begins, and at the end where the last one ends."""
        sums = [0]
        for table in self._number:
            sums.append(sums[-1] + len(self._arcs) ** len(table.pattern))
        return sums

    @property
    def length(self) -> int:
        """The bytes of all tables."""
        return self.bases[-1]

    @property
    def content(self) -> dict[str, object]:
        """What the bytes depend on."""
        return {
            "version": 1,
            "arcs": [sorted(targets) for targets in self._arcs],
            "tables": [[list(table.pattern), list(table.blanks)] for table in self._number],
            "consistent": self._consistent,
        }
