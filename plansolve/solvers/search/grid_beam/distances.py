"""The tables of the distances that lead through a stage."""

import numpy as np

from plansolve.solvers.search.grid_beam import distances_kernel as kernel
from plansolve.solvers.search.grid_beam.layout import WINDOW_SIDE, GridStage, Layout

__all__ = ["no_distances", "prepared"]

_WINDOW = WINDOW_SIDE**6


def no_distances(layout: Layout) -> kernel.StageDistances:
    """Room for the distances of any stage of the layout."""
    cells, arcs = layout.count, len(layout.arcs.there)
    return kernel.StageDistances(
        kind=kernel.LAST,
        one=0,
        other=0,
        first=layout.arcs.first,
        there=layout.arcs.there,
        targets=np.zeros(cells, np.uint8),
        side=np.zeros(arcs, np.uint16),
        rows=np.zeros((cells, cells), np.uint16),
        filled=np.zeros(cells, np.uint8),
        queue=np.zeros(max(_WINDOW, 3 * arcs), np.int32),
        local=np.full(cells, kernel.OUT, np.uint8),
        door=np.zeros(cells, np.uint16),
        window=np.zeros(_WINDOW, np.uint16),
        size=0,
        most=0,
        far=layout.far,
    )


def prepared(
    distances: kernel.StageDistances, layout: Layout, stage: GridStage
) -> kernel.StageDistances:
    """The distances of a stage, in the arrays of those of another stage."""
    distances = distances._replace(kind=stage.kind, one=stage.one, other=stage.other)
    if stage.kind == kernel.LAST:
        return distances
    distances.targets[:] = 0
    distances.targets[stage.one] = 1
    if stage.kind == kernel.PAIR:
        window = np.array(stage.window)
        distances.targets[window] = 1
        distances.local[:] = kernel.OUT
        distances.local[window] = np.arange(len(window))
        nearest = layout.far[: stage.free, window].argmin(axis=1)
        distances.door[: stage.free] = window[nearest]
        distances = distances._replace(size=len(window))
        distances = distances._replace(most=kernel.fill_window(distances, window))
    kernel.side_distances(stage.free, layout.arcs, layout.turns, distances)
    distances.filled[:] = 0
    return distances
