"""Many clauses of one shape at once, from arrays of literals."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import FALSE, TRUE, Builder
from plansolve.encoders.lemmas.lemma import BlankLayer

__all__ = ["add_clauses", "walk_literals"]


def add_clauses(
    builder: Builder, literals: NDArray[np.int64], *, are_derived: bool = False
) -> None:
    """Add each row as a clause; constants are folded away.

    Those that `are_derived` follow from the clauses before by unit propagation, in any order.
    """
    # Numpy is slow along rows that are short.
    literals = literals[(np.ascontiguousarray(literals.T) != TRUE).all(axis=0)]
    kept = literals != FALSE
    width = np.count_nonzero(kept, axis=1)
    for size in np.flatnonzero(np.bincount(width)).tolist():
        rows = np.flatnonzero(width == size)
        clauses = literals[rows][kept[rows]].reshape(len(rows), size)
        if are_derived:
            builder.derived_clauses(clauses)
        elif size:
            builder.clauses_without_constants(clauses)
        else:
            builder.clause()


def walk_literals(blanks: Sequence[BlankLayer], cells: int) -> NDArray[np.int64]:
    """The literal of the blank's being in each cell after t moves, in row t; `FALSE` for never."""
    literals = np.full((len(blanks), cells), FALSE, np.int64)
    for t, layer in enumerate(blanks):
        for cell, literal in layer.items():
            literals[t, cell] = literal
    return literals
