"""For each level of a stabilizer chain, several short products that move its base point.

A transversal holds the shortest product for each place of the base point; these hold the next ones,
too, so that a search can choose which of them serves the later levels best.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.search.constructive.factorization import Element, Generators, inverse_bytes
from plansolve.solvers.search.constructive.short_products import ShortProducts, inverted

__all__ = ["LevelProducts", "level_products"]

_PRODUCTS = 8
"""For each place of a base point, at most so many."""
_PAIRS = 60_000


class LevelProducts(NamedTuple):
    """Products that leave the base points of the levels above, and move that of this one.

    images, inverses  uint8 [products, cells]
    lengths           int64 [products]
    factors           those of each product
    out[p], back[p]   int64 [some], the shortest that take the base point to p, and p to it
    """

    base: int
    images: NDArray[np.uint8]
    inverses: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    factors: Sequence[bytes]
    out: Sequence[NDArray[np.int64]]
    back: Sequence[NDArray[np.int64]]


def level_products(
    generators: Generators,
    products: ShortProducts,
    transversals: Iterable[tuple[int, Iterable[Element]]],
) -> Iterator[LevelProducts]:
    """Yield the products of each level that has any, the first level first.

    `transversals` are the base points, each with elements that take it wherever it can go.
    """
    places = products.places(())
    for base, elements in transversals:
        known: dict[bytes, Element] = {}
        for element in (*elements, *_met(generators, products, places, base)):
            _enter(known, element)
            if (factors := generators.inverse(element.factors)) is not None:
                _enter(known, Element(inverse_bytes(element.image), factors))
        moving = [element for element in known.values() if element.image[base] != base]
        if moving:
            yield _arrays(base, moving, products.images.shape[1])
        places += products.places((base,))


def _enter(known: dict[bytes, Element], element: Element) -> None:
    other = known.get(element.image)
    if other is None or len(element.factors) < len(other.factors):
        known[element.image] = element


def _met(
    generators: Generators, products: ShortProducts, places: NDArray[np.uint64], base: int
) -> Iterator[Element]:
    """The shortest products of pairs for each place to which they take the base point."""
    ones, others = products.pairs(places, _PAIRS)
    to = products.inverses[others, products.images[ones, base]]
    for place in np.unique(to):
        if place == base:
            continue
        for pair in np.flatnonzero(to == place)[:_PRODUCTS]:
            one, other = products.elements[ones[pair]], products.elements[others[pair]]
            turned = generators.inverse(other.factors)
            if turned is not None:
                image = one.image.translate(inverse_bytes(other.image))
                yield Element(image, generators.join(one.factors, turned))


def _arrays(base: int, elements: list[Element], cells: int) -> LevelProducts:
    elements.sort(key=lambda element: (len(element.factors), element))
    whole = np.frombuffer(b"".join(element.image for element in elements), np.uint8)
    images = np.ascontiguousarray(whole.reshape(-1, 256)[:, :cells])
    inverses = inverted(images)
    return LevelProducts(
        base,
        images,
        inverses,
        np.array([len(element.factors) for element in elements], np.int64),
        [element.factors for element in elements],
        [np.flatnonzero(images[:, base] == point)[:_PRODUCTS] for point in range(cells)],
        [np.flatnonzero(inverses[:, base] == point)[:_PRODUCTS] for point in range(cells)],
    )
