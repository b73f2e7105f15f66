"""Traces of proofs against a plain reference, brute force, dratify, and on real proofs."""

import io
import random

import numpy as np
import pytest
from dratify import check_proof, parse_dimacs
from pysat.solvers import Solver
from support.fixtures.dimacs import has_model, write_cnf
from support.reference import rup as reference

from plansolve import read_problem
from plansolve.certcheck.clauses import Clauses, lines_of
from plansolve.certcheck.lrat import check_hints
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.errors import ProofError
from plansolve.solvers.formula import refutation
from plansolve.solvers.formula.refutation import trimmed

SOLVERS = ("glucose42", "cadical195", "lingeling")
FOUR = [[1, 2], [1, -2], [-1, 2], [-1, -2]]


def check(variables, clauses, lines):
    """Return None for a proof of which what is needed holds, step by step, and else the reason."""
    formula = Clauses.of(variables, clauses)
    try:
        core, steps = trimmed(formula, lines)
    except ProofError as error:
        return str(error)
    assert check_hints(core, [steps]) is None
    rest = lines_of(formula)
    assert all(line in rest for line in lines_of(core))
    return None


def solved(solver, clauses, assumptions=()):
    with Solver(name=solver, bootstrap_with=clauses, with_proof=True) as engine:
        assert engine.solve(assumptions=list(assumptions)) is False
        return engine.get_proof()


def steps_of(lines):
    for line in lines:
        words = line.split()
        deletes = words[0] == "d"
        yield deletes, [int(word) for word in words[deletes:-1]]


def random_formula(chooser, variables, count, lengths=(2, 3, 3, 3, 3, 4)):
    """Clauses of so many literals, some tautologies or twice."""
    clauses = []
    for _ in range(count):
        length = chooser.choice(lengths)
        literals = [x for x in range(-variables, variables + 1) if x]
        clauses.append(chooser.sample(literals, length))
    return clauses + [list(reversed(clause)) for clause in clauses[:2]]


def test_random_steps_refute_what_the_reference_says_and_no_formula_with_a_model():
    chooser = random.Random(1)
    refuted = refused = 0
    for _ in range(400):
        variables = chooser.randint(2, 6)
        lengths = chooser.choice(((1, 2, 3), (2, 3, 3)))
        clauses = random_formula(chooser, variables, chooser.randint(1, 5 * variables), lengths)
        satisfiable = has_model(clauses, variables)
        added = random_formula(chooser, variables, 6, (1, 2, 3))
        # Deletions are mostly of clauses that are there.
        lines = [
            f"{'d ' if chooser.random() < 0.3 else ''}{' '.join(map(str, clause))} 0"
            for clause in chooser.sample(added + clauses, 8 if len(clauses) > 2 else 4)
        ] + ["0"]
        reason = check(variables, clauses, lines)
        refutes, _ = reference.verdict(clauses, steps_of(lines))
        assert reason is not None or not satisfiable
        assert reason is None or not refutes
        refuted += reason is None
        refused += reason is not None
    assert min(refuted, refused) > 50


@pytest.mark.parametrize("solver", SOLVERS)
def test_dratify_agrees(solver):
    chooser = random.Random(solver)
    clauses = [[a, b, c] for a, b, c in (
        [chooser.choice((1, -1)) * v for v in chooser.sample(range(1, 31), 3)] for _ in range(180)
    )]  # fmt: skip
    lines = solved(solver, clauses)
    text = io.BytesIO()
    write_cnf(Clauses.of(30, clauses), text)
    formula = parse_dimacs(text.getvalue().decode())
    for proof in (lines, lines[len(lines) // 2 :], ["0"]):
        theirs = check_proof(formula, "\n".join(proof), check_rat=False, engine="python").ok
        assert (check(30, clauses, proof) is None) == theirs


@pytest.mark.parametrize(
    "lemmas", [None, pytest.param((), marks=pytest.mark.slow)], ids=["lemmas", "plain"]
)
@pytest.mark.parametrize("solver", ["glucose42", "cadical195"])
def test_a_proof_about_a_board_is_accepted_and_its_halves_are_not(solver, lemmas):
    problem = read_problem("8 6 7\n2 5 4\n3 . 1")
    encoding = choose_encoding(problem.structure)
    builder = CnfBuilder()
    encoding.prepare(problem, choose_lemmas(encoding, problem.puzzle, lemmas)).encode(builder, 27)
    lines = solved(solver, builder.clauses)
    assert check(builder.variables, builder.clauses, lines) is None
    additions = [at for at, line in enumerate(lines) if not line.startswith("d")]
    middle = additions[len(additions) // 2]
    assert check(builder.variables, builder.clauses, lines[:middle])
    # The last clauses rest on the first ones.
    assert check(builder.variables, builder.clauses, lines[middle:])


def test_a_proof_made_under_assumptions_is_refused():
    clauses = [[-1, 2, 3], [-1, 2, -3], [-1, -2, 3], [-1, -2, -3]]
    lines = solved("glucose42", clauses, [1])
    assert lines[-1] == "0"
    assert "without literals does not follow" in check(3, clauses, lines[-1:])


TWICE = [*FOUR, [2, 1], [-2, 1]]
# 1 follows, and 2 from it, when the formula is read.
DERIVED = [[1], [-1, 2], [-2, 3, 4], [-2, 3, -4], [-3, 4], [-3, -4]]
VERDICTS = {
    "a wrong step, though the rest follows": ([[1, 2, 3]], ["1 0", "-1 0"], "does not follow"),
    "a step more": ([[1, 2, 3]], ["3 0", "1 0", "-1 0"], "does not follow"),
    "a step that holds": ([[1, 2, 3]], ["1 2 0", "-1 0", "1 0", "0"], "does not follow"),
    "what comes after the first conflict": (FOUR, ["1 3 0", "1 0", "3 0", "0"], None),
    "a bare 0 is a step like any other": (FOUR, ["0", "1 0"], "does not follow"),
    "an empty clause": ([[]], [], None),
    "units that disagree": ([[1], [-1]], [], None),
    "a formula that falls by propagation": ([[1, 2], [-2], [-1]], [], None),
    "a formula without clauses": ([], ["0"], "does not follow"),
    "a proof that stops early": (FOUR, ["1 2 0", "d 1 2 0"], "ends before"),
    "the clause is named": (
        [[1, 2]],
        ["1 2 3 0", "-3 4 0", "-4 0", "3 0"],
        "the clause 3 does not follow by unit propagation",
    ),
    "a deletion, in another order": (FOUR, ["d 2 1 0", "1 0"], "does not follow"),
    "a part of a clause is another": (FOUR, ["d 1 0", "1 0"], None),
    "and so is a longer one": (FOUR, ["d 1 2 3 0", "1 0"], None),
    "two deletions": (FOUR, ["d 1 -2 0", "d 2 1 0", "1 0"], "does not follow"),
    "one that is there twice stays": (TWICE, ["d 1 -2 0", "d 2 1 0", "1 0"], None),
    "derived literals outlive their clauses": (DERIVED, ["d 1 0", "d -1 2 0", "3 0"], None),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts_of_which_all_is_known(name):
    clauses, lines, said = VERDICTS[name]
    reason = check(4, clauses, lines)
    assert reason is None if said is None else said in reason


def test_clauses_that_come_and_go_keep_the_rest_intact():
    chooser = random.Random(2)
    lines = []
    for _ in range(20000):
        clause = [1, 2, *chooser.sample(range(3, 60), 12)]
        lines.append(f"{' '.join(map(str, clause))} 0")
        lines.append(f"d {' '.join(map(str, reversed(clause)))} 0")
    assert "does not follow" in check(60, FOUR[:3], [*lines, "3 4 0", "-3 0", "-4 0", "1 0"])
    assert check(60, FOUR, [*lines, "1 3 0", "1 0"]) is None


def test_a_log_that_grows_and_more_than_one_slice_of_work(monkeypatch):
    monkeypatch.setattr(refutation, "_SPARE_ROOM", 0)
    # All values follow from the first, which the proof gives, and the last clause needs them all.
    chain = [[-1, 2], *([-x, -x - 1, x + 2] for x in range(1, 3001))]
    end = [[-x for x in range(1, 3003)]]
    assert check(3003, [*chain, *end, [1, 3003], [1, -3003]], ["1 0"]) is None


@pytest.mark.parametrize("line", ["1 2", "1 0 2 0", "1 x 0", "0 1", "9 0", "9999999999 0"])
def test_lines_that_are_no_clauses_are_refused(line):
    assert check(3, FOUR, ["1 2 0", line])


@pytest.mark.parametrize(
    ("literals", "ends", "wrong"),
    [
        ([1, 3], [2], "clause 1: 3 is not a literal of 2 variables"),
        ([1, 0], [1, 2], "clause 2: 0 is not a literal"),
        ([-(2**31)], [1], "is not a literal"),
        ([1, 2], [2, 1], "do not rise"),
        ([1, 2], [1], "do not rise"),
        ([1, 2], [-1, 2], "do not rise"),
        ([], [1], "do not rise"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(literals, ends, wrong):
    with pytest.raises(ProofError, match=wrong):
        Clauses(2, np.array(literals, np.int32), np.array(ends, np.int64))


def test_arrays_of_other_types_are_refused():
    with pytest.raises(ProofError, match="int32"):
        Clauses(2, np.array([1.0]), np.array([1]))
    with pytest.raises(ProofError, match="between 0"):
        Clauses.of(1 << 31, [])
    with pytest.raises(ProofError, match="literal"):
        Clauses.of(5, [[2**40]])
