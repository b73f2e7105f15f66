"""Bidirectional search with the bound of BAE*."""
