"""Slow and plain second implementations that the tests compare the package with."""
