"""Proofs with hints: trimming makes them, a pass over the hints checks them, a twin agrees."""

import io
import re
from itertools import count, pairwise
from random import Random

import numpy as np
import pytest
from pysat.solvers import Solver
from support.fixtures.dimacs import has_model, listed

from plansolve.certcheck.clauses import Clauses, HintedProof
from plansolve.certcheck.lrat import _Known, check_hints, read_lrat
from plansolve.certcheck.lrat_kernel import REFUTED
from plansolve.certcheck.threads import never
from plansolve.errors import ProofError
from plansolve.solvers.formula import refutation
from plansolve.solvers.formula.refutation import trimmed


def refutations(count, seed, variables=12):
    """Formulas without a model, as lists of clauses, and DRUP proofs of that by a SAT solver."""
    random = Random(seed)
    while count:
        names = range(1, random.randrange(3, variables + 1) + 1)
        clauses = [
            [random.choice((-1, 1)) * x for x in random.sample(names, random.choice((1, 2, 3, 3)))]
            for _ in range(random.randrange(4, 7 * len(names)))
        ]
        name = random.choice(("cadical195", "glucose42", "glucose3", "lingeling"))
        with Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
            if solver.solve():
                continue
            proof = solver.get_proof()
        count -= 1
        yield Clauses.of(len(names), clauses), proof


def hints_of(proof):
    cuts = pairwise([0, *proof.hint_ends.tolist()])
    return [proof.hints[begin:end].tolist() for begin, end in cuts]


def twin(formula, proof):
    """Return True if a proof refutes a formula, in sets."""
    known = [set(clause) for clause in listed(formula)]
    for clause, hints in zip(listed(proof.steps), hints_of(proof), strict=True):
        true = {-x for x in clause}
        follows = any(-x in true for x in true)
        for hint in hints:
            if follows:
                break
            left = known[hint - 1]
            if left & true:
                continue
            left = {x for x in left if -x not in true}
            if len(left) > 1:
                return False
            follows = not left
            true |= left
        if not follows:
            return False
        if not clause:
            return True
        known.append(set(clause))
    return False


def test_what_is_left_of_a_refutation_is_one_and_no_more_than_is_needed():
    shorter = 0
    for formula, proof in refutations(120, seed=3):
        core, steps = trimmed(formula, proof)
        clauses = listed(core)
        # Clauses of the formula, in their order, that have no model.
        rest = iter(listed(formula))
        assert all(clause in rest for clause in clauses)
        assert not has_model(clauses, core.variables)
        assert check_hints(core, [steps]) is None and twin(core, steps)
        # Each is named by a later step.
        named = {hint for hints in hints_of(steps) for hint in hints}
        assert named == set(range(1, len(core) + len(steps.steps)))
        shorter += len(core) < len(formula)
    assert shorter > 100


def changed(core, proof, random):
    """The proof with one hint, or one literal, that is another."""
    hints, literals = proof.hints.copy(), proof.steps.literals.copy()
    if random.random() < 0.7 or not len(literals):
        place = random.randrange(len(hints))
        step = int(np.searchsorted(proof.hint_ends, place, side="right"))
        hints[place] = random.randrange(1, proof.first + step)
    else:
        place = random.randrange(len(literals))
        literals[place] = random.choice((-1, 1)) * random.randrange(1, core.variables + 1)
    steps = Clauses(core.variables, literals, proof.steps.ends)
    return HintedProof(proof.first, steps, hints, proof.hint_ends)


def test_a_twin_agrees_about_changed_proofs():
    random, verdicts = Random(5), []
    for formula, proof in refutations(60, seed=4):
        core, steps = trimmed(formula, proof)
        for _ in range(20):
            other = changed(core, steps, random)
            problem = check_hints(core, [other])
            verdicts.append(problem is None)
            assert (problem is None) == twin(core, other), problem
    assert 100 < sum(verdicts) < 1000


def test_a_wrong_step_is_named():
    formula = Clauses.of(3, [(1, 2), (1, -2), (-1, 3), (-1, -3)])

    def verdict(text):
        return check_hints(formula, read_lrat(io.BytesIO(text), formula, 100))

    assert verdict(b"5 1 0 1 2 0\n6 0 5 3 4 0\n") is None
    assert verdict(b"5 1 0 1 2 0\n6 0 5 3 0\n") == (
        "step 6: the clause without literals does not follow from its hints: no hint is false"
    )
    assert verdict(b"5 2 3 0 1 2 0\n6 0 5 3 4 0\n") == (
        "step 5: the clause 2 3 does not follow from its hints: no hint is false"
    )
    assert verdict(b"5 2 0 3 0\n").endswith("hints: a hint is neither unit nor false")
    assert verdict(b"5 1 0 1 2 0\n") == "the proof ends before the empty clause"
    assert verdict(b"") == "the proof ends before the empty clause"
    # What follows anyway takes no hints, and what comes after the end is not looked at.
    assert verdict(b"5 1 -1 0 0\n6 1 0 1 2 0\n7 0 6 3 4 0\n8 2 0 0\n") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"5 1 0 1 2", "line 1: the 0 that ends this clause is missing"),
        (b"5 1 0", "the last step has no hints"),
        (b"0 1 0", "a step has no number"),
        (b"6 1 0 1 2 0", "6 where step 5 is expected"),
        (b"5 1 0 1 2 0\n5 0 3 4 0", "5 where step 6 is expected"),
        (b"-5 1 0 1 2 0", "-5 where step 5 is expected"),
        (b"5 4 0 1 2 0", "step 5: 4 is not a literal of the formula"),
        (b"5 1 0 5 0", "step 5: 5 is not an earlier clause"),
        (b"5 1 0 -1 0", "step 5: -1 is not an earlier clause"),
        (b"5 1 0 1 2 0\n5 d -1 0\n", "line 2: a deletion is a number, d, numbers and a 0"),
        (b"5 1 0 1 2 0\n5 d 1\n", "line 2: a deletion is a number, d, numbers and a 0"),
        (b"5 1 0 1 2 0\n5 d 1 0\n6 2 x 0", "line 3: 'x' where a number is expected"),
        (b"5 1 0 99999999999 0", "literal outside"),
        (b"5 " * 60, "the text is too long"),
    ],
)
def test_what_is_no_proof_with_hints_is_refused(text, said):
    formula = Clauses.of(3, [(1, 2), (1, -2), (-1, 3), (-1, -3)])
    with pytest.raises(ProofError, match=re.escape(said)):
        list(read_lrat(io.BytesIO(text), formula, 100))


def test_a_proof_of_another_formula_is_refused():
    formula = Clauses.of(1, [(1,), (-1,)])
    proof = [*read_lrat(io.BytesIO(b"3 0 1 2 0"), formula, 100)]
    with pytest.raises(ProofError, match="the first step is 3, but 2 is the next number"):
        check_hints(Clauses.of(1, [(1,)]), proof)


def test_a_proof_that_refutes_nothing_is_not_trimmed():
    formula = Clauses.of(2, [(1, 2), (1, -2), (-1, 2)])
    for text, said in (("1 0", "ends before the empty clause"), ("-1 0", "does not follow")):
        with pytest.raises(ProofError, match=said):
            trimmed(formula, [text])


def text_of(proof):
    with_hints = zip(listed(proof.steps), hints_of(proof), strict=True)
    for number, (clause, hints) in enumerate(with_hints, start=proof.first):
        yield f"{number} {' '.join(map(str, (*clause, 0, *hints, 0)))}\n".encode()


def test_a_proof_in_parts_is_worth_as_much_as_in_one():
    random = Random(6)
    for formula, proof in refutations(40, seed=8):
        core, steps = trimmed(formula, proof)
        other = changed(core, steps, random) if random.random() < 0.5 else steps
        lines = [*text_of(other)]
        # After each step that names them last, clauses are deleted.
        last = {hint: place for place, hints in enumerate(hints_of(other)) for hint in hints}
        parts = []
        for place, line in enumerate(lines):
            gone = [hint for hint, named in last.items() if named == place]
            parts.append(line)
            if gone and random.random() < 0.7:
                text = f"{other.first + place} d {' '.join(map(str, gone))} 0\n"
                parts.append(text.encode())
        cut = [*read_lrat(io.BytesIO(b"".join(parts)), core, 1 << 20)]
        assert sum(len(part.steps) for part in cut) == len(other.steps)
        whole = check_hints(core, [other])
        assert check_hints(core, cut) == whole
        # What was deleted must not be named again.
        named = [line for line in parts if b" d " in line]
        if named and whole is None:
            early = [lines[0], named[-1], *lines[1:]]
            gone = {int(number) for number in named[-1].split()[2:-1]}
            if any(gone & {*hints} for hints in hints_of(other)[1:]):
                with pytest.raises(ProofError, match="was deleted"):
                    check_hints(core, read_lrat(io.BytesIO(b"".join(early)), core, 1 << 20))


def test_proofs_are_written_with_what_no_later_step_names_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(refutation, "_STEPS_A_DELETION", 2)
    deletions = 0
    for formula, proof in refutations(40, seed=9, variables=16):
        core, steps = trimmed(formula, proof)
        text = "\n".join(refutation._lrat(steps)).encode()
        deletions += text.count(b" d ")
        parts = [*read_lrat(io.BytesIO(text), core, 1 << 20)]
        assert check_hints(core, parts) is None
        gone = [number for part in parts for number in part.deleted.tolist()]
        assert len(gone) == len({*gone})
        # All that was named last before the last deletion is gone by then.
        while parts and not len(parts[-1].deleted):
            parts.pop()
        kept = sum(len(part.steps) for part in parts)
        still = {hint for hints in hints_of(steps)[kept:] for hint in hints}
        assert still.isdisjoint(gone)
        assert not kept or {*range(1, len(core) + kept + 1)} <= still | {*gone}
    assert deletions > 10


def test_a_long_step_is_interrupted_and_goes_on():
    """One step of five million literals, and the clock is asked on the way."""
    formula = Clauses.of(100_000, [[1], [-1], range(1, 100_001)])
    asked = count()
    proof = read_lrat(io.BytesIO(b"4 0 1 " + b"3 " * 50 + b"2 0\n"), formula, 1 << 20)
    assert check_hints(formula, proof, is_unwanted=lambda: next(asked) < 0) is None
    assert next(asked) > 2


def test_the_memory_of_a_check_is_that_of_live_clauses():
    """A chain: each step needs the one before, and nothing else ever again."""
    length = 50_000
    formula = Clauses.of(length, [(1,), *((-x, x + 1) for x in range(1, length)), (-length,)])

    def text():
        for x in range(1, length):
            number = length + 1 + x
            yield f"{number} {x + 1} 0 {number - 1 if x > 1 else 1} {x + 1} 0\n"
            if not x % 1000:
                gone = range(max(2, x - 998), x + 2)
                steps = range(max(length + 2, number - 1000), number)
                yield f"{number} d {' '.join(map(str, [*gone, *steps]))} 0\n"
        yield f"{2 * length + 1} 0 {2 * length} {length + 1} 0\n"

    known = _Known(formula)
    sizes = []
    for part in read_lrat(io.BytesIO("".join(text()).encode()), formula, 1 << 26):
        status, _ = known.follow(part, never, lambda done, total: None)
        known.forget(part.deleted)
        sizes.append(len(known._numbers))
    assert status == REFUTED
    # Neither what was deleted of the formula nor of the steps is there any more.
    assert sizes[-2] < 2_000 < length < sizes[0] + 2_000
