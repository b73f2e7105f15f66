"""Lower bounds from the distances of single tiles."""

from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.model.structure import UNREACHABLE, Structure, breadth_first

__all__ = ["goal_distances", "largest_tile_distance", "tile_distance_sum"]


def goal_distances(structure: Structure, goal: State) -> dict[int, list[int]]:
    """For each tile, the least number of moves that bring it from each cell to its goal cell.

    On a grid of sliding tiles this is the Manhattan distance; where tiles can be transported it
    counts the transport.
    """
    return {
        tile: breadth_first(structure.reverse_tile_arcs, cell)
        for cell, tile in enumerate(goal)
        if tile
    }


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
    distances = goal_distances(problem.structure, problem.goal)
    return [distances[tile][cell] for cell, tile in enumerate(problem.start) if tile]
