"""Tables of boards, one a row."""

import pytest

from plansolve.errors import BoardError
from plansolve.formats import read_board, read_problem
from plansolve.formats.registry import read_boards

CELLS = "1,2,3,4,5,6,7,0,8"
FOUR = """name,board
run,412053786
spaced,"4 1 2 0 5 3 7 8 6"
nested,"[[4,1,2],[0,5,3],[7,8,6]]"
comma,"4,1,2,0,5,3,7,8,6"
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,board\na,123456708\nb,123450786\n", [("a", 2), ("b", 3)]),
        ("# ours\n\nname,board\na,123456708\n", [("a", 4)]),
        ("board;name\n123456708;a\n", [("a", 2)]),
        ("board\n123456708\n", [("", 2)]),
        ('name,board\n"a, b","1 2 3\n4 5 6\n7 0 8"\nc,123456708\n', [("a, b", 2), ("c", 5)]),
        (f"{CELLS}\n{CELLS}\n", [("", 1), ("", 2)]),
        (f"name,c1,c2,c3,c4,c5,c6,c7,c8,c9\nx,{CELLS}\n", [("x", 2)]),
        ("1,2,3\n4,5,6\n7,0,8\n\n1,2,3\n4,5,6\n7,0,8\n", [("", 1), ("", 5)]),
        ("1,2,3\n4,5,6\n7,,8\n,,\n1,2,3\n4,5,6\n7,,8\n", [("", 1), ("", 5)]),
        (f"x,{CELLS}\ny,{CELLS}\n", [("x", 1), ("y", 2)]),
        (f"x,{CELLS}\n", [("x", 1)]),
        ("123456708\n\n123456708\n", [("", 1), ("", 3)]),
        ("1\t2\t3\n4\t5\t6\n7\t0\t8\n", [("", 1)]),
        (f'"{CELLS}"\n', [("", 1)]),
        (f'"{CELLS}"\n"1 2 3\n4 5 6\n7 0 8"\n123456708\n', [("", 1), ("", 2), ("", 5)]),
        ('"1","2","3"\n"4","5","6"\n"7","0","8"\n', [("", 1)]),
        (CELLS.replace(",", ";"), [("", 1)]),
    ],
    ids=[
        "columns",
        "comment",
        "semicolon",
        "no names",
        "quoted",
        "rows",
        "cells",
        "blocks",
        "rows of nothing between",
        "named cells",
        "one name",
        "one column",
        "tabs",
        "one cell",
        "quoted column",
        "quoted cells",
        "cells with semicolons",
    ],
)
def test_tables(text, expected):
    boards = [*read_boards(text)]
    assert [(part.name, part.line) for part, _ in boards] == expected
    for number, (_, document) in enumerate(boards, start=1):
        assert document.cells in {(1, 2, 3, 4, 5, 6, 7, 0, 8), (1, 2, 3, 4, 5, 0, 7, 8, 6)}
        assert read_board(text, number=number).cells == document.cells


def test_four_spellings_in_a_table_are_one_problem(tmp_path):
    (tmp_path / "four").write_text(FOUR)
    for number in (1, 2, 3, 4):
        assert read_problem(tmp_path / f"four#{number}") == read_problem("4 1 2\n0 5 3\n7 8 6")
    with pytest.raises(BoardError, match="holds 4 boards, on lines 2, 3, 4, 5: name one"):
        read_problem(FOUR)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,age\nx,3\n", "line 1: no column is called 'board': the heading is name, age"),
        ("name,board\n\n", "the table has no boards"),
        ("name,board\nx\n", "the input is empty"),
        (f"name,board\nx,{'1' * 140_000}\n", r"line 2: field larger than field limit"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(text, message):
    with pytest.raises(BoardError, match=message):
        read_board(text)


def test_words_in_squares_of_letters_are_no_heading():
    words = "BOARD\nGAMES\nARENT\nFUN.O\nVERSO"
    assert read_board(f"{words}\ngoal:\n{words}").rows == 5
    assert read_board("NAME\nABC.\ngoal:\nNAME\nAB.C").columns == 4
