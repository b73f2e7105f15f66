"""The grid beam's distances and guidance once more, slow and plain."""

from collections import deque


def distances_of_tiles(neighbours, cells, targets):
    """The least number of moves until all of some tiles are home, for all places of them.

    `neighbours[c]` are the cells beside c; the blank stays among `cells`. `targets` lists the
    places (a cell for each tile) that count as home. Keys of the answer: (*places, blank).
    """
    distance = {(*places, b): 0 for places in targets for b in cells if b not in places}
    queue = deque(distance)
    while queue:
        state = queue.popleft()
        *places, blank = state
        for cell in neighbours[blank]:
            if cell in cells:
                before = (*(blank if place == cell else place for place in places), cell)
                if before not in distance:
                    distance[before] = distance[state] + 1
                    queue.append(before)
    return distance


def longest_rising(values):
    """The length of a longest rising subsequence, by trying for each value what may precede it."""
    best = []
    for i, value in enumerate(values):
        best.append(1 + max((best[j] for j in range(i) if values[j] < value), default=0))
    return max(best, default=0)
