"""The places of the cells in pictures, on a grid or by a layout, and the colours of the tiles."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple, TypeAlias, cast

from plansolve.model.layout import CellLayout, Position
from plansolve.model.puzzle import BLANK, Puzzle, State

Line: TypeAlias = tuple[Position, Position]
_EQUAL = 0.01


class Geometry(NamedTuple):
    """Lengths are in cells, from the upper left corner of the leftmost and uppermost cells."""

    positions: tuple[Position, ...]
    """The upper left corner of each cell."""
    width: float
    height: float
    tracks: tuple[Line, ...] = ()
    """From the middle of a cell to that of one that is joined to it."""
    walls: tuple[Line, ...] = ()
    """Along the sides of cells that lie side by side and are not joined."""
    holes: frozenset[int] = frozenset()
    """The cells that are not drawn."""
    round: bool = False
    """True for balls instead of tiles."""


def geometry(puzzle: Puzzle) -> Geometry:
    """Return the places of the cells of `puzzle`, and the lines between them."""
    if puzzle.layout is not None:
        return _of_layout(puzzle.layout)
    return _of_grid(puzzle.rows, puzzle.columns)


@cache
def _of_grid(rows: int, columns: int) -> Geometry:
    positions = tuple((column, row) for row in range(rows) for column in range(columns))
    return Geometry(positions, columns, rows)


@lru_cache(maxsize=16)
def _of_layout(layout: CellLayout) -> Geometry:
    left = min(x for x, _ in layout.positions)
    upper = min(y for _, y in layout.positions)
    positions = tuple((x - left, y - upper) for x, y in layout.positions)
    joined, holes = {frozenset(edge) for edge in layout.edges}, frozenset(layout.holes)
    walled = (
        [] if layout.round else [place for place in enumerate(positions) if place[0] not in holes]
    )
    return Geometry(
        positions,
        max(x for x, _ in positions) + 1,
        max(y for _, y in positions) + 1,
        tuple((_middle(positions[a]), _middle(positions[b])) for a, b in layout.edges),
        tuple(
            _wall(a, b)
            for (i, a), (j, b) in combinations(walled, 2)
            if joined and _are_beside(a, b) and frozenset((i, j)) not in joined
        ),
        holes,
        layout.round,
    )


def bonds(puzzle: Puzzle) -> frozenset[tuple[int, int, int]]:
    """Return (kind, kind, offset of the second cell) for adjacent parts of one piece.

    Some move needs both in their cells, and moves them in the same direction.
    """
    known = puzzle.derived.get(_BONDS)
    if known is None:
        known = puzzle.derived[_BONDS] = frozenset(_bonds(puzzle) if puzzle.needs_kinds else ())
    return cast("frozenset[tuple[int, int, int]]", known)


_BONDS = "bonds"


def _bonds(puzzle: Puzzle) -> Iterator[tuple[int, int, int]]:
    for operator in puzzle.operators:
        goes = {source: cell for cell, source in operator.moves}
        kinds = {cell: kind for cell, kind in operator.needs if kind != BLANK}
        for cell, kind in kinds.items():
            for away in (1, puzzle.columns):
                other = cell + away
                is_beside = other in kinds and (away != 1 or other % puzzle.columns)
                if (
                    is_beside
                    and cell in goes
                    and goes[cell] - cell == goes.get(other, cell) - other
                ):
                    yield kind, kinds[other], away


def joined_sides(puzzle: Puzzle, state: State, cell: int) -> tuple[bool, ...]:
    """Return, for left, top, right and bottom of a cell, True if its piece goes on there."""
    joined, places = bonds(puzzle), geometry(puzzle).positions

    def are_joined(right: int, down: int) -> bool:
        first, last = sorted((cell, cell + right + down * puzzle.columns))
        return (
            first >= 0
            and last < len(state)
            and (state[first], state[last], last - first) in joined
            and abs(places[last][0] - places[first][0]) == abs(right)
            and abs(places[last][1] - places[first][1]) == abs(down)
        )

    return tuple(bool(joined) and are_joined(*way) for way in ((-1, 0), (0, -1), (1, 0), (0, 1)))


def shown_labels(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the labels of the kinds, without the numbers that tell parts of one piece apart."""
    parts = {kind for *ends, _ in bonds(puzzle) for kind in ends}
    return tuple(
        (kind in parts and label.rstrip("0123456789")) or label
        for kind, label in enumerate(puzzle.labels)
    )


def _middle(position: Position) -> Position:
    return position[0] + 0.5, position[1] + 0.5


def _are_beside(a: Position, b: Position) -> bool:
    right, down = sorted((abs(a[0] - b[0]), abs(a[1] - b[1])))
    return right < _EQUAL and abs(down - 1) < _EQUAL


def _wall(a: Position, b: Position) -> Line:
    x, y = max(a[0], b[0]), max(a[1], b[1])
    return ((x, y), (x, y + 1)) if abs(a[0] - b[0]) > 0.5 else ((x, y), (x + 1, y))


BOARD = "#e8e2d5"
"""The ground under the tiles."""

WALL = "#2b2824"
"""Lines between cells that no tile crosses."""

_PAPER, _INK, _EDGE = "#fffdf8", "#2b2824", "#d5cdbd"
_ACCENT, _ACCENT_INK, _DEEP = "#2c6e66", "#fff", "#123f3a"


class Look(NamedTuple):
    """The colours of one tile, as CSS writes them."""

    fill: str
    ink: str
    edge: str


def look(is_home: bool, is_marked: bool) -> Look:
    """Return a look: filled in the goal cell, light elsewhere, with a strong edge if marked."""
    if is_home:
        return Look(_ACCENT, _ACCENT_INK, _DEEP if is_marked else _ACCENT)
    return Look(_PAPER, _INK, _ACCENT if is_marked else _EDGE)


def painted(colour: str, is_marked: bool) -> Look:
    """Return the look of a piece with a colour of its own; its edge is strong if marked."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    # The perceived brightness (ITU-R BT.601).
    is_light = 299 * red + 587 * green + 114 * blue > 140_000
    ink = _INK if is_light else _PAPER
    return Look(colour, ink, ink if is_marked else _EDGE)


def colour_of(puzzle: Puzzle, kind: int) -> str | None:
    """Return the colour that the pieces of a kind have in the puzzle's layout; None without one."""
    colours = puzzle.layout.colours if puzzle.layout else ()
    return colours[kind] if kind < len(colours) else None


LOOKS = tuple(look(is_home, is_marked) for is_home in (False, True) for is_marked in (False, True))
"""All looks of tiles."""
