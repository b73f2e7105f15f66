"""The tree of boards that a staged beam leaves behind, to tell plans by."""

import numpy as np

from plansolve.solvers.search.grid_beam.arrays_kernel import (
    BANK,
    COUNT,
    FRONT,
    INPUTS,
    NODES,
    OUTPUTS,
    ROOM,
)
from plansolve.storage.jit import Array, kernel

__all__ = ["compact"]


@kernel
def compact(
    numbers: Array, slots: Array, files: Array, parents: Array, steps: Array, renumbered: Array
) -> None:
    """Forgets the nodes that lead to no board which still counts, and renumbers the others.

    These are the boards of the level, the finished ones, and the stage's first ones.
    `renumbered` is int32, as long as the tree; a node's parent always comes before it.
    """
    room, nodes = numbers[ROOM], numbers[NODES]
    bank, done, front = numbers[BANK] * room, (1 - numbers[BANK]) * room, numbers[FRONT] * room
    for old in range(nodes):
        renumbered[old] = -1
    for records, field, begin, end in (
        (slots, 5, front, front + numbers[COUNT]),
        (files, 3, bank, bank + numbers[INPUTS]),
        (files, 3, done, done + numbers[OUTPUTS]),
    ):
        for i in range(begin, end):
            node = np.int64(records[i, field])
            while node >= 0 and renumbered[node] < 0:
                renumbered[node] = 0
                node = np.int64(parents[node])
    kept = 0
    for old in range(nodes):
        if renumbered[old] == 0:
            renumbered[old] = kept
            parent = np.int64(parents[old])
            parents[kept] = renumbered[parent] if parent >= 0 else -1
            steps[kept] = steps[old]
            kept += 1
    numbers[NODES] = kept
    for records, field, begin, end in (
        (slots, 5, front, front + numbers[COUNT]),
        (files, 3, bank, bank + numbers[INPUTS]),
        (files, 3, done, done + numbers[OUTPUTS]),
    ):
        for i in range(begin, end):
            records[i, field] = renumbered[records[i, field]]
