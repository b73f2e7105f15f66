"""A beam down a stabilizer chain: many factorizations of an element side by side.

Each stage brings one base point home, by one of several short products at either end that leave
the base points before it, and keeps the best of what is left. What is best is told by the factors
so far and those that the base points which are not yet home need, if each were the next one. With
one product and one remainder a stage this is Minkwitz's factorization (1998).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.group import Permutation
from plansolve.solvers.search.constructive.factorization import Generators
from plansolve.solvers.search.constructive.level_products import LevelProducts
from plansolve.solvers.search.constructive.short_products import ShortProducts, inverted

__all__ = ["LevelBeam", "Remainders", "begun"]

Indices: TypeAlias = NDArray[np.int64]

_WEIGHT = 0.4
"""Of the factors that are expected: a product for one point brings others home, or near."""
_ENTRIES_A_CALL = 1 << 22


class Remainders(NamedTuple):
    """What is left of elements after factors were taken off at either end.

    images  uint8 [remainders, cells]
    heads   the factors before it
    tails   those after it
    """

    images: NDArray[np.uint8]
    heads: Sequence[bytes]
    tails: Sequence[bytes]


def begun(images: Sequence[Permutation], products: ShortProducts, count: int) -> Remainders:
    """What is left of elements after each of the `count` shortest products at the beginning."""
    turned = products.inverses[:count]
    factors = [element.factors for element in products.elements[:count]]
    rest = [np.array(image, np.uint8)[turned] for image in images]
    heads = factors * len(images)
    return Remainders(np.concatenate(rest), heads, [b""] * len(heads))


class _Children(NamedTuple):
    """Remainders that may come into the next stage; equally long arrays.

    parent   the number of the remainder that it is made from
    product  that of the product of the level, -1 where the base point is home
    is_head  whether it is taken off at the beginning
    score    small ones are better
    key      a hash of the remainder
    """

    parent: Indices
    product: Indices
    is_head: NDArray[np.bool_]
    score: NDArray[np.float32]
    key: NDArray[np.uint64]


def _taken(children: _Children, chosen: Indices) -> _Children:
    return _Children(
        children.parent[chosen],
        children.product[chosen],
        children.is_head[chosen],
        children.score[chosen],
        children.key[chosen],
    )


class LevelBeam:
    """Beams down the levels of the whole chain."""

    def __init__(self, generators: Generators, levels: Sequence[LevelProducts]) -> None:
        self._generators, self._levels = generators, levels
        cells = levels[0].images.shape[1] if levels else 0
        # For each level and place of its base point, the factors that bring it home.
        self._expected = np.zeros((len(levels), cells), np.float32)
        for number, level in enumerate(levels):
            for point, some in enumerate(level.out):
                if some.size:
                    self._expected[number, point] = level.lengths[some[0]]
        self._bases = np.array([level.base for level in levels], np.intp)
        self._keys = np.random.default_rng(2).integers(1, 1 << 63, (cells, cells), np.uint64)
        self.is_whole = False

    def shortest(self, start: Remainders, width: int) -> Iterator[bytes | None]:
        """Yield None now and then, and at last the shortest product found, if there is one.

        `is_whole` tells afterwards whether nothing was left out for want of width.
        """
        self.is_whole = True
        here = start
        for number, level in enumerate(self._levels):
            parts = []
            for children in self._children(number, level, here):
                parts.append(self._best(children, width))
                yield None
            if not parts:
                return
            together = _Children(*map(np.concatenate, zip(*parts, strict=True)))
            here = self._made(level, here, self._best(together, width))
        join = self._generators.join
        is_done = (here.images == np.arange(here.images.shape[1])).all(1)
        products = [
            join(here.heads[number], here.tails[number])
            for number in np.flatnonzero(is_done).tolist()
        ]
        yield min(products, key=len, default=None)

    def _children(self, number: int, level: LevelProducts, here: Remainders) -> Iterator[_Children]:
        """The children of all remainders, some at a time."""
        factors = zip(here.heads, here.tails, strict=True)
        lengths = np.array([len(head) + len(tail) for head, tail in factors], np.int64)
        to, origin = here.images[:, level.base], inverted(here.images)[:, level.base]
        parents, products, ends = list[Indices](), list[Indices](), list[NDArray[np.bool_]]()
        for table, places, at_head in ((level.out, to, False), (level.back, origin, True)):
            for place in np.unique(places):
                some = np.flatnonzero(places == place)
                fitting = table[place]
                if place == level.base:
                    # There is nothing to take off, at one end as at the other.
                    fitting = np.full(0 if at_head else 1, -1)
                parents.append(np.repeat(some, fitting.size))
                products.append(np.tile(fitting, some.size))
                ends.append(np.full(parents[-1].size, at_head))
        parent, product = np.concatenate(parents), np.concatenate(products)
        is_head = np.concatenate(ends)
        step = max(1, _ENTRIES_A_CALL // here.images.shape[1])
        for begin in range(0, parent.size, step):
            part = slice(begin, begin + step)
            images = _rest(level, here.images, parent[part], product[part], is_head[part])
            cost = lengths[parent[part]] + np.where(
                product[part] < 0, 0, level.lengths[product[part]]
            )
            yield _Children(
                parent[part],
                product[part],
                is_head[part],
                (cost + _WEIGHT * self._expectation(number + 1, images)).astype(np.float32),
                self._keys[np.arange(images.shape[1]), images].sum(1, dtype=np.uint64),
            )

    def _expectation(self, first: int, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What the levels from `first` on are expected to need, one by one."""
        expected = np.zeros(len(images), np.float32)
        for row, base in zip(self._expected[first:], self._bases[first:], strict=True):
            expected += row[images[:, base]]
        return expected

    def _best(self, children: _Children, width: int) -> _Children:
        """Those with the smallest scores, none twice."""
        order = np.argsort(children.score, kind="stable")
        _, first = np.unique(children.key[order], return_index=True)
        if first.size > width:
            self.is_whole = False
        chosen = order[np.sort(first)[:width]]
        return _taken(children, chosen)

    def _made(self, level: LevelProducts, here: Remainders, chosen: _Children) -> Remainders:
        """The remainders, and the factors that were taken off."""
        join, heads, tails = self._generators.join, list[bytes](), list[bytes]()
        for parent, product, is_head in zip(*map(np.ndarray.tolist, chosen[:3]), strict=True):
            head, tail = here.heads[parent], here.tails[parent]
            if product >= 0 and is_head:
                head = join(head, level.factors[product])
            elif product >= 0:
                tail = join(level.factors[product], tail)
            heads.append(head)
            tails.append(tail)
        return Remainders(_rest(level, here.images, *chosen[:3]), heads, tails)


def _rest(
    level: LevelProducts,
    images: NDArray[np.uint8],
    parent: Indices,
    product: Indices,
    is_head: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    """What is left when the products are taken off at the end, or at the beginning."""
    rest = images[parent]
    end = np.flatnonzero((product >= 0) & ~is_head)
    rest[end] = np.take_along_axis(level.inverses[product[end]], rest[end].astype(np.intp), 1)
    begin = np.flatnonzero((product >= 0) & is_head)
    turned = level.inverses[product[begin]].astype(np.intp)
    rest[begin] = np.take_along_axis(rest[begin], turned, 1)
    return rest
