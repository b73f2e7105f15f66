"""Puzzles, problems and plans as data, and what can be derived from them."""
