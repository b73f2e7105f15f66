"""A beam search that solves grids in stages, for boards of any size."""
