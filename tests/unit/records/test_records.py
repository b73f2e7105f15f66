"""The store: what was kept is there, whoever else writes; what cannot be a store is refused."""

import os
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from plansolve.errors import StoreError
from plansolve.records import schema
from plansolve.records.records import Records
from plansolve.records.rows import AttemptRow, BoardRow, ProblemRow, UnitRow

PROBLEM = ProblemRow("k1", '{"board":1}', "sliding 3x3")
BOARD = BoardRow("set", "one", "k1", 5)
ATTEMPT = AttemptRow(
    problem="k1",
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
UNIT = UnitRow("u1", "proof", 7, '{"nodes": 3}', 0.5, "here")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.sqlite"


@pytest.fixture
def records(path):
    with Records(path) as opened:
        opened.add_boards([(PROBLEM, BOARD)])
        yield opened


def test_what_was_kept_is_there_for_the_next(path, records):
    records.keep(ATTEMPT)
    records.keep_unit(UNIT)
    records.keep_round("proof", 7, '{"size": 5}')
    with Records(path) as other:
        assert other.attempts("k1") == [ATTEMPT]
        assert other.attempts("k2") == []
        assert other.unit("u1") == UNIT
        assert other.unit("u2") is None
        assert other.units("proof", 7) == {"u1": UNIT}
        assert other.units("proof", 8) == {}
        assert other.round("proof", 7) == '{"size": 5}'
        assert other.round("proof", 8) is None
        (result,) = other.results()
        assert (result.board, result.problem, result.attempt) == (BOARD, PROBLEM, ATTEMPT)


def test_units_and_rounds_that_are_kept_first_stay(records):
    records.keep_unit(UNIT)
    records.keep_unit(replace(UNIT, answer="{}", host="there"))
    assert records.unit("u1") == UNIT
    records.keep_round("proof", 7, "first")
    records.keep_round("proof", 7, "second")
    assert records.round("proof", 7) == "first"


def test_boards_are_kept_once_in_the_order_in_which_they_came(records):
    more = [
        (ProblemRow(f"k{n}", "{}", "x"), BoardRow("set", f"b{n}", f"k{n}")) for n in range(9, 4, -1)
    ]
    records.add_boards(more)
    records.add_boards([*more, (PROBLEM, BOARD)])
    names = [result.board.name for result in records.results()]
    assert names == ["one", "b9", "b8", "b7", "b6", "b5"]
    assert [result.attempt for result in records.results()] == [None] * 6


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({"status": "unknown", "length": None, "plan": None, "lower_bound": 4}, {}),
        ({"status": "feasible", "length": 9}, {"status": "feasible", "length": 7}),
        (
            {"status": "unknown", "length": None, "lower_bound": 3},
            {"status": "unknown", "length": None, "lower_bound": 4},
        ),
        ({"status": "error", "length": None, "lower_bound": None}, {"status": "unsolvable"}),
    ],
    ids=["proof", "plan", "bound", "anything"],
)
def test_the_best_attempt_is_shown(records, worse, better):
    for attempts in ([worse, better], [better, worse]):
        for changes in attempts:
            records.keep(replace(ATTEMPT, **changes))
    (result,) = records.results()
    assert result.attempt == replace(ATTEMPT, **better)


def said_against(records):
    return [contradiction.what for contradiction in records.contradictions()]


def test_what_contradicts_itself_is_named(records):
    records.keep(ATTEMPT)
    assert said_against(records) == []
    records.keep(replace(ATTEMPT, engine="cnf", length=7, lower_bound=7))
    assert said_against(records) == [
        "idastar found 5 moves, and cnf proved that every plan has 7 or more",
        "the set records 5 moves, and cnf proved that every plan has 7 or more",
    ]


def test_a_plan_for_an_unsolvable_board_and_a_record_that_is_too_long(records):
    records.keep(replace(ATTEMPT, status="feasible", length=4, lower_bound=1))
    assert said_against(records) == ["the set records 5 moves, and idastar found 4"]
    unsolvable = replace(
        ATTEMPT, engine="cnf", status="unsolvable", length=None, lower_bound=None, plan=None
    )
    records.keep(unsolvable)
    assert said_against(records)[0] == "cnf proved that there is no plan, and idastar found one"


def test_threads_and_processes_share_a_store(path, records):
    def work(number):
        for n in range(30):
            records.keep_unit(replace(UNIT, key=f"{number}-{n}"))

    program = (
        "import sys; from plansolve.records.records import Records\n"
        "from plansolve.records.rows import UnitRow\n"
        "with Records(sys.argv[1]) as r:\n"
        "    for n in range(30): r.keep_unit(UnitRow(f'p-{n}', 'proof', 7, '{}', 0.0, 'x'))\n"
    )
    other = subprocess.Popen([sys.executable, "-c", program, str(path)])
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait() == 0
    assert len(records.units("proof", 7)) == 120


def test_a_process_that_is_killed_loses_nothing_that_was_kept(path, records):
    program = (
        "import os, signal, sys; from plansolve.records.records import Records\n"
        "from plansolve.records.rows import UnitRow\n"
        "r = Records(sys.argv[1])\n"
        "for n in range(50): r.keep_unit(UnitRow(f'p-{n}', 'proof', 7, '{}', 0.0, 'x'))\n"
        "r._connection.execute('BEGIN IMMEDIATE')\n"
        'r._connection.execute("DELETE FROM units")\n'
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -9
    assert len(records.units("proof", 7)) == 50
    records.keep_unit(UNIT)


def refused(path, match, **options):
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=match):
        Records(path, **options)
    if before is not None:
        assert path.read_bytes() == before


def test_what_is_no_store_is_refused_and_left_as_it_is(tmp_path):
    refused(tmp_path, "it is a folder: give the name of a file")
    refused(tmp_path / "no" / "a.sqlite", "there is no folder")
    refused(tmp_path / "a.sqlite", "there is no such store", must_exist=True)
    assert not (tmp_path / "a.sqlite").exists()
    text = tmp_path / "board.txt"
    text.write_text("1 2 3\n")
    refused(text, "it is no store of plansolve, nor any SQLite database")


def other_database(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_other_databases_are_refused(tmp_path):
    strange = tmp_path / "b.sqlite"
    other_database(strange, "CREATE TABLE mail (x)", "INSERT INTO mail VALUES (1)")
    refused(strange, "it is the database of another program")
    foreign = tmp_path / "c.sqlite"
    other_database(
        foreign, "CREATE TABLE t (x)", "PRAGMA application_id = 99", "PRAGMA user_version = 1"
    )
    with pytest.raises(StoreError, match="it is the database of another program"):
        Records(foreign)


def test_a_store_of_a_later_version_is_refused(path, records):
    records.close()
    other_database(path, "PRAGMA user_version = 99")
    with pytest.raises(StoreError, match=r"written by a later plansolve \(its version is 99"):
        Records(path)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM attempts; END",
        "CREATE VIEW v AS SELECT * FROM units",
        "DROP TABLE rounds",
        "ALTER TABLE units ADD COLUMN more",
    ],
    ids=["trigger", "view", "missing", "changed"],
)
def test_a_store_with_other_tables_is_refused(path, records, statement):
    records.close()
    other_database(path, statement)
    with pytest.raises(StoreError, match="its tables are not those of a store of plansolve"):
        Records(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("lower_bound", "x"),
        ("length", -3),
        ("seconds", "long"),
        ("plan", b"\x00"),
        ("nodes", 1 << 62),
    ],
)
def test_values_that_make_no_sense_are_refused_when_they_are_read(path, records, column, value):
    records.keep(ATTEMPT)
    records._connection.execute(f"UPDATE attempts SET {column} = ?", (value,))
    with pytest.raises(StoreError, match=f"a row of attempts makes no sense: {column} "):
        records.attempts("k1")


def test_a_damaged_store_says_so(path, records):
    records.add_boards(
        (ProblemRow(f"k{n}", "x" * 500, "x"), BoardRow("set", f"b{n}", f"k{n}")) for n in range(200)
    )
    records.close()
    data = bytearray(path.read_bytes())
    data[8192:] = os.urandom(len(data) - 8192)
    path.write_bytes(data)
    with Records(path) as damaged, pytest.raises(StoreError, match="it is damaged"):
        [*damaged.results()]


def test_a_locked_store_says_so(path, records, monkeypatch):
    records._connection.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("plansolve.records.opening._SECONDS_TO_WAIT", 0.05)
    with pytest.raises(StoreError, match="another program keeps it locked"):
        Records(path)
    records._connection.execute("ROLLBACK")


def test_a_full_store_says_so_and_keeps_what_it_has(path, records):
    records.keep_unit(UNIT)
    (pages,) = records._connection.execute("PRAGMA page_count").fetchone()
    records._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match=r"the disk is full; what was kept before is safe"):
        for n in range(100):
            records.keep_unit(replace(UNIT, key=f"more-{n}", answer="x" * 5000))
    assert records.unit("u1") == UNIT


def test_an_earlier_version_is_brought_up_to_date(path, records):
    records.keep_unit(UNIT)
    later = (
        *schema.MIGRATIONS,
        ("ALTER TABLE rounds ADD COLUMN note TEXT", "CREATE TABLE more (x)"),
    )
    schema.migrate(records._connection, "here", later)
    assert records._connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert records._connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
    assert records.unit("u1") == UNIT
    with pytest.raises(StoreError, match="a later plansolve"):
        Records(path)


def test_a_migration_that_fails_leaves_the_store_as_it_was(path, records):
    broken = (*schema.MIGRATIONS, ("CREATE TABLE more (x)", "CREATE TABLE more (x)"))
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(records._connection, "here", broken)
    with Records(path) as other:
        assert other._connection.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_may_not_be_written_is_refused(path, records):
    records.close()
    path.chmod(0o400)
    refused(path, "it may not be written to")


def test_a_store_is_one_file_when_it_is_closed(path, records):
    records.keep_unit(UNIT)
    records.close()
    assert [entry.name for entry in Path(path).parent.iterdir()] == ["a.sqlite"]
