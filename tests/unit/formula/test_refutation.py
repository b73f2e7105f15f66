"""Traces of proofs against a plain reference, brute force, dratify, and on real proofs."""

import io
import itertools
import random

import numpy as np
import pytest
from dratify import check_proof, parse_dimacs
from pysat.solvers import Solver
from support.fixtures.dimacs import write_cnf
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


def has_model(variables, clauses):
    return any(
        all(
            any((literal > 0) == model[abs(literal) - 1] for literal in clause)
            for clause in clauses
        )
        for model in itertools.product((False, True), repeat=variables)
    )


def random_formula(chooser, variables, count, lengths=(2, 3, 3, 3, 3, 4)):
    """Clauses of so many literals, some tautologies or twice."""
    clauses = []
    for _ in range(count):
        length = chooser.choice(lengths)
        literals = [x for x in range(-variables, variables + 1) if x]
        clauses.append(chooser.sample(literals, length))
    return clauses + [list(reversed(clause)) for clause in clauses[:2]]


def mutated(chooser, lines, variables):
    """The proof with a step dropped, moved, doubled, deleted or with another literal."""
    lines = list(lines)
    for _ in range(chooser.randint(1, 3)):
        at = chooser.randrange(len(lines))
        kind = chooser.randrange(6)
        if kind == 0 and len(lines) > 1:
            del lines[at]
        elif kind == 1:
            other = chooser.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 2:
            lines.insert(at, lines[chooser.randrange(len(lines))])
        elif kind == 3:
            lines.insert(at, "d " + lines[chooser.randrange(len(lines))].removeprefix("d "))
        elif kind == 4:
            lines[at] = lines[at].removeprefix("d ")
        else:
            words = lines[at].split()
            place = chooser.randrange(len(words) - 1) if len(words) > 1 else 0
            if words[place] not in ("d", "0"):
                words[place] = str(chooser.choice((1, -1)) * chooser.randint(1, variables))
            lines[at] = " ".join(dict.fromkeys(words))
    return lines


@pytest.mark.parametrize("solver", SOLVERS)
def test_true_proofs_hold_and_mutated_ones_as_far_as_they_are_needed(solver):
    chooser = random.Random(solver)
    seen = {True: 0, False: 0}
    for _ in range(60):
        variables = chooser.randint(6, 8)
        clauses = random_formula(chooser, variables, 6 * variables)
        if has_model(variables, clauses):
            continue
        lines = solved(solver, clauses)
        if len(lines) < 3:
            continue
        assert check(variables, clauses, lines) is None
        for _ in range(6):
            changed = mutated(chooser, lines, variables)
            # A clause of the formula that is deleted may be needed.
            gone = chooser.choice(clauses)
            changed.insert(0, f"d {' '.join(map(str, gone))} 0")
            refutes, _ = reference.verdict(clauses, steps_of(changed))
            reason = check(variables, clauses, changed)
            # A wrong step may not be needed.
            assert reason is None or not refutes
            seen[reason is None] += 1
    assert min(seen.values()) > 10


def test_random_steps_refute_what_the_reference_says_and_no_formula_with_a_model():
    chooser = random.Random(1)
    refuted = refused = 0
    for _ in range(400):
        variables = chooser.randint(2, 6)
        lengths = chooser.choice(((1, 2, 3), (2, 3, 3)))
        clauses = random_formula(chooser, variables, chooser.randint(1, 5 * variables), lengths)
        satisfiable = has_model(variables, clauses)
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
    encoding.prepare(problem, choose_lemmas(encoding, lemmas)).encode(builder, 27)
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
    assert (
        check(3, clauses, lines[-1:])
        == "the clause without literals does not follow by unit propagation"
    )


def test_a_wrong_step_is_found_though_the_rest_follows_with_it():
    for steps in (["1 0", "-1 0"], ["3 0", "1 0", "-1 0"], ["1 2 0", "-1 0", "1 0", "0"]):
        assert "does not follow" in check(3, [[1, 2, 3]], steps)


def test_a_refutation_is_complete_at_the_first_conflict():
    # What comes after it is not looked at.
    assert check(3, FOUR, ["1 3 0", "1 0", "3 0", "0"]) is None
    # A bare 0 is a step like any other.
    assert check(3, FOUR, ["0", "1 0"])


def test_a_formula_may_fall_by_itself():
    for clauses in ([[]], [[1], [-1]], [[1, 2], [-2], [-1]]):
        assert check(2, clauses, []) is None
    assert check(2, [], ["0"])


def test_a_proof_that_stops_early_says_so():
    assert "ends before" in check(2, FOUR, ["1 2 0", "d 1 2 0"])


def test_the_clause_that_does_not_follow_is_named():
    reason = check(4, [[1, 2]], ["1 2 3 0", "-3 4 0", "-4 0", "3 0"])
    assert reason == "the clause 3 does not follow by unit propagation"


@pytest.mark.parametrize(
    ("deletions", "refutes"),
    [
        ([], True),
        (["d 2 1 0"], False),  # in another order
        (["d 1 0"], True),  # a part of it is another clause
        (["d 1 2 3 0"], True),
        (["d 1 -2 0", "d 2 1 0"], False),
    ],
)
def test_deletions_go_by_the_set_of_literals(deletions, refutes):
    assert (check(3, FOUR, [*deletions, "1 0"]) is None) is refutes
    # One that is there twice stays there.
    assert check(3, [*FOUR, [2, 1], [-2, 1]], [*deletions, "1 0"]) is None


def test_derived_literals_outlive_their_clauses():
    # 1 follows, and 2 from it, when the formula is read.
    clauses = [[1], [-1, 2], [-2, 3, 4], [-2, 3, -4], [-3, 4], [-3, -4]]
    assert check(4, clauses, ["d 1 0", "d -1 2 0", "3 0"]) is None


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
        ([1, 3], [2], "clause 1: 3 is no literal of 2 variables"),
        ([1, 0], [1, 2], "clause 2: 0 is no literal"),
        ([-(2**31)], [1], "no literal"),
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
