"""Short products of generators that leave the first points of a base where they are.

Two products that take these points to the same places make one: the first, and then the second
taken back. What is so found is up to twice as long as the products that are known (search from both
ends, Pohl 1971).
"""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.constructive.factorization import (
    Element,
    Generators,
    permutation_bytes,
)

__all__ = ["Pairs", "ShortProducts", "inverted"]

_NEIGHBOURS = 16
"""Of many products that take the points to the same places, each is joined with so many."""
_FEW = 2000
"""With fewer products that leave the points by themselves, pairs are looked at."""
_PAIRS = 10_000

Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The numbers of the first products, and of those that are taken back after them."""


def inverted(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The inverses of permutations (uint8 [permutations, cells])."""
    cells = np.arange(images.shape[1], dtype=np.uint8)
    inverses = np.empty_like(images)
    np.put_along_axis(inverses, images.astype(np.intp), cells[None], 1)
    return inverses


class ShortProducts:
    """The generators and further elements of their group; number 0 is the identity.

    `images` and `inverses` (uint8 [products, cells]) and `lengths` (int64 [products]) go by their
    numbers.
    """

    def __init__(self, generators: Generators, supply: Iterable[Element], cells: int) -> None:
        nothing = Element(permutation_bytes(()), b"")
        known = sorted(chain(generators.elements, supply), key=lambda e: len(e.factors))
        self.elements = [nothing, *known]
        whole = np.frombuffer(b"".join(e.image for e in self.elements), np.uint8)
        self.images = np.ascontiguousarray(whole.reshape(-1, 256)[:, :cells])
        self.inverses = inverted(self.images)
        self.lengths = np.array([len(e.factors) for e in self.elements], np.int64)
        self._keys = np.random.default_rng(1).integers(1, 1 << 63, (cells, cells), np.uint64)

    def places(self, points: Iterable[int]) -> NDArray[np.uint64]:
        """For each product, a hash of where it takes these points (uint64 [products])."""
        places = np.zeros(len(self.elements), np.uint64)
        for point in points:
            places += self._keys[point][self.images[:, point]]
        return places

    def pairs(self, places: NDArray[np.uint64], most: int) -> Pairs:
        """Pairs that leave the points which `places` tells of, the shortest `most` of those found.

        Products that leave them by themselves are pairs with the identity.
        """
        alone = np.flatnonzero(places == places[0])[1:]
        first, second = [alone], [np.zeros_like(alone)]
        found = alone.size
        order = np.argsort(places, kind="stable")
        in_order = places[order]
        for apart in range(1, min(_NEIGHBOURS, order.size - 1) + 1):
            same = np.flatnonzero(in_order[:-apart] == in_order[apart:])
            if found >= most or not same.size:
                break
            first.append(order[same + apart])
            second.append(order[same])
            found += same.size
        ones, others = np.concatenate(first), np.concatenate(second)
        length = self.lengths[ones] + self.lengths[others]
        shortest = np.argsort(length, kind="stable")[:most]
        return ones[shortest], others[shortest]

    def base(self, points: Sequence[int]) -> list[int]:
        """The points in an order in which those come first that most of the products leave.

        So the last ones are moved by the same few generators, and have the most short products to
        themselves. A point that goes nowhere without those before it follows them at once.
        """
        order, left = list[int](), [*points]
        places = self.places(())
        while left:
            stays, found = self._staying(places, left)
            bound = [point for point, count in zip(left, stays, strict=True) if count == found]
            bound = bound or [left[int(np.argmax(stays))]]
            order += bound
            left = [point for point in left if point not in bound]
            places += self.places(bound)
        return order

    def _staying(self, places: NDArray[np.uint64], points: Sequence[int]) -> tuple[list[int], int]:
        """How many of some products that leave what `places` tells of leave each point, too."""
        columns = np.array(points)
        alone = np.flatnonzero(places == places[0])
        if alone.size > _FEW:
            stays = self.images[alone][:, columns] == columns
        else:
            ones, others = self.pairs(places, _PAIRS)
            stays = self.images[ones][:, columns] == self.images[others][:, columns]
        return stays.sum(0).tolist(), len(stays)
