"""The sources of optima, and records that somebody has tampered with."""

import numpy as np
import pytest

from plansolve.apps.judge import optima
from plansolve.apps.judge.optima import Known, OptimumStore, known_without_search, prove_optimum
from plansolve.errors import BoardError
from plansolve.formats import read_problem
from plansolve.records.board import Board
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.storage.store import Store

BOARD = read_problem("4 1 2\n. 5 3\n7 8 6")
PLAN = ("D", "L", "L", "U", "U")
LONGER = ("U", "D", *PLAN)
UNSOLVABLE = read_problem("2 1 3\n4 5 6\n7 8 .")
OTHER = read_problem("1 2 3\n4 5 6\n7 . 8")


def board(problem=BOARD, length=None, *, solvable=True):
    return Board(problem, "b", optimal_length=length, solvable=solvable)


@pytest.fixture
def store(tmp_path):
    return OptimumStore(tmp_path)


def test_what_was_proved_is_read_back(store):
    assert store.read(BOARD) is None
    store.write(BOARD, PLAN)
    assert store.read(BOARD) == PLAN
    assert store.read(OTHER) is None
    known = known_without_search(board(), store)
    assert known == Known(5, "an earlier proof", 5, True, PLAN)
    store.forget(BOARD)
    assert store.read(BOARD) is None
    store.forget(BOARD)


def test_another_goal_is_another_board(store):
    store.write(BOARD, PLAN)
    snail = read_problem("4 1 2\n. 5 3\n7 8 6", puzzle="sliding", goal="snail")
    assert store.read(snail) is None


@pytest.mark.parametrize(
    "content",
    [
        '["D", "L", "L", "U", "R"]',
        '["D", "L", "L", "U"]',
        '["sideways"]',
        '"DLLUU"',
        '[["D"], "L"]',
        '["D", "L", "L", "U", "U"',
        "null",
        "",
        "9" * 6000,
        "[" * 100_000,
        " " * (1 << 20) + '["D", "L", "L", "U", "U"]',
        "\udcff".encode("utf-8", "surrogatepass"),
    ],
)
def test_a_record_with_a_right_checksum_and_no_plan_is_ignored(store, tmp_path, content):
    """As somebody would make it who knows how; what is not whole is the store's matter."""
    store.write(BOARD, PLAN)
    files = Store(tmp_path)
    (file,) = files.files()
    data = content if isinstance(content, bytes) else content.encode()
    files.write(file.key, np.frombuffer(data, np.uint8))
    assert files.read(file.name)[1].tobytes() == data
    assert store.read(BOARD) is None
    assert known_without_search(board(), store).optimal_length is None
    store.write(BOARD, PLAN)
    assert store.read(BOARD) == PLAN


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path):
    for store in (OptimumStore(None), OptimumStore(tmp_path / "absent")):
        store.write(BOARD, PLAN)
        assert store.read(BOARD) is None
        store.forget(BOARD)


def test_the_manifest_comes_first_unless_something_contradicts_it(store):
    recorded = Known(7, "the manifest", 7, True, None, is_recorded=True)
    assert known_without_search(board(length=7), store) == recorded
    # What a bound proves is nobody's mere word.
    assert not known_without_search(board(length=5), store).is_recorded
    store.write(BOARD, PLAN)
    assert known_without_search(board(length=5), store) == Known(5, "the manifest", 5, True, PLAN)
    for length, why in ((7, "a plan of 5 moves"), (10**30, "a plan of 5 moves")):
        with pytest.raises(BoardError, match=why):
            known_without_search(board(length=length), store)
    empty = OptimumStore(None)
    for length, why in (
        (3, "has 5 moves or more"),
        (6, "an odd number"),
        (0, "has 5 moves or more"),
    ):
        with pytest.raises(BoardError, match=why):
            known_without_search(board(length=length), empty)


def test_unsolvable_boards_are_known_by_their_structure(store):
    known = known_without_search(board(UNSOLVABLE), store)
    assert known.solvable is False and "parity" in known.reason and known.is_settled
    # What only a manifest says is no proof.
    assert known_without_search(board(solvable=False), store).solvable is None
    with pytest.raises(BoardError, match="optimal_length is 5, but the board is unsolvable: par"):
        known_without_search(board(UNSOLVABLE, 5), store)


def test_without_a_search_there_is_a_bound_with_the_right_parity(store):
    known = known_without_search(board(), store)
    assert (known.optimal_length, known.solvable, known.is_settled) == (None, None, False)
    assert known.lower_bound == 5  # each of its five tiles is one step away
    solved = read_problem("1 2 3\n4 5 6\n7 8 .")
    assert known_without_search(board(solved), store).optimal_length == 0


def test_a_search_proves_the_optimum_and_keeps_it(store):
    with Workers() as workers:
        start = known_without_search(board(), store)
        known = prove_optimum(BOARD, start, store, time_limit=60, workers=workers)
    assert (known.optimal_length, known.solvable, len(known.plan)) == (5, True, 5)
    assert store.read(BOARD) == known.plan


def result(**fields):
    return Result(**({"engine": "auto"} | fields))


@pytest.mark.parametrize(
    ("found", "known"),
    [
        (
            result(status=Status.FEASIBLE, plan=LONGER, lower_bound=3, upper_bound=7,
                   stop_reason=StopReason.TIME),
            Known(4, "a search", None, True, LONGER),
        ),
        (
            result(status=Status.UNKNOWN, plan=None, lower_bound=6, upper_bound=None,
                   stop_reason=StopReason.TIME),
            Known(6, "a search"),
        ),
        (
            result(status=Status.UNSOLVABLE, plan=None, lower_bound=None, upper_bound=None,
                   stop_reason=StopReason.UNSOLVABLE, explanation="searched all"),
            Known(0, "a search", solvable=False, reason="searched all"),
        ),
    ],
)  # fmt: skip
def test_what_is_not_proved_optimal_is_not_kept(store, monkeypatch, found, known):
    monkeypatch.setattr(optima, "solve", lambda *_, **__: found)
    begin = Known(4, "a lower bound")
    assert prove_optimum(BOARD, begin, store, time_limit=1, workers=None) == known
    assert store.read(BOARD) is None


def test_an_interrupted_search_interrupts(store, monkeypatch):
    stopped = result(status=Status.UNKNOWN, plan=None, lower_bound=6, upper_bound=None,
                     stop_reason=StopReason.INTERRUPTED, was_interrupted=True)  # fmt: skip
    monkeypatch.setattr(optima, "solve", lambda *_, **__: stopped)
    with pytest.raises(KeyboardInterrupt):
        prove_optimum(BOARD, Known(4, "a lower bound"), store, time_limit=1, workers=None)
