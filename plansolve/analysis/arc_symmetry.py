"""The symmetries of a directed graph: permutations of the cells that keep the set of arcs."""

from collections.abc import Iterator, Sequence
from itertools import islice

from plansolve.analysis.symmetry import CellMap
from plansolve.model.structure import reverse

__all__ = ["arc_symmetries"]


def arc_symmetries(arcs: Sequence[Sequence[int]], most: int) -> tuple[CellMap, ...]:
    """Permutations of the cells that keep `arcs`; at most `most`, so that they may not be all.

    Unlike `plansolve.analysis.symmetry.symmetries` these need not keep the blank's goal cell. Only
    the identity where the arcs do not join all cells.
    """
    return tuple(islice(_all(arcs), most))


def _all(arcs: Sequence[Sequence[int]]) -> Iterator[CellMap]:
    out = [frozenset(targets) for targets in arcs]
    into = [frozenset(sources) for sources in reverse(arcs)]
    beside = [there | back for there, back in zip(out, into, strict=True)]
    order = [0]
    for cell in order:
        order += sorted(beside[cell] - set(order))
    yield tuple(range(len(arcs)))
    if len(order) < len(arcs):
        return

    def fits(image: list[int], candidate: int) -> bool:
        """Whether the next cell of the order may go to `candidate` after those in `image`."""
        cell = order[len(image)]
        return candidate not in image and all(
            (earlier in out[cell]) == (placed in out[candidate])
            and (earlier in into[cell]) == (placed in into[candidate])
            for earlier, placed in zip(order, image, strict=False)
        )

    def candidates(image: list[int]) -> Iterator[int]:
        cell = order[len(image)]
        # Each cell but the first has a neighbour before it, whose image is known.
        before = next((i for i, c in enumerate(order[: len(image)]) if c in beside[cell]), None)
        pool = range(len(arcs)) if before is None else sorted(beside[image[before]])
        return (c for c in pool if len(out[c]) == len(out[cell]) and fits(image, c))

    image: list[int] = []
    stack = [candidates(image)]
    while stack:
        chosen = next(stack[-1], None)
        if chosen is None:
            stack.pop()
            if image:
                image.pop()
        elif len(image) + 1 < len(arcs):
            image.append(chosen)
            stack.append(candidates(image))
        else:
            # The order of the cells differs from their numbers.
            found = dict(zip(order, [*image, chosen], strict=True))
            mapped = tuple(found[cell] for cell in range(len(arcs)))
            if mapped != tuple(range(len(arcs))):
                yield mapped
