"""solver2023 against the moves written out once more."""

import json
import random
from pathlib import Path

import pytest

from plansolve.compat.solver2023 import COLS, ROWS, is_goal, printable_board, solve, successors

GOAL = tuple(range(1, 26))
EXAMPLE = (
    *(2, 23, 4, 5, 10), *(1, 13, 7, 3, 11), *(6, 17, 8, 9, 20), *(12, 14, 19, 15, 25),
    *(16, 21, 22, 18, 24),
)  # fmt: skip
INSTANCES = Path(__file__).parents[3] / "instances"


def made(board, move):
    """The board after one move; plain code on rows."""
    rows = [list(board[i : i + 5]) for i in range(0, 25, 5)]
    kind, which = move[0], move[1:]
    if kind in "RL":
        row = rows[int(which) - 1]
        row[:] = [row[-1], *row[:-1]] if kind == "R" else [*row[1:], row[0]]
    elif kind in "UD":
        column = [row[int(which) - 1] for row in rows]
        column = [column[-1], *column[:-1]] if kind == "D" else [*column[1:], column[0]]
        for row, tile in zip(rows, column, strict=True):
            row[int(which) - 1] = tile
    else:
        low, high = (0, 4) if kind == "O" else (1, 3)
        ring = [(low, c) for c in range(low, high)]
        ring += [(r, high) for r in range(low, high)]
        ring += [(high, c) for c in range(high, low, -1)]
        ring += [(r, low) for r in range(high, low, -1)]
        tiles = [rows[r][c] for r, c in ring]
        tiles = [tiles[-1], *tiles[:-1]] if which == "c" else [*tiles[1:], tiles[0]]
        for (r, c), tile in zip(ring, tiles, strict=True):
            rows[r][c] = tile
    return tuple(tile for row in rows for tile in row)


MOVES = [f"{letter}{i}" for letter in "RLUD" for i in range(1, 6)] + ["Oc", "Occ", "Ic", "Icc"]


def replayed(board, moves):
    board = tuple(board)
    for move in moves:
        assert move in MOVES
        board = made(board, move)
    return board


def instances(name, lengths):
    document = json.loads((INSTANCES / name / "manifest.json").read_text())
    chosen = {i["optimal_length"]: i["board"] for i in document["instances"]}
    return [(length, tuple(chosen[length])) for length in lengths]


def test_the_moves_of_the_assignment_s_picture():
    assert replayed(GOAL, ["L3", "D3", "Occ", "Ic"]) == EXAMPLE
    moves = solve(EXAMPLE)
    assert isinstance(moves, list) and len(moves) == 4
    assert replayed(EXAMPLE, moves) == GOAL


def test_rows_and_numbers_in_a_row_are_the_same_board():
    rows = [EXAMPLE[i : i + 5] for i in range(0, 25, 5)]
    for board in (rows, tuple(rows), list(EXAMPLE)):
        assert replayed(EXAMPLE, solve(board)) == GOAL
        assert successors(board) == successors(EXAMPLE)
        assert printable_board(board) == printable_board(EXAMPLE)
        assert is_goal(board) is False


@pytest.mark.parametrize(
    ("length", "board"),
    [
        *instances("torus-ring-walks", (1, 4)),
        *(pytest.param(*i, marks=pytest.mark.slow) for i in instances("torus-ring-walks", (6,))),
    ],
)
def test_shallow_boards_are_solved_optimally(length, board):
    moves = solve(board)
    assert (len(moves), replayed(board, moves)) == (length, GOAL)


@pytest.mark.slow
def test_random_boards_have_a_short_plan():
    random.seed(9)
    for _ in range(3):
        board = random.sample(GOAL, 25)
        moves = solve(board)
        assert replayed(board, moves) == GOAL
        # A constructive plan has about five times as many.
        assert len(moves) < 60


def test_a_solved_board_needs_no_move():
    assert solve(GOAL) == []
    assert is_goal(GOAL) is True


def test_the_successors_are_the_boards_after_the_24_moves():
    after = successors(EXAMPLE)
    assert isinstance(after, list) and len(after) == 24
    assert sorted(after) == sorted(made(EXAMPLE, move) for move in MOVES)
    ordered = [f"{way}{i}" for ways in ("RL", "DU") for i in range(1, 6) for way in ways]
    assert after == [made(EXAMPLE, move) for move in [*ordered, "Oc", "Occ", "Ic", "Icc"]]


def test_the_printed_board():
    assert (ROWS, COLS) == (5, 5)
    lines = printable_board(EXAMPLE)
    assert lines == ["".join(f"{tile:3d} " for tile in EXAMPLE[i : i + 5]) for i in range(0, 25, 5)]


def test_without_a_plan_in_time_a_long_one_is_made():
    random.seed(1)
    board = random.sample(GOAL, 25)
    # As on a machine that is very busy.
    assert replayed(board, solve(board, seconds=1e-6)) == GOAL
