"""A* as the textbooks have it, in plain Python: a heap, dictionaries, states as tuples.

Hart, Nilsson, Raphael 1968; Russell and Norvig, Artificial Intelligence, 3.5. Of the open nodes
of the smallest f that of the smallest h is expanded, of these the one opened last; the goal is
recognised when its node would be expanded. A state to which a better way is found is opened
again.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from plansolve.model.structure import UNREACHABLE, Structure
from support.reference.oracle import Rules


@dataclass
class Run:
    """What a search did; `length` is None where it found no plan."""

    length: int | None
    expansions: int
    generated: int
    stored: int
    reopened: int
    bounds: list


def tile_distance_bound(puzzle):
    """The kernel's h: the sum of tile distances, shared by the widest move, or the largest one."""
    structure = Structure(puzzle)
    table = {tile: structure.tile_distances_to(cell) for cell, tile in enumerate(puzzle.goal)}
    table[0] = [0] * puzzle.cells
    widest = max(
        (sum(source != operator.blank for _, source in operator.moves))
        for operator in puzzle.operators
    )

    def bound(state):
        distances = [table[tile][cell] for cell, tile in enumerate(state)]
        return max(-(-sum(distances) // widest), max(distances))

    return bound


def astar(puzzle, start, bound=None, limit=UNREACHABLE):
    """Searches for a plan of fewer than `limit` moves; `bound` is h, of a state."""
    bound = bound or tile_distance_bound(puzzle)
    rules, tick = Rules.of(puzzle), count()
    least = bound(start)
    run = Run(None, 0, 0, 1, 0, [])
    depth, height, closed = {start: 0}, {start: least}, set()
    heap = [(least, least, 0, 0, start)]
    while heap:
        f, _, _, g, state = heappop(heap)
        if f >= limit:
            break
        if g > depth[state]:
            # A better way to this state has been found since.
            continue
        run.bounds.append(f)
        if state == puzzle.goal:
            run.length = g
            return run
        run.expansions += 1
        closed.add(state)
        for _, child in rules.successors(state):
            run.generated += 1
            if child not in height:
                height[child] = bound(child)
            h = height[child]
            if h >= UNREACHABLE or g + 1 + h >= limit or g + 1 >= depth.get(child, UNREACHABLE):
                continue
            run.stored += child not in depth
            run.reopened += child in closed
            closed.discard(child)
            depth[child] = g + 1
            heappush(heap, (max(g + 1 + h, least), h, -next(tick), g + 1, child))
    return run
