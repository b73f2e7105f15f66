"""Work units of SAT: the cubes of a formula cover it, and answers are the same for every worker."""

from contextlib import closing
from dataclasses import replace

import pytest
from support.fixtures.cases import distance_table, make

from plansolve.encoders.cnf import CnfBuilder
from plansolve.errors import InternalError
from plansolve.model.problem import Problem
from plansolve.solvers.formula.attempt import Job
from plansolve.solvers.formula.cubes import CubeUnit, FormulaRecipe, LoadedFormula
from plansolve.solvers.formula.horizon import HorizonSolver
from plansolve.solvers.limits import stopped_by
from plansolve.solvers.protocol import Options
from plansolve.solvers.units.executors import process_executor, thread_executor
from plansolve.solvers.units.team import ProofRecords, Team


def board(name, length):
    table = distance_table(name, 3, 3, depth=15 if name == "lloyd" else None)
    start = min(b for b, steps in table.items() if steps == length)
    return Problem(make(name, 3, 3), start)


@pytest.mark.parametrize(
    ("name", "length"),
    [("sliding", 15), ("lloyd", 7), pytest.param("lloyd", 13, marks=pytest.mark.slow)],
)
def test_a_team_finds_what_one_solver_finds(name, length, tmp_path):
    job = Job(board(name, length), Options())
    alone = HorizonSolver(job)
    conflicts = []
    with thread_executor(2) as threads, process_executor(2) as processes:
        for executor in (threads, processes):
            shared = HorizonSolver(job, many_conflicts=0, team=Team(executor))
            for horizon in (length - 2, length):
                one, other = alone.attempt(horizon), shared.attempt(horizon)
                assert one.refuted == other.refuted == (horizon < length)
                assert (other.plan is None) == (horizon < length)
                assert other.record.cubes > 1
                if horizon < length:
                    conflicts.append(other.record.conflicts)
    assert conflicts[0] == conflicts[1]


def test_cubes_of_the_store_are_not_refuted_again(tmp_path):
    job = Job(board("sliding", 15), Options())
    store = str(tmp_path / "a.sqlite")
    with closing(ProofRecords(store, "proof")) as records, thread_executor(1) as executor:
        teams = [Team(executor, records) for _ in "ab"]
        first, again = (
            HorizonSolver(job, many_conflicts=0, team=team).attempt(13) for team in teams
        )
        assert first.refuted and again.refuted
        assert first.record.conflicts == again.record.conflicts
        assert teams[0].done == teams[1].known == first.record.cubes
        assert teams[1].done == 0


def unit(horizon=11):
    job = Job(board("sliding", 13), Options())
    recipe = FormulaRecipe.of(job, horizon)
    loaded = recipe.loaded()
    choices = loaded.decode.choices()
    return CubeUnit(recipe, loaded.identity, job.backend.name, tuple(c[0] for c in choices))


def test_a_unit_that_is_unwanted_or_of_another_formula():
    assert unit().run().is_done
    with stopped_by(lambda: True):
        assert not unit().run().is_done
    with pytest.raises(InternalError, match="another formula"):
        replace(unit(), identity="1 2").run()
    assert len({unit(9).key, unit(11).key, replace(unit(), cube=(-unit().cube[0],)).key}) == 3


def test_formulas_of_as_many_clauses_are_not_the_same():
    def identity(*clauses):
        builder = CnfBuilder()
        builder.clauses.extend(clauses)
        return LoadedFormula(builder, unit().formula.loaded().decode).identity

    assert identity([1, 2], [3]) == identity([1, 2], [3])
    forms = [([1, 2], [3]), ([1], [2, 3]), ([1, 2], [-3]), ([1, 3], [2])]
    assert len({identity(*form) for form in forms}) == 4


def test_answers_from_a_store_are_read_with_distrust():
    one = unit()
    answer = one.run()
    assert one.answer(answer.document(), 2.0) == replace(answer, seconds=2.0)
    for document in (
        {"conflicts": -1, "plan": None},
        {"conflicts": "7", "plan": None},
        {"conflicts": 7, "plan": ["U"]},
        {"conflicts": 7, "plan": [1, 2]},
        {"conflicts": 7, "plan": "UD"},
    ):
        with pytest.raises(ValueError, match=r"."):
            one.answer(document, 2.0)
