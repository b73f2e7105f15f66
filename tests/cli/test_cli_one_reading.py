"""The same bytes are the same problem everywhere, and the goal is named where it is not usual."""

import csv
import io

import pytest

from plansolve.apps.web.requests import read_posed
from plansolve.cli.board import GivenBoard
from plansolve.cli.judge import read_boards
from plansolve.formats import read_problem
from plansolve.instances.board_reader import BoardReader

ROWS = "8 6 7\n2 5 4\n3 0 1\n"
LINE = "8,6,7,2,5,4,3,0,1"
HOMEWORK = "3\n2 8 1\n4 6 3\n7 5 0\n"
SOLVABLE = f"# This puzzle is solvable\n{HOMEWORK}"
FORMS = {
    "line with commas": (LINE, ROWS, "blank-last"),
    "line with semicolons": (LINE.replace(",", ";"), ROWS, "blank-last"),
    "line with blanks": (LINE.replace(",", " "), ROWS, "blank-last"),
    "run together": ("867254301", ROWS, "blank-last"),
    "list": (f"[{LINE}]", ROWS, "blank-last"),
    "csv": ("8,6,7\n2,5,4\n3,,1\n", ROWS, "blank-last"),
    "one cell": (f'"{LINE}"\n', ROWS, "blank-last"),
    "named": (f"x,{LINE}\n", ROWS, "blank-last"),
    "named by a number": (f"1,{LINE}\n", ROWS, "blank-first"),
    "table": (f'name,board\nx,"{LINE}"\n', ROWS, "blank-last"),
    "cells": (f"name,{','.join('abcdefghi')}\nx,{LINE}\n", ROWS, "blank-last"),
    "korf": (f"1 {LINE.replace(',', ' ')}\n", ROWS, "blank-first"),
    "size": (HOMEWORK, HOMEWORK[2:], "blank-last"),
    "comment and size": (f"# homework 1\n{HOMEWORK}", HOMEWORK[2:], "blank-last"),
    "generator": (SOLVABLE, HOMEWORK[2:], "snail"),
    "solved for another": ("0 1 2\n3 4 5\n6 7 8\n", "0 1 2\n3 4 5\n6 7 8\n", "blank-last"),
}


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "json", ""])
@pytest.mark.parametrize("form", FORMS)
def test_the_same_bytes_are_the_same_problem_everywhere(form, ending, tmp_path, monkeypatch):
    text, rows, goal = FORMS[form]
    wanted = read_problem(rows, goal=goal)
    file = tmp_path / f"board.{ending}"
    file.write_text(text)
    (batched,) = BoardReader().boards([str(file)])
    (judged,) = read_boards(BoardReader(), [str(file)])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    readings = {
        "solve": GivenBoard(str(file)).problem(),
        "number": GivenBoard(f"{file}#1").problem(),
        "stream": GivenBoard("-").problem(),
        "batch": batched.problem,
        "judge": judged.problem,
        "Python, file": read_problem(file),
        "Python, text": read_problem(text),
        "Python, bytes": read_problem(text.encode()),
        "web": read_posed({"board": text})[0],
    }
    for name, problem in readings.items():
        assert problem == wanted, name


@pytest.mark.parametrize(
    ("text", "options", "hint"),
    [
        (LINE, (), "boards written like this often have another goal: --goal blank-first"),
        (LINE, ("--goal", "blank-last"), None),
        (LINE, ("--goal", "blank-first"), None),
        (LINE.replace(",", " "), (), None),
        ("2\n0 2\n1 3\n", (), "boards written like this often have another goal: --goal snail"),
        ("2\n1 2\n0 3\n", (), "this board is the goal snail: did you mean --goal snail?"),
        (HOMEWORK, (), "did you mean another goal? Try --goal snail"),
        (f"# homework 1\n{HOMEWORK}", (), "did you mean another goal? Try --goal snail"),
        (SOLVABLE, (), None),
        (
            "0 1 2\n3 4 5\n6 7 8\n",
            (),
            "this board is the goal blank-first: did you mean --goal blank-first?",
        ),
        ("1,2,3,4", ("--puzzle", "loopover"), None),
    ],
)
def test_one_note_says_which_goal_may_be_meant(plansolve, tmp_path, text, options, hint):
    (tmp_path / "board").write_text(text)
    notes = plansolve("solve", tmp_path / "board", *options).err.splitlines()[1:]
    assert len(notes) == (hint is not None)
    assert hint is None or notes[0].startswith(hint)
    assert plansolve("solve", tmp_path / "board", *options, "-q").err == ""


def test_batch_has_one_note_too(plansolve, tmp_path):
    (tmp_path / "board.csv").write_text(f"{LINE}\n{LINE}\n")
    note, summary = plansolve("batch", tmp_path / "board.csv").err.splitlines()
    assert note == (
        "board/board#1: boards written like this often have another goal: --goal blank-first"
    )
    assert summary.startswith("2 boards: ")
    done = plansolve("batch", tmp_path / "board.csv", "--goal", "blank-first", "--optimal")
    assert "27 moves to blank-first, proved shortest" in done.out
    assert len(done.err.splitlines()) == 1


def test_a_report_names_the_goal(plansolve, tmp_path):
    store, table = tmp_path / "s.db", tmp_path / "t.csv"
    (tmp_path / "goal.txt").write_text("1 2 3\n4 0 5\n6 7 8\n")
    for name in ("a", "b"):
        (tmp_path / name).write_text("1 2 3\n0 4 5\n6 7 8\n")
    options = ("-q", "--store", store, "--optimal")
    plansolve("batch", tmp_path / "a", *options)
    plansolve("batch", tmp_path / "b", *options, "--goal", tmp_path / "goal.txt")
    plansolve("report", store, "--csv", table, "--html", tmp_path / "r.html")
    goals = {row["goal"] for row in csv.DictReader(table.read_text().splitlines())}
    assert goals == {"blank-last", "1 2 3 / 4 0 5 / 6 7 8"}
    page = (tmp_path / "r.html").read_text()
    assert "1 move to 1 2 3 / 4 0 5 / 6 7 8, proved shortest" in page and " to blank-last" in page
