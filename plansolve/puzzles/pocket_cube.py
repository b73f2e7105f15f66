"""The pocket cube (2x2x2), by its 24 stickers; the corner at the left, back and bottom stays.

Boards have a line for each face, in the order U R F D L B, and in it the stickers as one reads
them: on U with B above it, on D with F above it, on the others with U above it.
"""

from itertools import product
from types import MappingProxyType
from typing import TypeAlias

from plansolve.errors import BoardError
from plansolve.model.layout import CellLayout
from plansolve.model.puzzle import Operator, Puzzle, State
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_metric, in_order

__all__ = ["POCKET_CUBE", "pocket_cube"]

_Vector: TypeAlias = tuple[int, int, int]

# For each face: its direction, that of its columns (to the right) and that of its rows (downwards).
_FACES: dict[str, tuple[_Vector, _Vector, _Vector]] = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
}
_NET = {"U": (2, 0), "R": (4, 2), "F": (2, 2), "D": (2, 4), "L": (0, 2), "B": (6, 2)}
# In the places of the faces above: white, red, green, yellow, orange, blue.
_COLOURS = ("#ffffff", "#c9302c", "#2f9e5b", "#f5d547", "#ee8a2d", "#3b6fc4")
_METRICS = ("half-turn", "quarter-turn")
_TURNS = {"half-turn": (1, 2, 3), "quarter-turn": (1, 3)}
_SUFFIX = {1: "", 2: "2", 3: "'"}
_ROWS, _COLUMNS = 6, 4


def pocket_cube(goal: State | None = None, metric: str = _METRICS[0]) -> Puzzle:
    """Return the cube; U, R and F turn a face clockwise, U2 twice and U' back.

    In the metric "quarter-turn" half turns are two moves.
    """
    stickers = [
        (tuple(n + a * r + b * d for n, r, d in zip(*_FACES[face], strict=True)), _FACES[face][0])
        for face in _FACES
        for b, a in product((-1, 1), repeat=2)
    ]
    return Puzzle(
        name="pocket-cube" if metric == _METRICS[0] else f"pocket-cube:metric={metric}",
        rows=_ROWS,
        columns=_COLUMNS,
        goal=in_order(_ROWS, _COLUMNS) if goal is None else goal,
        operators=tuple(
            _turn(stickers, face, quarters) for face in "URF" for quarters in _TURNS[metric]
        ),
        labels=(".", *(f"{face}{place}" for face in _FACES for place in range(1, 5))),
        layout=CellLayout(
            tuple(
                (float(_NET[face][0] + column), float(_NET[face][1] + row))
                for face in _FACES
                for row, column in product(range(2), repeat=2)
            ),
            colours=("#ffffff", *(colour for colour in _COLOURS for _ in range(4))),
        ),
    )


def _turn(stickers: list[tuple[tuple[int, ...], _Vector]], face: str, quarters: int) -> Operator:
    """The move that turns a face clockwise by so many quarters."""
    axis = _FACES[face][0]
    moves = []
    for source, (corner, side) in enumerate(stickers):
        if sum(a * c for a, c in zip(axis, corner, strict=True)) < 0:
            continue
        for _ in range(quarters):
            corner, side = _rotated(axis, corner), _rotated(axis, side)
        moves.append((stickers.index((corner, side)), source))
    return Operator(face + _SUFFIX[quarters], tuple(sorted(moves)))


def _rotated(axis: _Vector, vector: tuple[int, ...]) -> _Vector:
    """The vector after a quarter turn, clockwise for one who looks at the axis from its end."""
    (a, b, c), (x, y, z) = axis, vector
    along = a * x + b * y + c * z
    # Vector times axis, and what lies along the axis stays.
    return (
        y * c - z * b + along * a,
        z * a - x * c + along * b,
        x * b - y * a + along * c,
    )


def _make(rows: int, columns: int, goal: State | None, parameters: Parameters) -> Puzzle:
    if (rows, columns) != (_ROWS, _COLUMNS):
        raise BoardError(f"a pocket cube has {_ROWS} lines of {_COLUMNS} stickers, one a face")
    return pocket_cube(goal, chosen_metric(parameters, _METRICS))


POCKET_CUBE = Family(
    name="pocket-cube",
    summary="the pocket cube (2x2x2) by its stickers, a line for each of U R F D L B",
    moves="U R F turn a face clockwise, U2 .. twice, U' .. back",
    make=_make,
    goals=MappingProxyType({"in-order": in_order}),
    has_blank=False,
    default_size=(_ROWS, _COLUMNS),
    parameters=MappingProxyType({"metric": "half-turn (default), or quarter-turn: no U2 R2 F2"}),
    labels=pocket_cube().labels,
    presets=(Preset("Pocket cube", _ROWS, _COLUMNS, moves=20),),
)
