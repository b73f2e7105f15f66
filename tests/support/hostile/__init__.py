"""Damaged files, every reader fuzzed, and programs that a referee must survive."""
