"""The colours of pictures of boards."""

from typing import NamedTuple

__all__ = ["BOARD", "LOOKS", "WALL", "Look", "look"]

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


LOOKS = tuple(look(is_home, is_marked) for is_home in (False, True) for is_marked in (False, True))
"""All that there are."""
