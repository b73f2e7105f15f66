"""Sliding-tile puzzles: a tile beside the blank slides into it, or a few of a line at once."""

from collections.abc import Iterator
from itertools import pairwise
from types import MappingProxyType

from plansolve.model.puzzle import BLANK, Operator, Puzzle, State
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_metric
from plansolve.puzzles.obstacles import (
    NO_OBSTACLES,
    OBSTACLE_PARAMETERS,
    Obstacles,
    obstacles_of,
)

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


def slide_operators(
    rows: int, columns: int, most: int = 1, obstacles: Obstacles = NO_OBSTACLES
) -> tuple[Operator, ...]:
    """U, D, L, R for each cell of the blank; the letter names the motion of the tile.

    U2 moves two tiles of a column up at once, and so on for up to `most` tiles. Nothing moves
    through `obstacles`.
    """
    operators = []
    for row in range(rows):
        for column in range(columns):
            for name, (down, right) in _TILE_FROM.items():
                line = _line(row, column, down, right, rows, columns)
                blank, *tiles = _joined([r * columns + c for r, c in line], obstacles)
                for count in range(1, min(most, len(tiles)) + 1):
                    last = tiles[count - 1]
                    to = (blank, *tiles[: count - 1])
                    moves = (*zip(to, tiles, strict=False), (last, blank))
                    operators.append(Operator(_pushed(name, count), moves, blank))
    return tuple(operators)


def _line(
    row: int, column: int, down: int, right: int, rows: int, columns: int
) -> Iterator[tuple[int, int]]:
    """Yield the cells from one to the edge of the board."""
    while 0 <= row < rows and 0 <= column < columns:
        yield row, column
        row, column = row + down, column + right


def _joined(line: list[int], obstacles: Obstacles) -> Iterator[int]:
    """Yield the first cells of a line, as far as there is a passage."""
    yield line[0]
    for before, cell in pairwise(line):
        if not obstacles.are_joined(before, cell):
            return
        yield cell


def _pushed(name: str, tiles: int) -> str:
    return name if tiles == 1 else f"{name}{tiles}"


def sliding(
    rows: int,
    columns: int,
    goal: State | None = None,
    *,
    is_multi_tile: bool = False,
    obstacles: Obstacles = NO_OBSTACLES,
) -> Puzzle:
    """Return the m x n puzzle; the goal is blank-last unless another board is given.

    Where it `is_multi_tile`, any number of tiles between the blank and the edge, or what is in the
    way, slide in one move. Raise `BoardError` for a goal that has tiles in holes.
    """
    most = max(rows, columns) - 1 if is_multi_tile else 1
    parameters = (*(["metric=multi-tile"] if is_multi_tile else []), *obstacles.parameters)
    usual = obstacles.around(blank_last(rows, columns))
    if goal is not None:
        obstacles.check_goal(goal, usual)
    operators = slide_operators(rows, columns, most, obstacles)
    made = {operator.name for operator in operators}
    return Puzzle(
        name="sliding" + (f":{','.join(parameters)}" if parameters else ""),
        rows=rows,
        columns=columns,
        goal=usual if goal is None else goal,
        operators=operators,
        labels=obstacles.labels(rows * columns),
        blank_names={
            _pushed(tile, count): _pushed(blank, count)
            for tile, blank in OPPOSITE.items()
            for count in range(1, most + 1)
            if _pushed(tile, count) in made
        },
        layout=obstacles.layout(rows, columns),
    )


def _make(rows: int, columns: int, goal: State | None, parameters: Parameters) -> Puzzle:
    metric = chosen_metric(parameters, _METRICS)
    obstacles = obstacles_of(rows, columns, parameters)
    return sliding(rows, columns, goal, is_multi_tile=metric != _METRICS[0], obstacles=obstacles)


_METRICS = ("single-tile", "multi-tile")


SLIDING = Family(
    name="sliding",
    summary="m x n sliding tiles with one blank (8-, 15-, 24-puzzle ...)",
    moves="U D L R: a tile slides into the blank",
    make=_make,
    goals=MappingProxyType({"blank-last": blank_last, "blank-first": blank_first, "snail": snail}),
    default_size=(4, 4),
    parameters=MappingProxyType(
        {"metric": "single-tile (default), or multi-tile: U2 pushes two tiles in one move"}
        | OBSTACLE_PARAMETERS
    ),
    adapted=lambda board, rows, columns, parameters: obstacles_of(rows, columns, parameters).around(
        board
    ),
    presets=(Preset("8-puzzle", 3, 3), Preset("15-puzzle", 4, 4), Preset("24-puzzle", 5, 5)),
)
