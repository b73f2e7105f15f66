"""Searches over states: one folder or file an algorithm, its kernels beside it."""
