"""Boards as Python programs have them: every kind that is read, and one sentence for all others."""

from pathlib import Path

import numpy as np
import pytest

from plansolve.claims.diagnosis import check_plan
from plansolve.errors import BoardError, GoalError, OptionError, PlansolveError
from plansolve.formats import format_plan, read_plan, read_problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.replay.page import show

ROWS = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
FLAT = [4, 1, 2, 0, 5, 3, 7, 8, 6]
TEXT = "4 1 2\n. 5 3\n7 8 6\n"
PROBLEM = read_problem(TEXT)
SEEDS = Path(__file__).parents[3] / "instances" / "seeds"


@pytest.mark.parametrize(
    "board",
    [
        ROWS,
        FLAT,
        tuple(map(tuple, ROWS)),
        np.array(ROWS),
        np.array(FLAT, dtype=np.uint8),
        [list(map(str, row)) for row in ROWS],
        [*map(str, FLAT)],
        [["4", 1, "2"], [".", 5, 3], [7, 8, 6]],
        ["4 1 2", ". 5 3", "7 8 6"],
        (row for row in ROWS),
        TEXT,
        TEXT.encode(),
        PROBLEM,
    ],
    ids=lambda board: type(board).__name__,
)
def test_a_board_may_be_text_rows_or_one_list(board):
    assert read_problem(board) == PROBLEM


def test_a_path_is_a_file_and_a_text_never_is(tmp_path):
    file = tmp_path / "8.puz"
    file.write_text(TEXT)
    assert read_problem(file) == PROBLEM
    with pytest.raises(BoardError, match=r"8.puz' the name of a file\? Give it as a path"):
        read_problem("8.puz")
    with pytest.raises(BoardError, match="`plansolve list formats` shows"):
        read_problem("/" * 500_000 + " ")
    with pytest.raises(FileNotFoundError):
        read_problem(tmp_path / "9.puz")
    file.write_text("4 1 2\n. 5\n")
    with pytest.raises(BoardError, match=r"8.puz': line 2: 2 entries, the first row has 3"):
        read_problem(file)


def test_letters_tell_the_puzzle_and_labels_are_those_of_the_named_one():
    problem = read_problem(SEEDS / "lloyd.txt")
    rows = [row.split() for row in str(problem).split("\n")]
    assert read_problem(rows) == read_problem(rows, puzzle="lloyd") == problem


def test_goals_come_as_boards_do():
    snail = (1, 2, 3, 8, 0, 4, 7, 6, 5)
    for goal in ("snail", snail, [[1, 2, 3], [8, 0, 4], [7, 6, 5]], "1 2 3\n8 . 4\n7 6 5"):
        assert read_problem(ROWS, goal=goal).goal == snail
        assert read_problem(PROBLEM, goal=goal).goal == snail
        assert goal == "1 2 3\n8 . 4\n7 6 5" or make_puzzle("sliding", 3, 3, goal).goal == snail
    assert read_problem([[1, 2, 3], [4, 5, 0]], goal=[0, 1, 2, 3, 4, 5]).goal == (0, 1, 2, 3, 4, 5)
    assert read_problem([[1, 2], [3, None]]) == read_problem("1 2/3 0")
    assert read_problem([[1, 2], [3, ""]]) == read_problem("1 2/3 0")
    with pytest.raises(GoalError, match="the goal is 1x1, but the board is 2x3"):
        read_problem("a b a\n- c .\ngoal: 1")
    with pytest.raises(GoalError, match="the goal is 2x2, but the board is 3x3"):
        read_problem(ROWS, goal=[[1, 2], [3, 0]])
    with pytest.raises(OptionError, match="unknown goal 'snake'"):
        read_problem(PROBLEM, goal="snake")
    with pytest.raises(OptionError, match="give only a goal"):
        read_problem(PROBLEM, puzzle="sliding")


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ([[4, 1, 2], [0, 5]], "row 2 has 2 cells, the first row has 3"),
        ([1, 2, 0], "no square board has 3 cells: give a list of rows"),
        ([[4, 1, 2], [0, 5, 3], [7, 8, 99]], "row 3: 99 is not a tile, 6 is missing"),
        ([[4, 1], [0, -1]], "-1 is not a whole number from 0 to 9999"),
        ([], "the list is empty, rows are expected"),
        ([[]], "the list is empty, rows are expected"),
        (iter(int, 1), "a board: more than 900 entries; a side is at most 30"),
        ([iter(int, 1)], "row 1 of the board: more than 30 entries; a side is at most 30"),
    ],
)
def test_lists_that_are_no_board(board, message):
    with pytest.raises(BoardError) as caught:
        read_problem(board)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: read_problem(42), "a board: text, a pathlib.Path, or a list of rows such as"),
        (lambda: read_problem(None), "is expected, not None"),
        (lambda: read_problem({"board": ROWS}), "is expected, not dict"),
        (lambda: read_problem({1, 2, 3, 0}), "is expected, not set"),
        (lambda: read_problem([[1, 2.0], [3, 0]]), "a tile: a whole number or a label"),
        (lambda: read_problem([[1, b"2"], [3, 0]]), "a tile: a whole number or a label"),
        (lambda: read_problem([[True, 2], [3, 0]]), "is expected, not bool"),
        (lambda: read_problem(np.zeros((2, 2, 2), int)), "a whole number or a label is expected"),
        (lambda: read_problem([[[1]]]), "a tile: a whole number or a label is expected, not list"),
        (lambda: read_problem([[1, 2], 3]), "row 2 of the board: a list is expected, not int (3)"),
        (lambda: read_problem(ROWS, goal=5), "a goal: its name or a board is expected, not int"),
        (lambda: read_problem(ROWS, puzzle=5), "puzzle: a name is expected, not int (5)"),
        (lambda: read_problem(TEXT, format=5), "format: a name is expected, not int (5)"),
        (lambda: make_puzzle(4, 4, 4), "a name and two numbers are expected, not (4, 4, 4)"),
        (lambda: make_puzzle("sliding", "4", 4), "a name and two numbers are expected"),
        (lambda: make_puzzle("sliding", 2, 2, 7), "a goal: a name or numbers are expected, not 7"),
        (lambda: read_plan(["D", "L"], PROBLEM), "a plan's text is expected, not ['D', 'L']"),
        (lambda: read_plan("DL", ROWS), "a puzzle or a problem is expected"),
        (lambda: format_plan(("D",), TEXT), "a puzzle or a problem is expected"),
        (lambda: check_plan(ROWS, 5), "a plan: a text or a list of moves is expected, not 5"),
        (lambda: check_plan(ROWS, [1.5]), "a plan: 1.5 is not a move"),
        (lambda: check_plan(ROWS, b"DL"), "a text or a list of moves is expected, not b'DL'"),
        (lambda: show(5), "a board: text, a pathlib.Path, or a list of rows"),
    ],
)
def test_a_wrong_type_is_a_type_error_in_one_sentence(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, PlansolveError)
