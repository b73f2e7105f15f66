"""Tiles in a row, some of which a move reverses: pancakes, and Top Spin.

Pancakes are a stack whose top is flipped with a spatula (Jacob Goodman, 1975). Top Spin is a ring
with a turnstile that reverses some of its tiles. The ring itself turns freely, so a board is
written from tile 1 on, and each turnstile position is a move: the (n, k) puzzle of Chen and Skiena
(Sorting with fixed-length reversals, Discrete Applied Mathematics 71, 1996).
"""

from itertools import pairwise
from math import cos, pi, sin

from plansolve.errors import BoardError
from plansolve.model.layout import CellLayout, Position
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles import family
from plansolve.text import counted

_LEAST, _TURNSTILE = 3, 4
_SPACING = 1.08
"""The distance between neighbouring tiles in pictures, in widths of a tile."""


def _top_spin(rows: int, columns: int, parameters: family.Parameters) -> Puzzle:
    """Return the ring of `columns` tiles; T3 reverses the tiles from the third place on."""
    _check_size(rows, columns, parameters, _LEAST)
    where = f"for a ring of {columns} tiles"
    turnstile = family.chosen_number(parameters, "turnstile", _TURNSTILE, 2, columns - 1, where)
    return Puzzle(
        name=family.specified(
            "top-spin", f"turnstile={turnstile}" if turnstile != _TURNSTILE else ""
        ),
        rows=1,
        columns=columns,
        goal=family.in_order(1, columns),
        operators=tuple(_turned_over(columns, turnstile, first) for first in range(columns)),
        labels=tuple(map(str, range(columns + 1))),
        layout=CellLayout(
            _circle(columns),
            tuple(sorted((min(pair), max(pair)) for pair in pairwise((*range(columns), 0)))),
            round=True,
        ),
        fixed=((0, 1),),
    )


def _circle(size: int) -> tuple[Position, ...]:
    """Return the positions of the tiles, clockwise from the top."""
    radius = _SPACING / (2 * sin(pi / size))
    angles = [2 * pi * place / size for place in range(size)]
    return tuple(
        (round(radius * (1 + sin(angle)), 3), round(radius * (1 - cos(angle)), 3))
        for angle in angles
    )


def _turned_over(size: int, turnstile: int, first: int) -> Operator:
    """Return the move that reverses the tiles from a place on; then tile 1 is first again."""
    ring = list(range(size))
    for step in range(turnstile):
        ring[(first + step) % size] = (first + turnstile - 1 - step) % size
    # Tile 1 was in the first place.
    now = ring.index(0)
    ring = ring[now:] + ring[:now]
    moves = tuple((cell, source) for cell, source in enumerate(ring) if cell != source)
    return Operator(f"T{first + 1}", moves)


def _check_size(rows: int, columns: int, parameters: family.Parameters, least: int = 2) -> None:
    """Raise `BoardError` if a row of tiles has not the size in `parameters`, or is too small."""
    if rows != 1:
        raise BoardError(f"the board has {rows} rows, not one")
    size = parameters.get("size", str(columns))
    if size != str(columns):
        raise BoardError(f"the board has {counted(columns, 'tile')}, not {size[:20]}")
    if columns < least:
        raise BoardError(f"the board has {counted(columns, 'tile')}: at least {least} are needed")


TOP_SPIN = family.Family(
    name="top-spin",
    summary="Top Spin: a ring of tiles, tile 1 first, and a turnstile that turns some of them over",
    moves="T1 T2 .. turn the turnstile at that place; then the ring turns back to tile 1",
    make=_top_spin,
    goals={"in-order": family.in_order},
    has_blank=False,
    default_size=(1, 20),
    parameters={
        "size": f"the number of tiles of the ring, {_LEAST} to {family.LARGEST_SIDE}",
        "turnstile": "the number of tiles that it turns over, 4 by default, as in top-spin:20,4",
    },
    positional=("size", "turnstile"),
    least=_LEAST,
    presets=(family.Preset("Top Spin", 1, 20, moves=8),),
)


def _pancake(rows: int, columns: int, parameters: family.Parameters) -> Puzzle:
    """Return the stack of `columns` pancakes, its top on the left; F3 flips three."""
    _check_size(rows, columns, parameters)
    return Puzzle(
        name="pancake",
        rows=1,
        columns=columns,
        goal=family.in_order(1, columns),
        operators=tuple(
            Operator(f"F{top}", tuple((cell, top - 1 - cell) for cell in range(top)))
            for top in range(2, columns + 1)
        ),
        labels=tuple(map(str, range(columns + 1))),
        # A picture shows the stack from top to bottom.
        layout=CellLayout(tuple((0, place) for place in range(columns))),
    )


PANCAKE = family.Family(
    name="pancake",
    summary="a stack of pancakes; a move turns over the top ones",
    moves="F2 F3 .. turn over the top two, three ..",
    make=_pancake,
    goals={"in-order": family.in_order},
    has_blank=False,
    default_size=(1, 10),
    parameters={"size": f"the number of pancakes, 2 to {family.LARGEST_SIDE}, as in pancake:10"},
    positional=("size",),
    presets=(family.Preset("Pancakes", 1, 10),),
)
