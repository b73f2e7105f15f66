"""Every invariant of `Result`: one test that breaks it, and the results that keep them all."""

import pytest

from plansolve.errors import InternalError
from plansolve.solvers.result import Result, Status, StopReason

PLAN = ("U", "L")
GOOD = {
    "optimal": (Status.OPTIMAL, PLAN, 2, 2, StopReason.SOLVED),
    "optimal and empty": (Status.OPTIMAL, (), 0, 0, StopReason.SOLVED),
    "feasible": (Status.FEASIBLE, PLAN, 1, 2, StopReason.SOLVED),
    "feasible, cut short": (Status.FEASIBLE, PLAN, 0, 2, StopReason.TIME),
    "unsolvable": (Status.UNSOLVABLE, None, None, None, StopReason.UNSOLVABLE),
    "horizon": (Status.NO_PLAN_WITHIN_HORIZON, None, 9, None, StopReason.HORIZON),
    "unknown by time": (Status.UNKNOWN, None, 3, None, StopReason.TIME),
    "unknown by memory": (Status.UNKNOWN, None, 0, None, StopReason.MEMORY),
    "interrupted": (Status.UNKNOWN, None, 3, None, StopReason.INTERRUPTED),
}


def result(status, plan, lower, upper, reason, explanation="because"):
    return Result(status, plan, lower, upper, reason, "cnf", explanation)


@pytest.mark.parametrize("name", GOOD)
def test_a_consistent_result_tells_its_plan_s_length(name):
    status, plan, lower, upper, reason = GOOD[name]
    made = result(status, plan, lower, upper, reason)
    assert made.length == upper == (None if plan is None else len(plan))
    assert made.lower_bound == lower


BAD = [
    ("the upper bound is not", (Status.OPTIMAL, PLAN, 3, 3, StopReason.SOLVED)),
    ("the upper bound is not", (Status.OPTIMAL, PLAN, 2, None, StopReason.SOLVED)),
    ("the upper bound is not", (Status.UNKNOWN, None, 2, 5, StopReason.TIME)),
    ("a lower bound is missing", (Status.OPTIMAL, PLAN, None, 2, StopReason.SOLVED)),
    ("a lower bound is missing", (Status.FEASIBLE, PLAN, None, 2, StopReason.SOLVED)),
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
    ("optimal means solved", (Status.OPTIMAL, PLAN, 2, 2, StopReason.TIME)),
    ("optimal means solved", (Status.OPTIMAL, PLAN, 2, 2, StopReason.HORIZON)),
    ("feasible means a plan longer", (Status.FEASIBLE, PLAN, 2, 2, StopReason.SOLVED)),
    ("feasible means a plan longer", (Status.FEASIBLE, PLAN, 3, 2, StopReason.SOLVED)),
    ("feasible means a plan longer", (Status.FEASIBLE, None, 1, None, StopReason.TIME)),
    ("no reason to stop without", (Status.FEASIBLE, PLAN, 1, 2, StopReason.HORIZON)),
    ("no reason to stop without", (Status.FEASIBLE, PLAN, 1, 2, StopReason.UNSOLVABLE)),
    ("unsolvable means no plan", (Status.UNSOLVABLE, None, None, None, StopReason.TIME)),
    ("unsolvable means no plan", (Status.UNSOLVABLE, None, None, None, StopReason.SOLVED)),
    ("unsolvable means no plan", (Status.UNSOLVABLE, PLAN, None, 2, StopReason.UNSOLVABLE)),
    (
        "no plan within the horizon",
        (Status.NO_PLAN_WITHIN_HORIZON, None, 9, None, StopReason.SOLVED),
    ),
    (
        "no plan within the horizon",
        (Status.NO_PLAN_WITHIN_HORIZON, PLAN, 2, 2, StopReason.HORIZON),
    ),
    ("unknown means no plan yet", (Status.UNKNOWN, PLAN, 1, 2, StopReason.TIME)),
    ("unknown means no plan yet", (Status.UNKNOWN, None, 1, None, StopReason.SOLVED)),
    ("unknown means no plan yet", (Status.UNKNOWN, None, 1, None, StopReason.UNSOLVABLE)),
    ("unknown means no plan yet", (Status.UNKNOWN, None, 1, None, StopReason.HORIZON)),
]


@pytest.mark.parametrize(("message", "fields"), BAD)
def test_a_contradictory_result_cannot_be_made(message, fields):
    with pytest.raises(InternalError, match=message):
        result(*fields)


def test_unsolvable_needs_its_reason_in_words():
    with pytest.raises(InternalError, match="unsolvable needs its reason"):
        result(*GOOD["unsolvable"], explanation="")


def test_a_result_cannot_be_changed():
    with pytest.raises(AttributeError):
        result(*GOOD["optimal"]).lower_bound = 1
