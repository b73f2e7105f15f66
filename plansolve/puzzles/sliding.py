"""Sliding-tile puzzles: a tile beside the blank slides into it."""

from types import MappingProxyType

from plansolve.model.puzzle import BLANK, Operator, Puzzle, State
from plansolve.puzzles.family import Family, Preset

__all__ = ["SLIDING", "blank_first", "blank_last", "slide_operators", "sliding", "snail"]

OPPOSITE = MappingProxyType({"U": "D", "D": "U", "L": "R", "R": "L"})

# For each name, where the tile comes from, seen from the blank's cell.
_TILE_FROM = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}


def blank_last(rows: int, columns: int) -> State:
    """1 2 3 ... row by row, the blank in the last cell."""
    return (*range(1, rows * columns), BLANK)


def blank_first(rows: int, columns: int) -> State:
    """Return the blank in the first cell, then 1 2 3 ... row by row."""
    return tuple(range(rows * columns))


def snail(rows: int, columns: int) -> State:
    """1 2 3 ... inwards along a clockwise spiral, the blank at its end (42 school's n-puzzle)."""
    goal = [BLANK] * (rows * columns)
    top, left, bottom, right = 0, 0, rows - 1, columns - 1
    spiral: list[int] = []
    while top <= bottom and left <= right:
        spiral += [top * columns + c for c in range(left, right + 1)]
        spiral += [r * columns + right for r in range(top + 1, bottom + 1)]
        if top < bottom:
            spiral += [bottom * columns + c for c in range(right - 1, left - 1, -1)]
        if left < right:
            spiral += [r * columns + left for r in range(bottom - 1, top, -1)]
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    for tile, cell in enumerate(spiral[:-1], start=1):
        goal[cell] = tile
    return tuple(goal)


def slide_operators(rows: int, columns: int) -> tuple[Operator, ...]:
    """U, D, L, R for each cell of the blank; the letter names the motion of the tile."""
    operators = []
    for row in range(rows):
        for column in range(columns):
            blank = row * columns + column
            for name, (down, right) in _TILE_FROM.items():
                r, c = row + down, column + right
                if 0 <= r < rows and 0 <= c < columns:
                    tile = r * columns + c
                    operators.append(Operator(name, ((blank, tile), (tile, blank)), blank))
    return tuple(operators)


def sliding(rows: int, columns: int, goal: State | None = None) -> Puzzle:
    """Return the m x n puzzle; the goal is blank-last unless another board is given."""
    return Puzzle(
        name="sliding",
        rows=rows,
        columns=columns,
        goal=blank_last(rows, columns) if goal is None else goal,
        operators=slide_operators(rows, columns),
        labels=tuple(map(str, range(rows * columns))),
        blank_names=dict(OPPOSITE),
    )


SLIDING = Family(
    name="sliding",
    summary="m x n sliding tiles with one blank (8-, 15-, 24-puzzle ...)",
    moves="U D L R: a tile slides into the blank",
    make=lambda rows, columns, goal, _: sliding(rows, columns, goal),
    goals=MappingProxyType({"blank-last": blank_last, "blank-first": blank_first, "snail": snail}),
    default_size=(4, 4),
    presets=(Preset("8-puzzle", 3, 3), Preset("15-puzzle", 4, 4), Preset("24-puzzle", 5, 5)),
)
