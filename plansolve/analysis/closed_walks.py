"""Walks of the blank that end where they begin, and what they do to the board."""

from collections.abc import Sequence
from itertools import pairwise

from plansolve.analysis.group import inverse
from plansolve.model.puzzle import State
from plansolve.model.structure import BlankGraph, reverse

__all__ = ["Walk", "carried", "edge_walks", "walked", "ways_from", "ways_to"]

Walk = tuple[int, ...]
"""The cells that the blank passes, the first one included."""


def ways_from(arcs: Sequence[Sequence[int]], home: int) -> dict[int, Walk]:
    """For each cell that can be reached along `arcs`, the cells of a shortest way from `home`."""
    ways: dict[int, Walk] = {home: (home,)}
    queue = [home]
    for cell in queue:
        for neighbour in arcs[cell]:
            if neighbour not in ways:
                ways[neighbour] = (*ways[cell], neighbour)
                queue.append(neighbour)
    return ways


def ways_to(arcs: Sequence[Sequence[int]], home: int) -> dict[int, Walk]:
    """For each cell from which `home` can be reached, the cells of a shortest way to it."""
    return {cell: way[::-1] for cell, way in ways_from(reverse(arcs), home).items()}


def edge_walks(graph: BlankGraph, home: int) -> list[Walk]:
    """Closed walks from `home` whose effects generate those of all closed walks from there.

    On a symmetric graph there is one for each edge outside a spanning tree (Wilson 1974). On
    another there is one for each arc, and one to each cell and back: the walk to an arc's end and
    back undoes what the arc's walk adds to a longer walk.
    """
    out = ways_from(graph.successors, home)
    if graph.is_symmetric:
        return [
            (*out[b], *out[d][::-1])
            for b in out
            for d in graph.successors[b]
            if b < d and out[b][-2:] != (d, b) and out[d][-2:] != (b, d)
        ]
    back = ways_to(graph.successors, home)
    cells = [cell for cell in out if cell in back]
    return [
        *((*out[cell], *back[cell][1:]) for cell in cells if cell != home),
        *((*out[b], *back[d]) for b in cells for d in graph.successors[b] if d in back),
    ]


def walked(board: State, walk: Sequence[int]) -> State:
    """The board after the blank, which is in the first cell of `walk`, has gone along it."""
    after = list(board)
    for b, d in pairwise(walk):
        after[b], after[d] = after[d], after[b]
    return tuple(after)


def carried(cells: int, walk: Sequence[int]) -> State:
    """Where the blank's walk takes the content of each of the board's cells."""
    return inverse(walked(tuple(range(cells)), walk))
