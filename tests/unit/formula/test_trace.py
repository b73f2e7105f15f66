"""Traces of proofs against a plain reference, brute force, dratify, and on real proofs."""

import io
import itertools
import random
import re
from typing import NamedTuple

import numpy as np
import pytest
from dratify import check_proof, parse_dimacs
from pysat.solvers import Solver
from support.fixtures.dimacs import write_cnf
from support.reference import rup as reference

from plansolve import read_problem
from plansolve.certcheck.clauses import Clauses, Proof
from plansolve.certcheck.dimacs import read_drup
from plansolve.encoders.cnf import CnfBuilder
from plansolve.encoders.registry import choose_encoding, choose_lemmas
from plansolve.errors import ProofError
from plansolve.solvers.formula.trace import trace_refutation

SOLVERS = ("glucose42", "cadical195", "lingeling")
FOUR = [[1, 2], [1, -2], [-1, 2], [-1, -2]]


class Verdict(NamedTuple):
    """Whether a proof refutes, and else the step that does not follow; None if it just ends."""

    refutes: bool
    step: int | None = None
    reason: str = ""


def check(variables, clauses, text, spare_room=1 << 16):
    formula = Clauses.of(variables, clauses)
    proof = read_drup(io.BytesIO(text.encode()), variables, 1 << 24)
    try:
        trace_refutation(formula, proof, spare_room=spare_room)
    except ProofError as error:
        step = re.match(r"step (\d+): ", str(error))
        return Verdict(False, int(step[1]) - 1 if step else None, str(error))
    return Verdict(True)


def wanted(clauses, lines):
    """The verdict of the reference; where a proof refutes, no step is told."""
    refutes, step = reference.verdict(clauses, steps_of(lines))
    return refutes, None if refutes else step


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
    """Clauses of so many literals, some with repetitions, tautologies or twice."""
    clauses = []
    for _ in range(count):
        length = chooser.choice(lengths)
        clauses.append(
            [chooser.choice((1, -1)) * chooser.randint(1, variables) for _ in range(length)]
        )
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
            lines[at] = " ".join(words)
    return lines


# Arrays so small in the beginning that they must grow, wherever they can.
LITTLE = 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_true_and_mutated_proofs_get_the_verdict_of_the_reference(solver):
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
        assert check(variables, clauses, "\n".join(lines), spare_room=LITTLE).refutes
        for _ in range(6):
            changed = mutated(chooser, lines, variables)
            # A clause of the formula that is deleted may be needed.
            gone = chooser.choice(clauses)
            changed.insert(0, f"d {' '.join(map(str, gone))} 0")
            verdict = check(variables, clauses, "\n".join(changed), LITTLE)
            assert verdict[:2] == wanted(clauses, changed)
            seen[verdict.refutes] += 1
    assert min(seen.values()) > 10


def test_random_steps_get_the_verdict_of_the_reference_and_refute_no_formula_with_a_model():
    chooser = random.Random(1)
    refuted = accepted = 0
    for _ in range(400):
        variables = chooser.randint(2, 6)
        lengths = chooser.choice(((1, 2, 3), (2, 3, 3)))
        clauses = random_formula(chooser, variables, chooser.randint(1, 5 * variables), lengths)
        satisfiable = has_model(variables, clauses)
        added = random_formula(chooser, variables, 6)
        # Deletions are mostly of clauses that are there.
        lines = [
            f"{'d ' if chooser.random() < 0.3 else ''}{' '.join(map(str, clause))} 0"
            for clause in chooser.sample(added + clauses, 8 if len(clauses) > 2 else 4)
        ] + ["0"]
        verdict = check(variables, clauses, "\n".join(lines), LITTLE)
        assert verdict[:2] == wanted(clauses, lines)
        assert not (verdict.refutes and satisfiable)
        refuted += verdict.refutes
        accepted += (verdict.step or 0) > 0
    assert refuted > 50
    assert accepted > 50


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
    for proof in ("\n".join(lines), "\n".join(lines[len(lines) // 2 :]), "0"):
        ours = check(30, clauses, proof).refutes
        theirs = check_proof(formula, proof, check_rat=False, engine="python").ok
        assert ours == theirs
    assert check(30, clauses, "\n".join(lines)).refutes


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
    assert check(builder.variables, builder.clauses, "\n".join(lines)).refutes
    additions = [at for at, line in enumerate(lines) if not line.startswith("d")]
    middle = additions[len(additions) // 2]
    assert not check(builder.variables, builder.clauses, "\n".join(lines[:middle])).refutes
    # The last clauses rest on the first ones.
    assert not check(builder.variables, builder.clauses, "\n".join(lines[middle:])).refutes


def test_a_proof_made_under_assumptions_is_refused():
    clauses = [[-1, 2, 3], [-1, 2, -3], [-1, -2, 3], [-1, -2, -3]]
    lines = solved("glucose42", clauses, [1])
    assert lines[-1] == "0"
    verdict = check(3, clauses, "\n".join(lines[-1:]))
    assert verdict[:2] == (False, 0)
    assert verdict.reason == "step 1: the empty clause does not follow by unit propagation"


def test_a_wrong_step_is_found_though_the_rest_follows_with_it():
    for steps in ("1 0\n-1 0\n", "3 0\n1 0\n-1 0\n", "1 2 0\n-1 0\n1 0\n0\n"):
        verdict = check(3, [[1, 2, 3]], steps)
        assert (verdict.refutes, verdict.step) == (False, 0)


def test_a_refutation_is_complete_at_the_first_conflict():
    # What comes after it is not looked at.
    assert check(3, FOUR, "1 3 0\n1 0\n3 0\n0\n").refutes
    # A bare 0 is a step like any other.
    assert not check(3, FOUR, "0\n1 0\n").refutes


def test_a_formula_may_fall_by_itself():
    for clauses in ([[]], [[1], [-1]], [[1, 2], [-2], [-1, -1]]):
        assert check(2, clauses, "").refutes
    assert not check(2, [], "0").refutes


def test_a_proof_that_stops_early_says_so():
    verdict = check(2, FOUR, "1 2 0\nd 1 2 0\n")
    assert verdict[:2] == (False, None)
    assert "ends before" in verdict.reason


def test_the_clause_that_does_not_follow_is_named():
    verdict = check(4, [[1, 2]], "1 2 3 0\n-3 4 0\n")
    assert verdict.step == 1
    assert verdict.reason == "step 2: the clause -3 4 does not follow by unit propagation"


@pytest.mark.parametrize(
    ("deletions", "refutes"),
    [
        ("", True),
        ("d 2 1 0\n", False),  # in another order
        ("d 1 2 2 1 0\n", False),  # with repetitions
        ("d 1 0\n", True),  # a part of it is another clause
        ("d 1 2 3 0\n", True),
        ("d 1 -2 0\nd 2 1 0\n", False),
    ],
)
def test_deletions_go_by_the_set_of_literals(deletions, refutes):
    assert check(3, FOUR, f"{deletions}1 0\n").refutes is refutes
    # One that is there twice has to be deleted twice.
    assert check(3, [*FOUR, [2, 1]], f"{deletions}1 0\n").refutes is (
        refutes or deletions.count("d") == 1
    )


def test_derived_literals_outlive_their_clauses():
    # 1 follows, and 2 from it, when the formula is read.
    clauses = [[1], [-1, 2], [-2, 3, 4], [-2, 3, -4], [-3, 4], [-3, -4]]
    assert check(4, clauses, "d 1 0\nd -1 2 0\n3 0\n").refutes


def test_many_deletions_keep_the_rest_intact():
    # Enough garbage for the arena to be collected several times, between clauses that are used.
    chooser = random.Random(2)
    lines = []
    for _ in range(20000):
        clause = [1, 2, *chooser.sample(range(3, 60), 12)]
        lines.append(f"{' '.join(map(str, clause))} 0")
        lines.append(f"d {' '.join(map(str, reversed(clause)))} 0")
    verdict = check(60, FOUR, "\n".join([*lines, "3 4 0", "1 0"]))
    # `3 4` does not follow: without assumptions nothing does.
    assert (verdict.refutes, verdict.step) == (False, len(lines)), verdict
    assert check(60, FOUR, "\n".join([*lines, "1 3 0", "1 0"])).refutes


def test_a_large_formula_is_taken_in_whole_before_a_short_proof():
    # The formula is more than one slice of work, and the proof has fewer steps than it clauses.
    chaff = [[5, 6, 7 + i % 5] for i in range(200_000)]
    assert check(12, [*chaff, *FOUR], "1 0\n0\n").refutes


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


def test_arrays_of_other_types_and_proofs_about_others_are_refused():
    with pytest.raises(ProofError, match="int32"):
        Clauses(2, np.array([1.0]), np.array([1]))
    with pytest.raises(ProofError, match="bools"):
        Proof(2, np.array([1], np.int32), np.array([1]), np.zeros(2, np.bool_))
    with pytest.raises(ProofError, match="between 0"):
        Clauses.of(1 << 31, [])
    with pytest.raises(ProofError, match="literal"):
        Clauses.of(5, [[2**40]])
    with pytest.raises(ProofError, match="about 3 variables"):
        trace_refutation(Clauses.of(2, []), read_drup(io.BytesIO(b"3 0"), 3, 9))
