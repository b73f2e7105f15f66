"""The check that can be read in an evening: it accepts what `check` does, and shares nothing."""

import ast
import gzip
import importlib.util
import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from support.fixtures import cases, certificates
from support.fixtures.small_rules import (
    PLAIN,
    any_board,
    encodings_of,
    farthest,
    puzzles,
    random_clauses,
    written,
)
from support.reference.placements import goal_distances

import plansolve
from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.refutation import Unjustified, justify
from plansolve.claims import search_proof
from plansolve.claims.certificate import check_certificate
from plansolve.claims.certify import certify
from plansolve.errors import OptionError, ProofError
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN
from plansolve.solvers.engine.follow_up import check_enumerable

PROGRAM = Path(__file__).parents[3] / "tools" / "evening_check.py"
OPTIMAL, WRONG, UNDECIDED, NO_PLAN, LESS, WITHIN = 0, 1, 3, 11, 12, 13


def loaded():
    spec = importlib.util.spec_from_file_location("evening_check", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


EVENING = loaded()


@dataclass(frozen=True)
class Seen:
    code: int
    text: str


def evening(folder):
    with redirect_stdout(io.StringIO()) as said:
        code = EVENING.main([str(folder)])
    return Seen(code, said.getvalue())


def package(folder):
    """Return the verdict of `plansolve check` in the other program's words, without reasons."""
    try:
        report = check_certificate(folder)
    except ProofError as error:
        return Seen(WRONG, str(error))
    length, plans = report.certificate.length, report.certificate.plans
    match report.verdict:
        case CheckVerdict.REFUTED:
            return Seen(WRONG, "")
        case CheckVerdict.UNSOLVABLE:
            return Seen(NO_PLAN, "proved: there is no plan\n")
        case CheckVerdict.PROVED:
            every = f", and these {len(plans)} plans are all" if report.is_every_plan else ""
            return Seen(OPTIMAL, f"proved: {length} moves are optimal{every}\n")
        case CheckVerdict.BOUNDS:
            code = WITHIN if length is None else LESS
            text = f"proved: every plan has {report.lower_bound} moves or more\n"
            return Seen(code, text)
    raise AssertionError(report.verdict)


def agreed(folder):
    """Return the verdict of both programs on a certificate, which must be the same.

    Of what is wrong the one may say that it cannot tell: rules by a name that there is not. It does
    not read how tiles are drawn, or which names are allowed, on which no proof rests.
    """
    seen, wanted = evening(folder), package(folder)
    if wanted.code == WRONG:
        is_read = not re.search(r"labels|blank_names|layout|characters, and no space", wanted.text)
        assert seen.code in (WRONG, UNDECIDED) or not is_read, (seen, wanted)
        return replace(seen, code=WRONG)
    assert seen == wanted
    return seen


def problems():
    """(name, problem) of boards of all families that are so small, and of rules of one's own."""
    for name, specification, rows, columns, moves, depth in (
        ("six", "sliding", 2, 3, 13, None),
        ("eight", "sliding", 3, 3, 10, 10),
        ("lloyd", "lloyd", 3, 3, 6, 6),
        ("torus", "torus-ring:rings=outer", 3, 3, 4, 4),
        ("loopover", "loopover", 3, 3, 4, 4),
        ("line", "sliding", 1, 4, 2, None),
        ("pancake", "pancake", 1, 6, 5, 5),
        ("top-spin", "top-spin", 1, 7, 4, 4),
    ):
        table = cases.distance_table(specification, rows, columns, depth=depth)
        puzzle = cases.make(specification, rows, columns)
        yield name, Problem(puzzle, min(board for board, d in table.items() if d == moves))
    yield "own", read_problem(json.dumps(cases.OWN))
    rules, gaps = cases.make("sliding", 2, 3), cases.make("sliding-gaps", 2, 3)
    alike = replace(rules, goal=(1, 2, 3, 3, 0, 4), pieces=())
    yield "alike", Problem(alike, (2, 0, 4, 1, 3, 3))
    open_goal = replace(rules, goal=(1, OPEN, 3, 4, 0, OPEN), pieces=(0, 1, 2, 3, 4, 5))
    yield "open", Problem(open_goal, (1, 3, 2, 4, 0, 5))
    yield "gaps", Problem(gaps, (0, 2, 1, 4, 0, 3))
    letters = replace(gaps, goal=(1, 2, 1, 3, 0, 0), pieces=())
    yield "letters", Problem(letters, (0, 2, 0, 3, 1, 1))


def make(folder, posed, ways):
    """Certificates of (name, problem), each in some of the ways; searches are cut into units."""
    with pytest.MonkeyPatch.context() as patch:
        certificates.cut_up(patch)
        # Then lookups are added, and some patterns do without the gaps.
        patch.setattr(search_proof, "_MOST_ENTRIES", 400)
        return [
            one
            for number, (name, problem) in enumerate(posed)
            for one in certificates.make_all(folder, [(name, problem, {})], ways(number))
        ]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder, every = tmp_path_factory.mktemp("evening"), [*certificates.WAYS]
    found = make(folder, problems(), lambda number: (every[number % 3], every[number % 3 - 2]))
    solvable = cases.make("sliding", 2, 3)
    odd = ("odd", Problem(solvable, (2, 1, 3, 4, 5, 0)))
    return [
        *found,
        *make(folder, [odd], lambda number: ("sat",)),
        *make(folder, held(), lambda number: ("search", "within")),
    ]


def held():
    """(name, problem) of pieces of several cells, which hold each other in place."""
    for name, board in (
        ("blocks", "AAB\nC.B\nC..\ngoal:\nC**\nC**\n***"),
        ("stuck", "AAB\nC.B\nC..\ngoal:\n***\n***\n*AA"),
        ("jam", "AA.C\n...C\n..BB"),
    ):
        yield name, read_problem(board, puzzle="rush-hour" if name == "jam" else "blocks")


def test_they_agree_on_true_certificates(made):
    seen = {one.folder.name: agreed(one.folder) for one in made}
    assert {one.code for one in seen.values()} == {OPTIMAL, NO_PLAN, WITHIN}
    assert sum("plans are all" in one.text for one in seen.values()) > 4


@pytest.mark.slow
def test_they_agree_on_certificates_of_every_kind(tmp_path):
    random = Random(8)
    for name, rows, columns, depth in (
        ("sliding", 2, 3, None),
        ("sliding", 3, 3, 14),
        ("lloyd", 3, 3, 8),
        ("torus-ring:rings=outer", 3, 3, 4),
        ("loopover", 3, 3, 4),
        ("pancake", 1, 7, 6),
    ):
        table = cases.distance_table(name, rows, columns, depth=depth)
        boards, puzzle = random.sample(sorted(table), 3), cases.make(name, rows, columns)
        posed = [(str(i), Problem(puzzle, board)) for i, board in enumerate(boards)]
        for one in make(
            tmp_path / name.replace(":", "-") / str(rows), posed, lambda _: certificates.WAYS
        ):
            agreed(one.folder)
    for gaps in (1, 2, 3):
        posed = [(str(i), farthest(p)[0]) for i, p in enumerate(puzzles(range(300, 306), gaps))]
        posed += [(f"{i}-", any_board(p, i)) for i, p in enumerate(puzzles(range(6), gaps))]
        ways = [ways_of(problem) for _, problem in posed]
        for one in make(tmp_path / f"gaps-{gaps}", posed, ways.__getitem__):
            agreed(one.folder)


def ways_of(problem):
    """The ways in which a problem can be certified: some lists of plans are refused."""
    try:
        check_enumerable(problem)
    except OptionError:
        return [way for way in certificates.WAYS if way != "all"]
    return certificates.WAYS


CHANGES = (certificates.change_search, certificates.change_units, certificates.damage)


def damaged(made, tmp_path, count, seed):
    """Return how many damaged certificates both refused, and accepted as true and equal."""
    random, refused, accepted = Random(seed), 0, 0
    for _ in range(count):
        one = random.choice(made)
        folder = certificates.copy_of(one, tmp_path)
        random.choice([*CHANGES, change_entry])(folder, random)
        seen = agreed(folder)
        refused += seen.code == WRONG
        if seen.code == WRONG:
            continue
        accepted += 1
        problem = read_problem((folder / "problem.json").read_text())
        if problem.puzzle.needs_kinds:
            length = plansolve.solve(problem, optimal=True).length
        else:
            length = goal_distances(problem.puzzle).get(problem.start)
        words = [int(word) for word in seen.text.split() if word.isdigit()]
        match seen.code:
            case 0:
                assert words[0] == length
            case 11:
                assert length is None
            case _:
                assert length is None or words[0] <= length
    return refused, accepted


def change_entry(folder, random):
    """One entry of the record changed to another number, or to none."""
    path = folder / "certificate.json"
    record = json.loads(path.read_text())
    key = random.choice(["length", "lower_bound", "searched", "plans", "refuted"])
    values = [None, 0, 1, record["length"], record["lower_bound"], record["searched"], True, "1"]
    record[key] = random.choice([[], [3], [1, 2]]) if key == "refuted" else random.choice(values)
    path.write_text(json.dumps(record))


def test_they_agree_on_damaged_certificates(made, tmp_path):
    rules = [one.problem.puzzle for one in made]
    small = [one for one, p in zip(made, rules, strict=True) if p.cells < 7 or p.needs_kinds]
    refused, accepted = damaged(small, tmp_path, 240, seed=4)
    assert refused > 120 and accepted > 10


@pytest.mark.slow
def test_they_agree_on_thousands_of_damaged_certificates(made, tmp_path):
    refused, accepted = damaged(made, tmp_path, 5000, seed=5)
    assert refused > 2500 and accepted > 50


def test_it_runs_by_itself(made):
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(made[0].folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (OPTIMAL, "")
    assert done.stdout == evening(made[0].folder).text


def test_rules_by_a_name_that_it_does_not_know_are_left_undecided(tmp_path):
    problem = Problem(cases.make("pyraminx", 4, 6), tuple(range(1, 25)))
    certify(problem, tmp_path / "it")
    assert evening(tmp_path / "it").code == UNDECIDED


def is_accepted(look, *arguments):
    try:
        look(*arguments)
    except (EVENING.WrongError, Unjustified):
        return False
    return True


def judged(seeds):
    """Return how many clauses at random both programs take for true, and not."""
    accepted = refused = 0
    for puzzle in (puzzle for gaps in (1, 2, 3) for puzzle in puzzles(seeds, gaps)):
        problem, distances = farthest(puzzle)
        read = EVENING.Problem(json.loads(write_problem(problem, "json")))
        for horizon in range(1, min(distances[problem.start], 3) + 2):
            (encoding,) = encodings_of(problem)[-1:]
            lemmas = PLAIN & encoding.lemmas
            formula, clauses, lines, legend = written(problem, encoding, lemmas, horizon)
            text = b"\n".join(lines).decode()
            for clause in random_clauses(clauses, formula.variables, Random(horizon), 40):
                dimacs = f"p cnf {formula.variables} 1\n{' '.join(map(str, clause))} 0\n"
                mine = is_accepted(EVENING.Formula(read, horizon, dimacs, text).check_clauses)
                one = Clauses.of(formula.variables, [clause])
                assert mine == is_accepted(justify, problem, horizon, one, legend)
                accepted, refused = accepted + mine, refused + (not mine)
    return accepted, refused


def test_they_agree_on_clauses():
    accepted, refused = judged(range(4))
    assert accepted > 500 and refused > 200


@pytest.mark.slow
def test_they_agree_on_many_clauses():
    accepted, refused = judged(range(2000, 2060))
    assert accepted > 10_000 and refused > 4_000


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
    seen = agreed(folder)
    assert (seen.code, "is not a meaning" in seen.text) == (WRONG, True)


def test_what_is_no_certificate_is_told_in_a_line(tmp_path):
    assert evening(tmp_path).code == WRONG
    assert evening(tmp_path / "nowhere").code == WRONG


def test_it_is_one_short_file_of_the_standard_library_alone():
    text = PROGRAM.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 900
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
