"""The tree of boards that a grid beam leaves behind, to tell plans by."""

import numpy as np

from plansolve.solvers.search.grid_beam.state import GridState
from plansolve.storage.jit import Array, kernel

__all__ = ["compact"]


@kernel
def compact(state: GridState, renumbered: Array) -> None:
    """Forgets the nodes that lead to no board which still counts, and renumbers the others.

    These are the boards of the level, the finished ones, and the stage's first ones.
    `renumbered` is int32, as long as the tree; a node's parent always comes before it.
    """
    progress, parents, cells = state.progress, state.tree.parents, state.tree.cells
    level = state.following if progress.swapped else state.level
    used = (
        (level.facts, progress.count),
        (state.first.facts, progress.first),
        (state.finished.facts, progress.finished),
    )
    for old in range(progress.nodes):
        renumbered[old] = -1
    for facts, count in used:
        for i in range(count):
            node = np.int64(facts[i].node)
            while node >= 0 and renumbered[node] < 0:
                renumbered[node] = 0
                node = np.int64(parents[node])
    kept = 0
    for old in range(progress.nodes):
        if renumbered[old] == 0:
            renumbered[old] = kept
            parent = np.int64(parents[old])
            parents[kept] = renumbered[parent] if parent >= 0 else -1
            cells[kept] = cells[old]
            kept += 1
    progress.nodes = kept
    for facts, count in used:
        for i in range(count):
            facts[i].node = renumbered[facts[i].node]
