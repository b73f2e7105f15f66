"""Sliding tiles with several gaps: a tile beside a gap slides into it.

Two tiles may be able to slide the same way, so a move names the cell of its tile as spreadsheets
do, column and row: b3U takes the tile of the second column and third row up.
"""

from string import ascii_lowercase
from types import MappingProxyType

from plansolve.errors import BoardError
from plansolve.model.puzzle import BLANK, Operator, Puzzle, State
from plansolve.puzzles.family import Family, Parameters, Preset, chosen_number
from plansolve.puzzles.sliding import OPPOSITE, SLIDING, blank_last, slide_operators
from plansolve.text import counted

__all__ = ["SLIDING_GAPS", "sliding_gaps", "sliding_of"]

_GAPS = 2


def sliding_gaps(rows: int, columns: int, gaps: int, goal: State | None = None) -> Puzzle:
    """Return the puzzle; the goal is blank-last unless another board is given.

    Raise `BoardError` for a single gap, where there is no tile, and for a goal with other gaps.
    """
    cells = rows * columns
    if not 2 <= gaps < cells:
        raise BoardError(
            f"{counted(gaps, 'gap')}: two are the least, and one of {cells} cells holds a tile"
        )
    if goal is not None and goal.count(BLANK) != gaps:
        raise BoardError(f"the goal has {counted(goal.count(BLANK), 'gap')}, not {gaps}")
    operators, blank_names = [], {}
    for slide in slide_operators(rows, columns):
        (gap, tile), _ = slide.moves
        name = f"{_cell(tile, columns)}{slide.name}"
        operators.append(Operator(name, slide.moves, slide.blank))
        blank_names[name] = f"{_cell(gap, columns)}{OPPOSITE[slide.name]}"
    return Puzzle(
        name=f"sliding-gaps:{gaps}",
        rows=rows,
        columns=columns,
        goal=_without_last(blank_last(rows, columns), gaps) if goal is None else goal,
        operators=tuple(operators),
        labels=tuple(map(str, range(cells - gaps + 1))),
        blank_names=blank_names,
    )


def sliding_of(cells: State, *, are_letters: bool = False) -> str:
    """Return the puzzle of a board of sliding tiles: with several gaps, or else with one.

    Of several gaps one is taken for a slip unless the other cells hold the tiles 1, 2, 3 ..., or
    letters, of which none need be missing.
    """
    gaps = cells.count(BLANK)
    if gaps > 1 and (are_letters or sorted(cells)[gaps:] == [*range(1, len(cells) - gaps + 1)]):
        return f"{SLIDING_GAPS.name}:{gaps}"
    return SLIDING.name


def _cell(cell: int, columns: int) -> str:
    """The name of a cell: a1 is the first, then b1 on its right, and after z come aa, ab ..."""
    row, column = divmod(cell, columns)
    before, letter = divmod(column, len(ascii_lowercase))
    return f"{ascii_lowercase[before - 1] if before else ''}{ascii_lowercase[letter]}{row + 1}"


def _without_last(board: State, gaps: int) -> State:
    """The board with gaps in the places of its last tiles."""
    return tuple(tile if tile <= len(board) - gaps else BLANK for tile in board)


def _make(rows: int, columns: int, goal: State | None, parameters: Parameters) -> Puzzle:
    return sliding_gaps(rows, columns, _gaps(parameters, rows * columns), goal)


def _goal(board: State, rows: int, columns: int, parameters: Parameters) -> State:
    gaps = _gaps(parameters, len(board))
    if board[0] == BLANK:
        return tuple(max(tile - gaps + 1, BLANK) for tile in board)
    return _without_last(board, gaps)


def _gaps(parameters: Parameters, cells: int) -> int:
    return chosen_number(parameters, "gaps", _GAPS, 2, cells - 1, f"on a board of {cells} cells")


SLIDING_GAPS = Family(
    name="sliding-gaps",
    summary="m x n sliding tiles with several gaps",
    moves="b3U: the tile in column b, row 3, slides up into a gap; so do D L R",
    make=_make,
    goals=SLIDING.goals,
    adapted=_goal,
    default_size=(4, 4),
    parameters=MappingProxyType({"gaps": "how many, 2 by default, as in sliding-gaps:3"}),
    positional=("gaps",),
    presets=(Preset("Two gaps", 4, 4),),
)
