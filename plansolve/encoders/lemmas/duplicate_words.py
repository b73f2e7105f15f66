"""Walks of the blank with the effect of a shorter or earlier walk, whatever the tiles are.

They are the forbidden sequences of `analysis.duplicate_sequences`, which gives the argument for
them. The earlier of two walks is the one that is first in the order of the cells.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import ONE_PLAN, MoveGraph, forbidden_sequences
from plansolve.encoders.blank_walk import BlankLayer
from plansolve.encoders.builder import Builder
from plansolve.encoders.bulk import add_clauses, walk_literals
from plansolve.model.structure import BlankGraph

__all__ = ["add_duplicate_words", "duplicate_words"]

_LONGEST = 10
_MOST_WORDS = 500_000
_MOST_BYTES = 64 << 20


def duplicate_words(graph: BlankGraph, longest: int = _LONGEST) -> list[NDArray[np.int64]]:
    """The forbidden walks of 2, 3, ... moves, each as the rows of an array of the blank's cells.

    None contains a shorter one. Large boards get shorter walks than asked for.
    """
    return _duplicate_words(tuple(tuple(sorted(targets)) for targets in graph.successors), longest)


def add_duplicate_words(builder: Builder, graph: BlankGraph, blanks: Sequence[BlankLayer]) -> None:
    """Forbids these walks from every time on; `blanks[t]` are the blank's cells after t moves."""
    literals = walk_literals(blanks, len(graph.successors))
    for words in duplicate_words(graph):
        moves = np.arange(words.shape[1])
        for t in range(len(blanks) - len(moves) + 1):
            add_clauses(builder, -literals[t + moves, words])


@lru_cache(maxsize=8)
def _duplicate_words(arcs: tuple[tuple[int, ...], ...], longest: int) -> list[NDArray[np.int64]]:
    graph = MoveGraph.of_blank(arcs)
    return forbidden_sequences(graph, longest, ONE_PLAN, _MOST_WORDS, _MOST_BYTES)
