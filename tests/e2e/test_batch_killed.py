"""A batch that is killed again and again ends with the store of one that nobody disturbed."""

import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, suppress

import pytest
from support.fixtures.cases import make, scrambles
from support.fixtures.processes import command

from plansolve.formats.json_document import problem_text
from plansolve.model.problem import Problem

# What says when and where it was, and how long it took.
FREE = {"id", "seconds", "host", "began"}
MIXED = (("sliding", 3, 3, 100), ("sliding", 4, 4, 40), ("lloyd", 3, 3, 100), ("sliding", 2, 5, 60))


@pytest.fixture
def boards(tmp_path):
    folder = tmp_path / "boards"
    folder.mkdir()
    for number, (name, rows, columns, count) in enumerate(MIXED):
        puzzle = make(name, rows, columns)
        # Some of them are equal.
        for n, start in enumerate(scrambles(puzzle, count, 60, seed=number)):
            text = problem_text(Problem(puzzle, start))
            (folder / f"{number}-{n:03}.json").write_text(text)
    return folder


def started(boards, store, *more, stdout=subprocess.DEVNULL, **options):
    arguments = ["batch", str(boards), "--optimal", "--engine", "idastar", "--store", str(store)]
    return subprocess.Popen([*command(), *arguments, "-q", *more], stdout=stdout, **options)


def rows(store, table):
    with closing(sqlite3.connect(store)) as connection:
        connection.row_factory = sqlite3.Row
        found = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
    return sorted(
        sorted((k, str(v)) for k, v in row.items() if k not in FREE and k != "number")
        for row in found
    )


def count(store, table):
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store)) as connection, suppress(sqlite3.OperationalError):
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return 0


def killed(boards, store, kills, seed):
    """Kill the batch at random moments, each time after it has come further."""
    moments = random.Random(seed)
    for _ in range(kills):
        before, process = count(store, "attempts"), started(boards, store)
        while process.poll() is None and count(store, "attempts") <= before:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.slow
def test_the_store_of_a_killed_batch_is_that_of_an_undisturbed_one(boards, tmp_path):
    whole, broken = tmp_path / "whole.sqlite", tmp_path / "broken.sqlite"
    assert started(boards, whole).wait() in (0, 12)
    killed(boards, broken, kills=20, seed=7)
    assert started(boards, broken).wait() in (0, 12)
    assert count(whole, "attempts") == count(broken, "attempts") > 250
    for table in ("problems", "boards", "attempts"):
        assert rows(broken, table) == rows(whole, table)


@pytest.mark.slow
def test_a_long_proof_of_a_killed_batch_goes_on(tmp_path):
    whole, broken = tmp_path / "whole.sqlite", tmp_path / "broken.sqlite"
    start = (0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1)
    (tmp_path / "boards").mkdir()
    board = tmp_path / "boards" / "hard.json"
    board.write_text(problem_text(Problem(make("sliding", 4, 4), start)))
    assert started(board.parent, whole).wait() == 0
    process = started(board.parent, broken)
    while process.poll() is None and count(broken, "units") < 20:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = rows(broken, "units")
    assert len(kept) >= 20 and count(broken, "attempts") == 0
    again = started(board.parent, broken, "-v", stdout=subprocess.PIPE, text=True)
    (line,) = again.communicate()[0].splitlines()
    assert again.returncode == 0 and line.endswith("units from the store")
    # Those of the whole, each with the nodes that it had there.
    for table in ("attempts", "rounds", "units"):
        assert rows(broken, table) == rows(whole, table)
    assert all(row in rows(whole, "units") for row in kept)
    (attempt,) = rows(broken, "attempts")
    assert ("length", "80") in attempt
    anew = started(board.parent, broken, "-v", "--again", "all", stdout=subprocess.PIPE, text=True)
    assert "word of" not in anew.communicate()[0]
    assert rows(broken, "attempts") == [attempt, attempt]
