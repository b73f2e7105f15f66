"""The check that can be read in an evening: it agrees with `check`, and shares nothing with it."""

import ast
import gzip
import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from support.fixtures import cases, certificates
from support.fixtures.small_rules import (
    farthest,
    holds,
    make_all,
    puzzles,
    random_clauses,
    walks,
    written,
)
from support.reference.placements import goal_distances

import plansolve
from plansolve.certcheck.check import CheckVerdict
from plansolve.certify.certify import certify
from plansolve.claims.certificate import check_certificate
from plansolve.errors import ProofError
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN

PROGRAM = Path(__file__).parents[3] / "tools" / "evening_check.py"
PROVED, WRONG, UNDECIDED = 0, 1, 12


@dataclass(frozen=True)
class Seen:
    code: int
    text: str


def evening(folder):
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), str(folder)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode in (PROVED, WRONG, UNDECIDED), done
    assert not done.stderr and done.stdout.count("\n") == 1
    return Seen(done.returncode, done.stdout)


def problems():
    """(name, problem, distances) of boards whose certificates are small."""
    for name, specification, rows, columns, moves, depth in (
        ("six", "sliding", 2, 3, 13, None),
        ("eight", "sliding", 3, 3, 12, 13),
        ("lloyd", "lloyd", 3, 3, 8, 9),
        ("torus", "torus-ring:rings=outer", 3, 3, 4, 4),
        ("loopover", "loopover", 3, 3, 4, 4),
        ("line", "sliding", 1, 4, 2, None),
    ):
        table = cases.distance_table(specification, rows, columns, depth=depth)
        puzzle = cases.make(specification, rows, columns)
        board = min(board for board, distance in table.items() if distance == moves)
        yield name, Problem(puzzle, board), table
    own = read_problem(json.dumps(cases.OWN))
    yield "own", own, {own.start: 2}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("evening"), []
    ways = (("search", {"by": "search"}), ("audit", {"lemmas": ()}))
    for number, (name, problem, table) in enumerate(problems()):
        for way, options in ways if name in ("six", "own") else [ways[number % 2]]:
            certify(problem, folder / f"{name}-{way}", **options)
            found.append(certificates.Made(folder / f"{name}-{way}", problem, table))
    return found


def test_it_agrees_on_true_certificates(made):
    for one in made:
        assert check_certificate(one.folder).verdict == CheckVerdict.PROVED
        length = one.table[one.problem.start]
        assert evening(one.folder) == Seen(PROVED, f"proved: {length} moves are optimal\n")


@pytest.mark.slow
def test_it_agrees_on_thirty_certificates(tmp_path):
    random = Random(8)
    for name, rows, columns, depth in (
        ("sliding", 2, 3, None),
        ("sliding", 3, 3, 14),
        ("lloyd", 3, 3, 8),
        ("torus-ring:rings=outer", 3, 3, 4),
        ("loopover", 3, 3, 4),
    ):
        table = cases.distance_table(name, rows, columns, depth=depth)
        for i, board in enumerate(random.sample(sorted(table), 6)):
            problem = Problem(cases.make(name, rows, columns), board)
            folder = tmp_path / f"{name}-{rows}-{i}"
            certify(problem, folder, **({"lemmas": ()} if i % 2 else {"by": "search"}))
            assert evening(folder).text == f"proved: {table[board]} moves are optimal\n"


def damaged(made, tmp_path, count, seed):
    """How many damaged certificates were refused, and that no wrong one was accepted."""
    random, refused = Random(seed), 0
    for _ in range(count):
        one = random.choice(made)
        folder = certificates.copy_of(one, tmp_path)
        certificates.damage(folder, random)
        seen = evening(folder)
        if seen.code != PROVED:
            refused += 1
            continue
        # It reads less than `check` does, and so passes over more; but never over a falsehood.
        try:
            report = check_certificate(folder)
        except ProofError:
            continue
        length = int(seen.text.split()[1])
        assert certificates.is_true(report, one.table) or report.lower_bound == length
        assert one.table.get(report.certificate.problem.start, length) == length
    return refused


def test_it_refuses_damaged_certificates(made, tmp_path):
    assert damaged(made, tmp_path, 16, seed=4) > 5


@pytest.mark.slow
def test_it_refuses_two_hundred_damaged_certificates(made, tmp_path):
    assert damaged(made, tmp_path, 450, seed=5) >= 200


def test_it_refuses_a_bound_that_is_too_high(made, tmp_path):
    for one in made:
        folder = certificates.copy_of(one, tmp_path)
        path = folder / "certificate.json"
        record = json.loads(path.read_text())
        # Whatever excludes a length is taken out, and the bound stays.
        if record["searched"] is None and not record["refuted"]:
            continue
        path.write_text(json.dumps(record | {"searched": None, "refuted": []}))
        assert evening(folder).code == WRONG
        path.write_text(json.dumps(record | {"refuted": [*record["refuted"], record["length"]]}))
        assert evening(folder).code == WRONG


def test_what_takes_lemmas_is_left_undecided(tmp_path):
    _, problem, _ = certificates.small_problems()[0]
    certify(problem, tmp_path / "it", by="sat")
    assert evening(tmp_path / "it").code == UNDECIDED


def kinds():
    """Problems on 2 x 3 cells with pieces alike, an open goal, or several gaps."""
    rules, gaps = cases.make("sliding", 2, 3), cases.make("sliding-gaps", 2, 3)
    yield Problem(replace(rules, goal=(1, 2, 3, 3, 0, 4), pieces=()), (2, 0, 4, 1, 3, 3))
    open_goal = replace(rules, goal=(1, OPEN, 3, 4, 0, OPEN), pieces=(0, 1, 2, 3, 4, 5))
    yield Problem(open_goal, (1, 3, 2, 4, 0, 5))
    yield Problem(gaps, (0, 2, 1, 4, 0, 3))
    yield Problem(replace(gaps, goal=(1, 2, 1, 3, 0, 0), pieces=()), (0, 2, 0, 3, 1, 1))


@pytest.mark.parametrize("number", range(4))
def test_audits_of_pieces_that_are_alike_open_goals_and_gaps_are_checked(number, tmp_path):
    problem, folder = [*kinds()][number], tmp_path / "it"
    length = goal_distances(problem.puzzle)[problem.start]
    certify(problem, folder, lemmas=())
    assert json.loads((folder / "certificate.json").read_text())["refuted"]
    assert evening(folder).text == f"proved: {length} moves are optimal\n"


def test_searches_among_several_gaps_are_left_undecided(tmp_path):
    certify([*kinds()][2], tmp_path / "it", by="search")
    seen = evening(tmp_path / "it")
    assert (seen.code, "a search among" in seen.text) == (UNDECIDED, True)


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [1, 2, 3])
def test_it_agrees_on_random_rules_of_kinds(gaps, tmp_path):
    made = make_all(tmp_path / "made", range(300, 312), gaps, lemmas=())
    for one in made:
        assert evening(one.folder).text == f"proved: {one.distance} moves are optimal\n"
    random = Random(gaps)
    for _ in range(150):
        folder = certificates.copy_of(random.choice(made), tmp_path)
        certificates.damage(folder, random)
        if (seen := evening(folder)).code != PROVED:
            continue
        try:
            report = check_certificate(folder)
        except ProofError:
            continue  # It reads less than `check` does.
        problem = report.certificate.problem
        length = goal_distances(problem.puzzle)[problem.start]
        assert seen.text == f"proved: {length} moves are optimal\n"


def judged(seeds):
    """How many clauses at random were taken for true and not; the former hold for all plans."""
    spec = importlib.util.spec_from_file_location("evening_check", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    accepted = refused = 0
    for puzzle in (puzzle for gaps in (1, 2, 3) for puzzle in puzzles(seeds, gaps)):
        problem, distances = farthest(puzzle)
        read = program.Problem(json.loads(write_problem(problem, "json")))
        for horizon in range(1, min(distances[problem.start], 3) + 2):
            formula, clauses, lines, _ = written(problem, frozenset(), horizon)
            meant = program.Formula(read, horizon, "", b"\n".join(lines).decode())
            for clause in random_clauses(clauses, formula.variables, Random(horizon), 40):
                facts = [(meant.meaning[abs(x)], x < 0) for x in clause]
                if not meant._is_impossible(facts):
                    refused += 1
                    continue
                accepted += 1
                for done, boards in walks(problem, horizon):
                    assert any(holds(m, problem, done, boards) != is_so for m, is_so in facts)
    return accepted, refused


def test_only_clauses_that_hold_are_accepted():
    accepted, refused = judged(range(4))
    assert accepted > 500 and refused > 200


@pytest.mark.slow
def test_only_clauses_that_hold_are_accepted_many_times():
    accepted, refused = judged(range(2000, 2060))
    assert accepted > 10_000 and refused > 5_000


def test_a_variable_about_a_time_before_the_first_proves_nothing(tmp_path):
    """Nothing is so then: whoever looked there would find any clause about it true."""
    folder = tmp_path / "it"
    certify(Problem(cases.make("sliding", 2, 3), (0, 2, 3, 1, 4, 5)), folder)
    plan = (folder / "plan.txt").read_text().strip()
    (folder / "plan.txt").write_text(f"{plan}RL\n")
    record = json.loads((folder / "certificate.json").read_text())
    record |= {"length": len(plan) + 2, "lower_bound": len(plan) + 2, "refuted": [len(plan)]}
    (folder / "certificate.json").write_text(json.dumps(record))
    for kind, text in (
        ("cnf", "p cnf 1 2\n1 0\n-1 0\n"),
        ("legend", "1 at -1 0 3\n"),
        ("lrat", "3 0 1 2 0\n"),
    ):
        (folder / f"{len(plan)}.{kind}.gz").write_bytes(gzip.compress(text.encode()))
    seen = evening(folder)
    assert (seen.code, "-1 is no number" in seen.text) == (WRONG, True)


def test_what_is_no_certificate_is_told_in_a_line(tmp_path):
    assert evening(tmp_path).code == WRONG
    assert evening(tmp_path / "nowhere").code == WRONG


def test_it_is_one_short_file_of_the_standard_library_alone():
    text = PROGRAM.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 600
    nodes = list(ast.walk(ast.parse(text)))
    names = {a.name for node in nodes if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
    # No run of lines of the package; single ones, such as an `else:`, say nothing.
    package = Path(plansolve.__file__).parent
    theirs = {
        tuple(lines[i : i + 3])
        for path in package.rglob("*.py")
        for lines in [meaningful(path.read_text(encoding="utf-8"))]
        for i in range(len(lines) - 2)
    }
    ours = meaningful(text)
    assert [run for i in range(len(ours) - 2) if (run := tuple(ours[i : i + 3])) in theirs] == []


def meaningful(text):
    """The lines that say something, without their indentation."""
    return [line.strip() for line in text.splitlines() if len(line.strip()) > 12]
