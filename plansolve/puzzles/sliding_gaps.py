"""Sliding tiles with several gaps: a tile beside a gap slides into it.

Two tiles may be able to slide the same way, so a move names the cell of its tile as spreadsheets
do, column and row: b3U takes the tile of the second column and third row up.
"""

from string import ascii_lowercase
from types import MappingProxyType

from plansolve.errors import BoardError
from plansolve.model.puzzle import BLANK, Operator, Puzzle, State
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_number
from plansolve.puzzles.obstacles import (
    HOLE,
    NO_OBSTACLES,
    OBSTACLE_PARAMETERS,
    Obstacles,
    obstacles_of,
)
from plansolve.puzzles.sliding import OPPOSITE, SLIDING, blank_last, slide_operators
from plansolve.text import counted

__all__ = ["SLIDING_GAPS", "sliding_gaps", "sliding_of"]

_GAPS = 2


def sliding_gaps(
    rows: int,
    columns: int,
    gaps: int,
    goal: State | None = None,
    obstacles: Obstacles = NO_OBSTACLES,
) -> Puzzle:
    """Return the puzzle; the goal is blank-last unless another board is given.

    Raise `BoardError` for a single gap, where there is no tile, and for a goal with other gaps or
    with tiles in holes.
    """
    cells = rows * columns - len(obstacles.holes)
    if not 2 <= gaps < cells:
        raise BoardError(
            f"{counted(gaps, 'gap')}: two are the least, and one of {cells} cells holds a tile"
        )
    usual = _with_gaps(blank_last(rows, columns), gaps, obstacles)
    if goal is not None and goal.count(BLANK) != gaps:
        raise BoardError(f"the goal has {counted(goal.count(BLANK), 'gap')}, not {gaps}")
    if goal is not None:
        obstacles.check_goal(goal, usual)
    operators, blank_names = [], {}
    for slide in slide_operators(rows, columns, obstacles=obstacles):
        (gap, tile), _ = slide.moves
        name = f"{_cell(tile, columns)}{slide.name}"
        operators.append(Operator(name, slide.moves, slide.blank))
        blank_names[name] = f"{_cell(gap, columns)}{OPPOSITE[slide.name]}"
    return Puzzle(
        name=",".join((f"sliding-gaps:{gaps}", *obstacles.parameters)),
        rows=rows,
        columns=columns,
        goal=usual if goal is None else goal,
        operators=tuple(operators),
        labels=obstacles.labels(rows * columns, gaps),
        blank_names=blank_names,
        layout=obstacles.layout(rows, columns),
    )


def sliding_of(cells: State, *, are_letters: bool = False) -> str:
    """Return the puzzle of a board of sliding tiles: with several gaps, or else with one.

    Of several gaps one is taken for a slip unless the other cells hold the tiles 1, 2, 3 ..., or
    letters, of which none need be missing.
    """
    gaps = cells.count(BLANK)
    tiles = sorted(tile for tile in cells if tile not in (BLANK, HOLE))
    if gaps > 1 and (are_letters or tiles == [*range(1, len(tiles) + 1)]):
        return f"{SLIDING_GAPS.name}:{gaps}"
    return SLIDING.name


def _cell(cell: int, columns: int) -> str:
    """The name of a cell: a1 is the first, then b1 on its right, and after z come aa, ab ..."""
    row, column = divmod(cell, columns)
    before, letter = divmod(column, len(ascii_lowercase))
    return f"{ascii_lowercase[before - 1] if before else ''}{ascii_lowercase[letter]}{row + 1}"


def _with_gaps(board: State, gaps: int, obstacles: Obstacles) -> State:
    """A goal with one gap, with holes, and with gaps instead of the tiles next to that one."""
    around = obstacles.around(board)
    if board[0] == BLANK:
        return tuple(max(piece - gaps + 1, BLANK) for piece in around)
    # Tiles, the last of which make room for gaps, and then the pieces in holes.
    ends = len(board) - len(obstacles.holes)
    kept = {piece: piece for piece in range(ends - gaps + 1)}
    kept |= {piece: piece - gaps + 1 for piece in range(ends, len(board))}
    return tuple(kept.get(piece, BLANK) for piece in around)


def _make(rows: int, columns: int, goal: State | None, parameters: Parameters) -> Puzzle:
    obstacles = obstacles_of(rows, columns, parameters)
    gaps = _gaps(parameters, rows * columns, obstacles)
    return sliding_gaps(rows, columns, gaps, goal, obstacles)


def _goal(board: State, rows: int, columns: int, parameters: Parameters) -> State:
    obstacles = obstacles_of(rows, columns, parameters)
    return _with_gaps(board, _gaps(parameters, len(board), obstacles), obstacles)


def _gaps(parameters: Parameters, cells: int, obstacles: Obstacles) -> int:
    left = cells - len(obstacles.holes)
    if left <= 2:
        raise BoardError(f"{left} cells are too few for two gaps and a tile")
    return chosen_number(parameters, "gaps", _GAPS, 2, left - 1, f"on a board of {left} cells")


SLIDING_GAPS = Family(
    name="sliding-gaps",
    summary="m x n sliding tiles with several gaps",
    moves="b3U: the tile in column b, row 3, slides up into a gap; so do D L R",
    make=_make,
    goals=SLIDING.goals,
    adapted=_goal,
    default_size=(4, 4),
    parameters=MappingProxyType(
        {"gaps": "how many, 2 by default, as in sliding-gaps:3"} | OBSTACLE_PARAMETERS
    ),
    positional=("gaps",),
    presets=(Preset("Two gaps", 4, 4),),
)
