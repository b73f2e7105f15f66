"""The puzzle families, each a file that builds rules as data."""
