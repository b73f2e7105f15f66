"""Lower bounds from the distances of single tiles."""

from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE

__all__ = ["largest_tile_distance", "tile_distance_sum"]


def tile_distance_sum(problem: Problem) -> int:
    """The sum of the tiles' distances to their goal cells, over the most tiles one move can move.

    Admissible, since a move brings no tile nearer by more than one. `UNREACHABLE` or more where a
    tile cannot get to its goal cell.
    """
    operators = problem.puzzle.operators
    widest = max((sum(source != op.blank for _, source in op.moves) for op in operators), default=1)
    total = sum(_start_distances(problem))
    return total if total >= UNREACHABLE else -(-total // max(widest, 1))


def largest_tile_distance(problem: Problem) -> int:
    """The largest distance of a tile to its goal cell; admissible for every puzzle."""
    return max(_start_distances(problem), default=0)


def _start_distances(problem: Problem) -> list[int]:
    here = {tile: cell for cell, tile in enumerate(problem.start)}
    distances_to = problem.structure.tile_distances_to
    return [distances_to(cell)[here[tile]] for cell, tile in enumerate(problem.goal) if tile]
