"""Lower bounds that need no argument beyond the distances of single tiles.

Pieces of one kind are alike: each may end in any goal cell of its kind.

The checker computes them itself from the operators; certificates may rest on them, but not on
registered bounds.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Puzzle
from plansolve.model.structure import UNREACHABLE


class LowerBound(NamedTuple):
    """No plan has fewer than `value` moves, none at all from `UNREACHABLE` on; `by` says why."""

    value: int
    by: str


def elementary_bound(problem: Problem) -> LowerBound:
    """Return the largest of three bounds, all admissible for every puzzle.

    A plan has at least one move if the start is not the goal. It has at least as many moves as the
    largest distance of a tile to its goal, and as the sum of these distances divided by the most
    tiles that one move moves.
    """
    distances = home_distances(problem.puzzle)
    here = [distances[tile][cell] for cell, tile in enumerate(problem.start) if tile]
    widest = max((len(operator.tile_moves) for operator in problem.puzzle.operators), default=0)
    # An infinite distance must not be divided.
    total = sum(here) if UNREACHABLE in here else -(-sum(here) // max(widest, 1))
    return max(
        LowerBound(max(here, default=0), "largest tile distance"),
        LowerBound(total, "tile distances"),
        # Each single piece may be in an end cell of its kind, but there may be too few for all.
        LowerBound(int(not problem.is_solved), "the start is not the goal"),
        key=lambda bound: bound.value,
    )


def end_cells(puzzle: Puzzle) -> dict[int, tuple[int, ...]]:
    """Return for each kind the cells in which its pieces may be at the goal.

    These are its goal cells, and, if the goal does not place all pieces of the kind, those that
    it leaves open.
    """
    ends: dict[int, tuple[int, ...]] = dict.fromkeys(puzzle.kinds, ())
    open_cells = tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == OPEN)
    for cell, wanted in enumerate(puzzle.goal):
        if wanted != OPEN:
            ends[wanted] += (cell,)
    copies = Counter(puzzle.pieces)
    return {
        kind: cells if len(cells) == copies[kind] else cells + open_cells
        for kind, cells in ends.items()
    }


def home_distances(puzzle: Puzzle) -> tuple[tuple[int, ...], ...]:
    """Return [kind][cell]: the least number of moves from the cell to a goal of a lone piece.

    It is `UNREACHABLE` if none do. Row 0 treats the blank as a tile.
    """
    # For each cell, the cells from which a move brings a tile to it.
    origins = [set[int]() for _ in puzzle.goal]
    for operator in puzzle.operators:
        for cell, source in operator.tile_moves:
            origins[cell].add(source)
    rows = {kind: _steps(origins, cells) for kind, cells in end_cells(puzzle).items()}
    nowhere = (UNREACHABLE,) * puzzle.cells
    return tuple(rows.get(kind, nowhere) for kind in range(puzzle.kinds[-1] + 1))


def _steps(origins: Sequence[Collection[int]], ends: Sequence[int]) -> tuple[int, ...]:
    """Return the breadth-first distance of each cell to the nearest of `ends`."""
    distance = [UNREACHABLE] * len(origins)
    for end in ends:
        distance[end] = 0
    queue = [*ends]
    for cell in queue:
        for origin in origins[cell]:
            if distance[origin] == UNREACHABLE:
                distance[origin] = distance[cell] + 1
                queue.append(origin)
    return tuple(distance)
