"""solver2023 against the moves written by hand."""

import json
import random
from pathlib import Path

import pytest
from support.reference import rules as by_hand

from plansolve.compat.solver2023 import COLS, ROWS, is_goal, printable_board, solve, successors

GOAL = tuple(range(1, 26))
EXAMPLE = (
    *(2, 23, 4, 5, 10), *(1, 13, 7, 3, 11), *(6, 17, 8, 9, 20), *(12, 14, 19, 15, 25),
    *(16, 21, 22, 18, 24),
)  # fmt: skip
INSTANCES = Path(__file__).parents[3] / "instances"


def made(board, move):
    """The board after one move, by rules written by hand."""
    return by_hand.flat(by_hand.torus(by_hand.fold(board, 5), move))


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
    assert (solve(GOAL), is_goal(GOAL), ROWS, COLS) == ([], True, 5, 5)
    assert printable_board(EXAMPLE) == ["".join(f"{tile:3d} " for tile in row) for row in rows]


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


def test_the_successors_are_the_boards_after_the_24_moves():
    after = successors(EXAMPLE)
    assert isinstance(after, list) and len(after) == 24
    assert sorted(after) == sorted(made(EXAMPLE, move) for move in MOVES)
    ordered = [f"{way}{i}" for ways in ("RL", "DU") for i in range(1, 6) for way in ways]
    assert after == [made(EXAMPLE, move) for move in [*ordered, "Oc", "Occ", "Ic", "Icc"]]


def test_without_a_plan_in_time_a_long_one_is_made():
    random.seed(1)
    board = random.sample(GOAL, 25)
    # As on a machine that is very busy.
    assert replayed(board, solve(board, seconds=1e-6)) == GOAL
