"""The rules of the three families once more, by hand on rows of rows; no plansolve, no operators.

Each function takes a board as a tuple of rows and a move, and returns the board after it, or None
where the move is not legal.
"""

# The letter tells the motion of the tile, so the tile comes from the opposite side.
BESIDE = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}


def fold(state, columns):
    """The flat board as rows."""
    return tuple(tuple(state[i : i + columns]) for i in range(0, len(state), columns))


def flat(board):
    """The rows as a flat board."""
    return tuple(tile for row in board for tile in row)


def blank_at(board):
    """(row, column) of the blank."""
    return next((r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if tile == 0)


GAP_WAYS = {"up": "D", "down": "U", "left": "R", "right": "L"}
"""The tile's way for each of the gap's."""


def solved(rows, columns):
    """The sliding board with its tiles in order and the gap last, as lists."""
    tiles = [*range(1, rows * columns), 0]
    return [tiles[i : i + columns] for i in range(0, rows * columns, columns)]


def moved(board, way):
    """The board after the gap has gone a way, as lists; None over the edge."""
    after = slide(board, GAP_WAYS[way])
    return after and [list(row) for row in after]


def replayed(board, ways):
    """The board after the gap's moves, all of which must be possible."""
    for way in ways:
        board = moved(board, way)
        assert board is not None, f"{way} goes over the edge"
    return board


def slide(board, move):
    """A sliding puzzle's U, D, L or R."""
    r, c = blank_at(board)
    if move not in BESIDE:
        return None
    down, right = BESIDE[move]
    return _swap(board, (r, c), (r + down, c + right))


def lloyd(board, move):
    """The contest's d, u, r, l and t."""
    if move == "t":
        middle = (len(board) // 2, len(board[0]) // 2)
        return None if blank_at(board) == middle else _swap(board, blank_at(board), middle)
    return slide(board, move.upper()) if move in "durl" else None


def torus(board, move):
    """R1 .. L1 .. D1 .. U1 .., Oc, Occ, Ic, Icc: every line and ring turns both ways."""
    if move[0] in "RL" and move[1:].isdigit() and 1 <= int(move[1:]) <= len(board):
        rows = [list(row) for row in board]
        row = rows[int(move[1:]) - 1]
        if move[0] == "R":
            row.insert(0, row.pop())
        else:
            row.append(row.pop(0))
        return tuple(map(tuple, rows))
    if move[0] in "DU" and move[1:].isdigit() and 1 <= int(move[1:]) <= len(board[0]):
        turned = torus(tuple(zip(*board, strict=True)), "RL"["DU".index(move[0])] + move[1:])
        return tuple(zip(*turned, strict=True))
    if move in ("Oc", "Occ", "Ic", "Icc"):
        return _ring(board, 0 if move[0] == "O" else 1, move.count("c") == 1)
    return None


def _ring(board, depth, clockwise):
    rows = [list(row) for row in board]
    height, width = len(rows), len(rows[0])
    path = []
    # Walk right, down, left, up along the ring, as an ant would.
    r, c = depth, depth
    for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        while True:
            nr, nc = r + down, c + right
            if not (depth <= nr < height - depth and depth <= nc < width - depth):
                break
            path.append((r, c))
            r, c = nr, nc
    contents = [rows[r][c] for r, c in path]
    contents = contents[-1:] + contents[:-1] if clockwise else contents[1:] + contents[:1]
    for (r, c), tile in zip(path, contents, strict=True):
        rows[r][c] = tile
    return tuple(map(tuple, rows))


def _swap(board, here, there):
    (r, c), (i, j) = here, there
    if not (0 <= i < len(board) and 0 <= j < len(board[0])):
        return None
    rows = [list(row) for row in board]
    rows[r][c], rows[i][j] = rows[i][j], rows[r][c]
    return tuple(map(tuple, rows))
