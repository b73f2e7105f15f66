"""Patterns that grow from one piece by the neighbour that is worth most."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from plansolve.analysis.automorphisms import CellMap

__all__ = ["Homes", "grown_pattern", "images_of", "neighbours"]

Homes: TypeAlias = frozenset[int]
"""The goal cells of some pieces."""


def grown_pattern(
    near: Mapping[int, set[int]],
    size: int,
    worth: Mapping[Homes, int],
    symmetries: Sequence[CellMap],
) -> tuple[int, ...]:
    """The homes of the best pattern of `size` pieces that grows so from any home in `near`.

    `near` has the neighbours of each home, and `worth` what a pair of homes is worth. The best has
    the most images under the symmetries, and among those is worth most.
    """
    found = []
    for first in near if worth else [*near][:1]:
        pattern, total = [first], 0
        while len(pattern) < size:
            gains = {
                home: (
                    not near[home].isdisjoint(pattern),
                    sum(worth.get(frozenset((home, other)), 0) for other in pattern),
                )
                for home in near
                if home not in pattern
            }
            # The first one of those that are worth most.
            best = max(gains, key=gains.__getitem__)
            total += gains[best][1]
            pattern.append(best)
        images = len(images_of(pattern, symmetries))
        found.append((-images, -total, tuple(sorted(pattern))))
    return min(found)[2]


def neighbours(cells: int, sources: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """For each cell, those that one move fills from it or it from.

    A move is given by the cell that it fills each cell from, or by the cell each content goes to.
    """
    near: dict[int, set[int]] = {cell: set() for cell in range(cells)}
    for source in sources:
        for cell, origin in enumerate(source):
            if cell != origin:
                near[cell].add(origin)
                near[origin].add(cell)
    return near


def images_of(homes: Iterable[int], maps: Sequence[CellMap]) -> set[Homes]:
    """What the symmetries make of some homes."""
    homes = [*homes]
    return {frozenset(image[home] for home in homes) for image in maps}
