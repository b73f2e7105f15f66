"""Lower bounds that need no argument beyond the distances of single tiles.

Pieces of one kind are alike: each may end wherever one of its kind may.

They are the checker's own, worked out from the operators: certificates may rest on them, and on no
bound that anyone has registered.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Puzzle
from plansolve.model.structure import UNREACHABLE


class LowerBound(NamedTuple):
    """No plan has fewer than `value` moves; `by` says why. From `UNREACHABLE` on there is none."""

    value: int
    by: str


def elementary_bound(problem: Problem) -> LowerBound:
    """Return the largest of three bounds, all admissible for every puzzle.

    A plan has a move where the start is not the goal. It has as many moves as the largest distance
    of a tile from home. And as a move moves so many tiles at the most, each by one, it has as many
    as the sum of the distances over that.
    """
    distances = home_distances(problem.puzzle)
    here = [distances[tile][cell] for cell, tile in enumerate(problem.start) if tile]
    widest = max((len(operator.tile_moves) for operator in problem.puzzle.operators), default=0)
    # A tile that never gets home must not come nearer by a division.
    total = sum(here) if UNREACHABLE in here else -(-sum(here) // max(widest, 1))
    return max(
        LowerBound(max(here, default=0), "largest tile distance"),
        LowerBound(total, "tile distances"),
        # Each of several pieces may be where one of its kind may end, and not all of them can.
        LowerBound(int(not problem.is_solved), "the start is not the goal"),
        key=lambda bound: bound.value,
    )


def end_cells(puzzle: Puzzle) -> dict[int, tuple[int, ...]]:
    """Return for each kind the cells in which its pieces may be when the goal is reached.

    These are its goal cells, and, where the goal does not place all pieces of the kind, those that
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
    """Return [kind][cell]: the least number of moves that take a piece to its goal, were it alone.

    `UNREACHABLE` where none do. Row 0 treats the blank as a tile.
    """
    # From where a move brings a tile to each cell.
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
