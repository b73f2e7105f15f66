"""A board as an SVG picture: text that any browser, notebook or document can show.

Colours and sizes are attributes, so that many pictures fit on one page; a page's style sheet
overrides them by the classes of the elements.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape

from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.replay.drawing import (
    BOARD,
    WALL,
    Geometry,
    Line,
    colour_of,
    geometry,
    joined_sides,
    look,
    painted,
    shown_labels,
)

PITCH = 64
"""The distance from one cell to the next, in the picture's units."""

TILE = 58
"""The side of a tile."""

MARGIN = 5
"""The width of the frame around the cells."""

_ROUND_TILE, _ROUND_BOARD = 9, 14
_TRACK, _WALL = 46, 5
_GAP = (PITCH - TILE) // 2
_LARGEST_FONT = 27.0
# The share of a tile's width that the label may fill, over the mean width of a digit in ems.
_WIDTH_OF_LABEL = 0.8 / 0.58
_BASELINE = 0.35

# Characters that XML cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def board_svg(puzzle: Puzzle, state: State, *, highlight: Iterable[int] = ()) -> str:
    """Return the picture of a board as one `<svg>` element, without an XML declaration.

    Tiles in their goal cells are filled, others are light, unless pieces have colours of their own;
    the tiles in the cells of `highlight` have a strong edge.
    """
    marked = frozenset(highlight)
    shape = geometry(puzzle)
    width = f"{shape.width * PITCH + 2 * MARGIN:g}"
    height = f"{shape.height * PITCH + 2 * MARGIN:g}"
    rows = puzzle.in_rows(tuple(map(shown_labels(puzzle).__getitem__, state)))
    text = "; ".join(map(" ".join, rows))
    parts = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="Board: {_text(text)}">',
        *_ground(shape, width, height, is_grid=puzzle.layout is None),
        '<g class="tiles" font-family="system-ui,Segoe UI,Roboto,Noto Sans,Arial,sans-serif" '
        'text-anchor="middle">',
        *_tiles(puzzle, state, marked),
        "</g></svg>",
    )
    return "\n".join(parts) + "\n"


def cell_origin(puzzle: Puzzle, cell: int) -> tuple[float, float]:
    """Return the upper left corner (x, y) of the tile in a cell."""
    x, y = geometry(puzzle).positions[cell]
    inset = MARGIN + (PITCH - TILE) // 2
    return inset + x * PITCH, inset + y * PITCH


def _ground(shape: Geometry, width: str, height: str, *, is_grid: bool) -> Iterator[str]:
    """Yield the ground under the tiles: a board, or a well for each cell, tracks and walls."""
    if is_grid:
        yield (
            f'<rect class="board" width="{width}" height="{height}" rx="{_ROUND_BOARD}" '
            f'fill="{BOARD}"/>'
        )
        return
    yield f'<g class="board" fill="{BOARD}">'
    for line in shape.tracks:
        yield _line("track", line, BOARD, _TRACK)
    corner = PITCH / 2 if shape.round else _GAP
    for cell, (x, y) in enumerate(shape.positions):
        if cell not in shape.holes:
            yield (
                f'<rect x="{MARGIN + x * PITCH:g}" y="{MARGIN + y * PITCH:g}" '
                f'width="{PITCH}" height="{PITCH}" rx="{corner:g}"/>'
            )
    for line in shape.walls:
        yield _line("wall", line, WALL, _WALL)
    yield "</g>"


def _line(kind: str, line: Line, colour: str, width: int) -> str:
    (x1, y1), (x2, y2) = ((MARGIN + x * PITCH, MARGIN + y * PITCH) for x, y in line)
    return (
        f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" '
        f'stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>'
    )


def _tiles(puzzle: Puzzle, state: State, marked: frozenset[int]) -> Iterator[str]:
    shape, labels = geometry(puzzle), shown_labels(puzzle)
    corner = TILE / 2 if shape.round else _ROUND_TILE
    for cell, tile in enumerate(state):
        if tile == BLANK or cell in shape.holes:
            continue
        at_home, is_marked = puzzle.goal[cell] == tile, cell in marked
        kind = f"tile{' home' if at_home else ''}{' last' if is_marked else ''}"
        if (colour := colour_of(puzzle, tile)) is None:
            fill, ink, edge = look(at_home, is_marked)
        else:
            kind += " painted"
            fill, ink, edge = painted(colour, is_marked)
        paint = f'fill="{fill}" stroke="{edge}" stroke-width="{3.5 if is_marked else 1}"'
        label = labels[tile]
        size = min(_LARGEST_FONT, TILE * _WIDTH_OF_LABEL / max(1, len(label)))
        x, y = cell_origin(puzzle, cell)
        yield (
            f'<g class="{kind}" data-tile="{tile}" transform="translate({x:g} {y:g})">'
            f"{_face(corner, paint, joined_sides(puzzle, state, cell))}"
            f'<text x="{TILE // 2}" y="{TILE / 2 + _BASELINE * size:.1f}" '
            f'font-size="{size:.1f}" fill="{ink}">{_text(label)}</text></g>'
        )


def _face(corner: float, paint: str, sides: tuple[bool, ...]) -> str:
    """Return the rectangle of a tile; it has no edge towards other parts of its piece.

    On these sides it is larger than its cell, which cuts it off.
    """
    if not any(sides):
        return f'<rect width="{TILE}" height="{TILE}" rx="{corner:g}" {paint}/>'
    left, upper = (_GAP - PITCH * is_joined for is_joined in sides[:2])
    right, lower = (_GAP + TILE + PITCH * is_joined for is_joined in sides[2:])
    return (
        f'<svg x="{-_GAP}" y="{-_GAP}" width="{PITCH + 1}" height="{PITCH + 1}">'
        f'<rect x="{left}" y="{upper}" width="{right - left}" height="{lower - upper}" '
        f'rx="{corner:g}" {paint}/></svg>'
    )


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
