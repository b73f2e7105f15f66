"""Linear conflict: tiles that have to pass each other in their goal line (Hansson et al. 1992)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product

from plansolve.bounds.bound import Bound, Lookup, NodeBound
from plansolve.bounds.distance import tile_distance_sum
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import UNREACHABLE, BlankGraph, Structure

_LONGEST_LINE = 6
"""Cells of a line for which the conflicts of all its arrangements are listed: 13,327 of them."""


class LinearConflict(Bound):
    """The sum of tile distances and two moves for each tile that has to leave its goal line.

    Admissible and consistent; the plain distances if the puzzle has no lines.
    """

    name = "linear-conflict"
    admissible = consistent = True

    def value(self, problem: Problem) -> int:
        return linear_conflict(problem)

    def exceeded(self, problem: Problem) -> str | None:
        """Return the length of lines."""
        longest = max(map(len, lines(problem.structure)), default=0)
        if longest <= _LONGEST_LINE:
            return None
        return f"lines of at most {_LONGEST_LINE} cells: this puzzle has one of {longest}"

    def at_nodes(self, problem: Problem) -> NodeBound:
        """Return the distances, and for each line the conflicts of what stands in it.

        The key of a line is a number with a digit for each of its cells: 1 more than the goal place
        of the tile in it, 0 for the blank and for tiles of other lines.
        """
        self.check_size(problem)
        structure, lookups = problem.structure, []
        for line in lines(structure):
            length, weight = len(line), {}
            for place, home in enumerate(line):
                weight[problem.goal[home]] = [0] * problem.puzzle.cells
                for there, cell in enumerate(line):
                    weight[problem.goal[home]][cell] = (place + 1) * (length + 1) ** there
            weight.pop(BLANK, None)
            lookups.append(Lookup(weight, _conflicts(length)))
        return NodeBound(structure.goal_distances, lookups, structure.most_tiles_moved)


@lru_cache
def _conflicts(length: int) -> dict[int, int]:
    """Return two moves for each tile that must leave a line, by the line's key; 0 is left out."""
    found = {}
    for digits in product(range(length + 1), repeat=length):
        goals = [digit for digit in digits if digit]
        if len(set(goals)) == len(goals) and (leaving := len(goals) - _longest_rising(goals)):
            key = sum(digit * (length + 1) ** there for there, digit in enumerate(digits))
            found[key] = 2 * leaving
    return found


def lines(structure: Structure) -> tuple[tuple[int, ...], ...]:
    """Return the lines of the blank graph: longest walks whose parts are unique shortest walks.

    On a grid these are the rows and columns. Empty if the argument behind linear conflict does not
    hold: it needs a symmetric, two-coloured blank graph, each edge in exactly one line, and at most
    two lines through a cell. Then a tile that leaves its goal line takes two moves beyond its
    distance, and these are different moves for different lines.
    """
    graph = structure.blank_graph
    if graph is None or graph.colouring is None or not graph.is_symmetric:
        return ()
    found: list[tuple[int, ...]] = []
    covered: set[frozenset[int]] = set()
    through: Counter[int] = Counter()
    for first, neighbours in enumerate(graph.successors):
        for second in neighbours:
            if frozenset((first, second)) in covered:
                continue
            line = _extended(structure, graph, _extended(structure, graph, [first, second])[::-1])
            edges = {frozenset(edge) for edge in pairwise(line)}
            through.update(line)
            if edges & covered or max(through[cell] for cell in line) > 2:
                return ()
            covered |= edges
            found.append(min(tuple(line), tuple(reversed(line))))
    return tuple(sorted(found))


def _extended(structure: Structure, graph: BlankGraph, walk: list[int]) -> list[int]:
    """Return the walk, extended at its end as long as a single cell continues all its parts."""
    walk = list(walk)
    while True:
        last = walk[-1]

        def only_way(cell: int, beyond: int, last: int = last) -> bool:
            """Return True if every shortest way from `cell` to `beyond` comes from `last`."""
            # The graph is symmetric: tiles and the blank have the same distances.
            distance = structure.tile_distances_to(cell)
            before = [n for n in graph.successors[beyond] if distance[n] < distance[beyond]]
            return before == [last]

        steps = [n for n in graph.successors[last] if all(only_way(c, n) for c in walk[:-1])]
        if len(steps) != 1:
            return walk
        walk += steps


def reversed_pairs(
    line: Sequence[int], goal: Sequence[int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return each ((tile, cell), (tile, cell)) of two tiles in their goal line, but reversed."""
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
    """Return the sum of tile distances and two moves for each tile that has to leave its goal line.

    Of the tiles whose cells and goal cells are both in a line, these are all but a longest sequence
    in the order of their goals. Admissible; the plain distance sum if the puzzle has no lines.
    """
    extra = 0
    for line in lines(problem.structure):
        place = problem.home
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
    """Return the length of a longest increasing subsequence (patience sorting)."""
    tops: list[int] = []
    for value in values:
        i = bisect_left(tops, value)
        tops[i : i + 1] = [value]
    return len(tops)
