"""The texts of results claim what is proved, and nothing else."""

from itertools import product

import pytest
from support.fixtures.cases import make

from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN
from plansolve.solvers.evidence import Evidence
from plansolve.solvers.protocol import HorizonRecord, Options
from plansolve.solvers.result import Result, Status, StopReason
from plansolve.solvers.result_text import headline, proof, summary
from plansolve.solvers.statistics import Statistics
from plansolve.text import within

SLIDING, LLOYD = make("sliding", 3, 3), make("lloyd", 5, 5)
CUT_SHORT = ("time", "memory", "interrupted", "crash", "exhausted")
STATISTICS = Statistics(41, "linear conflict", 41)


def result(status, lower, upper, reason, **changes):
    fields = {
        "plan": None if upper is None else ("U",) * upper,
        "engine": "auto",
        "explanation": "why",
        "statistics": STATISTICS,
        "lower_bound_by": "idastar",
        "upper_bound_by": "beam",
        **changes,
    }
    return Result(
        Status(status),
        lower_bound=lower,
        upper_bound=upper,
        stop_reason=StopReason(reason),
        **fields,
    )


@pytest.mark.parametrize(("status", "reason"), [*product(("feasible", "unknown"), CUT_SHORT)])
def test_what_was_cut_short_claims_neither_an_optimum_nor_that_there_is_no_plan(status, reason):
    known = result(status, 53, 59 if status == "feasible" else None, reason)
    head, text = headline(SLIDING, known), proof(known)
    assert "impossible" not in head + text and "unsolvable" not in head + text
    assert "proved:" not in head + text
    if status == "feasible":
        is_asked = reason in ("time", "exhausted")
        assert head == f"59 moves, not proved shortest{'' if is_asked else ' (why)'}"
        ratio = "so this one is at most 1.12 times the shortest; "
        assert text.startswith(f"every plan has 53 or more, {ratio}first bound ")
        assert text.endswith("; plan by beam search")
    else:
        assert head == "gave up (why), no plan yet"
        assert text.startswith("every plan has 53 moves or more; ")


@pytest.mark.parametrize(
    ("length", "bound", "told"),
    [
        (214, 147, "at most 1.46 times the shortest"),
        (200, 100, "at most 2 times the shortest"),
        # Never less than it is.
        (100_001, 100_000, "at most 1.01 times the shortest"),
        (7, 0, ""),
        (7, None, ""),
        (7, 7, ""),
    ],
)
def test_a_plan_beside_the_shortest(length, bound, told):
    assert within(length, bound) == told


@pytest.mark.parametrize(
    ("status", "bounds", "reason", "told"),
    [
        ("optimal", (59, 59), "solved", "59 moves{}, proved shortest"),
        ("feasible", (53, 59), "time", "59 moves{}, not proved shortest"),
        ("unknown", (53, None), "time", "gave up (why), no plan{} yet"),
        ("unsolvable", (None, None), "unsolvable", "unsolvable, no plan{}"),
        ("no plan within horizon", (9, None), "horizon", "proved: no plan of 8 moves or fewer{}"),
    ],
)
def test_a_goal_is_named_where_it_is_not_the_first(status, bounds, reason, told):
    known = result(status, *bounds, reason)
    goals = {name: make("sliding", 3, 3, name) for name in ("blank-first", "snail")}
    own = SLIDING.with_goal((1, 2, 3, 4, 0, 5, 6, 7, 8))
    free = SLIDING.with_goal((1, 2, 3, *[OPEN] * 6))
    for name, puzzle in {
        "": SLIDING,
        **{f" to {name}": puzzle for name, puzzle in goals.items()},
        " to 1 2 3 / 4 0 5 / 6 7 8": own,
        " to 1 2 3 / * * * / * * *": free,
    }.items():
        assert headline(puzzle, known, 8) == told.format(name).removesuffix(", no plan")


def test_only_an_optimal_plan_is_called_optimal():
    known = result("optimal", 59, 59, "solved")
    assert headline(SLIDING, known) == "59 moves, proved shortest"
    assert (
        proof(known) == "first bound 41 (linear conflict); 59 by IDA* search; plan by beam search"
    )
    assert headline(SLIDING, result("optimal", 1, 1, "solved")) == "1 move, proved shortest"
    solved = result("optimal", 0, 0, "solved", plan_count=1, penalty=0)
    assert headline(LLOYD, solved) == "0 moves, proved shortest"
    assert proof(solved) == "the board is the goal"


@pytest.mark.parametrize(
    ("lower", "by", "prover"),
    [(59, "idastar", "IDA* search"), (59, "cnf", "SAT"), (41, *["linear conflict"] * 2)],
)
def test_the_summary_says_what_proved_the_plan_shortest(lower, by, prover):
    known = result("optimal", lower, lower, "solved", lower_bound_by=by)
    told = f"{lower} moves, proved shortest ({prover}): first bound 41 (linear conflict); plan by"
    problem = Problem(SLIDING, SLIDING.goal)
    assert summary(problem, known, None, 1.0, verbose=True).startswith(told)
    assert summary(problem, known, None, 1.0) == f"{lower} moves, proved shortest; 1.0 s"


UNITS = (Evidence("records", "r.sqlite", "7 units"),)


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (("feasible", 53, 59, "time"), "59 moves, not proved shortest: every plan has 53 or more"),
        (
            ("unknown", 53, None, "time"),
            "gave up (why), no plan yet: every plan has 53 moves or more",
        ),
        (("unsolvable", None, None, "unsolvable"), "unsolvable: why"),
        (("no plan within horizon", 9, None, "horizon"), "proved: no plan of 8 moves or fewer"),
        (("optimal", 0, 0, "solved"), "0 moves, proved shortest: the board is the goal"),
    ],
)
def test_the_summary_says_no_more_than_what_is_known(known, told):
    problem = Problem(SLIDING, SLIDING.goal)
    assert summary(problem, result(*known), 8, 1.0) == f"{told}; 1.0 s"


def test_the_summary_says_what_a_proof_takes_on_trust():
    known = result("optimal", 59, 59, "solved", rests_on=UNITS)
    told = "59 moves, proved shortest; 7 units from the store; 1.0 s"
    assert summary(Problem(SLIDING, SLIDING.goal), known, None, 1.0) == told


@pytest.mark.parametrize(
    ("is_least", "claim"), [(True, "the fewest"), (False, "not proved the fewest")]
)
def test_transports_are_told(is_least, claim):
    known = result("optimal", 40, 40, "solved", penalty=7, is_least_penalty=is_least)
    assert headline(LLOYD, known) == f"40 moves, proved shortest, 7 t ({claim})"
    assert headline(SLIDING, known) == "40 moves, proved shortest"


@pytest.mark.parametrize(
    ("by_search", "prover"),
    [
        ((41, 43, 45), "breadth-first search"),
        ((41, 43), "breadth-first search and SAT"),
        ((), "SAT"),
    ],
)
def test_a_length_that_breadth_first_search_refutes_is_not_said_to_be_sats(by_search, prover):
    horizons = tuple(
        HorizonRecord("cnf", h, h < 47, 1, 2, 0, 1, 0.0, 0.0, by_search=h in by_search)
        for h in (41, 43, 45, 47)
    )
    how = Statistics(41, "linear conflict", 41, options=Options("g"), horizons=horizons)
    names = {"engine": "cnf", "lower_bound_by": "cnf", "upper_bound_by": "cnf"}
    found = result("optimal", 47, 47, "solved", statistics=how, **names)
    text = summary(Problem(SLIDING, SLIDING.goal), found, None, 1.0, verbose=True)
    assert text == f"47 moves, proved shortest ({prover}): first bound 41 (linear conflict); 1.0 s"
    assert proof(found) == f"first bound 41 (linear conflict); 47 by {prover}"
