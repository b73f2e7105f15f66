"""Sliding-tile puzzles: a tile beside a gap slides into it, or several tiles in a line at once.

With several gaps, two tiles may be able to slide in the same direction, so a move names the cell of
its tile as spreadsheets do, by column and row: b3U moves the tile in the second column and third
row up.
"""

from collections.abc import Iterator
from itertools import pairwise
from string import ascii_lowercase

from plansolve.errors import BoardError
from plansolve.model.puzzle import BLANK, Operator, Puzzle, State
from plansolve.puzzles.family import (
    NOTHING,
    Family,
    Parameters,
    Preset,
    chosen_metric,
    chosen_number,
    ring_cells,
    specified,
)
from plansolve.puzzles.obstacles import NO_OBSTACLES, OBSTACLE_PARAMETERS, Obstacles, obstacles_of

_METRICS = ("single-tile", "multi-tile")
_GAPS = 2

OPPOSITE = {"U": "D", "D": "U", "L": "R", "R": "L"}

# For each name, the offset from the blank's cell to the tile's.
_TILE_FROM = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}


def blank_last(rows: int, columns: int) -> State:
    """Return 1 2 3 ... row by row, the blank in the last cell."""
    return (*range(1, rows * columns), BLANK)


def blank_first(rows: int, columns: int) -> State:
    """Return the blank in the first cell, then 1 2 3 ... row by row."""
    return tuple(range(rows * columns))


def snail(rows: int, columns: int) -> State:
    """Return 1 2 3 ... along a clockwise spiral inwards, the blank last (42 school's n-puzzle)."""
    goal = [BLANK] * (rows * columns)
    depths = range((min(rows, columns) + 1) // 2)
    spiral = [cell for depth in depths for cell in ring_cells(rows, columns, depth)]
    for tile, cell in enumerate(spiral[:-1], start=1):
        goal[cell] = tile
    return tuple(goal)


def slide_operators(
    rows: int, columns: int, most: int = 1, obstacles: Obstacles = NO_OBSTACLES
) -> tuple[Operator, ...]:
    """Return U, D, L, R for each cell of the blank; the letter names the motion of the tile.

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
    """Yield the first cells of a line, as far as no obstacle is between them."""
    yield line[0]
    for before, cell in pairwise(line):
        if not obstacles.are_joined(before, cell):
            return
        yield cell


def _pushed(name: str, tiles: int) -> str:
    return name if tiles == 1 else f"{name}{tiles}"


def sliding(rows: int, columns: int, parameters: Parameters = NOTHING) -> Puzzle:
    """Return the m x n puzzle with the goal blank-last.

    In the multi-tile metric any number of tiles between the blank and the edge or an obstacle slide
    in one move.
    """
    is_multi_tile = chosen_metric(parameters, _METRICS) != _METRICS[0]
    obstacles = obstacles_of(rows, columns, parameters)
    most = max(rows, columns) - 1 if is_multi_tile else 1
    operators = slide_operators(rows, columns, most, obstacles)
    made = {operator.name for operator in operators}
    return Puzzle(
        name=specified("sliding", "metric=multi-tile" * is_multi_tile, *obstacles.parameters),
        rows=rows,
        columns=columns,
        goal=obstacles.around(blank_last(rows, columns)),
        operators=operators,
        labels=obstacles.labels(rows * columns),
        fixed=obstacles.fixed(rows * columns),
        blank_names={
            _pushed(tile, count): _pushed(blank, count)
            for tile, blank in OPPOSITE.items()
            for count in range(1, most + 1)
            if _pushed(tile, count) in made
        },
        layout=obstacles.layout(rows, columns),
    )


def sliding_gaps(rows: int, columns: int, gaps: int, obstacles: Obstacles = NO_OBSTACLES) -> Puzzle:
    """Return the puzzle with several gaps and the goal blank-last."""
    operators, blank_names = [], {}
    for slide in slide_operators(rows, columns, obstacles=obstacles):
        (gap, tile), _ = slide.moves
        name = f"{square_name(tile, columns)}{slide.name}"
        operators.append(Operator(name, slide.moves, slide.blank))
        blank_names[name] = f"{square_name(gap, columns)}{OPPOSITE[slide.name]}"
    return Puzzle(
        name=specified("sliding-gaps", str(gaps), *obstacles.parameters),
        rows=rows,
        columns=columns,
        goal=_with_gaps(blank_last(rows, columns), gaps, obstacles),
        operators=tuple(operators),
        labels=obstacles.labels(rows * columns, gaps),
        fixed=obstacles.fixed(rows * columns, gaps),
        blank_names=blank_names,
        layout=obstacles.layout(rows, columns),
    )


def square_name(cell: int, columns: int) -> str:
    """Return the name of a cell: a1 is the first, b1 on its right; after z come aa, ab ..."""
    row, column = divmod(cell, columns)
    before, letter = divmod(column, len(ascii_lowercase))
    return f"{ascii_lowercase[before - 1] if before else ''}{ascii_lowercase[letter]}{row + 1}"


def _with_gaps(board: State, gaps: int, obstacles: Obstacles) -> State:
    """Return a one-gap goal with holes, and with gaps instead of the tiles next to its gap."""
    around = obstacles.around(board)
    if board[0] == BLANK:
        return tuple(max(piece - gaps + 1, BLANK) for piece in around)
    # The tiles, without the last ones, which gaps replace, and then the pieces in holes.
    ends = len(board) - len(obstacles.holes)
    kept = {piece: piece for piece in range(ends - gaps + 1)}
    kept |= {piece: piece - gaps + 1 for piece in range(ends, len(board))}
    return tuple(kept.get(piece, BLANK) for piece in around)


def _gaps(parameters: Parameters, cells: int, obstacles: Obstacles) -> int:
    left = cells - len(obstacles.holes)
    if left <= 2:
        raise BoardError(f"{left} cells are too few for two gaps and a tile")
    return chosen_number(parameters, "gaps", _GAPS, 2, left - 1, f"on a board of {left} cells")


def _make_gaps(rows: int, columns: int, parameters: Parameters) -> Puzzle:
    obstacles = obstacles_of(rows, columns, parameters)
    return sliding_gaps(rows, columns, _gaps(parameters, rows * columns, obstacles), obstacles)


def _goal(board: State, rows: int, columns: int, parameters: Parameters) -> State:
    return obstacles_of(rows, columns, parameters).around(board)


def _goal_with_gaps(board: State, rows: int, columns: int, parameters: Parameters) -> State:
    obstacles = obstacles_of(rows, columns, parameters)
    return _with_gaps(board, _gaps(parameters, len(board), obstacles), obstacles)


SLIDING = Family(
    name="sliding",
    summary="m x n sliding tiles with one blank (8-, 15-, 24-puzzle ...)",
    moves="U D L R: a tile slides into the blank",
    make=sliding,
    goals={"blank-last": blank_last, "blank-first": blank_first, "snail": snail},
    default_size=(4, 4),
    parameters={"metric": "single-tile (default), or multi-tile: U2 pushes two tiles in one move"}
    | OBSTACLE_PARAMETERS,
    adapted=_goal,
    presets=(Preset("8-puzzle", 3, 3), Preset("15-puzzle", 4, 4), Preset("24-puzzle", 5, 5)),
)

SLIDING_GAPS = Family(
    name="sliding-gaps",
    summary="m x n sliding tiles with several gaps",
    moves="b3U: the tile in column b, row 3, slides up into a gap; likewise D L R",
    make=_make_gaps,
    goals=SLIDING.goals,
    adapted=_goal_with_gaps,
    default_size=(4, 4),
    parameters={"gaps": "the number of gaps, as in sliding-gaps:3; 2 by default"}
    | OBSTACLE_PARAMETERS,
    positional=("gaps",),
    presets=(Preset("Two gaps", 4, 4),),
)
