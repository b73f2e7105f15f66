"""The readers of certificates and proofs: valid files, and what holds for all that they return."""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import pairwise

from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle
from support.fixtures.dimacs import write_cnf
from support.hostile.reader import Reader, check_problem, folder_of

_PROBLEM = Problem(make_puzzle("sliding", 2, 3), (4, 1, 2, 0, 5, 3))


def proof_readers() -> Iterator[tuple[str, Reader]]:
    """Each with a name for people; what it needs is imported when it comes."""
    yield "model", _models()
    yield from _certificate_readers()
    yield from _clause_readers()
    yield "legend", _legends()


def _models() -> Reader:
    from plansolve.cli.dimacs import _read_model

    def check(found: object) -> None:
        status, true = found  # type: ignore[misc]
        assert status in (None, "SATISFIABLE", "SAT", "UNSATISFIABLE", "UNSAT")
        assert all(isinstance(variable, int) and variable > 0 for variable in true)

    samples = (
        b"c a comment\ns SATISFIABLE\nv 1 -2 3 -4\nv 5 0\n",
        b"SAT\n1 -2 3 0\n",
        b"s UNSATISFIABLE\n",
        b"o 12\ns UNKNOWN\n",
    )
    return Reader(_read_model, check, samples, 4 << 20)


def _certificate_readers() -> Iterator[tuple[str, Reader]]:
    from plansolve.certcheck.certificate import Certificate, read_certificate
    from plansolve.claims.certificate import stated_problem, write_certificate

    folder = folder_of("certificate")
    problem = _PROBLEM
    plan = ("U", "L", "D")
    certificate = Certificate(problem, plan, 3, (1,), None, (plan,), searched=3)
    write_certificate(folder, certificate)
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def read(name: str, data: bytes) -> object:
        (folder / name).write_bytes(data)
        try:
            return read_certificate(folder, stated_problem(folder))
        finally:
            (folder / name).write_bytes(files[name])

    def check(found: object) -> None:
        assert isinstance(found, Certificate)
        check_problem(found.problem)
        again = folder_of("again")
        write_certificate(again, found)
        assert read_certificate(again, stated_problem(again)) == found

    for name, sample in files.items():
        yield f"certificate {name}", Reader(partial(read, name), check, (sample,))


def _clause_readers() -> Iterator[tuple[str, Reader]]:
    from plansolve.certcheck.clauses import Clauses, lines_of, rows_of
    from plansolve.certcheck.lrat import check_hints, read_cnf, read_lrat
    from plansolve.errors import ProofError

    most, variables = 4 << 20, 60

    def steps(data: bytes) -> list[list[int]]:
        """Return the content of a sound text, read a second time and in another way."""
        found, clause = [], []
        for token in re.findall(rb"c[^\n]*|-?\d+", data):
            if digits := token.lstrip(b"-0") if token[:1] != b"c" else b"":
                clause.append(-int(digits) if token[:1] == b"-" else int(digits))
            elif token[:1] != b"c":
                found.append(clause)
                clause = []
        return found

    def check_cnf(result: object) -> None:
        data, formula = result
        body = data[re.search(rb"(?m)^p[ \t]+cnf.*$", data).end() :]
        cuts = pairwise([0, *formula.ends.tolist()])
        assert [formula.literals[begin:end].tolist() for begin, end in cuts] == steps(body)
        assert not len(formula.literals) or abs(formula.literals).max() <= formula.variables
        again = BytesIO()
        write_cnf(formula, again)
        again.seek(0)
        assert read_cnf(again, 1 << 30) == formula

    hinted = Clauses.of(variables, [(1, 2), (1, -2), (-1,)])

    def check_lrat(result: object) -> None:
        data, parts = result
        deletions = [*re.finditer(rb"(?m)^\d+ d .*$", data)]
        named = [[*map(int, line[0].split()[2:-1])] for line in deletions]
        assert [part.deleted.tolist() for part in parts if len(part.deleted)] == [
            *filter(None, named)
        ]
        rows = steps(re.sub(rb"(?m)^\d+ d .*$", b"", data))
        count = sum(len(part.steps) for part in parts)
        assert [row[0] for row in rows[::2]] == [*range(4, 4 + count)]
        read = (
            [line for part in parts for line in lines_of(part.steps)],
            [row for part in parts for row in rows_of(part.hints, part.hint_ends)],
        )
        assert [*zip(*read, strict=True)] == [
            tuple(" ".join(map(str, [*row, 0])) for row in (row[1:], hints))
            for row, hints in zip(rows[::2], rows[1::2], strict=True)
        ]
        with suppress(ProofError):  # a clause that was deleted
            check_hints(hinted, parts)

    formulas = (b"c made up\np cnf 3 2\n1 -2 0\n2 3\n -1 0\n", b"p cnf 0 0\n", b"p cnf 2 1\n0\n")
    yield "cnf", Reader(lambda d: (d, read_cnf(BytesIO(d), most)), check_cnf, formulas, most)
    proofs = (b"4 1 0 1 2 0\n5 0 4 3 0\n", b"4 60 -1 2 0 3 0\n5 0 4 1 2 0", b"")
    proofs += (b"4 1 0 1 2 0\n4 d 1 2 0\n5 0 4 3 0\n",)
    yield (
        "lrat",
        Reader(lambda d: (d, [*read_lrat(BytesIO(d), hinted, most)]), check_lrat, proofs, most),
    )


def _legends() -> Reader:
    from plansolve.certcheck.refutation import Legend, read_legend

    problem, variables, horizon = _PROBLEM, 9, 4

    def read(data: bytes) -> object:
        return read_legend(BytesIO(data), variables, problem, horizon)

    def check(legend: object) -> None:
        assert isinstance(legend, Legend)
        assert legend.kind.shape == (variables + 1,)
        assert (legend.row >= 0).all() and not legend.row[legend.kind == 0].any()
        times, cells, contents = legend.row[legend.kind == 1].T
        assert (times <= horizon).all() and (cells < problem.puzzle.cells).all()
        assert {*contents.tolist()} <= {*problem.goal}

    sample = b"1 at 1 0 1\n2 move 3 2\n3 step 3 1 2\n9 never\n"
    return Reader(read, check, (sample, b""))
