"""Walls between the cells of a board, and holes where cells are missing.

A hole is a cell that no move touches. It holds a piece of its own, which every goal leaves there,
so that only this module and the formats need to know about holes. It is written "-".
"""

from collections.abc import Iterator
from typing import NamedTuple

from plansolve.errors import BoardError, OptionError
from plansolve.model.layout import CellLayout
from plansolve.model.names import HOLE_SIGN
from plansolve.model.puzzle import BLANK, State
from plansolve.puzzles.family import Parameters

HOLE = -2
"""The content of a missing cell on a board as it is read; its sign is `HOLE_SIGN`."""

HOLES = "holes"
"""The parameter that lists them."""

OBSTACLE_PARAMETERS = {
    HOLES: "missing cells, as in holes=6+11; cells count from 1, row by row",
    "walls": "neighbours without a passage between them, as in walls=1-2+5-9",
}


class Obstacles(NamedTuple):
    """Holes and walls; cells count from 0, and a wall is between two of them."""

    holes: tuple[int, ...] = ()
    walls: frozenset[tuple[int, int]] = frozenset()

    def are_joined(self, a: int, b: int) -> bool:
        """Return True if no hole or wall is between two neighbouring cells."""
        return (min(a, b), max(a, b)) not in self.walls and not {a, b} & {*self.holes}

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return them as parameters of a specification; empty texts if there are none."""
        holes = "+".join(str(cell + 1) for cell in self.holes)
        walls = "+".join(f"{a + 1}-{b + 1}" for a, b in sorted(self.walls))
        return holes and f"{HOLES}={holes}", walls and f"walls={walls}"

    def layout(self, rows: int, columns: int) -> CellLayout | None:
        """Return the grid with holes and walls; None if there are none."""
        if not (self.holes or self.walls):
            return None
        return CellLayout(
            tuple((column, row) for row in range(rows) for column in range(columns)),
            tuple(pair for pair in _neighbours(rows, columns) if self.are_joined(*pair)),
            self.holes,
        )

    def labels(self, cells: int, gaps: int = 1) -> tuple[str, ...]:
        """Return the labels of the pieces: those in holes have the last numbers."""
        tiles = cells - len(self.holes) - gaps
        return (*map(str, range(tiles + 1)), *(HOLE_SIGN,) * len(self.holes))

    def fixed(self, cells: int, gaps: int = 1) -> tuple[tuple[int, int], ...]:
        """Return each hole with the number of the piece in it."""
        first = cells - len(self.holes) - gaps + 1
        return tuple((hole, first + place) for place, hole in enumerate(self.holes))

    def around(self, board: State) -> State:
        """Return a named goal with holes: the other cells hold the first numbers in the same order.

        If a hole is in the blank's cell, the blank goes to the next one in that order.
        """
        if not self.holes:
            return board
        # The blank is first in a goal that begins with it, and last in all others.
        cells, is_first = len(board), board[0] == BLANK
        order = sorted(
            set(range(cells)) - set(self.holes),
            key=lambda cell: board[cell] or (0 if is_first else cells),
        )
        pieces = range(len(order)) if is_first else (*range(1, len(order)), BLANK)
        placed = dict(zip((*order, *self.holes), (*pieces, *range(len(order), cells)), strict=True))
        return tuple(placed[cell] for cell in range(cells))


NO_OBSTACLES = Obstacles()


def obstacles_of(rows: int, columns: int, parameters: Parameters) -> Obstacles:
    """Return the obstacles of the parameters; raise `OptionError` or `BoardError` if impossible."""
    cells = rows * columns
    holes = tuple(sorted({_cell(text, cells) for text in _items(parameters, HOLES)}))
    if holes and cells - len(holes) < 2:
        raise BoardError(f"holes: {len(holes)} of {cells} cells: at least two must be left")
    neighbours, walls = set(_neighbours(rows, columns)), set()
    for text in _items(parameters, "walls"):
        a, dash, b = text.partition("-")
        if not dash:
            raise OptionError(f"walls={text[:20]}: two cells are expected, as in walls=1-2+5-9")
        one, other = sorted((_cell(a, cells), _cell(b, cells)))
        if (one, other) not in neighbours:
            raise BoardError(f"walls: {one + 1} and {other + 1} are not neighbours")
        walls.add((one, other))
    # A hole has no passages anyway.
    standing = frozenset(wall for wall in walls if not set(wall) & set(holes))
    return Obstacles(holes, standing)


def _items(parameters: Parameters, key: str) -> list[str]:
    return parameters[key].split("+") if key in parameters else []


def _cell(text: str, cells: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 3):
        raise OptionError(f"{text[:20]!r} is not a cell: cells are numbers from 1, row by row")
    if not 1 <= int(text) <= cells:
        raise BoardError(f"there is no cell {int(text)}: the board has {cells}")
    return int(text) - 1


def _neighbours(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    for cell in range(rows * columns):
        if (cell + 1) % columns:
            yield cell, cell + 1
        if cell + columns < rows * columns:
            yield cell, cell + columns
