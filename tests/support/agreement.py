"""What the exhaustive tests share: variants of the encodings, and agreement with the oracle."""

from itertools import permutations

import pytest

from plansolve.checker import check_plan
from plansolve.encoders.registry import ENCODINGS
from plansolve.model.problem import Problem
from support import cases
from support.oracle import Rules

SIX = tuple(permutations(range(6)))
NAMES = {None: "default", (): "plain"}


def name_of(variant):
    encoding, lemmas = variant
    return f"{encoding}-{NAMES.get(lemmas) or '+'.join(lemmas)}"


def over_variants(puzzle, but=None):
    """Parametrizes by (index, variant): a test takes every so many-th board for its variant.

    Variants of the encoding `but` are left out. Those that are no default choice, nor none or all
    of the lemmas, are slow tests, and with them their boards.
    """
    found = [variant for variant in cases.variants(puzzle) if variant[0] != but]
    return pytest.mark.parametrize(
        ("index", "variant"),
        [
            pytest.param(index, variant, id=name_of(variant), marks=unless_usual(variant))
            for index, variant in enumerate(found)
        ],
    )


def unless_usual(variant):
    """The mark `slow`, but for the default lemmas of an encoding, for none, and for more: all."""
    name, lemmas = variant
    encoding = ENCODINGS[name]
    usual = [None, ()]
    if encoding.default != encoding.lemmas:
        usual.append(tuple(sorted(encoding.lemmas)))
    return () if lemmas in usual else pytest.mark.slow


def agrees(puzzle, start, depth, variant, horizons=None, engine="cnf", backend=None):
    """Checks one board at the horizons given, or else at all up to its depth."""
    solver = cases.solver(puzzle, start, *variant, engine, backend)
    for horizon in range(depth + 1) if horizons is None else horizons:
        plan = solver.attempt(horizon).solution.plan
        if horizon < depth:
            assert plan is None, f"{start} has no plan of {horizon} moves, but {plan}"
        else:
            assert plan is not None, f"{start} has a plan of {horizon} moves"
            assert len(plan) == horizon
            assert Rules.of(puzzle).replay(start, plan)[-1] == puzzle.goal
            assert check_plan(Problem(puzzle, start), plan).solves


def refuted(puzzle, start, variant, horizons, engine="cnf", backend=None):
    solver = cases.solver(puzzle, start, *variant, engine, backend)
    for horizon in horizons:
        plan = solver.attempt(horizon).solution.plan
        assert plan is None, f"{start} has no plan at all, but {plan}"


def ends(depth, below=1):
    """The horizons that tell most: the smallest, where layers coincide, and those at the depth."""
    return sorted({h for h in (0, depth - below, depth) if 0 <= h <= depth})


def backend_of(number):
    """CaDiCaL for a share of the boards."""
    return "cadical195" if number % 4 == 3 else "glucose42"


SLIDING_GOALS = {
    "blank-last": "blank-last",
    "blank-first": "blank-first",
    "snail": "snail",
    "blank-in-the-middle": (1, 0, 2, 3, 4, 5),
}


def two_by_three(goal="blank-last"):
    puzzle = cases.make("sliding", 2, 3, SLIDING_GOALS[goal])
    return puzzle, cases.distance_table("sliding", 2, 3, SLIDING_GOALS[goal])
