"""Whether some permutations generate another: by a chain of stabilisers (Sims 1970).

Level b of the chain is about the elements that leave all points below b where they are: for each
point that they take b to, one element that does. An element is divided by these, level by level;
what is left is the identity if and only if it is in the group. For that the chain must be complete,
which Schreier's lemma shows: on each level the products that fix its point are divided as well, and
what is left of one that is no product of the levels below is added there, until nothing is left.

The solver has another chain, in `analysis/group.py`, which is faster by random elements. This one
is the check's own, for the check must not rest on what the solver believes.
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeAlias

__all__ = ["Generated"]

_Permutation: TypeAlias = tuple[int, ...]


class Generated:
    """The group that permutations of the points 0..degree-1 generate."""

    def __init__(self, generators: Iterable[Sequence[int]], degree: int) -> None:
        self._same: _Permutation = tuple(range(degree))
        self._by: list[list[_Permutation]] = [[] for _ in range(degree)]
        self._takes: list[dict[int, _Permutation]] = [{b: self._same} for b in range(degree)]
        for generator in generators:
            self._add(tuple(generator), 0)
        level = degree - 1
        while level >= 0:
            # What is added below has to be looked at first.
            level = self._complete(level)

    @property
    def order(self) -> int:
        """How many elements it has."""
        return prod(map(len, self._takes))

    def __contains__(self, permutation: Sequence[int]) -> bool:
        return self._divided(tuple(permutation), 0)[0] == self._same

    def _complete(self, level: int) -> int:
        """Look for a product of the level that those below lack; return the level to do next."""
        for point, taking in list(self._takes[level].items()):
            for generator in self._by[level]:
                back = _inverse(self._takes[level][generator[point]])
                product = _then(_then(taking, generator), back)
                if (stop := self._add(product, level + 1)) is not None:
                    return stop
        return level - 1

    def _add(self, element: _Permutation, level: int) -> int | None:
        """Have the levels from this one on generate an element; return the last that changes."""
        rest, stop = self._divided(element, level)
        if rest == self._same:
            return None
        for b in range(level, stop + 1):
            self._by[b].append(rest)
            takes = self._takes[b]
            points = list(takes)
            for point in points:
                for generator in self._by[b]:
                    if generator[point] not in takes:
                        takes[generator[point]] = _then(takes[point], generator)
                        points.append(generator[point])
        return stop

    def _divided(self, element: _Permutation, level: int) -> tuple[_Permutation, int]:
        """Return what is left of an element that fixes all points below a level, and where."""
        for b in range(level, len(self._takes)):
            taking = self._takes[b].get(element[b])
            if taking is None:
                return element, b
            element = _then(element, _inverse(taking))
        return element, len(self._takes) - 1


def _then(first: _Permutation, second: _Permutation) -> _Permutation:
    return tuple(second[image] for image in first)


def _inverse(permutation: _Permutation) -> _Permutation:
    points = [0] * len(permutation)
    for point, image in enumerate(permutation):
        points[image] = point
    return tuple(points)
