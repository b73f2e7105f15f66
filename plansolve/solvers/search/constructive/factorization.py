"""Factorization in permutation groups: every element as a short product of generators.

Minkwitz, "An algorithm for solving the factorization problem in permutation groups", Journal of
Symbolic Computation 26 (1998). Level i of a stabilizer chain belongs to the elements that fix the
points before the i-th of the base. Its transversal holds, for each point that they take the base
point to, a short product that does so, and here also one that brings that point to the base point.
With both, no product need be inverted: a generator's inverse may be a long power of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product
from math import prod
from typing import NamedTuple

MOST_POINTS = 255
"""The largest degree: points are numbered by bytes."""

_IDENTITY = bytes(range(256))

# Partial products that are kept from level to level, and products that are tried in one round, at
# all levels together: both buy shorter ones with time.
_PARTIAL = 60
_PRODUCTS = 60_000

_STRIDE = 500
_ANY = 1 << 30


class Element(NamedTuple):
    """A permutation as a product of generators.

    `image` holds the image of each of 256 points, those above the degree staying where they are,
    so that `first.translate(second)` is the product. `factors` are the generators, a character
    each, the first applied first.
    """

    image: bytes
    factors: str


class Generators:
    """Generators by number, which are characters in products.

    `turned` has the one that takes back each, None if no single one does.
    """

    elements: Sequence[Element]
    turned: Sequence[int | None]

    def join(self, first: str, second: str) -> str:
        """Return the factors of a product, without those that the next one takes back."""
        begin, end = 0, len(first)
        while (
            begin < len(second) and end and self.turned[ord(first[end - 1])] == ord(second[begin])
        ):
            begin, end = begin + 1, end - 1
        return first[:end] + second[begin:]

    def inverse(self, factors: str) -> str | None:
        """Return the factors that take back a product; None if some cannot be taken back."""
        turned = [self.turned[ord(factor)] for factor in reversed(factors)]
        found = [chr(factor) for factor in turned if factor is not None]
        return "".join(found) if len(found) == len(turned) else None


def permutation_bytes(images: Sequence[int]) -> bytes:
    """Return a permutation of at most 255 points as an `Element` keeps it."""
    return bytes(images) + _IDENTITY[len(images) :]


def inverse_bytes(image: bytes) -> bytes:
    """Return the inverse of a permutation as an `Element` keeps it."""
    return bytes.maketrans(image, _IDENTITY)


class _Level:
    """The elements of one level by point: `out` take the base point there, `back` from there."""

    def __init__(self, base: int) -> None:
        nothing = Element(_IDENTITY, "")
        self.base = base
        self.out = {base: nothing}
        self.back = {base: nothing}
        self.fresh: list[Element] = []

    @property
    def longest(self) -> int:
        return max(len(e.factors) for table in (self.out, self.back) for e in table.values())

    def enter(self, element: Element) -> bool:
        """Keep the element if it is the shortest; return whether it is."""
        ends = ((self.out, element.image[self.base]), (self.back, element.image.index(self.base)))
        news = False
        for table, point in ends:
            if point not in table or len(table[point].factors) > len(element.factors):
                table[point] = element
                news = True
        if news:
            self.fresh.append(element)
        return news


class StabilizerChain:
    """Transversals for the group of that order, whose elements fix the points of `base` in turn.

    First call `fill`, with further elements of the group if there are any: the more of them are
    short products, the shorter are all. Then every element can be factorized, and each call of
    `improve` may shorten the products.
    """

    def __init__(self, generators: Generators, order: int, base: Iterable[int]) -> None:
        self._generators = generators
        self._levels = [_Level(point) for point in base]
        self._order = order

    def fill(self, supply: Iterable[Element]) -> Iterator[None]:
        """Enter elements until the transversals are complete; yield now and then."""
        for count, element in enumerate(chain(self._generators.elements, supply)):
            self._sift(element)
            if count % _STRIDE == 0:
                yield
        yield from self._close_orbits()
        while self.order < self._order:
            known = self.order
            yield from self.improve()
            if self.order == known:
                yield from self._multiply_all()
            yield from self._close_orbits()

    @property
    def is_settled(self) -> bool:
        """Return True if another round would find nothing new."""
        return not any(level.fresh for level in self._levels)

    @property
    def order(self) -> int:
        """The number of elements that can be factorized."""
        return prod(len(level.out) for level in self._levels)

    def shortest(self, heads: Iterable[Element]) -> str | None:
        """Return the shortest product that is found for the heads, or None.

        A head gets factors, and then its image does. Transversal elements divide an image from
        either end, and the shortest quotient is divided further.
        """
        parts = [(len(head.factors), head.image, head.factors, "") for head in heads]
        for level in self._levels:
            shortest: dict[bytes, tuple[int, bytes, str, str]] = {}
            for _, image, head, tail in parts:
                for part in _divided(self._generators, level, image, head, tail):
                    if part[1] not in shortest or part < shortest[part[1]]:
                        shortest[part[1]] = part
            parts = sorted(shortest.values())[:_PARTIAL]
        products = [self._generators.join(head, tail) for _, _, head, tail in parts]
        return min(products, key=len, default=None)

    def _product(self, first: Element, second: Element) -> Element:
        factors = self._generators.join(first.factors, second.factors)
        return Element(first.image.translate(second.image), factors)

    def _sift(self, element: Element, longest: int = _ANY) -> None:
        """Divide an element by the levels in turn, and keep what is new or shorter on the way.

        End if the product has become longer than `longest`.
        """
        for level in self._levels:
            point = element.image[level.base]
            if point == level.base:
                continue
            if len(element.factors) > longest:
                break
            if level.enter(element):
                self._enter_inverse(level, element)
            element = self._product(element, level.back[point])

    def _enter_inverse(self, level: _Level, element: Element) -> None:
        """Keep what takes the level's base point the other way round."""
        factors = self._generators.inverse(element.factors)
        if factors is not None:
            level.enter(Element(inverse_bytes(element.image), factors))
        elif element.image[level.base] not in level.back or (
            element.image.index(level.base) not in level.out
        ):
            # The power that takes the base point all round its cycle but one step.
            power = element
            while element.image[power.image[level.base]] != level.base:
                power = self._product(power, element)
            level.enter(power)

    def improve(self) -> Iterator[None]:
        """Shorten products, for one round; yield now and then.

        Products of two elements of a level, one of them new, are sifted: Minkwitz's improvement.
        """
        for level in self._levels:
            fresh, level.fresh = level.fresh, []
            known = dict.fromkeys(chain(level.out.values(), level.back.values()))
            still = [element for element in fresh if element in known]
            pairs = sorted(
                chain(product(still, known), product(known, still)),
                key=lambda pair: len(pair[0].factors) + len(pair[1].factors),
            )
            longest = level.longest
            for count, (first, second) in enumerate(pairs[: _PRODUCTS // len(self._levels)]):
                self._sift(self._product(first, second), longest)
                if count % _STRIDE == 0:
                    yield

    def _close_orbits(self) -> Iterator[None]:
        """Enter, for each point that a level's elements can be made to reach, a short product."""
        below: set[Element] = set()
        for level in reversed(self._levels):
            below |= {*level.out.values(), *level.back.values()}
            steps = sorted(below, key=_length)
            reached = sorted(level.out.values(), key=_length)
            for element in reached:
                point = element.image[level.base]
                for step in steps:
                    if step.image[point] not in level.out:
                        reached.append(self._product(element, step))
                        level.enter(reached[-1])
                        self._enter_inverse(level, reached[-1])
            yield

    def _multiply_all(self) -> Iterator[None]:
        """Sift products as Schreier's lemma has them, until one reaches another point.

        If none does, and none becomes shorter, the transversals are complete.
        """
        known = self.order
        below: list[Element] = []
        for level in reversed(self._levels):
            below += dict.fromkeys(chain(level.out.values(), level.back.values()))
            for first in list(level.out.values()):
                for second in below:
                    self._sift(self._product(first, second))
                if self.order > known:
                    return
                yield


def _length(element: Element) -> tuple[int, Element]:
    return len(element.factors), element


def _divided(
    generators: Generators, level: _Level, image: bytes, head: str, tail: str
) -> Iterator[tuple[int, bytes, str, str]]:
    """Yield the rest of an image after division by a transversal element, at either end."""
    last = level.out.get(image[level.base])
    if last is not None:
        rest = image.translate(inverse_bytes(last.image))
        longer = generators.join(last.factors, tail)
        yield len(head) + len(longer), rest, head, longer
    first = level.back.get(image.index(level.base))
    if first is not None and first.factors:
        rest = inverse_bytes(first.image).translate(image)
        longer = generators.join(head, first.factors)
        yield len(longer) + len(tail), rest, longer, tail
