"""The sceptic's own pattern tables: the least number of moves of a few tiles, from the rules alone.

Where each move exchanges the blank with a tile, only the moves of the pattern's tiles are counted,
so that numbers of patterns without a common tile add up (Korf and Felner 2002). Where no move
depends on a blank, all moves are counted (Culberson and Schaeffer 1998).

The numbers are exact distances in what is left of the puzzle when all other tiles are taken for
equal, over all cells of the blank. So they never exceed the number of moves of a plan.
"""

from collections.abc import Collection, Sequence
from math import perm
from typing import Any

import numpy as np

from plansolve.certcheck import pattern_tables_kernel as kernel
from plansolve.certcheck.clauses import Array
from plansolve.errors import InternalError
from plansolve.model.puzzle import WORD_CELLS

__all__ = ["NEVER", "blank_table", "free_table"]

NEVER = kernel.NEVER
"""The number of moves where there is no way."""

_NARROW, _BYTE = 32, 8


def blank_table(
    ways: Sequence[Sequence[int]], homes: Sequence[int], blanks: Collection[int]
) -> Array:
    """Return the moves (uint8) of the tiles by placement, as `pattern_tables_kernel` numbers them.

    They begin in the cells `homes`, with the blank in any of the cells `blanks`, and go on by moves
    that take the blank from x to one of `ways[x]`; there are at most 64 cells. To count the moves
    that lead there instead, turn the ways round.
    """
    cells = len(ways)
    word = _word(cells)
    bits = np.array([sum(1 << y for y in row) for row in ways], np.uint64)
    begin = np.uint64(sum(1 << cell for cell in blanks))
    size = cells ** len(homes)
    moves = np.full(size, NEVER, np.uint8)
    sets = kernel.PlacementBlanks(
        np.zeros(size, word),
        np.zeros((2, size), word),
        np.zeros((2, perm(cells, len(homes))), np.uint32),
    )
    kernel.search_blank(bits, np.array(homes, np.uint64), begin, moves, sets)
    return moves


def free_table(
    sources: Sequence[Sequence[int]], odd: Sequence[bool], homes: Sequence[int]
) -> Array:
    """Return the moves (uint8) that take the tiles home, by placement.

    Operator o fills cell c from cell `sources[o][c]`. Where it counts as odd it changes over to the
    other half of the table, which has two if one does.
    """
    cells, halves = len(sources[0]), 2 if any(odd) else 1
    word = _word(cells)
    moves = np.full(halves * cells ** len(homes), NEVER, np.uint8)
    rules = kernel.TileSources(
        np.array(sources, np.uint64).reshape(-1),
        np.concatenate([_images(source) for source in sources]),
        np.array(odd, np.uint8),
    )
    blocks = moves.size // cells
    sets = kernel.CellSets(np.zeros(blocks, word), np.zeros((2, blocks), word))
    kernel.search_free(rules, np.array(homes, np.uint64), moves, sets)
    return moves


def _images(source: Sequence[int]) -> Array:
    """Return, for each byte of cells and each set of its bits, the cells' sources as bits."""
    images = list[int]()
    for begin in range(0, len(source), _BYTE):
        rows = [0]
        for origin in source[begin : begin + _BYTE]:
            rows += [row | 1 << origin for row in rows]
        images += rows + [0] * ((1 << _BYTE) - len(rows))
    return np.array(images, np.uint64)


def _word(cells: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type with a bit for each cell; raise `InternalError` without one."""
    if cells > WORD_CELLS:
        raise InternalError(f"no number has {cells} bits: a pattern table needs one for each cell")
    return np.uint32 if cells <= _NARROW else np.uint64
