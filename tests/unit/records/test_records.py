"""The store: what was kept is there, whoever else writes; what cannot be a store is refused."""

import os
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from support.fixtures.cases import make

from plansolve.errors import StoreError
from plansolve.model.problem import Problem
from plansolve.records import records as records_module
from plansolve.records.board import Attempt, Board, best_attempt
from plansolve.records.records import Records, UnitRow

PUZZLE = make("sliding", 2, 3)
BOARD = Board(Problem(PUZZLE, (1, 2, 3, 0, 4, 5)), "one", "set", 5)
KEY = BOARD.key
OTHERS = [
    Board(Problem(PUZZLE, start), f"b{n}", "set")
    for n, start in enumerate([(1, 2, 3, 4, 0, 5), (1, 2, 0, 4, 5, 3), (0, 1, 2, 3, 4, 5)])
]
ATTEMPT = Attempt(
    problem=KEY,
    options="{}",
    engine="idastar",
    version="1",
    status="optimal",
    stop_reason="solved",
    lower_bound=5,
    length=5,
    plan="L R L R L",
    lower_bound_by="idastar",
    upper_bound_by="idastar",
    seconds=1.5,
    nodes=10,
    conflicts=None,
    host="here",
    began="2026-01-01T00:00:00.000+00:00",
)
NO_PLAN = {"length": None, "plan": None}
UNIT = UnitRow("u1", "proof", 7, '{"nodes": 3}', 0.5, "here")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.sqlite"


@pytest.fixture
def records(path):
    with Records(path) as opened:
        opened.add_boards([BOARD])
        yield opened


def test_what_was_kept_is_there_for_the_next(path, records):
    records.keep(ATTEMPT)
    records.keep_unit(UNIT)
    records.keep_round("proof", 7, '{"size": 5}')
    records.keep_round(f"{KEY} cnf", 7, "{}")
    with Records(path) as other:
        assert other.attempts(KEY) == [ATTEMPT]
        assert other.attempts("k2") == []
        assert other.units("proof", 7) == {"u1": UNIT}
        assert other.units("proof", 8) == {}
        assert other.round("proof", 7) == '{"size": 5}'
        assert other.round("proof", 8) is None
        assert [other.has_rounds(key) for key in (KEY, KEY[:-1], "proof")] == [True, False, False]
        assert [*other.results()] == [(BOARD, [ATTEMPT])]
    records.close()
    assert [entry.name for entry in path.parent.iterdir()] == ["a.sqlite"]


def test_units_and_rounds_that_are_kept_first_stay(records):
    records.keep_unit(UNIT)
    records.keep_unit(replace(UNIT, answer="{}", host="there"))
    assert records.units("proof", 7) == {"u1": UNIT}
    records.keep_round("proof", 7, "first")
    records.keep_round("proof", 7, "second")
    assert records.round("proof", 7) == "first"


def test_boards_goals_and_rules_that_differ_have_different_keys():
    start = BOARD.problem.start
    rules = PUZZLE, PUZZLE.with_goal((0, 1, 2, 3, 4, 5)), make("sliding:metric=multi-tile", 2, 3)
    assert len({KEY, OTHERS[0].key, *(Board(Problem(one, start)).key for one in rules)}) == 4


def test_boards_are_kept_once_in_the_order_in_which_they_came(records):
    records.add_boards(OTHERS[::-1])
    changed = replace(BOARD, problem=OTHERS[0].problem, optimal_length=None)
    records.add_boards([*OTHERS, changed])
    assert [*records.results()] == [(board, []) for board in (changed, *OTHERS[::-1])]


def test_a_board_that_cannot_be_read_or_is_not_that_of_its_key_is_told(records):
    records.add_boards(OTHERS)
    change = "UPDATE problems SET text = ? WHERE key = ?"
    records._connection.execute(change, ("{}", OTHERS[0].key))
    text = "SELECT text FROM problems WHERE key = ?"
    (swapped,) = records._connection.execute(text, (OTHERS[2].key,)).fetchone()
    records._connection.execute(change, (swapped, OTHERS[1].key))
    first, unreadable, strange, other, last = records.results()
    assert (first, last) == ((BOARD, []), (OTHERS[2], []))
    assert str(unreadable).startswith("set/b0: its board cannot be read: ")
    assert str(strange) == "set/b1: its board does not match its key"
    assert other[0] == replace(OTHERS[2], name="b1")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({}, {"status": "unknown", "lower_bound": 4, **NO_PLAN}),
        ({"status": "feasible", "length": 7}, {"status": "feasible", "length": 9}),
        ({"status": "feasible", "lower_bound": 1}, {"status": "unknown", **NO_PLAN}),
        (
            {"status": "unknown", "lower_bound": 4, **NO_PLAN},
            {"status": "unknown", "lower_bound": 3, **NO_PLAN},
        ),
        ({"status": "unsolvable", **NO_PLAN}, {"status": "error", "lower_bound": None, **NO_PLAN}),
    ],
    ids=["proof", "shorter", "plan", "bound", "anything"],
)
def test_the_best_attempt_is_shown(better, worse):
    best, other = replace(ATTEMPT, **better), replace(ATTEMPT, **worse)
    assert best_attempt([best, other]) == best_attempt([other, best]) == best
    assert best_attempt([]) is None


UNSOLVABLE = {"engine": "cnf", "status": "unsolvable", "lower_bound": None, **NO_PLAN}


@pytest.mark.parametrize(
    ("recorded", "attempts", "said"),
    [
        (5, [{}], []),
        (None, [{}], []),
        (
            5,
            [{}, {"engine": "cnf", "length": 7, "lower_bound": 7}],
            [
                "idastar found 5 moves, and cnf proved that every plan has 7 or more",
                "the set records 5 moves, and cnf proved that every plan has 7 or more",
            ],
        ),
        (5, [{"length": 4, "lower_bound": 1}], ["the set records 5 moves, and idastar found 4"]),
        (5, [UNSOLVABLE], ["the set records 5 moves, and cnf proved that there is no plan"]),
        (None, [{}, UNSOLVABLE], ["cnf proved that there is no plan, and idastar found one"]),
    ],
    ids=["agree", "no record", "bound", "record", "no plan", "unsolvable"],
)
def test_what_contradicts_itself_is_named(records, recorded, attempts, said):
    records.add_boards([replace(BOARD, optimal_length=recorded)])
    for changes in attempts:
        records.keep(replace(ATTEMPT, **changes))
    assert [*records.contradictions()] == [f"set/one: {what}" for what in said]
    # The board may have gone from the set since.
    records.add_boards([replace(OTHERS[0], name="one")])
    without = [f"{KEY[:12]}: {what}" for what in said if not what.startswith("the set")]
    assert [*records.contradictions()] == without


PROGRAM = """
import os, signal, sys
from plansolve.records.records import Records, UnitRow
records = Records(sys.argv[1])
for n in range(30):
    records.keep_unit(UnitRow(f"p-{n}", "proof", 7, "{}", 0.0, "x"))
if sys.argv[2] == "kill":
    records._connection.execute("BEGIN IMMEDIATE")
    records._connection.execute("DELETE FROM units")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_threads_and_processes_share_a_store(path, records):
    def work(number):
        for n in range(30):
            records.keep_unit(replace(UNIT, key=f"{number}-{n}"))

    other = subprocess.Popen([sys.executable, "-c", PROGRAM, str(path), "end"])
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait() == 0
    assert len(records.units("proof", 7)) == 120


def test_a_process_that_is_killed_loses_nothing_that_was_kept(path, records):
    arguments = [sys.executable, "-c", PROGRAM, str(path), "kill"]
    assert subprocess.run(arguments, check=False).returncode == -9
    assert len(records.units("proof", 7)) == 30
    records.keep_unit(UNIT)


def changed(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def refused(path, match, **options):
    before = path.read_bytes() if os.path.isfile(path) else None
    with pytest.raises(StoreError, match=match):
        Records(path, **options)
    if before is not None:
        assert path.read_bytes() == before


def test_what_is_no_store_is_refused_and_left_as_it_is(tmp_path):
    refused(tmp_path, "it is a folder: give the name of a file")
    refused(tmp_path / "no" / "a.sqlite", "there is no folder")
    refused(tmp_path / "a.sqlite", "there is no such store", must_exist=True)
    refused(tmp_path / ("a" * 300), "aaa: File name too long")
    refused(tmp_path / "\0", "no file can have this name")
    refused(Path(os.devnull), "/dev/null: it is not a regular file")
    assert not (tmp_path / "a.sqlite").exists()
    text, mail, foreign = (tmp_path / name for name in ("board.txt", "b.sqlite", "c.sqlite"))
    text.write_text("1 2 3\n")
    refused(text, "it is neither a store of plansolve nor another SQLite database")
    changed(mail, "CREATE TABLE mail (x)", "INSERT INTO mail VALUES (1)")
    refused(mail, "it is the database of another program")
    changed(foreign, "CREATE TABLE t (x)", "PRAGMA application_id = 9", "PRAGMA user_version = 1")
    refused(foreign, "it is the database of another program")


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("PRAGMA user_version = 99", r"a later plansolve wrote it \(it has format 99"),
        ("CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM attempts; END", "its tables"),
        ("CREATE VIEW v AS SELECT * FROM units", "its tables are not those of a store"),
        ("DROP TABLE rounds", "its tables are not those of a store of plansolve"),
        ("ALTER TABLE units ADD COLUMN more", "its tables are not those of a store of plansolve"),
    ],
    ids=["later", "trigger", "view", "missing", "changed"],
)
def test_a_store_with_other_tables_is_refused(path, records, statement, match):
    records.close()
    changed(path, statement)
    with pytest.raises(StoreError, match=match):
        Records(path)


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("lower_bound", "x", "has the type str"),
        ("length", -3, "is out of range"),
        ("seconds", "long", "has the type str"),
        ("plan", b"\x00", "has the type bytes"),
        ("nodes", 1 << 62, "is out of range"),
        ("error", "x" * ((16 << 20) + 1), "is longer than 16777216 characters"),
    ],
    ids=["text", "negative", "word", "blob", "large", "long"],
)
def test_values_that_make_no_sense_are_refused_when_they_are_read(records, column, value, what):
    records.keep(ATTEMPT)
    records._connection.execute(f"UPDATE attempts SET {column} = ?", (value,))
    with pytest.raises(StoreError, match=f"a row of attempts is impossible: {column} {what}"):
        records.attempts(KEY)


def test_a_board_without_a_problem_makes_no_sense(records):
    records._connection.execute("PRAGMA foreign_keys = OFF")
    records._connection.execute("UPDATE boards SET problem = 'gone'")
    with pytest.raises(
        StoreError, match="a row of boards is impossible: key has the type NoneType"
    ):
        [*records.results()]


def test_an_attempt_at_no_board_is_refused(records):
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        records.keep(replace(ATTEMPT, problem="k2"))


def test_a_damaged_store_says_so(path, records):
    for _ in range(200):
        records.keep(replace(ATTEMPT, error="x" * 500))
    records.close()
    data = bytearray(path.read_bytes())
    data[8192:] = os.urandom(len(data) - 8192)
    path.write_bytes(data)
    with Records(path) as damaged, pytest.raises(StoreError, match="it is damaged"):
        damaged.attempts(KEY)


def test_a_locked_store_says_so(path, records, monkeypatch):
    records._connection.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(records_module, "_SECONDS_TO_WAIT", 0.05)
    with pytest.raises(StoreError, match="another program has locked it"):
        Records(path)
    records._connection.execute("ROLLBACK")


def test_a_full_store_says_so_and_keeps_what_it_has(records):
    records.keep_unit(UNIT)
    (pages,) = records._connection.execute("PRAGMA page_count").fetchone()
    records._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"the disk is full; earlier results are safe"):
        for n in range(100):
            records.keep_unit(replace(UNIT, key=f"more-{n}", answer="x" * 5000))
    assert records.units("proof", 7)["u1"] == UNIT


def test_a_store_of_a_later_version_is_left_as_it_is(path, records):
    records.keep_unit(UNIT)
    records._connection.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match="a later plansolve"):
        Records(path)
    assert records.units("proof", 7) == {"u1": UNIT}


def test_a_store_that_may_not_be_written_is_only_read(path, records, monkeypatch):
    records.keep(ATTEMPT)
    records.close()
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    refused(path, "it or its folder cannot be written")
    with Records(path, must_exist=True) as readable:
        assert readable.attempts(KEY) == [ATTEMPT]
        with pytest.raises(StoreError, match="it cannot be written"):
            readable.keep(ATTEMPT)
    assert path.read_bytes() == before and [*path.parent.iterdir()] == [path]
