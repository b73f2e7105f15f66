"""Comments, CSV, and several boards in a text."""

import tracemalloc

import pytest

from plansolve.errors import BoardError
from plansolve.formats import FORMATS, read_board, read_problem
from plansolve.formats.several import numbered

TWO = "# first\n1 2 3\n4 5 6\n7 8 .\n\n# second\n\n1 2 3\n4 5 6\n7 . 8 # near\n"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1 2 # one\n3 . # two\n#", "1 2\n3 ."),
        ("# [a, b]\n[[1, 2], # one\n [3, 0]]", "[[1, 2], [3, 0]]"),
        ("# of, course\nABC\nD+F # two\nGHE", "ABC\nD+F\nGHE"),
        ("1,0,2,3 # 4,5", "1,0,2,3"),
        ("# a, b\n1 2 3 .", "1 2 3 ."),
        ("1230 # digits", "1230"),
    ],
)
def test_comments_do_not_count(text, plain):
    assert read_problem(text) == read_problem(plain)


@pytest.mark.parametrize(
    "text",
    [
        "8,6,7\n2,5,4\n3,0,1\n",
        "8;6;7\n2;5;4\n3;.;1\n",
        "8,6,7\n2,5,4\n3,,1\n",
        "8, 6, 7,\n2, 5, 4,\n3, 0, 1,\n",
        '"8","6","7"\n"2","5","4"\n"3","","1"\n',
    ],
)
def test_csv_is_rows(text):
    assert read_problem(text) == read_problem("8 6 7\n2 5 4\n3 . 1")


def test_separators_and_comments_choose_no_goal():
    assert read_problem("1,2,3\n4,,5").goal == (1, 2, 3, 4, 5, 0)
    for text in ("1,0,2,3", "1 0 2 3", "1;0;2;3", "2\n1 0\n2 3", "# ours\n2\n1 0\n2 3"):
        assert read_problem(text) == read_problem("1 0\n2 3")


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        (TWO, [(1, 2, 3, 4, 5, 6, 7, 8, 0), (1, 2, 3, 4, 5, 6, 7, 0, 8)]),
        ("1230\n1203\n# end", [(1, 2, 3, 0), (1, 2, 0, 3)]),
        ("[[1, 2], [3, 0]]\n[[1, 0], [3, 2]]", [(1, 2, 3, 0), (1, 0, 3, 2)]),
        ("0,1,2,3\n1,0,2,3", [(0, 1, 2, 3), (1, 0, 2, 3)]),
        ("2\n1 2\n3 0\n\n2\n1 0\n3 2", [(1, 2, 3, 0), (1, 0, 3, 2)]),
        ("ABC\nD+F\nGHE\n\nABC\nDEF\nGH+", [(1, 2, 3, 4, 0, 6, 7, 8, 5), (*range(1, 9), 0)]),
    ],
)
def test_several_boards_have_numbers(text, starts):
    assert [read_board(text, number=n).cells for n in range(1, len(starts) + 1)] == starts
    with pytest.raises(BoardError, match=r"the file holds 2 boards, on lines \d, \d: name one by"):
        read_board(text)
    for number in (0, 3):
        with pytest.raises(BoardError, match=f"there is no board {number}: the file holds 2"):
            read_board(text, number=number)


def test_rows_with_blank_lines_between_them_are_one_board():
    assert read_problem("1 2 3\n\n4 5 6\n\n7 8 .").puzzle.rows == 3
    assert read_problem("1 2 3 4\n\n5 6 7 8\n\n9 10 11 12\n\n13 14 15 .").puzzle.rows == 4


def test_a_line_is_told_by_its_number_in_the_file():
    with pytest.raises(BoardError, match="line 4: 9 is no tile"):
        read_problem("# title\n\n1 2\n9 .")
    assert read_board(TWO, number=2).lines[0] == 8


def test_a_file_whose_name_ends_with_a_number(tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text(TWO)
    assert numbered(f"{file}#2") == (str(file), 2)
    assert read_problem(tmp_path / "boards.txt#2").start == (1, 2, 3, 4, 5, 6, 7, 0, 8)
    (tmp_path / "boards.txt#2").write_text("1 2\n3 .")
    assert read_problem(tmp_path / "boards.txt#2").start == (1, 2, 3, 0)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("json",)])
def test_a_text_of_comments_is_no_board(name):
    with pytest.raises(BoardError):
        FORMATS[name].read("# nothing\n")


@pytest.mark.slow
def test_many_boards_take_no_more_room_than_their_text():
    text = "1\n\n" * 4_000 + "1 2\n3 0\n"
    tracemalloc.start()
    with pytest.raises(BoardError):
        read_board(text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 300 * len(text)
