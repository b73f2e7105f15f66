"""The pyraminx without its tips, by its 24 stickers.

The corners are U (up), L, R and B (back); a face is called after the corner that it does not have,
and boards have a line for each face, in the order of those names. In it stand the stickers of the
face's corners, in the same order, and then those of its edges, each beside the one opposite to it.
"""

from types import MappingProxyType

from plansolve.errors import BoardError
from plansolve.model.puzzle import Operator, Puzzle, State
from plansolve.puzzles.family import Family, Preset, in_order

__all__ = ["PYRAMINX", "pyraminx"]

_CORNERS = "ULRB"
# Where a clockwise turn of a corner takes the other three, as one sees it from outside.
_CLOCKWISE = {"U": "LRB", "L": "UBR", "R": "ULB", "B": "URL"}
_ROWS, _COLUMNS = 4, 6

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
    )


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
