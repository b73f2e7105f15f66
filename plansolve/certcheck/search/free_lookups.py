"""Lookups in pattern tables where no move depends on a blank: which are bounds, and as arrays.

Each move permutes the cells, whatever is in them. A symmetry of the moves takes a pattern to
another, so that one table serves several lookups. Where each move can be taken back by one move, a
board and its inverse are equally far from the goal (Felner, Zahavi, Schaeffer and Holte 2005).
"""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from plansolve.certcheck.clauses import Array
from plansolve.certcheck.search.free_kernel import FreeLookups
from plansolve.certcheck.search.proof import PatternLookup

__all__ = [
    "can_be_taken_back",
    "counted_as_odd",
    "free_lookups",
    "is_symmetry",
]

_Cells: TypeAlias = Sequence[int]


def counted_as_odd(is_odd: Sequence[bool]) -> tuple[bool, ...]:
    """Return which moves change the half of a table.

    Where all are odd, or none, their number tells parity, and tables have no halves.
    """
    return tuple(is_odd) if len({*is_odd}) > 1 else (False,) * len(is_odd)


def is_symmetry(image: _Cells, sources: Collection[tuple[int, ...]]) -> bool:
    """Whether the moves, seen through a map of the cells, are the same; move m fills cell c from
    cell `sources[m][c]`.
    """
    back = [image.index(cell) for cell in range(len(image))]
    return {tuple(image[source[cell]] for cell in back) for source in sources} == {*sources}


def can_be_taken_back(sources: Collection[tuple[int, ...]]) -> bool:
    """Whether each move can be taken back by one move."""
    return {tuple(map(source.index, range(len(source)))) for source in sources} == {*sources}


def free_lookups(
    cells: int,
    has_halves: bool,
    tables: Sequence[tuple[_Cells, Array]],
    symmetries: Sequence[_Cells],
    lookups: Sequence[PatternLookup],
) -> FreeLookups:
    """Return the lookups as arrays; of each table the homes of its tiles, and its entries."""
    begins = list(accumulate((entries.size for _, entries in tables), initial=0))
    # Those of boards come first.
    lookups = sorted(lookups, key=lambda look: look.is_inverse)
    most = max((len(tables[lookup.table][0]) for lookup in lookups), default=0)
    # Where a pattern has fewer tiles, nothing is added for the rest.
    place = np.zeros((len(lookups), most), np.uint8)
    value = np.zeros((len(lookups), most, cells), np.uint32)
    for number, lookup in enumerate(lookups):
        homes, image = tables[lookup.table][0], symmetries[lookup.symmetry]
        for i, home in enumerate(homes):
            place[number, i] = image.index(home)
            value[number, i] = [cells ** (len(homes) - 1 - i) * cell for cell in image]
    return FreeLookups(
        np.concatenate([np.zeros(0, np.uint8), *(entries for _, entries in tables)]),
        np.array([sum(not lookup.is_inverse for lookup in lookups)], np.uint32),
        np.array([begins[lookup.table] for lookup in lookups], np.uint32),
        np.array([tables[look.table][1].size // 2 * has_halves for look in lookups], np.uint32),
        place.reshape(-1),
        value.reshape(-1),
    )
