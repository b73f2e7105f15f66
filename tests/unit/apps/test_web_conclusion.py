"""The words on the page: they claim what is proved, and nothing else."""

from dataclasses import asdict
from itertools import product

import pytest
from support.fixtures.cases import make

from plansolve.apps.web.conclusion import conclude, conclude_without_result
from plansolve.solvers.result import Status, StopReason

SLIDING, LLOYD = make("sliding", 3, 3), make("lloyd", 5, 5)
CUT_SHORT = ("time", "memory", "interrupted", "crash", "exhausted")


def result(status, lower, upper, reason, **changes):
    return {
        "status": status,
        "lower": lower,
        "upper": upper,
        "lower_by": "idastar",
        "upper_by": "beam",
        "penalty": 0,
        "is_least_penalty": False,
        "stop_reason": reason,
        "explanation": "why",
        **changes,
    }


def words(said):
    return f"{said.headline}. {said.sentence}".lower()


@pytest.mark.parametrize(("status", "reason"), [*product(("feasible", "unknown"), CUT_SHORT)])
def test_what_was_cut_short_claims_neither_an_optimum_nor_that_there_is_no_plan(status, reason):
    upper = 59 if status == "feasible" else None
    said = conclude(SLIDING, result(status, 53, upper, reason))
    assert said.tone == "open"
    assert "53 or more" in said.sentence
    text = words(said)
    assert "no plan exists" not in text and "impossible" not in text and "unsolvable" not in text
    assert "fewest" not in text and "proved:" not in text
    if upper:
        assert said.headline == "59 moves, not proved optimal"
    else:
        assert said.headline == "No plan found yet"
        assert "whether there is a plan is not known" in text


def test_only_an_optimal_plan_has_the_fewest_moves():
    said = conclude(SLIDING, result("optimal", 59, 59, "solved"))
    assert said.tone == "proved"
    assert words(said) == (
        "59 moves, the fewest possible. proved: no plan has fewer moves (idastar)."
    )
    assert conclude(SLIDING, result("optimal", 1, 1, "solved")).headline.startswith("1 move,")
    assert conclude(SLIDING, result("optimal", 0, 0, "solved")).headline == "Already solved"


@pytest.mark.parametrize(
    ("is_least", "claim"), [(True, ", the fewest."), (False, ", not proved the fewest.")]
)
def test_transports_are_told(is_least, claim):
    known = result("optimal", 40, 40, "solved", penalty=7, is_least_penalty=is_least)
    assert conclude(LLOYD, known).sentence.endswith(f"It makes 7 × t{claim}")  # noqa: RUF001


def test_no_plan_is_said_with_its_proof():
    known = result("unsolvable", None, None, "unsolvable", explanation="parity: odd", lower_by="")
    said = conclude(SLIDING, known)
    assert asdict(said) == {
        "headline": "No plan exists",
        "sentence": "Proved: parity: odd.",
        "tone": "none",
    }


def test_a_job_without_a_result_keeps_its_bound():
    stopped = conclude_without_result("stopped", 41)
    assert (stopped.headline, stopped.tone) == ("No plan found yet", "open")
    assert "Every plan has 41 moves or more." in stopped.sentence
    failed = conclude_without_result("memory ran out", 0)
    assert failed.headline == "The search failed"
    assert failed.sentence == "memory ran out."


def test_every_status_and_reason_of_a_search_has_words():
    for status, reason in product(Status, StopReason):
        said = conclude(SLIDING, result(status, 5, None, reason))
        assert said.headline and said.sentence.endswith(".")
