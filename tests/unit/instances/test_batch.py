"""Many boards: complete, lazy, errors by number, no engine left; a store is believed so far only.

What the store has is not computed again, and nothing that contradicts its board is believed.
"""

import inspect
import itertools
import threading
from dataclasses import replace

import pytest
from support.fixtures.cases import distance_table, make
from support.fixtures.processes import engine_processes
from support.fixtures.solving import HARD

from plansolve.errors import BoardError, OptionError, StoreError, WrongTypeError
from plansolve.formats import read_problem
from plansolve.instances.batch import Batch, Outcome, solve_many
from plansolve.instances.report import contents
from plansolve.model.problem import Problem
from plansolve.records.board import Board
from plansolve.records.records import Records
from plansolve.solvers.engine.solve import SolveOptions, canonical_options, solve
from plansolve.solvers.result import StopReason
from plansolve.solvers.units.executors import thread_executor

OPTIONS = {"optimal": True, "engine": "breadth-first", "time_limit": None}
EASY = [[4, 1, 2], [0, 5, 3], [7, 8, 6]]
SOLVED = [[1, 2], [3, 0]]


@pytest.fixture(scope="module")
def boards():
    puzzle, table = make("sliding", 2, 3), distance_table("sliding", 2, 3)
    starts = sorted(table, key=lambda board: (table[board], board))[5:300:37]
    return [
        Board(Problem(puzzle, start), f"b{n}", "set", table[start])
        for n, start in enumerate(starts)
    ]


@pytest.fixture
def records(tmp_path):
    with Records(tmp_path / "a.sqlite") as opened:
        yield opened


def run(boards, records, again=None, **options):
    with thread_executor(2) as executor:
        batch = Batch(executor, OPTIONS | options, records, again)
        return [found for found in batch.run(iter(boards)) if found is not None]


def known(found):
    return sorted(outcome.board.name for outcome in found if outcome.from_store)


def test_each_board_is_proved_and_kept(boards, records):
    found = run([boards[0], None, *boards[1:]], records)
    assert {one.board.name: one.attempt.length for one in found} == {
        board.name: board.optimal_length for board in boards
    }
    assert known(found) == []
    assert all(one.result.problem == one.board.problem for one in found)
    kept = [*records.results()]
    assert [board.name for board, _ in kept] == [board.name for board in boards]
    assert all(attempt.status == "optimal" for _, (attempt,) in kept)
    assert [*records.contradictions()] == []


def test_what_is_proved_is_not_computed_again_unless_asked(boards, records):
    run(boards[:4], records)
    assert known(run(boards, records)) == ["b0", "b1", "b2", "b3"]
    # Whatever was asked then, it is proved.
    for again, options in ((None, {"engine": "astar"}), ("unproved", {})):
        assert len(known(run(boards, records, again, **options))) == len(boards)
    assert known(run(boards, records, "all")) == []


def test_boards_that_are_equal_wait_for_the_first(boards, records):
    twins = [replace(board, name=f"{board.name}'") for board in boards[:3]]
    pairs = [board for pair in zip(boards, twins, strict=False) for board in pair]
    found = run(pairs, records)
    assert known(found) == ["b0'", "b1'", "b2'"]
    assert len(found) == 6
    assert all(one.attempt.length == one.board.optimal_length for one in found)
    assert records._connection.execute("SELECT count(*) FROM attempts").fetchone()[0] == 3
    assert known(run(pairs, records, "all")) == []


def test_an_attempt_without_a_proof_counts_for_the_same_options(boards, records):
    (found,) = run(boards[-1:], records, max_horizon=2)
    assert found.attempt.status == "no plan within horizon"
    records._connection.execute("DELETE FROM attempts")
    records.keep(replace(found.attempt, status="unknown", stop_reason="time"))
    assert known(run(boards[-1:], records, max_horizon=2))
    assert not known(run(boards[-1:], records, "unproved", max_horizon=2))
    assert not known(run(boards[-1:], records, max_horizon=3))


def test_a_proof_counts_for_more_than_a_later_attempt_without_one(boards, records):
    (found,) = run(boards[-1:], records)
    later = replace(found.attempt, status="unknown", stop_reason="time", length=None, plan=None)
    records.keep(later)
    (again,) = run(boards[-1:], records)
    assert again.from_store and again.attempt.status == "optimal"


def test_a_report_replays_what_was_kept_and_tells_how_far_it_is(boards, records, monkeypatch):
    run(boards[:5], records)
    monkeypatch.setattr(contents, "_TOLD_EACH", 2)
    told = []
    found = contents.read_contents(str(records.path), told.append)
    assert told == [2, 4]
    assert [outcome.board.name for outcome in found.results] == [b.name for b in boards[:5]]
    assert len(found.attempts) == 5 and found.contradictions == []


def test_an_error_marks_its_board(boards, records):
    found = run([replace(boards[0], name="odd"), boards[3]], records, engine="beam")
    assert {one.attempt.status for one in found} == {"error"}
    assert "proves nothing" in found[0].attempt.error
    assert str(found[0].error) == found[0].attempt.error
    assert records.attempts(found[0].board.key) == [found[0].attempt]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"plan": "L R"}, "its plan has 2 moves, and its length is"),
        ({"plan": "L R", "length": 2, "lower_bound": 2}, "its plan of 2 moves does not solve"),
        ({"plan": None}, "it has a length but no plan"),
        ({"lower_bound": 0}, "it is called optimal, but its bounds differ"),
    ],
    ids=["length", "plan", "none", "bound"],
)
def test_a_store_that_lies_is_told_and_the_board_computed_anew(boards, records, changes, what):
    board = boards[-1]
    (found,) = run([board], records)
    records._connection.execute("DELETE FROM attempts")
    records.keep(replace(found.attempt, **changes))
    assert what in contents.read_contents(str(records.path)).contradictions[0]
    invalid, anew = run([board], records)
    assert isinstance(invalid, StoreError) and str(invalid).startswith(f"set/{board.name}: {what}")
    assert anew.attempt.length == board.optimal_length
    assert not anew.from_store


def test_to_drain_begins_no_more_boards(boards, records):
    with thread_executor(1) as executor:
        batch = Batch(executor, OPTIONS, records)
        found = []
        for outcome in batch.run(iter(boards)):
            if outcome is not None:
                found.append(outcome)
                batch.drain()
    assert 1 <= len(found) <= 3
    assert len([one for one in records.results() if one[1]]) == len(found)


def test_what_is_interrupted_is_no_attempt_and_its_twin_gets_none(boards, records):
    cancel = threading.Event()
    cancel.set()
    hard = Board(read_problem(HARD), "hard", "set")
    with thread_executor(1) as executor:
        batch = Batch(executor, {"engine": "cnf"}, records, cancel=cancel)
        found = [*filter(None, batch.run([hard, replace(hard, name="twin")]))]
    assert [(type(one), one.is_interrupted) for one in found] == [(Outcome, True)]
    assert records.attempts(hard.key) == []


def test_options_have_one_spelling():
    assert canonical_options({"b": 1, "a": None, "c": "x"}) == '{"b":1,"c":"x"}'


# Without a store


def test_results_come_as_they_are_done_from_a_generator_without_end():
    read = []

    def boards():
        for number in itertools.count():
            read.append(number)
            yield EASY if number % 2 else SOLVED

    results = solve_many(boards(), parallel=2, progress=lambda event: None, optimal=True)
    assert read == []
    lengths = {str(read_problem(EASY)): 5, str(read_problem(SOLVED)): 0}
    found = [*itertools.islice(results, 6)]
    assert all(result.length == lengths[str(result.problem)] for result in found)
    assert {result.length for result in found} == {0, 5}
    assert len(read) <= 6 + 2 * 2
    results.close()
    assert engine_processes() == []


def test_another_thread_can_cancel_all():
    cancel = threading.Event()
    results = solve_many(
        [SOLVED, HARD, HARD], parallel=1, engine="cnf", cancel=cancel, optimal=True
    )
    assert next(results).length == 0
    cancel.set()
    assert [result.stop_reason for result in results] == [StopReason.INTERRUPTED] * 2


def test_an_error_names_the_board():
    results = solve_many([SOLVED, [[1, 0], [3, 3]], SOLVED], optimal=True)
    assert next(results).length == 0
    with pytest.raises(BoardError, match=r"^board 2: row 2: 3 appears twice, 2 is missing"):
        next(results)
    with pytest.raises(WrongTypeError, match=r"^board 1: a board: text"):
        next(solve_many([7], optimal=True))


@pytest.mark.parametrize(
    ("problems", "options", "error", "message"),
    [
        ([], {"parallel": -1}, OptionError, "parallel must be 1 or more, not -1"),
        ([], {"parallel": 1.5}, TypeError, "parallel: a whole number is expected, not 1.5"),
        ("4 1 2", {}, TypeError, "boards: a list is expected, not str"),
        (4, {}, TypeError, "boards: a list is expected, not int"),
        ([], {"executor": 7}, TypeError, "executor: a name is expected, not 7"),
        ([], {"time_limt": 5}, TypeError, "solve has no option 'time_limt'"),
        ([], {"executor": "local", "progress": print}, OptionError, "progress cannot be sent"),
    ],
)
def test_nonsense_is_refused_at_once(problems, options, error, message):
    with pytest.raises(error, match=message):
        solve_many(problems, **options)


def test_options_are_those_of_solve():
    parameters = inspect.signature(solve).parameters.values()
    keywords = {one.name for one in parameters if one.kind == one.KEYWORD_ONLY}
    assert SolveOptions.__annotations__.keys() == keywords
