"""Many clauses of one shape at once, from arrays of literals."""

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import FALSE, TRUE, Builder

__all__ = ["add_clauses", "live_clauses"]


def live_clauses(literals: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows of literals are clauses that do not hold anyway."""
    return np.asarray((literals != TRUE).all(axis=1))


def add_clauses(builder: Builder, literals: NDArray[np.int64]) -> None:
    """Adds each row as a clause; constants are folded away."""
    literals = literals[live_clauses(literals)]
    kept = literals != FALSE
    width = kept.sum(axis=1)
    for size in np.unique(width).tolist():
        rows = width == size
        if size:
            clauses = literals[rows][kept[rows]].reshape(-1, size)
            builder.clauses_without_constants(clauses.tolist())
        else:
            builder.clause()
