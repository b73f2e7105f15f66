"""Pattern distances once more, as plainly as can be: Dijkstra over placements and blank cells.

A node is (cells of the pattern's tiles, cell of the blank); a move of the blank onto a tile of the
pattern costs one, any other move nothing. Nothing of plansolve is imported.
"""

from heapq import heappop, heappush
from itertools import permutations


def costs(arcs, home, blank):
    """The least cost from each node to the tiles in `home` with the blank in `blank`."""
    cells = range(len(arcs))
    into = [[b for b in cells if d in arcs[b] and b != d] for d in cells]
    best = {(tuple(home), blank): 0}
    queue = [(0, node) for node in best]
    while queue:
        cost, node = heappop(queue)
        if cost > best[node]:
            continue
        tiles, z = node
        before = []
        for b in into[z]:
            if b in tiles:
                # The tile came from z, where the blank is now.
                before.append((1, (tuple(z if t == b else t for t in tiles), b)))
            else:
                before.append((0, (tiles, b)))
        for step, other in before:
            if cost + step < best.get(other, 1 << 30):
                best[other] = cost + step
                heappush(queue, (cost + step, other))
    return best


def table(arcs, home, blank):
    """For each placement, as a tuple of cells, the least cost over the blank's cells, or 255."""
    least = dict.fromkeys(permutations(range(len(arcs)), len(home)), 255)
    for (tiles, _), cost in costs(arcs, home, blank).items():
        least[tiles] = min(least[tiles], cost)
    return least
