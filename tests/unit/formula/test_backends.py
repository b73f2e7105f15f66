"""Back ends of the formula engines, and jobs that refuse what does not go together."""

import pytest
from pysat.solvers import Solver, SolverNames
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.encoders.registry import ENCODINGS, choose_lemmas
from plansolve.errors import EngineError, OptionError
from plansolve.model.problem import Problem
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.backends import BACKENDS, choose_backend
from plansolve.solvers.protocol import Options


@pytest.mark.parametrize("name", [b.name for b in BACKENDS.values() if b.engine == "cnf"])
def test_every_cnf_back_end_finds_the_same_depth(name):
    puzzle = make("sliding", 2, 3)
    start = (4, 5, 0, 1, 2, 3)
    solver = cases.solver(puzzle, start, None, None, "cnf", name)
    found = [h for h in range(15, 22) if not solver.attempt(h).refuted]
    assert found == [21]


@pytest.mark.parametrize("name", [b.name for b in BACKENDS.values() if b.proof])
def test_back_ends_that_declare_a_proof_hand_out_one(name):
    # All eight clauses over three variables: unsatisfiable, and not by units alone.
    clauses = [[a, b, c] for a in (1, -1) for b in (2, -2) for c in (3, -3)]
    with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        assert not solver.solve()
        proof = solver.get_proof()
    # CaDiCaL 3 deletes clauses even after the empty one.
    assert ["0"] in [line.split() for line in proof]


def test_the_first_back_end_of_an_engine_is_its_default():
    assert choose_backend("cnf").name == "glucose42"
    assert choose_backend("cp-sat").name == "cp-sat"
    assert choose_backend("cnf", "minisat22").name == "minisat22"


def test_a_back_end_that_this_pysat_lacks_is_an_engine_error(monkeypatch):
    monkeypatch.delattr(SolverNames, "glucose42")
    puzzle = make("sliding", 2, 2)
    with pytest.raises(EngineError, match="has no back end glucose42: upgrade it"):
        cases.solver(puzzle, (0, 1, 3, 2), None, None).attempt(2)


def test_a_job_refuses_choices_that_do_not_go_together():
    board = Problem(make("torus-ring", 5, 5), tuple(range(1, 26)))
    with pytest.raises(OptionError, match="needs a two-colourable blank graph"):
        Job(board, Options(encoding="half-layer"))


def test_cp_sat_has_perimeters_at_any_length_and_says_what_they_refute():
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


def test_on_few_cells_cp_sat_does_without_perimeters():
    for encoding in ENCODINGS.values():
        small, large = make("sliding", 3, 3), make("sliding", 4, 4)
        assert "perimeter" not in choose_lemmas(encoding, small, engine="cp-sat")
        assert "perimeter" in choose_lemmas(encoding, large, engine="cp-sat")
        usual = (encoding.default(cells, "cp-sat") for cells in (16, 9))
        assert set.difference(*map(set, usual)) == {"perimeter", "deep-perimeter"} & encoding.lemmas
