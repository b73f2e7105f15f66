"""`plansolve batch` and `plansolve report` as users meet them."""

import csv
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path

import pytest
from support.fixtures.judged import instance_set
from support.fixtures.processes import command
from support.fixtures.waiting import wait_until

from plansolve.cli import batch
from plansolve.errors import EngineError
from plansolve.instances.batch import solve_many
from plansolve.solvers.limits import CutShort
from plansolve.solvers.result import StopReason
from plansolve.solvers.units.executors import UnitExecutor

SETS = Path(__file__).parents[2] / "instances"
EASY = "1 2 3\n4 5 6\n7 . 8\n\n1 2 3\n4 . 6\n7 5 8\n\n1 2 3\n4 5 6\n8 7 .\n"


@pytest.fixture
def boards(tmp_path):
    path = tmp_path / "boards.txt"
    path.write_text(EASY)
    return path


@pytest.fixture
def store(tmp_path):
    return tmp_path / "run.sqlite"


@pytest.fixture
def kept(plansolve, boards, store):
    """The store of a batch of the boards."""
    plansolve("batch", boards, "--optimal", "--store", store)
    return store


def test_a_line_a_board_and_a_summary_or_an_object(plansolve, boards):
    done = plansolve("batch", boards, "--optimal", "--jobs", "1")
    lines = sorted(line.partition(";")[0] for line in done.out.splitlines())
    assert lines[:2] == [
        "boards/boards#1: 1 move to blank-last, proved shortest",
        "boards/boards#2: 2 moves to blank-last, proved shortest",
    ]
    assert lines[2].startswith("boards/boards#3: unsolvable, no plan to blank-last: ")
    assert done.err.startswith("3 boards: 3 proved; ")
    assert done.code == 0
    done = plansolve("batch", boards, "--optimal", "--json-lines", "-q")
    rows = {row["name"]: row for row in map(json.loads, done.out.splitlines())}
    assert (done.code, done.err) == (0, "")
    assert {(row["schema"], row["set"]) for row in rows.values()} == {("plansolve.row/1", "boards")}
    two, three = rows["boards#2"], rows["boards#3"]
    assert two["nodes"] > 0
    assert (two["length"], two["status"], two["goal"]) == (2, "optimal", "blank-last")
    assert (three["status"], three["puzzle"]) == ("unsolvable", "sliding 3x3")


def test_the_same_command_goes_on_with_the_store(plansolve, boards, store):
    first = plansolve("batch", boards, "--optimal", "--store", store)
    assert (first.code, first.out) == (0, "")
    again = plansolve("batch", boards, "--optimal", "--store", store, "-v")
    assert again.code == 0
    assert again.err.startswith("3 boards (3 already in the store): 3 proved; ")
    assert again.out.count(f"; from {store}") == 3
    anew = plansolve("batch", boards, "--optimal", "--store", store, "--again", "all")
    assert "already in the store" not in anew.err


def test_what_is_no_board_is_told_and_the_rest_is_solved(plansolve, tmp_path):
    (tmp_path / "a.txt").write_text("123456708\n123456777\n123450786\n")
    done = plansolve("batch", tmp_path / "a.txt", "--optimal")
    assert done.code == 2
    assert len(done.out.splitlines()) == 2
    wrong, summary = done.err.splitlines()
    assert wrong.startswith(f"not a board: {tmp_path}/a.txt: line 2: ")
    assert summary.startswith("3 boards: 2 proved, 1 unreadable; ")


def test_to_give_up_is_never_told_as_impossible(plansolve, tmp_path, hardest_board):
    done = plansolve(
        "batch", hardest_board, "--optimal", "--engine", "cnf", "--time-limit", "0.05s"
    )
    assert done.code == 12
    (line,) = done.out.splitlines()
    assert "gave up (time limit reached), no plan to blank-last yet: every plan has " in line
    assert "unsolvable" not in line
    assert "1 without a plan" in done.err


def test_a_record_of_a_set_that_is_wrong_is_a_contradiction(plansolve, tmp_path):
    instance_set(tmp_path / "wrong", [([[1, 2, 3], [4, 5, 6], [7, 0, 8]], 3)])
    done = plansolve("batch", tmp_path, "--optimal")
    assert done.code == 4
    assert "CONTRADICTION: wrong/0: the set records 3 moves, and " in done.err


def test_a_store_that_lies_is_a_contradiction_and_is_put_right(plansolve, boards, store):
    plansolve("batch", boards, "--optimal", "--store", store)
    change(store, "UPDATE attempts SET plan = 'L R', length = 2, lower_bound = 2 WHERE length = 1")
    done = plansolve("batch", boards, "--optimal", "--store", store)
    assert done.code == 4
    assert "its plan of 2 moves does not solve the board" in done.err
    report = plansolve("report", store)
    assert report.code == 4
    assert report.err.startswith("CONTRADICTION: boards/boards#1: ")


def change(store, statement):
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize("again", [False, True], ids=["once", "twice"])
def test_ctrl_c_lets_boards_come_to_their_end_the_second_ends_them(tmp_path, hardest_board, again):
    store, easy = tmp_path / "a.sqlite", tmp_path / "easy.puz"
    easy.write_text("1 2 3\n4 5 6\n7 0 8\n")
    limit = "600s" if again else "8s"
    arguments = ["batch", str(easy), str(hardest_board), "--jobs", "2"]
    arguments += ["--optimal", "--engine", "cnf", "--time-limit", limit, "--store", str(store)]
    process = subprocess.Popen([*command(), *arguments], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: attempts(store))
    process.send_signal(signal.SIGINT)
    # Where starting is slow, lines of progress come first.
    told = iter(process.stderr.readline, "")
    assert any("finishing the boards in progress; press Ctrl-C again" in line for line in told)
    if again:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert [status for (status,) in attempts(store)][:1] == ["optimal"]
    assert len(attempts(store)) == (1 if again else 2)
    assert "Traceback" not in err
    # What is left is said, and the store knows of it.
    assert ("1 of 2 boards: 1 proved, 1 left; " if again else "; interrupted; ") in err
    assert attempts(store, "SELECT count(*) FROM boards") == [(2,)]


def attempts(store, statement="SELECT status FROM attempts ORDER BY id"):
    if not store.exists():
        return []
    with closing(sqlite3.connect(store)) as connection, suppress(sqlite3.OperationalError):
        return connection.execute(statement).fetchall()
    return []


def test_off_a_terminal_it_says_now_and_then_how_far_it_is(plansolve, boards, store, monkeypatch):
    monkeypatch.setattr("plansolve.cli.batch._LINE_SECONDS", 0)
    first, *_, last = plansolve("batch", boards, "--optimal", "--store", store).err.splitlines()
    assert re.match(r"[01] of 3 boards: (none done|1 proved), [32] left; ", first)
    assert last.startswith("3 boards: 3 proved; ")
    assert plansolve("batch", boards, "--optimal", "--store", store, "-q").err == ""


@pytest.mark.parametrize(
    ("width", "why"),
    [
        (1, "dask://a:1: the scheduler has gone"),
        (0, "dask://a:1 had no workers for 0.5 s, the time limit"),
    ],
)
def test_an_executor_that_is_gone_ends_the_batch_with_what_there_is(
    plansolve, boards, monkeypatch, width, why
):
    lost = CutShort(StopReason.LOST, why)
    gone = UnitExecutor(
        "dask://a:1", lambda *_: Future(), lambda: width, lambda at_once: None,
        why_lost=lambda: lost if width else None,
    )  # fmt: skip
    monkeypatch.setattr("plansolve.cli.batch.executor_for_boards", lambda *_: gone)
    done = plansolve("batch", boards, "--optimal", "--time-limit", "0.5s")
    summary, last = done.err.splitlines()
    assert (done.code, last) == (12, f"plansolve: {why}")
    assert summary.startswith("0 of 3 boards: none done, 3 left; ")
    monkeypatch.setattr("plansolve.instances.batch.executor_for_boards", lambda *_: gone)
    with pytest.raises(EngineError, match=why):
        next(solve_many([[[1, 2], [0, 3]]], time_limit=0.5))


def test_a_terminal_shows_a_live_line(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = []
    with batch._Progress(200, is_live=True) as progress:
        monkeypatch.setattr(progress, "show", shown.append)
        progress.counts["planned"] = 40
        progress.count(None)
    words = "41 of 200 boards: 40 with a plan but no proof, 1 unreadable, 159 left"
    assert [line.partition(";")[0] for line in shown] == [words]


def test_a_proof_goes_on_from_its_store(plansolve, store):
    board = SETS / "seeds" / "simple.puz"
    first = plansolve("solve", board, "--optimal", "--store", store)
    second = plansolve("solve", board, "--optimal", "--store", store)
    assert first.code == second.code == 0
    assert first.out == second.out
    report = plansolve("report", store, "--csv", "-")
    (row,) = csv.DictReader(report.out.splitlines())
    assert (row["set"], row["status"], row["length"]) == ("solve", "optimal", "24")


def test_report_as_tables_and_as_a_page(plansolve, kept, tmp_path):
    page, table, lines = tmp_path / "r.html", tmp_path / "r.csv", tmp_path / "r.jsonl"
    done = plansolve("report", kept, "--html", page, "--csv", table, "--json-lines", lines)
    assert (done.code, done.err) == (0, "")
    heading, row = done.out.splitlines()
    assert heading.split()[:4] == ["set", "engine", "boards", "proved"]
    assert row.split()[2:4] == ["3", "3"]
    rows = [*csv.DictReader(table.read_text().splitlines())]
    needed = ("name", "puzzle", "status", "length", "lower_bound", "engine", "seconds", "nodes")
    assert {*needed, "host", "error"} <= rows[0].keys()
    assert [row["length"] for row in rows] == ["1", "2", ""]
    assert [json.loads(line)["name"] for line in lines.read_text().splitlines()] == [
        row["name"] for row in rows
    ]
    # The table is one of boards again, and each plan one for `verify`.
    solved = plansolve("batch", table, "--optimal", "--json-lines", "-q").out.splitlines()
    assert {(r["name"], str(r["length"] or "")) for r in map(json.loads, solved)} == {
        (row["name"], row["length"]) for row in rows
    }
    verified = plansolve("verify", f"{table}#2", "--plan", rows[1]["plan"])
    assert verified.code == 0 and set(rows[1]["plan"]) <= set("UDLR")
    text = page.read_text()
    assert "3 of 3 boards proved" in text
    assert text.count("<svg") == 2
    assert "default-src 'none'" in text
    again = tmp_path / "again.html"
    plansolve("report", kept, "--html", again)
    assert again.read_text() == text


def test_the_page_is_written_before_a_reader_of_the_table_has_enough(kept, tmp_path):
    page = tmp_path / "r.html"
    words = [*command(), "report", str(kept), "--html", str(page), "--csv", "-"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err, page.exists()) == (141, b"", True)


def test_report_sums_up_what_is_left_between_plan_and_bound(plansolve, kept):
    change(kept, "UPDATE attempts SET status = 'feasible', lower_bound = 1 WHERE length = 2")
    _, row = plansolve("report", kept).out.splitlines()
    # Boards, proved, plan only, failed, mean length, gap.
    assert row.split()[2:8] == ["3", "2", "1", "0", "1.50", "1"]


def test_report_escapes_what_strangers_write(plansolve, tmp_path, store):
    (tmp_path / "a.csv").write_text('name,board\n"=1+<b>x</b>",123456708\n')
    plansolve("batch", tmp_path / "a.csv", "--optimal", "--store", store)
    page = tmp_path / "r.html"
    done = plansolve("report", store, "--html", page, "--csv", "-")
    assert "<b>x</b>" not in page.read_text()
    assert "'=1+<b>x</b>" in done.out


def test_report_names_what_has_become_worse(plansolve, boards, store, tmp_path):
    other = tmp_path / "other.sqlite"
    plansolve("batch", boards, "--optimal", "--store", store)
    shutil.copy(store, other)
    same = plansolve("report", store, "--against", other)
    assert same.code == 0
    assert same.out.splitlines()[-1] == "3 boards in both stores: 0 worse, 0 better"
    change(store, "UPDATE attempts SET status = 'feasible', lower_bound = 0 WHERE length = 2")
    worse = plansolve("report", store, "--against", other)
    assert worse.code == 1
    assert "worse: boards/boards#2: a plan of 2, bound 0, previously 2 moves proved" in worse.out
    better = plansolve("report", other, "--against", store)
    assert better.code == 0
    assert "better: boards/boards#2: 2 moves proved, previously a plan of 2, bound 0" in better.out
    change(store, "DELETE FROM attempts WHERE length = 1")
    worse = plansolve("report", store, "--against", other)
    assert "worse: boards/boards#1: not attempted, previously 1 move proved" in worse.out


def test_report_refuses_what_would_be_lost(plansolve, kept, tmp_path):
    for arguments, message in (
        (["--html", kept], "named twice: give each file its own name"),
        (["--csv", "-", "--json-lines", "-"], "only one of the tables"),
        (["--html", tmp_path / "no" / "r.html"], "its folder does not exist"),
    ):
        done = plansolve("report", kept, *arguments)
        assert done.code == 2
        assert message in done.error_line
