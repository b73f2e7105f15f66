"""Linear conflict: tiles that have to pass each other in their goal line (Hansson et al. 1992)."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from plansolve.heuristics.distance import tile_distance_sum
from plansolve.model.problem import Problem
from plansolve.model.structure import UNREACHABLE, Structure, breadth_first

__all__ = ["linear_conflict", "lines", "reversed_pairs"]


def lines(structure: Structure) -> tuple[tuple[int, ...], ...]:
    """The lines of the blank graph: its longest walks that are each the only shortest one.

    On a grid these are the rows and columns. Empty where the argument behind linear conflict does
    not hold: it needs a symmetric, two-coloured blank graph, each edge in exactly one line, and
    at most two lines through a cell. Then a tile that leaves its goal line pays two moves beyond
    its distance, and those for one line are others than those for the second.
    """
    graph = structure.blank_graph
    if graph is None or graph.colouring is None or not graph.is_symmetric:
        return ()
    neighbours = graph.successors
    distance = [breadth_first(neighbours, cell) for cell in range(len(neighbours))]

    def is_only_step(a: int, b: int, beyond: int) -> bool:
        """Whether the way from a through b on to `beyond` is the only shortest one."""
        nearer = [n for n in neighbours[beyond] if distance[a][n] == distance[a][beyond] - 1]
        return distance[a][beyond] == distance[a][b] + 1 and nearer == [b]

    found: set[tuple[int, ...]] = set()
    for first, around in enumerate(neighbours):
        for second in around:
            walk = [first, second]
            while True:
                steps = [
                    n
                    for n in neighbours[walk[-1]]
                    if all(is_only_step(cell, walk[-1], n) for cell in walk[:-1])
                ]
                if len(steps) != 1:
                    break
                walk.append(steps[0])
            found.add(min(tuple(walk), tuple(reversed(walk))))
    longest = {line for line in found if not any(_contains(other, line) for other in found)}
    edges = [frozenset(edge) for line in longest for edge in pairwise(line)]
    through: dict[int, int] = {}
    for line in longest:
        for cell in line:
            through[cell] = through.get(cell, 0) + 1
    if len(edges) != len(set(edges)) or max(through.values(), default=0) > 2:
        return ()
    return tuple(sorted(longest))


def _contains(other: tuple[int, ...], line: tuple[int, ...]) -> bool:
    return len(other) > len(line) and set(line) < set(other)


def reversed_pairs(
    line: Sequence[int], goal: Sequence[int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """All ((tile, cell), (tile, cell)) with both tiles at home in `line` and in it in reverse."""
    homes = [(place, goal[cell]) for place, cell in enumerate(line) if goal[cell]]
    return [
        ((a, line[late]), (b, line[early]))
        for place_a, a in homes
        for place_b, b in homes
        if place_a < place_b
        for late in range(1, len(line))
        for early in range(late)
    ]


def linear_conflict(problem: Problem) -> int:
    """The sum of tile distances and two moves for each tile that has to leave its goal line.

    In a line those are all but a longest run of tiles, both of whose cells and goal cells are in
    the line, that stand in the order of their goals. Admissible; the plain distance sum where the
    puzzle has no lines.
    """
    extra = 0
    place = {tile: cell for cell, tile in enumerate(problem.goal)}
    for line in lines(problem.structure):
        position = {cell: i for i, cell in enumerate(line)}
        goals = [
            position[place[problem.start[cell]]]
            for cell in line
            if problem.start[cell] and place[problem.start[cell]] in position
        ]
        extra += 2 * (len(goals) - _longest_rising(goals))
    total = tile_distance_sum(problem)
    return total if total >= UNREACHABLE else total + extra


def _longest_rising(values: Sequence[int]) -> int:
    """The length of a longest increasing subsequence (patience sorting)."""
    tops: list[int] = []
    for value in values:
        i = bisect_left(tops, value)
        tops[i : i + 1] = [value]
    return len(tops)
