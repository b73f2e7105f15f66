"""Facts derived from a puzzle's rules: groups, symmetries, grids, duplicate sequences."""
