"""A*: expands states in the order of their f-values, in a table of all states seen."""
