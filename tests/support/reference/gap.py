"""Boards of sliding tiles as rows of numbers, moved by plain code."""

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
"""Where the gap goes."""


def goal(rows, columns):
    """The solved board with the gap last."""
    tiles = [*range(1, rows * columns), 0]
    return [tiles[i : i + columns] for i in range(0, rows * columns, columns)]


def moved(board, direction):
    """The board after the gap, number 0, has moved; None over the edge."""
    rows = [list(row) for row in board]
    (row,) = [r for r, tiles in enumerate(rows) if 0 in tiles]
    column = rows[row].index(0)
    r, c = row + STEPS[direction][0], column + STEPS[direction][1]
    if not (0 <= r < len(rows) and 0 <= c < len(rows[0])):
        return None
    rows[row][column], rows[r][c] = rows[r][c], 0
    return rows


def replayed(board, directions):
    """The board after the gap's moves, all of which must be possible."""
    for direction in directions:
        board = moved(board, direction)
        assert board is not None, f"{direction} goes over the edge"
    return board
