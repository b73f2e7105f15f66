"""The layout of a puzzle's cells in pictures; the rules do not depend on it."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from plansolve.errors import BoardError

Position: TypeAlias = tuple[float, float]
"""The distances to the right of the first column and down from the first row, in cell widths."""

_LARGEST_POSITION = 60
_MOST_EDGES = 4000
_NEAREST = 0.5
_MOST_COLOURS = 1000
_COLOUR = re.compile("#[0-9a-f]{6}")


@dataclass(frozen=True)
class CellLayout:
    """The position of each cell and, if any, the pairs of cells that are joined.

    If there are edges, neighbouring cells without one have a wall between them. `holes` are cells
    that are not drawn. `colours[k]` is the colour of the pieces of kind k, as "#rrggbb"; further
    kinds have the colours of tiles. `round` draws the pieces as balls.
    """

    positions: tuple[Position, ...]
    edges: tuple[tuple[int, int], ...] = ()
    holes: tuple[int, ...] = ()
    colours: tuple[str, ...] = ()
    round: bool = False

    def check(self, cells: int) -> None:
        """Raise `BoardError` unless the layout has `cells` cells, none of which overlap."""
        if len(self.positions) != cells:
            raise BoardError(f"layout: {cells} positions are expected, not {len(self.positions)}")
        for cell, (x, y) in enumerate(self.positions):
            # A chained comparison also rejects NaN.
            if not (0 <= x <= _LARGEST_POSITION and 0 <= y <= _LARGEST_POSITION):
                raise BoardError(
                    f"layout: the position of cell {cell} must be from 0 to {_LARGEST_POSITION}"
                )
        self._check_distances()
        if len(self.edges) > _MOST_EDGES:
            raise BoardError(f"layout: {len(self.edges)} edges: at most {_MOST_EDGES}")
        for a, b in self.edges:
            if not (0 <= a < cells and 0 <= b < cells) or a == b:
                raise BoardError(f"layout: the edge [{a}, {b}] does not join two of {cells} cells")
        for hole in self.holes:
            if not 0 <= hole < cells:
                raise BoardError(f"layout: there is no cell {hole} for a hole")
        if len(self.colours) > _MOST_COLOURS:
            raise BoardError(f"layout: {len(self.colours)} colours: at most {_MOST_COLOURS}")
        for colour in self.colours:
            if not _COLOUR.fullmatch(colour):
                raise BoardError(f"layout: {colour[:20]!r} is not a colour like #ff8800")

    def _check_distances(self) -> None:
        order = sorted(range(len(self.positions)), key=self.positions.__getitem__)
        for i, cell in enumerate(order):
            x, y = self.positions[cell]
            for other in reversed(order[:i]):
                left, above = self.positions[other]
                if x - left >= _NEAREST:
                    break
                if abs(y - above) < _NEAREST:
                    pair = sorted((cell, other))
                    raise BoardError(f"layout: the cells {pair[0]} and {pair[1]} overlap")
