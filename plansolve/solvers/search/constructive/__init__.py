"""A long plan at once: tile by tile on grids, by group theory elsewhere."""
