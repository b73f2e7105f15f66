"""Boards of up to 32 cells in three 64-bit words: the data that kernels need to read and move.

Cell c takes five bits of word c // 12, from bit 5 * (c % 12) on; the highest four bits of a word
are free for other use. A move of the blank from b to d adds tile * `swing` to each word: the tile
leaves d and appears in b, and the blank, which is 0, needs no room of its own.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import State
from plansolve.model.structure import BlankGraph
from plansolve.storage.jit import kernel, typed

__all__ = [
    "MOST_CELLS",
    "WORDS",
    "Arcs",
    "Word",
    "arcs_back",
    "arcs_onward",
    "mixed",
    "pack",
    "pack_arcs",
]

Word: TypeAlias = Any
"""A number of 64 bits without sign, as kernels hand it on."""

MOST_CELLS = 32
"""The largest number of cells of a packed board."""

WORDS = 3
"""The words of a packed board."""

CELLS_A_WORD = 12
BITS = 5


@kernel
def mixed(w0: Word, w1: Word, w2: Word) -> Word:
    """A well mixed hash of 64 bits of three unsigned words whose free bits are 0."""
    x = w0 * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ x >> np.uint64(32)) + w1
    x *= np.uint64(0xD6E8FEB86659FD93)
    x = (x ^ x >> np.uint64(29)) + w2
    x *= np.uint64(0xA0761D6478BD642F)
    return x ^ x >> np.uint64(32)


def pack(state: State) -> NDArray[np.uint64]:
    """The three words of a board."""
    words = [0] * WORDS
    for cell, tile in enumerate(state):
        words[cell // CELLS_A_WORD] |= tile << BITS * (cell % CELLS_A_WORD)
    return np.array(words, np.uint64)


@typed
class Arcs(NamedTuple):
    """The arcs of a blank graph as arrays.

    Arc e with offset[b] <= e < offset[b + 1] leads from cell b to cell[e]; swing[3 * e + w] times
    the tile that stands there is what its move adds to word w (modulo 2**64); penalty[e] is the
    penalty of the move.
    """

    offset: NDArray[np.uint32]
    cell: NDArray[np.uint8]
    swing: NDArray[np.uint64]
    penalty: NDArray[np.uint16]


def arcs_onward(graph: BlankGraph) -> Arcs:
    """The arcs of the blank, with the penalties of the moves that a plan will name."""
    return pack_arcs(graph.successors, lambda b, d: graph.penalties[b][d])


def arcs_back(graph: BlankGraph) -> Arcs:
    """The arcs that take back a move: from d to b with the penalty of the move from b to d."""
    return pack_arcs(graph.predecessors, lambda d, b: graph.penalties[b][d])


def pack_arcs(successors: Sequence[Sequence[int]], penalty: Callable[[int, int], int]) -> Arcs:
    """The arrays of the graph with these arcs; `penalty` tells that of the arc from b to d."""
    offset, cells, swings, penalties = [0], [], [], []
    for blank, targets in enumerate(successors):
        for target in targets:
            cells.append(target)
            swings.append(_place(blank) - _place(target))
            penalties.append(penalty(blank, target))
        offset.append(len(cells))
    return Arcs(
        np.array(offset, np.uint32),
        np.array(cells, np.uint8),
        np.array(swings, np.uint64).reshape(-1),
        np.array(penalties, np.uint16),
    )


def _place(cell: int) -> NDArray[np.uint64]:
    words = np.zeros(WORDS, np.uint64)
    words[cell // CELLS_A_WORD] = 1 << BITS * (cell % CELLS_A_WORD)
    return words
