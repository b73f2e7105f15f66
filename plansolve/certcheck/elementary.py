"""Two lower bounds that need no argument beyond the distances of single tiles.

They are the checker's own, worked out from the operators: certificates may rest on them, and on no
bound that anyone has registered.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE

__all__ = ["ElementaryBound", "elementary_bound", "home_distances"]


class ElementaryBound(NamedTuple):
    """No plan has fewer than `value` moves; `by` says why. From `UNREACHABLE` on there is none."""

    value: int
    by: str


def elementary_bound(problem: Problem) -> ElementaryBound:
    """Return the larger of two bounds, both admissible for every puzzle.

    A plan has as many moves as the largest distance of a tile from home. And as a move moves
    so many tiles at the most, each by one, it has as many as the sum of the distances over that.
    """
    distances = home_distances(problem.puzzle)
    here = [distances[tile][cell] for cell, tile in enumerate(problem.start) if tile]
    widest = max((len(_tile_moves(operator)) for operator in problem.puzzle.operators), default=0)
    # A tile that never gets home must not come nearer by a division.
    total = sum(here) if UNREACHABLE in here else -(-sum(here) // max(widest, 1))
    return max(
        ElementaryBound(max(here, default=0), "largest tile distance"),
        ElementaryBound(total, "tile distances"),
        key=lambda bound: bound.value,
    )


def home_distances(puzzle: Puzzle) -> tuple[tuple[int, ...], ...]:
    """Return [tile][cell]: the least number of moves that take the tile home, were it alone.

    `UNREACHABLE` where none do. Row 0 treats the blank as a tile.
    """
    # From where a move brings a tile to each cell.
    origins = [set[int]() for _ in puzzle.goal]
    for operator in puzzle.operators:
        for cell, source in _tile_moves(operator):
            origins[cell].add(source)
    rows = {content: _steps(origins, cell) for cell, content in enumerate(puzzle.goal)}
    nowhere = (UNREACHABLE,) * puzzle.cells
    return tuple(rows.get(content, nowhere) for content in range(max(puzzle.goal) + 1))


def _steps(origins: Sequence[Collection[int]], home: int) -> tuple[int, ...]:
    """Return the breadth-first distance of each cell to `home`."""
    distance = [UNREACHABLE] * len(origins)
    distance[home] = 0
    queue = [home]
    for cell in queue:
        for origin in origins[cell]:
            if distance[origin] == UNREACHABLE:
                distance[origin] = distance[cell] + 1
                queue.append(origin)
    return tuple(distance)


def _tile_moves(operator: Operator) -> list[tuple[int, int]]:
    """Return the pairs (cell, source) by which the operator moves a tile.

    What stands in the cell that must hold the blank is no tile.
    """
    return [(c, source) for c, source in operator.moves if source not in (c, operator.blank)]
