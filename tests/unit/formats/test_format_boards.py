"""The formats of plain boards: real files, and what is said of damaged ones."""

import pytest

from plansolve.errors import BoardError
from plansolve.formats import FORMATS, detect, read_board, read_problem

PUZ_SQUARE = "6 5 2 3\n. 7 11 4\n9 1 10 8\n15 14 13 12\n"
SQUARE = (6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12)
LLOYD_GOAL = "ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVWX+\n"
TORUS_BOARD0 = (
    "2 23 4 5 10\n1 7 3 9 11\n6 13 8 15 20\n12 17 14 19 25\n16 21 22 18 24\n"  # needs 3 moves
)
BOARD0 = tuple(map(int, TORUS_BOARD0.split()))
ALGS4 = "3\n 0  1  3\n 4  2  5\n 7  8  6\n"
SCHOOL42 = "# This puzzle is solvable\n3\n3 2 6 #first row\n1 4 0\n\n8 7 5\n"
KORF_1 = "1 14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3 57\n"
KORF_24 = "1 14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13 95 2031102635\n"
COMMA = "14,5,9,2,18,8,23,19,12,17,15,0,10,20,4,6,11,21,1,7,24,3,16,22,13\n"
ONE_TO_25 = " ".join(map(str, range(1, 26)))


@pytest.mark.parametrize(
    ("text", "name", "puzzle", "shape", "start", "goal"),
    [
        (PUZ_SQUARE, "puz", "sliding", (4, 4), SQUARE, (*range(1, 16), 0)),
        (PUZ_SQUARE.replace(".", "X"), "puz", "sliding", (4, 4), SQUARE, (*range(1, 16), 0)),
        ("1 _", "puz", "sliding", (1, 2), (1, 0), (1, 0)),
        ("1\nx\n", "puz", "sliding", (2, 1), (1, 0), (1, 0)),
        ("4 1 2\n. 5 3\n", "puz", "sliding", (2, 3), (4, 1, 2, 0, 5, 3), (1, 2, 3, 4, 5, 0)),
        (LLOYD_GOAL, "lloyd", "lloyd", (5, 5), (*range(1, 25), 0), (*range(1, 25), 0)),
        ("BAC\nDEF\n+GH", "lloyd", "lloyd", (3, 3), (2, 1, 3, 4, 5, 6, 0, 7, 8), None),
        (TORUS_BOARD0, "torus", "torus-ring", (5, 5), BOARD0, tuple(range(1, 26))),
        ("3\n" + TORUS_BOARD0, "torus", "torus-ring", (5, 5), BOARD0, tuple(range(1, 26))),
        ("5\n" + TORUS_BOARD0, "torus", "torus-ring", (5, 5), BOARD0, tuple(range(1, 26))),
        (TORUS_BOARD0.replace("\n", " "), "torus", "torus-ring", (5, 5), BOARD0, None),
        (TORUS_BOARD0.replace(" ", "\n"), "torus", "torus-ring", (5, 5), BOARD0, None),
        ("[[1, 2], [3, 0]]", "nested", "sliding", (2, 2), (1, 2, 3, 0), (1, 2, 3, 0)),
        ("(\n(4,1,2),\n(0,5,3),\n)\n", "nested", "sliding", (2, 3), (4, 1, 2, 0, 5, 3), None),
        ("[[1 2]\n [3 0]]", "nested", "sliding", (2, 2), (1, 2, 3, 0), (1, 2, 3, 0)),
        (str(BOARD0), "nested", "torus-ring", (5, 5), BOARD0, tuple(range(1, 26))),
        (ALGS4, "algs4", "sliding", (3, 3), (0, 1, 3, 4, 2, 5, 7, 8, 6), (*range(1, 9), 0)),
        (
            SCHOOL42,
            "npuzzle42",
            "sliding",
            (3, 3),
            (3, 2, 6, 1, 4, 0, 8, 7, 5),
            (1, 2, 3, 8, 0, 4, 7, 6, 5),
        ),
        (
            KORF_1,
            "korf",
            "sliding",
            (4, 4),
            (14, 13, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3),
            tuple(range(16)),
        ),
        ("# a comment\n" + KORF_24, "korf", "sliding", (5, 5), None, tuple(range(25))),
        ("7 1 2 3 4 0 5 6 7 8", "korf", "sliding", (3, 3), (1, 2, 3, 4, 0, 5, 6, 7, 8), None),
        (COMMA, "comma", "sliding", (5, 5), None, (*range(1, 25), 0)),
        (KORF_24.replace(" ", ","), "korf", "sliding", (5, 5), None, tuple(range(25))),
        (SCHOOL42.replace("This", "My"), "algs4", "sliding", (3, 3), None, (*range(1, 9), 0)),
        (ONE_TO_25.replace(" ", ", "), "comma", "torus-ring", (5, 5), tuple(range(1, 26)), None),
        (
            "fe169b4c0a73d852",
            "line",
            "sliding",
            (4, 4),
            (15, 14, 1, 6, 9, 11, 4, 12, 0, 10, 7, 3, 13, 8, 5, 2),
            (*range(1, 16), 0),
        ),
        ("FE169B4C0A73D852\n", "line", "sliding", (4, 4), None, (*range(1, 16), 0)),
        ("123456780", "line", "sliding", (3, 3), (1, 2, 3, 4, 5, 6, 7, 8, 0), None),
        ("2 3 4 1 5 x 7 6 8", "line", "sliding", (3, 3), (2, 3, 4, 1, 5, 0, 7, 6, 8), None),
    ],
)
def test_real_boards(text, name, puzzle, shape, start, goal):
    assert detect(text).name == name
    problem = read_problem(text)
    assert problem.puzzle.name == puzzle
    assert (problem.puzzle.rows, problem.puzzle.columns) == shape
    assert start is None or problem.start == start
    assert goal is None or problem.goal == goal


def test_korf_24_and_the_comma_list_are_the_same_board():
    assert read_problem(KORF_24) == read_problem(COMMA, goal="blank-first")


def test_each_cell_remembers_its_line():
    assert read_board("\n1 2\n\n3 .\n").lines == (2, 2, 4, 4)
    assert read_board("[[1, 2],\n\n[3,\n0]]").lines == (1, 1, 3, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("6 5 2 3\n. 7 11\n", "line 2: 3 entries, the first row has 4"),
        ("1 2\n3\n", "line 2: 1 entry, the first row has 2"),
        (
            "1 2\n3 q\n",
            "line 2: 'q' is not a tile: a number or a gap (0 . _ x) is expected",
        ),
        ("1 2\n. -3\n", "line 2: '-3' is not a tile: a number or a gap (0 . _ x) is expected"),
        ("1 2\n. ²\n", "line 2: '²' is not a tile: a number or a gap (0 . _ x) is expected"),
        ("1 2\n. 99999\n", "line 2: '99999' is too large for a tile"),
        ("1 2\n. " + "9" * 5000, f"line 2: '{'9' * 29}...' is too large for a tile"),
        (PUZ_SQUARE.replace("15", "7"), "line 4: 7 appears twice, 15 is missing"),
        (PUZ_SQUARE.replace("15", "16"), "line 4: 16 is no tile, 15 is missing"),
        (
            "1 2 .\n. 3 5",
            "line 2: 0 appears twice, 4 is missing; boards of sliding have one gap",
        ),
        ("0 " + "1 " * 31, "the board would be 1x32: a side is at most 30 long"),
        ("0 1\n" * 31, "the board would be 31x2: a side is at most 30 long"),
        ("0 1\n" * 20_000, "the input has more than 10000 lines: no board has so many"),
        (ONE_TO_25.replace("14", "17"), "line 1: 17 appears twice, 14 is missing"),
        (
            TORUS_BOARD0.replace("13", "19"),
            "line 4: 19 appears twice, 13 is missing",
        ),
        (TORUS_BOARD0.replace("25", "26"), "line 4: 26 is no tile, 25 is missing"),
        (
            "1 2 3\n4 5 6\n7 8 9",
            "a 3x3 board has no inner ring that could turn; a board without a gap (0 . _ x) is "
            "taken for torus-ring unless the puzzle is named",
        ),
        (
            LLOYD_GOAL.replace("+", "Y"),
            "line 5: 'Y' is not a tile: A to X and + for the gap are expected",
        ),
        (
            LLOYD_GOAL.replace("O", "0"),
            "line 3: '0' is not a tile: A to X and + for the gap are expected",
        ),
        (
            LLOYD_GOAL.lower(),
            "line 1: 'a' is not a tile: A to X and + for the gap are expected",
        ),
        (LLOYD_GOAL.replace("B", "A"), "line 1: A appears twice, B is missing"),
        (LLOYD_GOAL.replace("+", "A"), "line 5: A appears twice, + is missing; + is the gap"),
        ("AB\nCD\nE+", "a 3x2 square has no centre tile: both sides must be odd"),
        ("ABC\nDEF\nG+", "line 3: 2 entries, the first row has 3"),
        ("[[1, 2], [3]]", "line 1: 1 entry, the first row has 2"),
        ("[[1, 2],\n [3, 'a']]", "line 2: \"'a'\" is not a tile"),
        ("[[[1]]]", "line 1: a list inside a row: rows hold numbers"),
        ("[" * 100_000, "line 1: a list inside a row: rows hold numbers"),
        ("[[1, 2), [3, 0]]", "line 1: ) closes nothing that is open"),
        ("[[1, 2], [3, 0]", "line 1: the text ends before its list: ] is expected"),
        ("[[1, 2],\n [3, 0]] 5", "line 2: '5' follows the end of the list"),
        ("[[1, 2], 3]", "line 1: '3' stands outside the rows"),
        ("[]", "the list is empty: rows of numbers are expected"),
        ("[[]]", "the list is empty: rows of numbers are expected"),
        ("[[0]]", "a 1x1 board is out of range: sides go from 1 to 30"),
        ("[[1, 0], []]", "line 1: 0 entries, the first row has 2"),
        ("[1, 2, 0]", "line 1: 3 entries are no square board"),
        ("3\n1 2 3\n4 5 0", "line 1: the size is 3, but 2 rows follow"),
        ("3\n1 2 3\n4 0\n7 8 6", "line 3: 2 entries, a row of size 3 has 3"),
        ("3\n1 2 3\n4 5 6\n7 8 9", "line 4: 9 is no tile, 0 is missing; 0 is the gap"),
        ("1000000000\n1 0\n", "line 1: the size '1000000000' is out of range: 2 to 30"),
        ("9" * 5000 + "\n1 0\n", f"line 1: the size '{'9' * 29}...' is out of range: 2 to 30"),
        ("# c\n31\n1 0\n", "line 2: the size '31' is out of range: 2 to 30"),
        ("# c\n2\n1 2\n3 3\n", "line 4: 3 appears twice, 0 is missing; 0 is the gap"),
        (
            "# c\n" + KORF_1 + KORF_1,
            "the file holds 2 boards, on lines 2, 3: name one by its number, FILE#2 for the second",
        ),
        (KORF_1.replace("14", "15"), "line 1: 15 appears twice, 14 is missing"),
        ("1,2,3\n4,0", "line 2: 2 entries, the first row has 3"),
        ("1 2 3\n4   5", "line 2: 2 entries, the first row has 3; write the gap as . or 0"),
        ("0,1,2", "line 1: 3 entries are no square board (4, 9, 16, 25 ... up to 900)"),
        ("0,1,b,3", "line 1: 'b' is not a tile"),
        ("12345678x", "line 1: 'x' is not a digit of a board with 9 cells: 0 to 8"),
        ("1234567809", "line 1: 10 entries are no square board"),
        ("112345670", "line 1: 1 appears twice, 8 is missing"),
    ],
)
def test_damaged_boards(text, message):
    with pytest.raises(BoardError) as caught:
        read_problem(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("torus", "1 2\n3 .", "line 2: a gap, but these boards hold 1 to n and none"),
        ("algs4", "1 2\n3 0", "line 1: '1 2' is not the size of a board, one number"),
        ("korf", "1 2 0", "line 1: 3 entries; a number, then 9, 16 or 25 cells"),
        ("korf", "a 1 2 3 4 0 5 6 7 8", "line 1: 'a' is not a number"),
        ("line", "1230\n4567", "line 2: the board goes on: it must be on one line"),
        ("line", "é230", "line 1: 'é' is not a digit of a board with 4 cells: 0 to 3"),
        ("lloyd", "AB C", "line 1: there is white space between the letters"),
        ("nested", "1, [2, 0]", "line 1: '1' stands before the list: [ is expected"),
        ("nested", "]", "line 1: ] closes nothing that is open"),
        ("npuzzle42", "# nothing else", "there is no board: the input is blank but for comments"),
    ],
)
def test_a_forced_format_says_what_it_expects(name, text, message):
    with pytest.raises(BoardError) as caught:
        read_problem(text, format=name)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", FORMATS)
def test_a_blank_text_is_an_error_in_every_format(name):
    with pytest.raises(BoardError):
        FORMATS[name].read(" \n")


def test_a_board_of_letters_is_read_without_its_centre_when_it_is_one_row():
    assert read_problem("A+B").start == (1, 0, 2)
