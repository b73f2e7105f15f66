"""What is said in advance about the refutations of a certificate."""

import pytest
from support.fixtures.cases import make, row_slides

from plansolve.certify import certify
from plansolve.certify.effort import Effort, expected_effort
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.statistics import Statistics

BOARD = Problem(make("sliding", 4, 4), (1, 2, 3, 4, 5, 6, 8, 12, 9, 11, 7, 0, 13, 10, 14, 15))


def found(moves, rounds, initial=30, problem=BOARD):
    """A result as IDA* would have left it, with so many nodes in each round."""
    return Result(
        Status.FEASIBLE,
        ("U",) * moves,
        initial,
        moves,
        StopReason.TIME,
        "auto",
        statistics=Statistics(
            initial_bound=initial,
            counts={"idastar": {"nodes_by_bound": rounds}} if rounds else {},
        ),
        problem=problem,
    )


def test_only_rounds_below_the_plan_count():
    rounds = {"46": 8_000, "48": 2_000, "50": 1_000_000}
    effort = expected_effort(found(50, rounds), ENCODINGS["half-layer"])
    assert effort.seconds == pytest.approx(0.0084 * 10_000**0.45)
    assert "10,000 boards" in effort.judged_by


def test_harder_boards_take_longer():
    for encoding in ("half-layer", "permutation"):
        seconds = [
            expected_effort(found(50, {"48": 10**power}), ENCODINGS[encoding]).seconds
            for power in range(2, 8)
        ]
        assert seconds == sorted(seconds) and seconds[0] < seconds[-1] / 100
    # On Lloyd's square the moves beyond the first bound tell: 17 are a minute, 19 are ten.
    minute, ten = (
        expected_effort(found(n, {}, 31), ENCODINGS["full-layer"]).seconds for n in (50, 52)
    )
    assert (minute, ten) == (pytest.approx(60), pytest.approx(600))
    assert "more than a day" in str(expected_effort(found(3000, {}, 1), ENCODINGS["full-layer"]))


def test_nothing_is_said_of_boards_that_nobody_has_measured():
    rounds = {"46": 10_000_000}
    for puzzle in (make("sliding", 5, 5), row_slides()):
        other = found(50, rounds, problem=Problem(puzzle, puzzle.goal))
        assert expected_effort(other, ENCODINGS["half-layer"]) is None


def test_nothing_is_said_where_nothing_tells():
    assert expected_effort(found(50, {}), ENCODINGS["half-layer"]) is None
    without = solve(BOARD, time_limit=1e-9)
    assert without.plan is None
    assert expected_effort(without, ENCODINGS["half-layer"]) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "about 1 s"),
        (89, "about 89 s"),
        (95, "about 2 minutes"),
        (7200, "about 2 hours"),
        (1e9, "more than a day"),
    ],
)
def test_seconds_are_told_in_a_unit_for_people(seconds, words):
    assert str(Effort(seconds, "as a guess")) == f"{words}, as a guess"


@pytest.mark.parametrize("limit", [None, 30.0])
def test_it_is_told_once_with_what_the_limit_leaves(limit, monkeypatch, tmp_path):
    hard = Effort(1000.0, "as a guess")
    monkeypatch.setattr(certify, "expected_effort", lambda result, encoding: hard)
    events = []
    done = certify.certify(
        BOARD, tmp_path / "it", by="sat", time_limit=limit, progress=events.append
    )
    told = [event.note for event in events if event.note.startswith("refuting")]
    (note,) = told
    length = done.certificate.lower_bound
    assert note.startswith(f"refuting the lengths below {length} may take about 17 minutes")
    assert ("the time limit leaves" in note) == (limit is not None)
