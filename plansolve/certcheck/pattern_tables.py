"""The sceptic's own pattern tables: the least moves of a few pieces, from the rules alone.

An entry is the exact distance in the puzzle in which all other pieces are alike, so it never
exceeds the number of moves of a plan.

* If each move exchanges the blank with a tile, only the moves of the pattern's tiles are
  counted, over all cells of the blank, so that numbers of patterns without a common tile add up
  (Korf and Felner 2002).
* If no move depends on a blank, all moves are counted (Culberson and Schaeffer 1998).
* For any moves, of pieces that may be alike, a pattern is all pieces of some kinds, and the gaps
  if a move needs one in some cell: then each move applies where it does on the board. If the
  gaps have too many places to be followed, moves apply wherever they are, which makes no way
  longer. All moves are counted; or, if no move moves more than one piece beside the gap that it
  needs, those alone that move a piece of the pattern other than a gap. Then patterns that share no
  kind add up.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, takewhile
from math import comb, perm, prod
from typing import Any

import numpy as np

from plansolve.certcheck import pattern_tables_kernel as kernel
from plansolve.certcheck.clauses import Array
from plansolve.errors import InternalError, ProofError
from plansolve.model.puzzle import BLANK, OPEN, WORD_CELLS, Puzzle

NEVER = kernel.NEVER
"""The entry of a placement without a way to the goal."""

_NARROW, _BYTE = 32, 8
_MOST_ENDS = 1 << 20
_GO_ON = np.zeros(1, np.uint8)
"""The stop flag of a search that is never stopped."""


def blank_table(
    ways: Sequence[Sequence[int]],
    homes: Sequence[int],
    blanks: Collection[int],
    stop: Array = _GO_ON,
) -> Array:
    """Return the moves (uint8) of the tiles by placement, as `pattern_tables_kernel` numbers them.

    The moves start with the tiles in the cells `homes` and the blank in any of the cells `blanks`;
    each takes the blank from x to one of `ways[x]`. There are at most 64 cells. Reverse the ways to
    count the moves to these cells instead.
    """
    cells = len(ways)
    word = cells_type(cells)
    bits = np.array([sum(1 << y for y in row) for row in ways], np.uint64)
    begin = np.uint64(sum(1 << cell for cell in blanks))
    size = cells ** len(homes)
    moves = np.full(size, NEVER, np.uint8)
    sets = kernel.PlacementBlanks(
        np.zeros(size, word),
        np.zeros((2, size), word),
        np.zeros((2, perm(cells, len(homes))), np.uint32),
    )
    kernel.search_blank(bits, np.array(homes, np.uint64), begin, moves, sets, stop)
    return moves


def free_table(
    sources: Sequence[Sequence[int]],
    odd: Sequence[bool],
    homes: Sequence[int],
    stop: Array = _GO_ON,
) -> Array:
    """Return the moves (uint8) that take the tiles home, by placement.

    Operator o fills cell c from cell `sources[o][c]`. If operators count as odd, the table has two
    halves, and these operators lead from one half to the other.
    """
    cells, halves = len(sources[0]), 2 if any(odd) else 1
    word = cells_type(cells)
    moves = np.full(halves * cells ** len(homes), NEVER, np.uint8)
    rules = kernel.TileSources(
        np.array(sources, np.uint64).reshape(-1),
        np.concatenate([_images(source) for source in sources]),
        np.array(odd, np.uint8),
    )
    blocks = moves.size // cells
    sets = kernel.CellSets(np.zeros(blocks, word), np.zeros((2, blocks), word))
    kernel.search_free(rules, np.array(homes, np.uint64), moves, sets, stop)
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


def cells_type(cells: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type with a bit for each cell; raise `InternalError` without one."""
    if cells > WORD_CELLS:
        raise InternalError(f"no number has {cells} bits: a pattern table needs one for each cell")
    return np.uint32 if cells <= _NARROW else np.uint64


@dataclass(frozen=True)
class KindPlacements:
    """The placements of all pieces of some kinds on a number of cells.

    `copies` are the pieces of each kind, `homes` the goal cells of each, and `open_cells` those in
    which the others may end. With `has_blank` the first kind is the blank, or the gaps.
    """

    cells: int
    kinds: tuple[int, ...]
    copies: tuple[int, ...]
    homes: tuple[tuple[int, ...], ...]
    open_cells: tuple[int, ...]
    has_blank: bool

    @classmethod
    def of(cls, puzzle: Puzzle, kinds: Sequence[int], *, has_blank: bool) -> "KindPlacements":
        """Return the placements of the kinds, preceded by the gaps if these count."""
        if has_blank:
            kinds = [BLANK, *(kind for kind in kinds if kind != BLANK)]
        homes = tuple(
            tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == kind)
            for kind in kinds
        )
        copies = tuple(puzzle.pieces.count(kind) for kind in kinds)
        open_cells = tuple(cell for cell, wanted in enumerate(puzzle.goal) if wanted == OPEN)
        return cls(puzzle.cells, tuple(kinds), copies, homes, open_cells, has_blank)

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """The number of ways to place each kind alone."""
        return tuple(comb(self.cells, size) for size in self.copies)

    @cached_property
    def entries(self) -> int:
        """The number of entries of the table: all placements, and some that overlap."""
        return prod(self.ways)

    def numbers(self) -> Array:
        """Return [piece, cell] (uint32): what a piece adds to the number of a placement.

        The pieces of one kind are in the order of their cells.
        """
        rows = [
            [stride * comb(cell, place) for cell in range(self.cells)]
            for stride, size in zip(self._strides, self.copies, strict=True)
            for place in range(1, size + 1)
        ]
        return np.array(rows, np.uint32)

    def table(
        self,
        sources: Sequence[Sequence[int]],
        needs: Sequence[int | None],
        *,
        own: bool = False,
        stop: Array = _GO_ON,
    ) -> Array:
        """Return the moves (uint8) that take the pieces to the goal, by placement.

        All moves count; with `own`, only those that move one of the kinds other than the gaps.

        Move m fills cell c from cell `sources[m][c]`, and needs a gap in cell `needs[m]`, unless
        that is None. Raise `ProofError` if the goal allows too many placements.
        """
        left = len(self.open_cells)
        count = 1
        for size, homes in zip(self.copies, self.homes, strict=True):
            count *= comb(left, size - len(homes))
            left -= size - len(homes)
        if count > _MOST_ENDS:
            raise ProofError(f"tables: {count:,} placements that the goal allows are too many")
        taken = accumulate(self.copies, initial=0)
        real = prod(comb(self.cells - t, m) for t, m in zip(taken, self.copies, strict=False))
        table, queues = np.full(self.entries, NEVER, np.uint8), np.zeros((2, real), np.uint32)
        # The kernel also ends if the flag is set; the table is then incomplete.
        ends = takewhile(lambda _: not stop[0], self._ends(0, frozenset(self.open_cells)))
        numbers = np.fromiter(ends, np.uint32)
        queues[0, : len(numbers)] = numbers
        width = max(self.copies) + 1
        choose = [comb(n, m) for n in range(self.cells + 1) for m in range(width)]
        shape = kernel.ClassShape(
            np.array(self.copies, np.uint64),
            np.array(self._strides, np.uint64),
            np.array(self.ways, np.uint64),
            np.array(choose, np.uint64),
            np.uint64(width),
        )
        moves = self._back(sources, needs)
        kernel.search_placements(
            moves, shape, np.uint64(own), queues, np.uint64(len(numbers)), table, stop
        )
        return table

    @cached_property
    def _strides(self) -> list[int]:
        return [*accumulate(self.ways[:-1], lambda a, b: a * b, initial=1)]

    def _ends(self, kind: int, free: frozenset[int]) -> Iterator[int]:
        """Yield what `kind` and later kinds add to the number of each placement of the goal.

        Pieces without a goal cell are in `free` cells.
        """
        if kind == len(self.kinds):
            yield 0
            return
        homes, stride = self.homes[kind], self._strides[kind]
        for more in combinations(sorted(free), self.copies[kind] - len(homes)):
            cells = sorted((*homes, *more))
            own = stride * sum(comb(cell, place) for place, cell in enumerate(cells, start=1))
            for others in self._ends(kind + 1, free.difference(more)):
                yield own + others

    def _back(
        self, sources: Sequence[Sequence[int]], needs: Sequence[int | None]
    ) -> kernel.MovesBack:
        """Return the moves by the cell in which they leave the gap that they need."""
        rows: list[list[Sequence[int]]] = [[] for _ in range(self.cells + 1)]
        for source, need in zip(sources, needs, strict=True):
            is_anywhere = need is None or not self.has_blank
            rows[self.cells if is_anywhere else source.index(need)].append(source)
        return kernel.MovesBack(
            np.uint64(self.has_blank),
            np.array([*accumulate(map(len, rows), initial=0)], np.uint64),
            np.array([source for row in rows for source in row], np.uint64).reshape(-1),
        )
