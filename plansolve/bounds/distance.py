"""Lower bounds from the distances of single tiles."""

from plansolve.bounds.bound import Bound, NodeBound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import UNREACHABLE


class TileDistances(Bound):
    """The sum of the tiles' distances to their goal cells, over the most tiles one move can move.

    Admissible and consistent, since a move brings no tile nearer by more than one. At nodes the
    largest of the distances counts if it is more.
    """

    name = "tile-distances"
    admissible = consistent = True

    def value(self, problem: Problem) -> int:
        """Return the bound; `UNREACHABLE` or more if a tile cannot get to its goal cell."""
        return tile_distance_sum(problem)

    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return the distances, and the most tiles that one move can move."""
        return NodeBound(
            problem.structure.goal_distances, divisor=problem.structure.most_tiles_moved
        )


class LargestTileDistance(Bound):
    """The largest distance of a tile to its goal cell; admissible and consistent everywhere."""

    name = "largest-tile-distance"
    admissible = consistent = True

    def value(self, problem: Problem) -> int:
        """Return the bound; `UNREACHABLE` or more if a tile cannot get to its goal cell."""
        return max(_start_distances(problem), default=0)

    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return the distances; their sum divided by the number of tiles is at most the largest."""
        tiles = sum(content != BLANK for content in problem.start)
        return NodeBound(problem.structure.goal_distances, divisor=max(1, tiles))


def tile_distance_sum(problem: Problem) -> int:
    """Return the sum of the tiles' distances, over the most tiles one move can move, rounded up.

    `UNREACHABLE` or more if a tile cannot get to its goal cell.
    """
    total = sum(_start_distances(problem))
    return total if total >= UNREACHABLE else -(-total // problem.structure.most_tiles_moved)


def _start_distances(problem: Problem) -> list[int]:
    of = problem.structure.goal_distances
    return [of[tile][cell] for cell, tile in enumerate(problem.start) if tile != BLANK]
