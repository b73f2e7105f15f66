"""The pyraminx without its tips, by its 24 stickers.

The corners are U (up), L, R and B (back); a face is called after the corner that it does not have,
and boards have a line for each face, in the order of those names. In it stand the stickers of the
face's corners, in the same order, and then those of its edges, each beside the one opposite to it.
"""

from math import sqrt
from types import MappingProxyType

from plansolve.errors import BoardError
from plansolve.model.layout import CellLayout, Position
from plansolve.model.puzzle import Operator, Puzzle, State
from plansolve.puzzles.family import Family, Preset, in_order

__all__ = ["PYRAMINX", "pyraminx"]

_CORNERS = "ULRB"
# Where a clockwise turn of a corner takes the other three, as one sees it from outside.
_CLOCKWISE = {"U": "LRB", "L": "UBR", "R": "ULB", "B": "URL"}
_ROWS, _COLUMNS = 4, 6
# In the order of the faces: yellow, blue, red, green.
_COLOURS = ("#f5d547", "#3b6fc4", "#c9302c", "#2f9e5b")
_SIDE = 5.6
"""Of a face as it is drawn, in widths of a sticker."""

# A sticker is on a face, of a corner or an edge: the set of the corners that it joins.
_STICKERS = [
    (face, frozenset(part))
    for face in _CORNERS
    for corners in [_CORNERS.replace(face, "")]
    for part in (*corners, *(corners.replace(opposite, "") for opposite in corners))
]


def pyraminx(goal: State | None = None) -> Puzzle:
    """Return the pyraminx; U L R B turn a corner clockwise, U' L' R' B' back."""
    return Puzzle(
        name="pyraminx",
        rows=_ROWS,
        columns=_COLUMNS,
        goal=in_order(_ROWS, _COLUMNS) if goal is None else goal,
        operators=tuple(_turn(corner, turns) for corner in _CORNERS for turns in (1, 2)),
        labels=(".", *(f"{face}{n}" for face in _CORNERS for n in range(1, _COLUMNS + 1))),
        layout=CellLayout(
            _positions(),
            colours=("#ffffff", *(colour for colour in _COLOURS for _ in range(_COLUMNS))),
            round=True,
        ),
    )


def _positions() -> tuple[Position, ...]:
    """Where the stickers are on the net: the front, which has no B, with the others around it."""
    height = _SIDE * sqrt(3) / 2
    up, left, right = (_SIDE, 0.0), (_SIDE / 2, height), (3 * _SIDE / 2, height)
    corners = {"U": up, "L": left, "R": right}
    # Each other face lies beyond the edge that it shares with the front, with its B opposite.
    away = {"L": (2 * _SIDE, 0.0), "R": (0.0, 0.0), "U": (_SIDE, 2 * height), "B": up}
    positions = []
    for face, part in _STICKERS:
        places = {**corners, "B": away[face]}
        # The middles of the small triangles into which a face is cut, three to an edge.
        near, far = (5 / 9, 2 / 9) if len(part) == 1 else (4 / 9, 1 / 9)
        weights = {c: near if c in part else far for c in _CORNERS if c != face}
        x, y = (sum(weights[c] * places[c][axis] for c in weights) for axis in (0, 1))
        positions.append((round(x, 3), round(y, 3)))
    return tuple(positions)


def _turn(corner: str, turns: int) -> Operator:
    cycle = _CLOCKWISE[corner]
    after = {old: cycle[(place + turns) % 3] for place, old in enumerate(cycle)} | {corner: corner}
    moves = []
    for source, (face, part) in enumerate(_STICKERS):
        if corner in part:
            turned = after[face], frozenset(after[other] for other in part)
            moves.append((_STICKERS.index(turned), source))
    return Operator(corner + "'" * (turns - 1), tuple(sorted(moves)))


def _make(rows: int, columns: int, goal: State | None, _: object) -> Puzzle:
    if (rows, columns) != (_ROWS, _COLUMNS):
        raise BoardError(f"a pyraminx has {_ROWS} lines of {_COLUMNS} stickers, one a face")
    return pyraminx(goal)


PYRAMINX = Family(
    name="pyraminx",
    summary="the pyraminx without tips, by its stickers, a line for each face",
    moves="U L R B turn a corner clockwise, U' L' R' B' back",
    make=_make,
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    default_size=(_ROWS, _COLUMNS),
    labels=pyraminx().labels,
    presets=(Preset("Pyraminx", _ROWS, _COLUMNS, moves=20),),
)
