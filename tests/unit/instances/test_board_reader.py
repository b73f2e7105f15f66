"""Boards by the thousand: folders, sets, tables, long files; each wrong one told with its place."""

import io
import os
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from plansolve.errors import BoardError, OptionError
from plansolve.formats import read_problem
from plansolve.instances.board_reader import BoardReader

SET = Path(__file__).parents[3] / "instances" / "eight-puzzle"
ONE, TWO = "1 2 3\n4 5 6\n7 . 8\n", "1 2 3\n4 5 .\n7 8 6\n"


def read(*paths, **options):
    return [*BoardReader(**options).boards(map(str, paths))]


def named(*paths, **options):
    found = read(*paths, **options)
    assert not any(isinstance(board, BoardError) for board in found)
    return {f"{board.set_name}/{board.name}": board.problem for board in found}


def test_a_file_is_a_board_or_several(tmp_path):
    (tmp_path / "a.puz").write_text(ONE)
    (tmp_path / "b.txt").write_text(f"{ONE}\n{TWO}")
    (tmp_path / "c.txt").write_text("123456708\n123450786\n")
    one, two = read_problem(ONE), read_problem(TWO)
    assert named(tmp_path / "a.puz") == {"a/a": one}
    assert named(tmp_path / "b.txt") == {"b/b#1": one, "b/b#2": two}
    assert [*named(tmp_path / "c.txt").values()] == [one, two]


def test_a_folder_is_read_with_all_below_it_but_what_is_hidden(tmp_path):
    folder = tmp_path / "boards"
    (folder / "more").mkdir(parents=True)
    (folder / "b.puz").write_text(ONE)
    (folder / "a.puz").write_text(TWO)
    (folder / "more" / "c.csv").write_text("name,board\nx,123456708\n")
    (folder / ".hidden").write_text("no board")
    assert [*named(folder)] == ["boards/a", "boards/b", "boards/x"]


def test_a_folder_of_sets_is_its_sets_and_an_empty_one_is_told(tmp_path):
    found = read(SET.parent)
    assert {"eight-puzzle", "korf100"} <= {board.set_name for board in found}
    assert not any(isinstance(board, BoardError) for board in found)
    with pytest.raises(OptionError, match=r"a folder without board files and without manifest"):
        read(tmp_path)


def test_files_whose_names_are_no_text_have_names_that_are(tmp_path):
    for name in (b"a\xff.txt", b"b\n.txt"):
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_text(ONE)
    assert sorted(board.name for board in read(tmp_path)) == [r"'a\udcff'", r"'b\n'"]


def test_a_set_has_lengths_of_its_own():
    assert all(board.optimal_length for board in read(SET))
    with pytest.raises(OptionError, match="an instance set states its puzzle"):
        read(SET, puzzle="sliding")


def test_standard_input_is_read_too(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(f"{ONE}\n{TWO}".encode())))
    assert [*named("-")] == ["stdin/board#1", "stdin/board#2"]


def test_a_board_that_is_wrong_is_told_and_the_others_are_read(tmp_path):
    (tmp_path / "a.txt").write_text("123456708\n123456777\n123450786\n")
    (tmp_path / "b.puz").write_bytes(b"\xff\xfe\x00")
    first, bad, last, binary = read(tmp_path / "a.txt", tmp_path / "b.puz")
    assert (first.name, last.name) == ("a#1", "a#3")
    assert str(bad).startswith(f"{tmp_path}/a.txt: line 2: ")
    assert "7 appears" in str(bad)
    assert isinstance(binary, BoardError)
    assert str(binary).startswith(f"{tmp_path}/b.puz: ")


def test_a_long_file_is_read_line_by_line(tmp_path, monkeypatch):
    lines = 2000
    # As many characters as are read in one piece, and more.
    monkeypatch.setattr(import_module("plansolve.formats.parse"), "MAX_BYTES", 5000)
    (tmp_path / "long.txt").write_text("123456708\n" * (lines - 1) + "oops\n")
    boards = BoardReader().boards([str(tmp_path / "long.txt")])
    assert next(boards).problem == read_problem(ONE)
    *_, last = boards
    assert str(last).startswith(f"{tmp_path}/long.txt: line {lines}: ")


def test_a_column_of_goals_holds(tmp_path):
    text = "name,board,goal\na,123456708,012345678\nb,123456708,snail\nc,123456708,\n"
    json = '"{""board"": [[1, 0]], ""goal"": [[0, 1]]}"'
    (tmp_path / "a.csv").write_text(f"{text}d,{json},blank-last\n")
    goals = [
        board.problem.puzzle.line_text(board.problem.goal) for board in read(tmp_path / "a.csv")
    ]
    assert goals == [
        "0 1 2 / 3 4 5 / 6 7 8",
        "1 2 3 / 8 0 4 / 7 6 5",
        "1 2 3 / 4 5 6 / 7 8 0",
        "0 1",
    ]


def test_each_way_of_reading_has_a_note(tmp_path):
    for name, text in (("a", "1 2 . 3 4"), ("b", "2 1 . 3 4"), ("c", "2 1 4\n3 . .")):
        (tmp_path / f"{name}.txt").write_text(text)
    reader = BoardReader()
    assert len([*reader.boards([str(tmp_path)])]) == 3
    assert [hint.partition(": ")[2] for hint in reader.hints.values()] == [
        "read as 1x5 sliding; a board of several rows has one row per line",
        "read as 2x3 sliding-gaps:2",
    ]


def test_names_that_come_twice_are_told_apart_in_the_same_way_each_time(tmp_path):
    (tmp_path / "a.csv").write_text("name,board\nx,123456708\nx,123450786\nx,123456078\n")
    assert [board.name for board in read(tmp_path / "a.csv")] == ["x", "x~2", "x~3"]
    # A wrong board has its name all the same.
    (tmp_path / "c.csv").write_text("name,board\nx,123\nx,123456708\n")
    assert read(tmp_path / "c.csv")[1].name == "x~2"
    given = ["x#2", "x#1", "x#2", "x#3", "x#3", "x#03", "#1", "x#1", "x#4", "x#x", "x#"]
    (tmp_path / "a.csv").write_text("name,board\n" + "".join(f"{n},123456708\n" for n in given))
    names = ["x#2", "x#1", "x#2~2", "x#3", "x#3~2", "x#03", "#1", "x#1~2", "x#4", "x#x", "x#"]
    assert [board.name for board in read(tmp_path / "a.csv")] == names
    (tmp_path / "b.txt").write_text("123456708\n" * 3)
    found = [b.name for b in BoardReader().boards([str(tmp_path / "b.txt")] * 2)]
    assert found == ["b#1", "b#2", "b#3", "b#1~2", "b#2~2", "b#3~2"]


def test_rules_and_goal_are_for_all_boards(tmp_path):
    (tmp_path / "a.txt").write_text("0 1 2\n3 4 5\n6 8 7\n")
    (board,) = named(tmp_path / "a.txt", goal="blank-first").values()
    assert board.goal == (0, 1, 2, 3, 4, 5, 6, 7, 8)
    (wrong,) = read(tmp_path / "a.txt", puzzle="torus-ring")
    assert str(wrong).startswith(f"{tmp_path}/a.txt: line 1: ")


CELLS = "1,2,3,4,5,6,7,0,8"


def test_a_row_that_cannot_be_read_hides_no_other(tmp_path):
    too_large, too_long = "9" * 5000, "x" * 150_000
    lines = [",".join([too_large] * 9), "", CELLS, f"{too_long},1", CELLS, CELLS]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    huge, first, long, _, last = read(tmp_path / "a.csv")
    assert (first.name, last.name) == ("a#2", "a#5")
    assert str(huge).startswith(f"{tmp_path}/a.csv: line 1: ")
    assert str(long).startswith(f"{tmp_path}/a.csv: line 4: ") and len(str(long)) < 1000
    (tmp_path / "b.csv").write_text(f"name,board\na,{too_long}\nb,123456708")
    long, fine = read(tmp_path / "b.csv")
    assert str(long).startswith(f"{tmp_path}/b.csv: line 2: field larger than field limit")
    assert fine.name == "b"


def test_what_is_no_name_is_told(tmp_path):
    (tmp_path / "a.csv").write_text(f"name,board\n{'x' * 201},123456708\n\ny,123456708\n")
    long, fine = read(tmp_path / "a.csv")
    assert "line 2: the name of a board is one line of at" in str(long)
    assert fine.name == "y"
