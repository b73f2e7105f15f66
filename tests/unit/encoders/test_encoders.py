"""The encodings at their ends, and the choice among them."""

import re
from itertools import permutations

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import ENCODINGS, choose_encoding, choose_lemmas
from plansolve.errors import OptionError, PlanError
from plansolve.model.problem import Problem
from plansolve.model.structure import Structure


@pytest.mark.parametrize("lemmas", [None, ()], ids=["default", "plain"])
@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_at_horizons_0_and_1_only_the_goal_and_its_neighbours_have_a_plan(encoding, lemmas):
    for puzzle in (make("sliding", 2, 3), make("lloyd", 1, 5), make("loopover", 2, 2)):
        if not ENCODINGS[encoding].fits(Structure(puzzle)):
            continue
        table = Rules.of(puzzle).distances_to(puzzle.goal, 1)
        for start in {*table, *[*permutations(puzzle.goal)][::5]}:
            solver = cases.solver(puzzle, start, encoding, lemmas)
            for horizon in (0, 1):
                plan = solver.attempt(horizon).plan
                assert (plan is not None) == (table.get(start) == horizon), (start, plan)


@pytest.mark.parametrize("encoding", ["half-layer", "full-layer", "permutation"])
def test_a_set_that_is_no_model_is_not_decoded(encoding):
    puzzle = make("sliding", 2, 2)
    problem = Problem(puzzle, (0, 1, 3, 2))
    made = ENCODINGS[encoding].prepare(problem, ())
    decode = made.encode(CnfBuilder(), 4)
    with pytest.raises(PlanError, match="the model"):
        decode(set())
    with pytest.raises(PlanError, match="the model"):
        decode(set(range(1, 500)))


def test_encoding_twice_writes_the_same_formula():
    problem = Problem(make("sliding", 3, 3), (8, 6, 7, 2, 5, 4, 3, 0, 1))
    for encoding in ENCODINGS.values():
        made = encoding.prepare(problem, encoding.default())
        first, second = CnfBuilder(), CnfBuilder()
        made.encode(first, 23)
        made.encode(CnfBuilder(), 25)
        made.encode(second, 23)
        assert first.clauses == second.clauses
        assert first.variables == second.variables


def test_every_literal_of_a_formula_is_a_variable_that_was_made():
    for specification in (("sliding", 3, 3), ("lloyd", 3, 3), ("loopover", 3, 3)):
        puzzle = make(*specification)
        (start,) = cases.scrambles(puzzle, 1, 6, 1)
        for encoding in ENCODINGS.values():
            for lemmas in (encoding.lemmas, ()) if encoding.fits(Structure(puzzle)) else ():
                builder = CnfBuilder()
                encoding.prepare(Problem(puzzle, start), frozenset(lemmas)).encode(builder, 8)
                used = {abs(literal) for clause in builder.clauses for literal in clause}
                assert used <= set(range(1, builder.variables + 1))
                assert all(builder.clauses)


# The choice


def test_the_first_encoding_that_fits_is_chosen():
    chosen = {
        specification: choose_encoding(Structure(make(*specification))).name
        for specification in [("sliding", 4, 4), ("lloyd", 5, 5), ("torus-ring", 5, 5)]
    }
    assert list(chosen.values()) == ["half-layer", "full-layer", "permutation"]
    assert choose_encoding(Structure(cases.row_slides())).name == "permutation"
    assert choose_encoding(Structure(make("lloyd", 1, 3))).name == "half-layer"
    assert choose_encoding(Structure(make("sliding", 4, 4)), "permutation").name == "permutation"


REFUSED = {
    ("sliding", "quarter-layer", ()): "unknown encoding 'quarter-layer': choose from half",
    ("lloyd", "half-layer", ()): "the half-layer encoding needs a two-colourable blank graph; "
    "for this puzzle: full-layer, permutation",
    ("loopover", "full-layer", ()): "the full-layer encoding needs a blank graph; for this puzzle: "
    "permutation",
    ("sliding", "half-layer", ("nonsense",)): "unknown lemma 'nonsense': choose from deep-perimet",
    ("sliding", "full-layer", ("linear-conflict",)): "the full-layer encoding has no lemma "
    "'linear-conflict': choose from deep-perimeter, ",
    ("sliding", "half-layer", ("linear-conflict",)): "linear-conflict needs waste-count",
    ("sliding", "half-layer", ("none", "distance")): "`none` must stand alone",
}


@pytest.mark.parametrize("choice", REFUSED, ids=str)
def test_what_does_not_exist_or_fit_is_refused(choice):
    specification, encoding, lemmas = choice
    puzzle = make(specification, 3, 3)
    with pytest.raises(OptionError, match=re.escape(REFUSED[choice])):
        choose_lemmas(choose_encoding(Structure(puzzle), encoding), puzzle, lemmas)


def test_no_lemmas_and_default_lemmas_are_two_choices():
    puzzle = make("sliding", 3, 3)
    for encoding in ENCODINGS.values():
        assert choose_lemmas(encoding, puzzle) == encoding.default(9) <= encoding.lemmas
        assert choose_lemmas(encoding, puzzle, ()) == frozenset()
        assert choose_lemmas(encoding, puzzle, iter(sorted(encoding.lemmas))) == encoding.lemmas
