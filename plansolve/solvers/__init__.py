"""The engines, the loops that run them, and the only entry: `solve`."""
