"""Engines, the loops that drive them, and the one way in and out: `solve`."""
