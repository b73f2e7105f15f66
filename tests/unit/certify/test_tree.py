"""Searches as proofs: each dead end is a step, which a checker that knows no search can follow."""

import gzip

import numpy as np
import pytest
from support.fixtures import cases

from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.clauses import Clauses, lines_of
from plansolve.certcheck.dimacs import read_cnf, read_lrat
from plansolve.certcheck.lrat import check_hints
from plansolve.certify.certify import certify
from plansolve.claims.certificate import check_certificate
from plansolve.encoders.lemmas import perimeter_search
from plansolve.encoders.registry import ENCODINGS
from plansolve.errors import OptionError
from plansolve.formats import read_problem
from plansolve.solvers.formula.cnf_engine import solve_with_pysat

BOARD = [[15, 2, 1, 10], [0, 3, 7, 4], [11, 6, 13, 14], [9, 12, 5, 8]]
"""45 moves from the goal: so say IDA* and SAT."""
MOST = 1 << 30


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree") / "it"
    certify(BOARD, folder, by="tree")
    return folder


def proof_of(folder, length):
    with gzip.open(folder / f"{length}.cnf.gz") as stream:
        formula = read_cnf(stream, MOST)
    with gzip.open(folder / f"{length}.lrat.gz") as stream:
        return formula, [*read_lrat(stream, formula, MOST)]


def test_a_tree_is_checked_and_has_its_steps(tree):
    report = check_certificate(tree, problem=read_problem(BOARD))
    assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, 45)
    assert "search-tree" in report.certificate.made_by["lemmas"]
    steps = {
        length: sum(len(part.steps) for part in proof_of(tree, length)[1])
        for length in report.certificate.refuted
    }
    # One for each dead end, and the empty clause; the nearer the bound the more of them.
    assert steps[43] > 500 and list(steps.values()) == sorted(steps.values())


def test_no_clause_says_at_once_that_there_is_no_plan(tree):
    # By SAT alone the whole search is one clause that the check has to see, of no literals.
    formula, _ = proof_of(tree, 43)
    sizes = np.diff(formula.ends, prepend=0)
    assert sizes.min() > 0 and len(formula) > 1000


def test_without_one_of_its_leaves_a_tree_falls(tree):
    formula, proof = proof_of(tree, 43)
    assert check_hints(formula, proof) is None
    clauses = [[*map(int, line.split()[:-1])] for line in lines_of(formula)]
    leaf = max(range(len(clauses)), key=lambda number: len(clauses[number]))
    # The numbers of the others stay.
    clauses[leaf] = clauses[0]
    assert check_hints(Clauses.of(formula.variables, clauses), proof) is not None


@pytest.mark.slow
def test_a_tree_that_has_no_room_is_left_to_sat(tmp_path, monkeypatch):
    monkeypatch.setattr(perimeter_search, "MOST_BOARDS", 60)
    encoding, lemmas = (
        ENCODINGS["half-layer"],
        frozenset({"distance", "no-undo", "search-tree", "waste-counter"}),
    )
    encoder = encoding.prepare(read_problem(BOARD), lemmas)
    attempt = solve_with_pysat(encoder, 41, "glucose42", tmp_path)
    assert attempt.refuted and attempt.record.conflicts > 0
    formula, proof = proof_of(tmp_path, 41)
    assert check_hints(formula, proof) is None


@pytest.mark.parametrize(
    ("board", "options", "message"),
    [
        (cases.make("loopover", 3, 3).goal, {"puzzle": "loopover"}, "there are no trees for"),
        (cases.make("lloyd", 3, 3).goal, {"puzzle": "lloyd"}, "there are no trees for"),
        (BOARD, {"lemmas": ()}, "a tree has lemmas of its own"),
        (BOARD, {"encoding": "two-layer"}, "unknown encoding"),
    ],
)
def test_what_cannot_be_a_tree_is_told(board, options, message, tmp_path):
    puzzle = options.pop("puzzle", None)
    problem = (
        read_problem([board[i : i + 3] for i in (0, 3, 6)], puzzle=puzzle) if puzzle else board
    )
    with pytest.raises(OptionError, match=message):
        certify(problem, tmp_path / "it", by="tree", **options)
    assert not (tmp_path / "it").exists()
