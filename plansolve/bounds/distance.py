"""Lower bounds from the distances of single tiles."""

from collections.abc import Mapping

from plansolve.bounds.bound import Bound, NodeBound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN
from plansolve.model.structure import UNREACHABLE


class TileDistances(Bound):
    """The sum of the tiles' distances to their goal cells, over the most tiles one move can move.

    Admissible and consistent, since a move brings no tile nearer by more than one. At nodes the
    largest of the distances counts where it is more.
    """

    name = "tile-distances"
    admissible = consistent = True

    def value(self, problem: Problem) -> int:
        """`UNREACHABLE` or more where a tile cannot get to its goal cell."""
        return tile_distance_sum(problem)

    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return the distances, and the most tiles that one move can move."""
        return NodeBound(distances(problem), divisor=widest(problem))


class LargestTileDistance(Bound):
    """The largest distance of a tile to its goal cell; admissible and consistent everywhere."""

    name = "largest-tile-distance"
    admissible = consistent = True

    def value(self, problem: Problem) -> int:
        """`UNREACHABLE` or more where a tile cannot get to its goal cell."""
        return max(_start_distances(problem), default=0)

    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return the distances; over the number of tiles their sum is no more than the largest."""
        tiles = sum(content != BLANK for content in problem.start)
        return NodeBound(distances(problem), divisor=max(1, tiles))


def tile_distance_sum(problem: Problem) -> int:
    """Return the sum of the tiles' distances, over the most tiles one move can move, rounded up.

    `UNREACHABLE` or more where a tile cannot get to its goal cell.
    """
    total = sum(_start_distances(problem))
    return total if total >= UNREACHABLE else -(-total // widest(problem))


def widest(problem: Problem) -> int:
    """Return the most tiles that one move can move, at least 1."""
    operators = problem.puzzle.operators
    return max((len(operator.tile_moves) for operator in operators), default=1) or 1


def distances(problem: Problem) -> Mapping[int, list[int]]:
    """For each kind of tile and cell, the distance from there to the nearest goal cell of its kind.

    Where a goal leaves cells open, those tiles may end there that it does not place.
    """
    puzzle, distances_to = problem.puzzle, problem.structure.tile_distances_to
    nearest = {}
    for kind in puzzle.kinds:
        if kind != BLANK:
            targets = [cell for cell, wanted in enumerate(puzzle.goal) if wanted == kind]
            if len(targets) < puzzle.pieces.count(kind):
                targets += [cell for cell, wanted in enumerate(puzzle.goal) if wanted == OPEN]
            tables = [distances_to(cell) for cell in targets]
            nearest[kind] = tables[0] if len(tables) == 1 else list(map(min, *tables))
    return nearest


def _start_distances(problem: Problem) -> list[int]:
    of = distances(problem)
    return [of[tile][cell] for cell, tile in enumerate(problem.start) if tile != BLANK]
