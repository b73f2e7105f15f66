"""Patterns that grow from one kind of piece by the neighbour that is worth most."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

__all__ = ["Kinds", "grown_pattern", "images_of", "neighbours"]

Kinds: TypeAlias = frozenset[int]
"""Some kinds of pieces; where all can be told apart, they may go by their goal cells."""

KindMap: TypeAlias = Sequence[int] | Mapping[int, int]
"""What a symmetry makes of each kind."""


def grown_pattern(
    near: Mapping[int, set[int]],
    size: int,
    worth: Mapping[Kinds, int],
    symmetries: Sequence[KindMap],
) -> tuple[int, ...]:
    """The best pattern of `size` kinds that grows so from any kind in `near`.

    `near` has the neighbours of each kind, and `worth` what a pair of kinds is worth. The best has
    the most images under the symmetries, and among those is worth most.
    """
    found = []
    for first in near if worth else [*near][:1]:
        pattern, total = [first], 0
        while len(pattern) < size:
            gains = {
                kind: (
                    not near[kind].isdisjoint(pattern),
                    sum(worth.get(frozenset((kind, other)), 0) for other in pattern),
                )
                for kind in near
                if kind not in pattern
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


def images_of(kinds: Iterable[int], maps: Sequence[KindMap]) -> set[Kinds]:
    """What the symmetries make of some kinds."""
    kinds = [*kinds]
    return {frozenset(image[kind] for kind in kinds) for image in maps}
