"""Breadth-first search over the cells of a few contents, all others being ignored."""

import numpy as np

from plansolve.storage.jit import Array, kernel

__all__ = ["NEVER", "spread"]

NEVER = np.iinfo(np.int32).max
"""The distance of what is not reached; placements are far too few for one as large."""


@kernel
def spread(images: Array, begin: Array, distance: Array) -> None:
    """Fill `distance` (int32, by numbers of placements) from the placement `begin` (int64).

    `images[o, cell]` (int64) is where operator o takes a cell's content.
    """
    count, cells = begin.size, images.shape[1]
    queue = np.zeros(distance.size, np.int64)
    number = np.int64(0)
    for i in range(count):
        number = number * cells + begin[i]
    queue[0] = number
    distance[number] = 0
    head, tail = 0, 1
    cell = np.zeros(count, np.int64)
    while head < tail:
        number = queue[head]
        head += 1
        rest = number
        for i in range(count - 1, -1, -1):
            cell[i] = rest % cells
            rest //= cells
        for o in range(images.shape[0]):
            other = np.int64(0)
            for i in range(count):
                other = other * cells + images[o, cell[i]]
            if distance[other] == NEVER:
                distance[other] = distance[number] + 1
                queue[tail] = other
                tail += 1
