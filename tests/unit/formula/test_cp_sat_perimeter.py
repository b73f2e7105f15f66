"""CP-SAT has perimeters at any length, and says what they refute."""

from support.fixtures import cases
from support.reference.oracle import Rules

from plansolve.encoders.registry import ENCODINGS, choose_lemmas


def test_lengths_are_refuted_by_search_and_the_plan_is_the_solvers():
    puzzle = cases.make("sliding", 3, 4)
    (start,) = cases.scrambles(puzzle, 1, 24, 3)
    solver = cases.solver(puzzle, start, "half-layer", None, "cp-sat")
    records = []
    for horizon in range(0, 25, 2):
        attempt = solver.attempt(horizon)
        records.append(attempt.record)
        if not attempt.refuted:
            break
    plan = attempt.plan
    assert Rules.of(puzzle).replay(start, plan)[-1] == puzzle.goal
    refuted = records[:-1]
    assert sum(r.by_search for r in refuted) >= 2
    assert all(r.conflicts == 0 for r in refuted if r.by_search)
    assert records[-1].boards > 0 and not records[-1].by_search


def test_boards_of_few_cells_do_without():
    for encoding in ENCODINGS.values():
        assert "perimeter" not in choose_lemmas(encoding, engine="cp-sat", cells=9)
        assert "perimeter" in choose_lemmas(encoding, engine="cp-sat", cells=16)
        assert encoding.cpsat_large_default == {"perimeter", "deep-perimeter"} & encoding.lemmas
