"""Back ends of the formula engines, and jobs that refuse what does not go together."""

import pytest
from pysat.solvers import Solver, SolverNames
from support.fixtures import cases
from support.fixtures.cases import make

from plansolve.errors import EngineError, OptionError
from plansolve.model.problem import Problem
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.backends import BACKENDS, FORMULA_ENGINES, choose_backend


def test_every_cnf_back_end_is_one_of_pysat_s():
    known = {name for name in vars(SolverNames) if not name.startswith("_")}
    cnf = {backend.name for backend in BACKENDS.values() if backend.engine == "cnf"}
    assert cnf <= known
    assert {backend.engine for backend in BACKENDS.values()} == set(FORMULA_ENGINES)
    assert all(key == backend.name for key, backend in BACKENDS.items())


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
    with pytest.raises(OptionError, match="needs a blank graph"):
        Job(Problem(make("torus-ring", 5, 5), tuple(range(1, 26))), encoding="half-layer")
