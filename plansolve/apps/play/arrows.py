"""What an arrow key moves where moves have no directions for names: a tile beside a gap."""

from plansolve.apps.play.game import Game
from plansolve.model.puzzle import BLANK, Operator

__all__ = ["ARROWS", "direction_of", "slides_by_arrow"]

ARROWS = ("up", "down", "left", "right")

# Rows down, and columns to the right.
_WAYS = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}


def direction_of(operator: Operator, columns: int, of_gap: bool) -> str | None:
    """Return which way an exchange with a gap beside it takes a tile, or the gap; None for others.

    >>> from plansolve.puzzles.sliding_gaps import sliding_gaps
    >>> direction_of(sliding_gaps(2, 2, 2).operator("a2U", None), 2, of_gap=False)
    'up'
    """
    cells = {cell for cell, _ in operator.moves}
    if operator.blank not in cells or len(cells) != 2:
        return None
    (tile,) = cells - {operator.blank}
    start, end = (operator.blank, tile) if of_gap else (tile, operator.blank)
    (row, column), (to_row, to_column) = divmod(start, columns), divmod(end, columns)
    return _WAYS.get((to_row - row, to_column - column))


def slides_by_arrow(game: Game, direction: str, of_gap: bool) -> list[str]:
    """Return the names of the possible moves of a tile that way, or of a gap where it is `of_gap`.

    Where several can be made and the gap that moved last is among them, the only one is that gap's.
    """
    puzzle, board = game.problem.puzzle, game.board
    found = {
        name: operator.blank
        for name, operator in puzzle.applicable(board).items()
        if direction_of(operator, puzzle.columns, of_gap) == direction
        and operator.apply(board) != board
    }
    last = [name for name, gap in found.items() if gap in game.changed and board[gap] == BLANK]
    return last if len(last) == 1 else [*found]
