"""Batches: what the store has is not computed again, and is believed only as far as it goes."""

from dataclasses import replace

import pytest
from support.fixtures.cases import distance_table, make

from plansolve.instances.report import contents
from plansolve.model.problem import Problem
from plansolve.records.records import Records
from plansolve.solvers.engine.attempts import canonical_options
from plansolve.solvers.engine.batch import Again, BadBoard, Batch, NamedBoard
from plansolve.solvers.units.crew import ThreadCrew

OPTIONS = {"optimal": True, "engine": "breadth-first", "time_limit": None}


@pytest.fixture(scope="module")
def boards():
    puzzle, table = make("sliding", 2, 3), distance_table("sliding", 2, 3)
    starts = sorted(table, key=lambda board: (table[board], board))[5:300:37]
    return [NamedBoard("set", f"b{n}", Problem(puzzle, s), table[s]) for n, s in enumerate(starts)]


@pytest.fixture
def records(tmp_path):
    with Records(tmp_path / "a.sqlite") as opened:
        yield opened


def run(boards, records, again=Again.NOTHING, **options):
    with ThreadCrew(2) as crew:
        batch = Batch(crew, OPTIONS | options, records, again)
        return [row for row in batch.run(iter(boards)) if row is not None]


def test_each_board_is_proved_and_kept(boards, records):
    rows = run(boards, records)
    assert {row.board.name: row.attempt.length for row in rows} == {
        board.name: board.recorded_length for board in boards
    }
    assert not any(row.from_store for row in rows)
    kept = [*records.results()]
    assert [result.board.name for result in kept] == [board.name for board in boards]
    assert all(result.attempt.status == "optimal" for result in kept)
    assert records.contradictions() == []


def test_what_is_proved_is_not_computed_again_unless_asked(boards, records):
    run(boards[:4], records)
    rows = run(boards, records)
    assert [row.board.name for row in rows if row.from_store] == ["b0", "b1", "b2", "b3"]
    # Whatever was asked then, it is proved.
    assert all(row.from_store for row in run(boards, records, engine="astar"))
    assert all(row.from_store for row in run(boards, records, Again.UNPROVED))
    assert not any(row.from_store for row in run(boards, records, Again.ALL))


def test_boards_that_are_equal_wait_for_the_first(boards, records):
    twins = [replace(board, name=f"{board.name}'") for board in boards[:3]]
    pairs = [board for pair in zip(boards, twins, strict=False) for board in pair]
    rows = run(pairs, records)
    assert sorted(row.board.name for row in rows if row.from_store) == ["b0'", "b1'", "b2'"]
    assert len(rows) == 6 and all(row.attempt.length == row.board.recorded_length for row in rows)
    assert records._connection.execute("SELECT count(*) FROM attempts").fetchone()[0] == 3
    assert not any(row.from_store for row in run(pairs, records, Again.ALL))


def test_an_attempt_without_a_proof_counts_for_the_same_options(boards, records):
    (row,) = run(boards[-1:], records, max_horizon=2)
    assert row.attempt.status == "no plan within horizon"
    unproved = replace(row.attempt, status="unknown", stop_reason="time")
    records._connection.execute("DELETE FROM attempts")
    records.keep(unproved)
    assert run(boards[-1:], records, max_horizon=2)[0].from_store
    assert not run(boards[-1:], records, Again.UNPROVED, max_horizon=2)[0].from_store
    assert not run(boards[-1:], records, max_horizon=3)[0].from_store


def test_a_proof_counts_for_more_than_a_later_attempt_without_one(boards, records):
    (row,) = run(boards[-1:], records)
    records.keep(replace(row.attempt, status="unknown", stop_reason="time", length=None, plan=None))
    (again,) = run(boards[-1:], records)
    assert again.from_store and again.attempt.status == "optimal"


def test_a_report_replays_what_was_kept_and_tells_how_far_it_is(boards, records, monkeypatch):
    run(boards[:5], records)
    monkeypatch.setattr(contents, "_TOLD_EACH", 2)
    told = []
    found = contents.read_contents(str(records.path), told.append)
    assert told == [2, 4]
    assert [result.board.name for result in found.results] == [b.name for b in boards[:5]]
    assert len(found.attempts) == 5 and found.contradictions == []


def test_a_board_that_is_none_is_told_and_the_others_are_solved(boards, records):
    rows = run([boards[0], BadBoard("set", "x", "a.txt: 7 appears twice"), boards[1]], records)
    assert len(rows) == 3
    (bad,) = (row for row in rows if row.attempt is None)
    assert bad.problem_with_board == "a.txt: 7 appears twice"


def test_an_error_marks_its_board(boards, records):
    broken = NamedBoard("set", "odd", boards[0].problem)
    rows = run([broken, boards[3]], records, engine="beam", optimal=True)
    assert {row.attempt.status for row in rows} == {"error"}
    assert "proves nothing" in rows[0].attempt.error
    assert records.attempts(records_key(rows[0]))[0].error == rows[0].attempt.error


def records_key(row):
    return row.attempt.problem


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"plan": "L R"}, "its plan has 2 moves, and its length is"),
        ({"plan": "L R", "length": 2, "lower_bound": 2}, "its plan of 2 moves does not solve"),
        ({"plan": None}, "it has a length and no plan"),
        ({"lower_bound": 0}, "it is called optimal, and its bounds differ"),
    ],
    ids=["length", "plan", "none", "bound"],
)
def test_a_store_that_lies_is_told_and_the_board_computed_anew(boards, records, changes, what):
    board = boards[-1]
    (row,) = run([board], records)
    records._connection.execute("DELETE FROM attempts")
    records.keep(replace(row.attempt, **changes))
    forged, anew = run([board], records)
    assert what in forged.forged
    assert anew.attempt.length == board.recorded_length
    assert not anew.from_store


def test_to_drain_begins_no_more_boards(boards, records):
    with ThreadCrew(1) as crew:
        batch = Batch(crew, OPTIONS, records)
        rows = []
        for row in batch.run(iter(boards)):
            if row is not None:
                rows.append(row)
                batch.drain()
    assert 1 <= len(rows) <= 3
    assert len([r for r in records.results() if r.attempt is not None]) == len(rows)


def test_options_have_one_spelling():
    assert canonical_options({"b": 1, "a": None, "c": "x"}) == '{"b":1,"c":"x"}'
