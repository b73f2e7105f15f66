"""Walks of the blank with the effect of a shorter or earlier walk, whatever the tiles are.

They are the forbidden sequences of `analysis.duplicate_sequences`, which gives the argument for
them. The earlier of two walks is the one that is first in the order of the cells.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import ONE_PLAN, MoveGraph, forbidden_sequences
from plansolve.encoders.builder import Builder
from plansolve.encoders.bulk import add_clauses, walk_literals
from plansolve.encoders.lemmas.lemma import BlankLayer
from plansolve.model.structure import BlankGraph

__all__ = ["add_duplicate_walks", "duplicate_walks"]

_LONGEST = 10
_MOST_WALKS = 500_000
_MOST_BYTES = 64 << 20


def duplicate_walks(graph: BlankGraph, longest: int = _LONGEST) -> list[NDArray[np.int64]]:
    """The forbidden walks of 2, 3, ... moves, each as the rows of an array of the blank's cells.

    None contains a shorter one. Large boards get shorter walks than asked for.
    """
    return _duplicate_walks(tuple(tuple(sorted(targets)) for targets in graph.successors), longest)


def add_duplicate_walks(builder: Builder, graph: BlankGraph, blanks: Sequence[BlankLayer]) -> None:
    """Forbid these walks from every time on; `blanks[t]` are the blank's cells after t moves."""
    literals = walk_literals(blanks, len(graph.successors))
    for walks in duplicate_walks(graph):
        moves = np.arange(walks.shape[1])
        for t in range(len(blanks) - len(moves) + 1):
            add_clauses(builder, -literals[t + moves, walks])


@lru_cache(maxsize=8)
def _duplicate_walks(arcs: tuple[tuple[int, ...], ...], longest: int) -> list[NDArray[np.int64]]:
    graph = MoveGraph.of_blank(arcs)
    return forbidden_sequences(graph, longest, ONE_PLAN, _MOST_WALKS, _MOST_BYTES)
