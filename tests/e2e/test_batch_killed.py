"""A batch that is killed again and again ends with the store of one that nobody disturbed."""

import random
import signal
import sqlite3
import subprocess
import time

import pytest
from support.fixtures.cases import make, scrambles
from support.fixtures.processes import command

from plansolve.formats.identity import problem_text
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


def started(boards, store):
    arguments = ["batch", str(boards), "--optimal", "--engine", "idastar", "--store", str(store)]
    return subprocess.Popen([*command(), *arguments, "-q"], stdout=subprocess.DEVNULL)


def rows(store, table):
    connection = sqlite3.connect(store)
    connection.row_factory = sqlite3.Row
    try:
        found = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
    finally:
        connection.close()
    return sorted(
        sorted((k, str(v)) for k, v in row.items() if k not in FREE and k != "number")
        for row in found
    )


def attempts(store):
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        return connection.execute("SELECT count(*) FROM attempts").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def killed(boards, store, kills, seed):
    """Kill the batch at random moments, each time after it has come further."""
    moments = random.Random(seed)
    for _ in range(kills):
        before, process = attempts(store), started(boards, store)
        while process.poll() is None and attempts(store) <= before:
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
    assert attempts(whole) == attempts(broken) > 250
    for table in ("problems", "boards", "attempts"):
        assert rows(broken, table) == rows(whole, table)
