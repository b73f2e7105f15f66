"""Every invariant of `Result`: one test that breaks it, and the results that keep them all."""

import pytest

from plansolve.errors import InternalError
from plansolve.exit_codes import exit_code
from plansolve.solvers.result import Result, Status, StopReason

PLAN = ("U", "L")
GOOD = {
    # With the exit code where no proof of optimality was requested, and where one was.
    "optimal": (Status.OPTIMAL, PLAN, 2, 2, StopReason.SOLVED, 0, 0),
    "optimal and empty": (Status.OPTIMAL, (), 0, 0, StopReason.SOLVED, 0, 0),
    "feasible": (Status.FEASIBLE, PLAN, 1, 2, StopReason.SOLVED, 0, 12),
    "feasible, exhausted": (Status.FEASIBLE, PLAN, 1, 2, StopReason.EXHAUSTED, 0, 12),
    "feasible by time": (Status.FEASIBLE, PLAN, 0, 2, StopReason.TIME, 0, 23),
    "feasible by memory": (Status.FEASIBLE, PLAN, 0, 2, StopReason.MEMORY, 0, 22),
    "feasible, interrupted": (Status.FEASIBLE, PLAN, 0, 2, StopReason.INTERRUPTED, 0, 130),
    "unsolvable": (Status.UNSOLVABLE, None, None, None, StopReason.UNSOLVABLE, 11, 11),
    "horizon": (Status.NO_PLAN_WITHIN_HORIZON, None, 9, None, StopReason.HORIZON, 13, 13),
    "unknown, exhausted": (Status.UNKNOWN, None, 3, None, StopReason.EXHAUSTED, 12, 12),
    "unknown by time": (Status.UNKNOWN, None, 3, None, StopReason.TIME, 23, 23),
    "unknown by memory": (Status.UNKNOWN, None, 0, None, StopReason.MEMORY, 22, 22),
    "interrupted": (Status.UNKNOWN, None, 3, None, StopReason.INTERRUPTED, 130, 130),
    "lost": (Status.UNKNOWN, None, 3, None, StopReason.LOST, 12, 12),
    "crashed": (Status.UNKNOWN, None, 3, None, StopReason.CRASH, 3, 3),
}


def result(status, plan, lower, upper, reason, explanation="because", **more):
    return Result(status, plan, lower, upper, reason, "cnf", explanation, **more)


@pytest.mark.parametrize("name", GOOD)
def test_a_consistent_result_tells_its_plan_s_length_and_its_exit_code(name):
    *fields, code, code_of_proof = GOOD[name]
    # What is said of an optimal result is why not all of its plans were counted.
    made = result(*fields, "" if fields[0] == Status.OPTIMAL else "because")
    _, plan, lower, upper, _ = fields
    assert made.length == upper == (None if plan is None else len(plan))
    assert made.lower_bound == lower
    assert (exit_code(made, False), exit_code(made, True)) == (code, code_of_proof)


def test_no_status_and_no_reason_is_forgotten():
    assert {fields[0] for fields in GOOD.values()} == set(Status)
    assert {fields[4] for fields in GOOD.values()} == set(StopReason)
    # Optimal, but the limit came before all shortest plans were counted.
    some = result(*GOOD["optimal"][:5], "time limit reached", plan_count=3)
    assert (exit_code(some, False), exit_code(some, True)) == (12, 12)


BAD = [
    ("the upper bound is not", (Status.OPTIMAL, PLAN, 3, 3, StopReason.SOLVED)),
    ("the upper bound is not", (Status.UNKNOWN, None, 2, 5, StopReason.TIME)),
    ("a lower bound is missing", (Status.OPTIMAL, PLAN, None, 2, StopReason.SOLVED)),
    ("a lower bound is missing", (Status.UNKNOWN, None, None, None, StopReason.TIME)),
    (
        "a lower bound is missing",
        (Status.NO_PLAN_WITHIN_HORIZON, None, None, None, StopReason.HORIZON),
    ),
    ("stands where there is no", (Status.UNSOLVABLE, None, 3, None, StopReason.UNSOLVABLE)),
    ("the lower bound is negative", (Status.UNKNOWN, None, -1, None, StopReason.TIME)),
    ("optimal means that both", (Status.OPTIMAL, PLAN, 1, 2, StopReason.SOLVED)),
    ("optimal means that both", (Status.OPTIMAL, PLAN, 3, 2, StopReason.SOLVED)),
    ("optimal means that both", (Status.OPTIMAL, None, 3, None, StopReason.SOLVED)),
    ("optimal needs the stop reason solved", (Status.OPTIMAL, PLAN, 2, 2, StopReason.TIME)),
    ("feasible means a plan longer", (Status.FEASIBLE, PLAN, 2, 2, StopReason.SOLVED)),
    ("feasible means a plan longer", (Status.FEASIBLE, None, 1, None, StopReason.TIME)),
    ("stop reason says that there is no plan", (Status.FEASIBLE, PLAN, 1, 2, StopReason.HORIZON)),
    ("unsolvable means no plan", (Status.UNSOLVABLE, None, None, None, StopReason.TIME)),
    ("unsolvable means no plan", (Status.UNSOLVABLE, PLAN, None, 2, StopReason.UNSOLVABLE)),
    (
        "no plan within the horizon",
        (Status.NO_PLAN_WITHIN_HORIZON, None, 9, None, StopReason.SOLVED),
    ),
    ("no plan within the horizon", (Status.NO_PLAN_WITHIN_HORIZON, PLAN, 2, 2, StopReason.HORIZON)),
    ("unknown means no plan yet", (Status.UNKNOWN, PLAN, 1, 2, StopReason.TIME)),
    ("unknown means no plan yet", (Status.UNKNOWN, None, 1, None, StopReason.SOLVED)),
    ("unknown means no plan yet", (Status.UNKNOWN, None, 1, None, StopReason.HORIZON)),
]


@pytest.mark.parametrize(("message", "fields"), BAD)
def test_a_contradictory_result_cannot_be_made(message, fields):
    with pytest.raises(InternalError, match=message):
        result(*fields)


def test_unsolvable_needs_its_reason_in_words():
    with pytest.raises(InternalError, match="unsolvable needs an explanation"):
        result(*GOOD["unsolvable"][:5], explanation="")


def test_a_result_cannot_be_changed():
    with pytest.raises(AttributeError):
        result(*GOOD["optimal"][:5]).lower_bound = 1
