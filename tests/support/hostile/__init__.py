"""Damaged files, fuzzed readers and programs that a referee must survive."""
