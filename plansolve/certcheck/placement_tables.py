"""The sceptic's own pattern tables for any moves, of pieces that may be alike.

A pattern is all pieces of some kinds, and the gaps where a move needs one in some cell. The numbers
are exact distances in what is left of the puzzle when all other pieces are taken for equal: the
gaps are followed, so that each move applies where it does on the board. Where they have too many
places to be followed, moves apply wherever they are, which makes no way longer. All moves are
counted, so the numbers never exceed the moves of a plan, and those of several patterns do not add
up (Culberson and Schaeffer 1998). Where no move moves more than one piece beside the gap that it
needs, those moves alone may be counted that move a piece of the pattern, other than a gap. Then
patterns that share no kind add up (Korf and Felner 2002).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from math import comb, prod

import numpy as np

from plansolve.certcheck import placement_tables_kernel as kernel
from plansolve.certcheck.clauses import Array
from plansolve.errors import ProofError
from plansolve.model.puzzle import BLANK, OPEN, Puzzle

__all__ = ["KindPlacements"]

_MOST_ENDS = 1 << 20


@dataclass(frozen=True)
class KindPlacements:
    """How all pieces of some kinds can be placed on so many cells.

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
        """Return those of the kinds, and of the gaps before them where these count."""
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
        self, sources: Sequence[Sequence[int]], needs: Sequence[int | None], *, own: bool = False
    ) -> Array:
        """Return the moves (uint8) that take the pieces to the goal, by placement.

        All moves count, or only the `own` ones of the kinds but the gaps.

        Move m fills cell c from cell `sources[m][c]`, and needs a gap in cell `needs[m]`, None
        for any. Raise `ProofError` where the goal allows too many placements.
        """
        left = len(self.open_cells)
        count = 1
        for size, homes in zip(self.copies, self.homes, strict=True):
            count *= comb(left, size - len(homes))
            left -= size - len(homes)
        if count > _MOST_ENDS:
            raise ProofError(f"tables: {count:,} placements that the goal allows are too many")
        numbers, entries = self.numbers().tolist(), self.entries
        ends = [
            sum(row[cell] for row, cell in zip(numbers, cells, strict=True))
            for cells in self._ends()
        ]
        taken = accumulate(self.copies, initial=0)
        real = prod(comb(self.cells - t, m) for t, m in zip(taken, self.copies, strict=False))
        table, queues = np.full(entries, kernel.NEVER, np.uint8), np.zeros((2, real), np.uint32)
        queues[0, : len(ends)] = ends
        width = max(self.copies) + 1
        choose = [comb(n, m) for n in range(self.cells + 1) for m in range(width)]
        shape = kernel.ClassShape(
            np.array(self.copies, np.uint64),
            np.array(self._strides, np.uint64),
            np.array(self.ways, np.uint64),
            np.array(choose, np.uint64),
            np.uint64(width),
        )
        kernel.search_placements(
            self._back(sources, needs), shape, np.uint64(own), queues, np.uint64(len(ends)), table
        )
        return table

    @property
    def _strides(self) -> list[int]:
        return [*accumulate(self.ways[:-1], lambda a, b: a * b, initial=1)]

    def _ends(self) -> Iterator[tuple[int, ...]]:
        """Yield the cells of all pieces, sorted within kinds, of each placement of the goal."""
        placed: list[tuple[tuple[int, ...], frozenset[int]]] = [((), frozenset(self.open_cells))]
        for size, homes in zip(self.copies, self.homes, strict=True):
            placed = [
                ((*cells, *sorted((*homes, *more))), free.difference(more))
                for cells, free in placed
                for more in combinations(sorted(free), size - len(homes))
            ]
        yield from (cells for cells, _ in placed)

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
