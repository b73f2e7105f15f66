"""The exit code of every status and stop reason."""

import pytest

from plansolve.exit_codes import exit_code
from plansolve.solvers.result import Result, Status, StopReason

OPTIMAL = Result(Status.OPTIMAL, ("U",), 1, 1, StopReason.SOLVED, "cnf")
UNSOLVABLE = Result(Status.UNSOLVABLE, None, None, None, StopReason.UNSOLVABLE, "cnf", "parity")
NO_PLAN = Result(Status.NO_PLAN_WITHIN_HORIZON, None, 5, None, StopReason.HORIZON, "cnf")
# Optimal, but the limit came before all shortest plans were counted.
SOME_PLANS = Result(
    *(Status.OPTIMAL, ("U",), 1, 1, StopReason.SOLVED, "cnf", "time limit reached"),
    plan_count=3,
)


def feasible(reason: StopReason) -> Result:
    return Result(Status.FEASIBLE, ("U", "L", "D"), 1, 3, reason, "cnf")


def unknown(reason: StopReason) -> Result:
    return Result(Status.UNKNOWN, None, 7, None, reason, "cnf")


@pytest.mark.parametrize(
    ("result", "asked_for_proof", "code"),
    [
        (OPTIMAL, True, 0),
        (OPTIMAL, False, 0),
        (UNSOLVABLE, True, 11),
        (UNSOLVABLE, False, 11),
        (NO_PLAN, True, 13),
        (NO_PLAN, False, 13),
        (feasible(StopReason.SOLVED), False, 0),
        (feasible(StopReason.SOLVED), True, 12),
        (feasible(StopReason.TIME), False, 0),
        (feasible(StopReason.TIME), True, 23),
        (feasible(StopReason.MEMORY), True, 22),
        (feasible(StopReason.INTERRUPTED), True, 130),
        (unknown(StopReason.TIME), True, 23),
        (unknown(StopReason.TIME), False, 23),
        (unknown(StopReason.MEMORY), True, 22),
        (unknown(StopReason.MEMORY), False, 22),
        (unknown(StopReason.INTERRUPTED), True, 130),
        (unknown(StopReason.INTERRUPTED), False, 130),
        (unknown(StopReason.CRASH), True, 3),
        (unknown(StopReason.EXHAUSTED), True, 12),
        (feasible(StopReason.EXHAUSTED), True, 12),
        (feasible(StopReason.EXHAUSTED), False, 0),
        (SOME_PLANS, True, 12),
    ],
)
def test_exit_code(result, asked_for_proof, code):
    assert exit_code(result, asked_for_proof) == code


_CUT_SHORT = (
    StopReason.TIME,
    StopReason.MEMORY,
    StopReason.INTERRUPTED,
    StopReason.CRASH,
    StopReason.EXHAUSTED,
)


def test_no_status_and_no_reason_is_forgotten():
    results = [OPTIMAL, UNSOLVABLE, NO_PLAN, feasible(StopReason.SOLVED)]
    results += [unknown(r) for r in _CUT_SHORT]
    assert {result.status for result in results} == set(Status)
    assert {result.stop_reason for result in results} == set(StopReason)
