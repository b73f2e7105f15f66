"""Reading and writing formulas and proofs, hostile texts, and the checkers of others."""

import io
import random
import shlex
import stat
import sys
import tracemalloc

import pytest
from support.fixtures.dimacs import listed, write_cnf

from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.external_checkers import external_verdict
from plansolve.certcheck.lrat import read_cnf, read_lrat
from plansolve.errors import OptionError, ProofError

MOST = 1 << 20
CNF = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"


class Dripping(io.RawIOBase):
    """A stream that gives a few bytes at a time, as pipes do."""

    def __init__(self, text, chooser):
        self._rest, self._chooser = text, chooser

    def readable(self):
        return True

    def read(self, size=-1):
        size = min(size, self._chooser.randint(1, 5)) if size >= 0 else len(self._rest)
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


class Endless(io.RawIOBase):
    """The same text for ever."""

    def __init__(self, text):
        self._text = text

    def readable(self):
        return True

    def read(self, size=-1):
        assert size >= 0
        return (self._text * (size // len(self._text) + 1))[:size]


def cnf(text, most=MOST):
    return read_cnf(io.BytesIO(text.encode("latin-1")), most)


def written(clauses):
    stream = io.BytesIO()
    write_cnf(clauses, stream)
    return stream.getvalue().decode("ascii")


def test_a_formula_is_read_as_it_is_written():
    formula = cnf("c hello\n\np  cnf 3\t4 \r\n1 -2\n 3 0 0\nc 5 6 7\n-3 -3 3 0 2 0")
    assert formula.variables == 3
    assert listed(formula) == [[1, -2, 3], [], [-3, -3, 3], [2]]
    assert written(formula) == "p cnf 3 4\n1 -2 3 0\n0\n-3 -3 3 0\n2 0\n"


def test_random_formulas_survive_writing_and_reading_piece_by_piece():
    chooser = random.Random(3)
    for _ in range(30):
        variables = chooser.choice((1, 9, 12345, 1 << 22))
        clauses = [
            [chooser.choice((1, -1)) * chooser.randint(1, variables) for _ in range(length)]
            for length in chooser.choices(range(5), k=chooser.randint(0, 30))
        ]
        formula = Clauses.of(variables, clauses)
        assert listed(formula) == clauses
        text = written(formula)
        assert text.splitlines() == [
            f"p cnf {variables} {len(clauses)}",
            *(" ".join(map(str, [*clause, 0])) for clause in clauses),
        ]
        assert cnf(text) == formula
        assert read_cnf(Dripping(text.encode(), chooser), MOST) == formula


def test_formulas_are_equal_only_with_the_same_clauses_in_the_same_order():
    formula = Clauses.of(3, [[1, 2], [3]])
    assert formula == Clauses.of(3, [[1, 2], [3]])
    for other in (Clauses.of(4, [[1, 2], [3]]), Clauses.of(3, [[1], [2, 3]]), "another"):
        assert formula != other
    assert formula != Clauses.of(3, [[3], [1, 2]])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "line 1: the header .* is missing"),
        ("c only\n", "line 2: the header .* is missing"),
        ("1 2 0\n", "line 1: `p cnf VARIABLES CLAUSES` is expected first"),
        ("p cnf 2\n", "line 1: `p cnf"),
        ("p cnf -2 1\n", "line 1: `p cnf"),
        ("p dnf 2 1\n", "line 1: `p cnf"),
        ("c a\nc b\np cnf x 1\n", "line 3: `p cnf"),
        ("p cnf 2147483648 1\n1 0\n", "line 1: 2147483648 variables; at most"),
        (f"p cnf {'9' * 400000} 1\n", "line 1: `p cnf"),
        ("p cnf 2 9999999999\n1 0\n", "clauses: 1, but the header says 9999999999"),
        ("p cnf 2 1\n1 0\n2 0\n", "clauses: 2, but the header says 1"),
        ("p cnf 2 1\n1 3 0\n", "line 2: a literal outside the formula's 2 variables"),
        ("p cnf 2 1\n\n\n1\n-99999999999999999999999 0\n", "line 5: a literal outside"),
        ("p cnf 2 1\n1 2\n", "line 2: the 0 that ends this clause is missing"),
        ("p cnf 2 1\n2 0\n1\n\n\n2\n", "line 3: the 0 that ends"),
        ("p cnf 2 1\n2 0\n1\nc x\n", "line 4: 'c' where a number"),
        ("p cnf 2 1\n1 -", "line 2: a minus sign"),
        ("p cnf 2 1\n1 - 2 0", "line 2: a minus sign"),
        ("p cnf 2 1\n1 --2 0", "line 2: a minus sign"),
        ("p cnf 2 1\n1-2 0", "line 2: a minus sign"),
        ("p cnf 2 1\n1 2 -0\n", "line 2: a minus sign"),
        ("p cnf 2 1\n+1 0\n", "line 2: '[+]' where a number"),
        ("p cnf 2 1\n1.0 0\n", "line 2: '[.]' where a number"),
        ("p cnf 2 1\nd 1 0\n", "line 2: 'd' where a number"),
        ("p cnf 2 1\n1 2 0\np cnf 2 1\n", "line 3: 'p' where a number"),
        ("p cnf 2 1\n1 \x00 0", r"line 2: '\\x00' where a number"),
        ("p cnf 2 1\n1 \xb2 0", r"line 2: '\\xb2' where a number"),
        ("\x1f\x8b\x08", "line 1: `p cnf"),
    ],
)
def test_a_formula_that_cannot_be_read(text, wrong):
    with pytest.raises(ProofError, match=wrong) as caught:
        cnf(text)
    assert len(str(caught.value)) < 200


def test_the_limit_on_the_text():
    text = "p cnf 2 100\n" + "1 2 0\n" * 100
    assert len(cnf(text, len(text))) == 100
    with pytest.raises(ProofError, match="the text is too long: more than 611 bytes"):
        cnf(text, 611)
    assert len(cnf(CNF, len(CNF))) == 4
    for most in (0, 5, len(CNF) - 1):
        with pytest.raises(ProofError):
            cnf(CNF, most)


@pytest.mark.parametrize("text", [b"1 ", b"0 ", b"d 0\n", b"1", b"0", b"-", b"c", b"\n", b"1 0\n"])
def test_endless_texts_end_at_the_limit_and_in_little_memory(text):
    most = 1 << 22
    tracemalloc.start()
    try:
        with pytest.raises(ProofError):
            read_cnf(Endless(text), most)
        with pytest.raises(ProofError):
            [*read_lrat(Endless(text), Clauses.of(9, []), most)]
        assert tracemalloc.get_traced_memory()[1] < 10 * most
    finally:
        tracemalloc.stop()


@pytest.fixture
def files(tmp_path):
    formula, proof = tmp_path / "f.cnf", tmp_path / "p.drup"
    formula.write_text(CNF)
    proof.write_text("1 0\n0\n")
    return formula, proof


def test_dratify_says_yes_no_or_nothing(files):
    formula, proof = files
    assert external_verdict("dratify", formula, proof, 60).verified is True
    proof.write_text("0\n")
    opinion = external_verdict("dratify", formula, proof, 60)
    assert opinion.verified is False
    assert opinion.reason
    proof.write_text("hello\n")
    opinion = external_verdict("dratify", formula, proof, 60)
    assert opinion.verified is None
    assert "hello" in opinion.reason
    opinion = external_verdict("dratify", formula, proof, 0.001)
    assert opinion.verified is None
    assert opinion.reason == "no verdict within 0.001 s"


@pytest.mark.parametrize(
    ("name", "script", "verified", "reason"),
    [
        ("drat-trim", "print('c a\\rc b\\ns VERIFIED\\nc verification time: 0.1')", True, "time"),
        ("drat-trim", "print('s NOT VERIFIED'); sys.exit(1)", False, "not verified"),
        ("drat-trim", "print('c bad proof\\ns NOT VERIFIED'); sys.exit(1)", False, "not verified"),
        ("drat-trim", "print('s VERIFIED'); sys.exit(1)", None, "exit code 1"),
        ("drat-trim", "print('s TIMEOUT'); sys.exit(1)", None, "within 7 s"),
        ("drat-trim", "print('VERIFIED')", None, "exit code 0"),
        ("drat-trim", "os.kill(os.getpid(), 9)", None, "SIGKILL"),
        ("drat-trim", "sys.stdout.buffer.write(bytes(range(256)))", None, "exit code 0"),
        ("drat-trim", "assert sys.argv[3:] == ['-t', '7']; print('s VERIFIED')", True, "verified"),
        ("lrat-check", "print('c VERIFIED')", True, "VERIFIED"),
        ("lrat-check", "print('c NOT VERIFIED'); sys.exit(1)", False, "NOT VERIFIED"),
        ("lrat-check", "print('c VERIFIED'); sys.exit(1)", None, "exit code 1"),
        ("lrat-check", "assert len(sys.argv) == 3; print('c VERIFIED')", True, "VERIFIED"),
        ("cake_lpr", "print('s VERIFIED UNSAT')", True, "verified"),
        ("cake_lpr", "print('c Checking failed at line: 9. Reason: r')", False, "line: 9"),
        (
            "cake_lpr",
            "sys.exit('c empty clause not derived at end of proof')",
            False,
            "not derived",
        ),
        ("cake_lpr", "print('s VERIFIED UNSAT'); sys.exit(1)", None, "exit code 1"),
        ("cake_lpr", "pass", None, "no output"),
    ],
)
def test_what_other_checkers_say(files, tmp_path, monkeypatch, name, script, verified, reason):
    make_program(tmp_path, monkeypatch, name, script)
    opinion = external_verdict(name, *files, 7)
    assert opinion.verified is verified
    assert reason in opinion.reason


def make_program(folder, monkeypatch, name, script):
    program = folder / name
    (folder / "script.py").write_text(f"import os, sys\n{script}\n")
    command = shlex.join([sys.executable, str(folder / "script.py")])
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


def test_a_checker_that_is_not_there(files, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OptionError, match="not on the PATH"):
        external_verdict("drat-trim", *files, 7)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OptionError, match="pip install dratify"):
        external_verdict("dratify", *files, 7)
    with pytest.raises(OptionError, match="cake_lpr, drat-trim, dratify"):
        external_verdict("oracle", *files, 7)
