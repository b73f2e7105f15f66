"""Many clauses of one shape at once, from arrays of literals."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.blank_walk import BlankLayer
from plansolve.encoders.builder import FALSE, TRUE, Builder

__all__ = ["add_clauses", "live_clauses", "walk_literals"]


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
            with _without_collection():
                builder.clauses_without_constants(clauses.tolist())
        else:
            builder.clause()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Spares Python the search for garbage among new lists: it takes as long as making them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def walk_literals(blanks: Sequence[BlankLayer], cells: int) -> NDArray[np.int64]:
    """The literal of the blank's being in each cell after t moves, in row t; `FALSE` for never."""
    literals = np.full((len(blanks), cells), FALSE, np.int64)
    for t, layer in enumerate(blanks):
        for cell, literal in layer.items():
            literals[t, cell] = literal
    return literals
