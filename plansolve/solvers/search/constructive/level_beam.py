"""A beam down a stabilizer chain: many ways side by side to bring the cells' contents home.

Each stage brings home what the goal has in one base point, by one of several short products that
leave the base points before it, and keeps the best of what is left. What is best is told by the
factors so far and those that the base points with wrong contents need, if each were the next one.
Where pieces are alike, whichever is brought home most cheaply may be. Where all are different, a
product may as well be taken off at the end of the plan. With one product and one remainder a stage
this is Minkwitz's factorization (1998).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import OPEN
from plansolve.solvers.search.constructive.factorization import Generators
from plansolve.solvers.search.constructive.level_products import LevelProducts
from plansolve.solvers.search.constructive.short_products import ShortProducts, inverted

__all__ = ["LevelBeam", "Remainders", "begun"]

Indices: TypeAlias = NDArray[np.int64]

_WEIGHT = 0.4
"""Of the factors that are expected: a product for one point brings others home, or near."""
_ALIKE = 24
"""So many products at most bring one of several alike pieces home."""
_ENTRIES_A_CALL = 1 << 22


class Remainders(NamedTuple):
    """What is left of boards between the first and the last moves of their plans.

    boards  uint8 [remainders, cells], the contents: goal cells, where pieces are different
    heads   the factors before it
    tails   those after it
    """

    boards: NDArray[np.uint8]
    heads: Sequence[bytes]
    tails: Sequence[bytes]


def begun(board: Sequence[int], products: ShortProducts, count: int) -> Remainders:
    """What is left of a board after each of the `count` shortest products at the beginning."""
    boards = np.array(board, np.uint8)[products.inverses[:count]]
    heads = [element.factors for element in products.elements[:count]]
    return Remainders(boards, heads, [b""] * len(heads))


class _Children(NamedTuple):
    """Remainders that may come into the next stage; equally long arrays.

    parent   the number of the remainder that it is made from
    product  that of the product of the level, -1 where nothing is to be done
    is_head  whether it is taken off at the beginning
    score    small ones are better
    key      a hash of the remainder
    """

    parent: Indices
    product: Indices
    is_head: NDArray[np.bool_]
    score: NDArray[np.float32]
    key: NDArray[np.uint64]


def _taken(children: _Children, chosen: Indices | NDArray[np.bool_]) -> _Children:
    return _Children(
        children.parent[chosen],
        children.product[chosen],
        children.is_head[chosen],
        children.score[chosen],
        children.key[chosen],
    )


class LevelBeam:
    """Beams down the levels of the whole chain to boards of a goal.

    `goal` holds the content wanted in each cell, or `OPEN`. It is 0, 1, 2 ... where pieces are
    different (`is_distinct`).
    """

    def __init__(
        self,
        generators: Generators,
        levels: Sequence[LevelProducts],
        goal: Sequence[int],
        *,
        is_distinct: bool,
    ) -> None:
        self._generators, self._levels, self._is_distinct = generators, levels, is_distinct
        self._goal = np.array(goal, np.int16)
        cells = len(goal)
        self._expected = np.zeros((len(levels), cells), np.float32)
        for level, row in zip(levels, self._expected, strict=True):
            _expect(level, row)
            if not is_distinct:
                row[:] = row[row > 0].min()
                wanted = goal[level.base]
                row[slice(None) if wanted == OPEN else wanted] = 0
        self._bases = np.array([level.base for level in levels], np.intp)
        self._keys = np.random.default_rng(2).integers(1, 1 << 63, (cells, cells), np.uint64)
        # The cells that no later level moves, and some level up to it does; at first, those that
        # none moves.
        still = np.ones(cells, np.bool_)
        self._settled: list[Indices] = []
        for level in reversed(levels):
            moved = (level.images != np.arange(cells)).any(0)
            self._settled.append(np.flatnonzero(still & moved & (self._goal != OPEN)))
            still &= ~moved
        self._settled.append(np.flatnonzero(still & (self._goal != OPEN)))
        self._settled.reverse()
        self.is_whole = False

    def shortest(self, start: Remainders, width: int) -> Iterator[bytes | None]:
        """Yield None now and then, and at last the shortest product found, if there is one.

        `is_whole` tells afterwards whether nothing was left out for want of width.
        """
        self.is_whole = True
        here = start if self._is_right(0, start.boards).all() else None
        for number, level in enumerate(self._levels):
            if here is None:
                return
            parts = []
            for children in self._children(number, level, here):
                parts.append(self._best(children, width))
                yield None
            together = _Children(*map(np.concatenate, zip(*parts, strict=True)))
            best = self._best(together, width)
            here = self._made(level, here, best) if best.parent.size else None
        if here is not None:
            ends = zip(here.heads, here.tails, strict=True)
            yield min((self._generators.join(head, tail) for head, tail in ends), key=len)

    def _is_right(self, number: int, boards: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether the cells that are settled after so many levels have what is wanted in them."""
        settled = self._settled[number]
        is_right: NDArray[np.bool_] = (boards[:, settled] == self._goal[settled]).all(1)
        return is_right

    def _children(self, number: int, level: LevelProducts, here: Remainders) -> Iterator[_Children]:
        """The children of all remainders, some at a time."""
        factors = zip(here.heads, here.tails, strict=True)
        lengths = np.array([len(head) + len(tail) for head, tail in factors], np.int64)
        if self._is_distinct:
            parent, product, is_head = _by_place(level, here.boards)
        else:
            is_right, wanted = self._is_right(number + 1, here.boards), self._goal[level.base]
            parent, product, is_head = _of_kind(level, here.boards, is_right, wanted)
        step = max(1, _ENTRIES_A_CALL // here.boards.shape[1])
        for begin in range(0, max(1, parent.size), step):
            part = slice(begin, begin + step)
            boards = _rest(level, here.boards, parent[part], product[part], is_head[part])
            cost = lengths[parent[part]] + np.where(
                product[part] < 0, 0, level.lengths[product[part]]
            )
            children = _Children(
                parent[part],
                product[part],
                is_head[part],
                (cost + _WEIGHT * self._expectation(number + 1, boards)).astype(np.float32),
                self._keys[np.arange(boards.shape[1]), boards].sum(1, dtype=np.uint64),
            )
            yield _taken(children, self._is_right(number + 1, boards))

    def _expectation(self, first: int, boards: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What the levels from `first` on are expected to need, one by one."""
        expected = np.zeros(len(boards), np.float32)
        for row, base in zip(self._expected[first:], self._bases[first:], strict=True):
            expected += row[boards[:, base]]
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
        return Remainders(_rest(level, here.boards, *chosen[:3]), heads, tails)


def _expect(level: LevelProducts, row: NDArray[np.float32]) -> None:
    """For each place of what belongs into the base point, the factors that bring it home."""
    for place, some in enumerate(level.out):
        if some.size:
            row[place] = level.lengths[some[0]]


_Fitting: TypeAlias = tuple[Indices, Indices, NDArray[np.bool_]]
"""The parent, product and is_head of children."""


def _by_place(level: LevelProducts, boards: NDArray[np.uint8]) -> _Fitting:
    """Products at either end, by the place of the one piece that belongs into the base point."""
    to, origin = boards[:, level.base], inverted(boards)[:, level.base]
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
    return np.concatenate(parents), np.concatenate(products), np.concatenate(ends)


def _of_kind(
    level: LevelProducts, boards: NDArray[np.uint8], is_right: NDArray[np.bool_], wanted: int
) -> _Fitting:
    """The shortest products that bring any piece of the wanted kind into the base point.

    None where the level's cells are right; that point alone may be so by a piece that, with what it
    brings along, belongs elsewhere.
    """
    fits = (boards[:, level.inverses[:, level.base]] == wanted) | (wanted == OPEN)
    fits &= (fits.cumsum(1) <= _ALIKE) & ~is_right[:, None]
    home, (parent, product) = np.flatnonzero(is_right), np.nonzero(fits)
    return (
        np.concatenate([home, parent]),
        np.concatenate([np.full(home.size, -1), product]),
        np.ones(home.size + parent.size, np.bool_),
    )


def _rest(
    level: LevelProducts,
    boards: NDArray[np.uint8],
    parent: Indices,
    product: Indices,
    is_head: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    """What is left when the products are taken off at the end, or at the beginning."""
    rest = boards[parent]
    end = np.flatnonzero((product >= 0) & ~is_head)
    rest[end] = np.take_along_axis(level.inverses[product[end]], rest[end].astype(np.intp), 1)
    begin = np.flatnonzero((product >= 0) & is_head)
    turned = level.inverses[product[begin]].astype(np.intp)
    rest[begin] = np.take_along_axis(rest[begin], turned, 1)
    return rest
