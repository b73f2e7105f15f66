"""The colours of pictures of boards."""

from typing import NamedTuple

from plansolve.model.puzzle import Puzzle

__all__ = ["BOARD", "LOOKS", "WALL", "Look", "colour_of", "look", "painted"]

BOARD = "#e8e2d5"
"""What the tiles lie on."""

WALL = "#2b2824"
"""What keeps tiles from going from one cell to the next."""

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
    """Return the look of a piece that has a colour of its own: its edge is strong if marked."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    # How bright the eye takes it to be (ITU-R BT.601).
    is_light = 299 * red + 587 * green + 114 * blue > 140_000
    ink = _INK if is_light else _PAPER
    return Look(colour, ink, ink if is_marked else _EDGE)


def colour_of(puzzle: Puzzle, kind: int) -> str | None:
    """Return the colour that the pieces of a kind have in the puzzle's layout; None without one."""
    colours = puzzle.layout.colours if puzzle.layout else ()
    return colours[kind] if kind < len(colours) else None


LOOKS = tuple(look(is_home, is_marked) for is_home in (False, True) for is_marked in (False, True))
"""All that there are."""
