"""The patterns whose lookups guide a beam over arrangements."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from plansolve.analysis.automorphisms import CellMap
from plansolve.patterns.permutation import PermutationLookups, permutation_lookups
from plansolve.patterns.permutation_rules import PermutationRules
from plansolve.patterns.table import Pattern
from plansolve.storage.store import Store, Tell

_LOOKUPS, _LARGEST, _CANDIDATES = 96, 5, 40
_PATTERNS = 6
"""At least so many, even where one has lookups enough: they see different things."""
_TABLE_BYTES = 3 << 20
"""All tables together; larger ones do not stay in a processor's cache."""


def guiding_lookups(
    rules: PermutationRules, maps: Sequence[CellMap], tell: Tell
) -> PermutationLookups:
    """Return the lookups for the sum of squares that tells good arrangements from bad ones.

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
    """Return at most `count` patterns, none an image of another, that look at all tiles alike.

    They are as large as their tables allow; many lookups of small patterns guide better than few
    lookups of large ones. Their cells are near each other: such tiles hinder each other most.
    """
    cells, random = rules.cells, Random(0)
    near = [{to[cell] for to in rules.destinations} - {cell} for cell in range(cells)]
    size = min(2, cells)
    while size < min(_LARGEST, cells) and count * cells ** (size + 1) <= _TABLE_BYTES:
        size += 1
    looks, seen, patterns = Counter[int](), set[frozenset[int]](), list[Pattern]()

    def grown() -> Pattern:
        """Return a cell, and in turn cells to which a move takes what is in one of the others."""
        pattern = [random.randrange(cells)]
        while len(pattern) < size:
            around = sorted({cell for one in pattern for cell in near[one]} - {*pattern})
            others = [cell for cell in range(cells) if cell not in pattern]
            pattern.append(random.choice(around or others))
        return tuple(sorted(pattern))

    def unevenness(pattern: Pattern) -> tuple[int, Pattern]:
        """Return how unevenly tiles are looked at then; a pattern of few images costs more."""
        fresh = Counter(cell for image in images[pattern] for cell in image)
        cost = sum((looks[cell] + n) ** 2 - looks[cell] ** 2 for cell, n in fresh.items())
        return cost * 1000 // len(images[pattern]) ** 2, pattern

    while len(patterns) < count:
        some = [pattern for _ in range(_CANDIDATES) if frozenset(pattern := grown()) not in seen]
        images = {own: {frozenset(map(image.index, own)) for image in maps} for own in some}
        if not images:
            break
        patterns.append(min(images, key=unevenness))
        seen |= images[patterns[-1]]
        looks.update(cell for image in images[patterns[-1]] for cell in image)
    return patterns
