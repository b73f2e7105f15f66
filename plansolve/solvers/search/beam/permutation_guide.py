"""The patterns whose lookups guide a beam over arrangements."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from plansolve.analysis.automorphisms import CellMap
from plansolve.patterns.permutation import PermutationLookups, permutation_lookups
from plansolve.patterns.permutation_build import Pattern
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.storage.store import Store, Tell

__all__ = ["guide_patterns", "guiding_lookups"]

_LOOKUPS = 96
_PATTERNS = 6
"""At least so many, even where one has lookups enough: they see different things."""

_TABLE_BYTES = 3 << 20
"""All tables together; larger ones do not stay in a processor's cache."""

_LARGEST = 5
_CANDIDATES = 40


def guiding_lookups(
    rules: PermutationRules, maps: Sequence[CellMap], tell: Tell
) -> PermutationLookups:
    """The lookups for the sum of squares by which a beam tells good arrangements from bad ones.

    `maps` are the symmetries of the rules, the identity first.
    """
    lookups = _LOOKUPS // (1 + rules.is_inverse_closed)
    patterns = max(_PATTERNS, -(-lookups // len(maps)))
    # Of many symmetries a few do: lookups of several patterns see more than those of one.
    images = -(-lookups // patterns)
    some = [maps[0], *Random(0).sample(maps[1:], min(images, len(maps)) - 1)]
    return permutation_lookups(
        rules,
        guide_patterns(rules, some, patterns),
        some,
        store=Store(in_memory=True),
        tell=tell,
        # Parity says nothing about single tiles, and would double the tables.
        parity=False,
        most=_LOOKUPS,
    )


def guide_patterns(rules: PermutationRules, maps: Sequence[CellMap], count: int) -> list[Pattern]:
    """At most `count` patterns, none an image of another, whose images look at all tiles alike.

    They are as large as their tables allow; many lookups of small patterns guide better than few
    lookups of large ones. Their cells are near each other: such tiles hinder each other most.
    """
    cells = rules.cells
    near = [sorted({to[cell] for to in rules.destinations} - {cell}) for cell in range(cells)]
    size = min(2, cells)
    while size < min(_LARGEST, cells) and count * cells ** (size + 1) <= _TABLE_BYTES:
        size += 1
    random = Random(0)
    looks: Counter[int] = Counter()
    seen: set[frozenset[int]] = set()
    patterns: list[Pattern] = []
    for _ in range(count):
        grown = (_grown(near, size, random) for _ in range(_CANDIDATES))
        candidates = [
            (pattern, {frozenset(map(image.index, pattern)) for image in maps})
            for pattern in grown
            if frozenset(pattern) not in seen
        ]
        if not candidates:
            break
        pattern, images = min(candidates, key=lambda item: _unevenness(looks, *item))
        patterns.append(pattern)
        seen |= images
        looks.update(cell for image in images for cell in image)
    return patterns


def _unevenness(
    looks: Counter[int], pattern: Pattern, images: set[frozenset[int]]
) -> tuple[int, Pattern]:
    """Return how unevenly the tiles are looked at with a further pattern, and the pattern.

    A pattern with few images costs more.
    """
    fresh = Counter(cell for image in images for cell in image)
    cost = sum((looks[cell] + count) ** 2 - looks[cell] ** 2 for cell, count in fresh.items())
    return cost * 1000 // len(images) ** 2, pattern


def _grown(near: Sequence[Sequence[int]], size: int, random: Random) -> Pattern:
    """A cell, and one after the other cells to which a move takes what is in one of the others."""
    pattern = [random.randrange(len(near))]
    while len(pattern) < size:
        around = sorted({cell for one in pattern for cell in near[one]} - set(pattern))
        others = [cell for cell in range(len(near)) if cell not in pattern]
        pattern.append(random.choice(around or others))
    return tuple(sorted(pattern))
