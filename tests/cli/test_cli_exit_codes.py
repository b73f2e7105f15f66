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


CODES = [
    # The exit code where no proof of optimality was requested, and where one was.
    (OPTIMAL, 0, 0),
    (UNSOLVABLE, 11, 11),
    (NO_PLAN, 13, 13),
    (SOME_PLANS, 12, 12),
    (feasible(StopReason.SOLVED), 0, 12),
    (feasible(StopReason.EXHAUSTED), 0, 12),
    (feasible(StopReason.TIME), 0, 23),
    (feasible(StopReason.MEMORY), 0, 22),
    (feasible(StopReason.INTERRUPTED), 0, 130),
    (unknown(StopReason.EXHAUSTED), 12, 12),
    (unknown(StopReason.TIME), 23, 23),
    (unknown(StopReason.MEMORY), 22, 22),
    (unknown(StopReason.INTERRUPTED), 130, 130),
    (unknown(StopReason.CRASH), 3, 3),
]


@pytest.mark.parametrize(("result", "code", "code_of_proof"), CODES)
def test_exit_code(result, code, code_of_proof):
    assert (exit_code(result, False), exit_code(result, True)) == (code, code_of_proof)


def test_no_status_and_no_reason_is_forgotten():
    results = [result for result, *_ in CODES]
    assert {result.status for result in results} == set(Status)
    assert {result.stop_reason for result in results} == set(StopReason)
