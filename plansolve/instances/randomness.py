"""Random numbers that are the same for the same seed on every machine and Python version."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")

_RANGE = 1 << 53


class Randomness:
    """Draws from a seed, 0 or more.

    Python promises to keep only `random()` unchanged between versions, so everything here uses
    that: it returns a multiple of 2**-53.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, count: int) -> int:
        """Return one of 0 .. count - 1, all with the same probability; count is up to 2**53."""
        fair = _RANGE - _RANGE % count
        while (drawn := int(self._random.random() * _RANGE)) >= fair:
            pass
        return drawn % count

    def one_of(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in a random order, each with the same probability (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def child(self) -> "Randomness":
        """Return another generator, so that the draws for one board do not change the next."""
        return Randomness(self.below(_RANGE))
