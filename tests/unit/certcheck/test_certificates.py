"""Certificates: what they prove, and that nothing wrong gets through the check."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from support.fixtures import cases, certificates
from support.reference.oracle import Rules

from plansolve.certcheck import dimacs, files
from plansolve.certcheck.certificate import Claim
from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.list_of_plans import least_penalty
from plansolve.certify.certify import certify
from plansolve.certify.record import write_certificate
from plansolve.claims.certificate import check_certificate
from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS, choose_lemmas
from plansolve.errors import OptionError, ProofError
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import Operator, Puzzle

INSTANCES = Path(__file__).parents[3] / "instances"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return certificates.make_all(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    return certificates.make_all(tmp_path_factory.mktemp("complete"), every_plan=True)


def instance(folder, length):
    return next(
        i for i in load_instance_set(INSTANCES / folder).instances if i.optimal_length == length
    )


def test_certificates_of_small_boards_prove_the_lengths_that_tables_have(made):
    for one in made:
        report = check_certificate(one.folder, problem=one.problem)
        assert report.verdict == CheckVerdict.PROVED, report.steps[-1]
        assert report.lower_bound == len(report.certificate.plan) == one.table[one.problem.start]
        assert certificates.is_true(report, one.table)
        assert {*report.certificate.made_by["lemmas"]} <= {"distance", "tile-blank"}


def test_formulas_with_proofs_have_plain_lemmas_alone():
    for encoding in ENCODINGS.values():
        usual = choose_lemmas(encoding, cells=16)
        kept = choose_lemmas(encoding, cells=16, is_proof=True)
        assert kept == {name for name in usual if LEMMAS[name].is_plain} < usual
        with pytest.raises(OptionError, match="no check follows lemma no-undo: leave it out"):
            choose_lemmas(encoding, ["no-undo"], is_proof=True)


def test_lists_of_plans_are_as_long_as_tables_say_and_shown_to_be_complete(complete):
    for one in complete:
        report = check_certificate(one.folder)
        assert report.verdict == CheckVerdict.PROVED and report.is_every_plan, report.steps[-1]
        expected = Rules.of(one.problem.puzzle).shortest_plans(
            one.problem.start, one.table, by_board=True
        )
        assert len(report.certificate.plans) == expected


def test_a_list_is_complete_where_operators_share_a_name(tmp_path):
    puzzle = cases.make("sliding", 2, 3)
    table = cases.distance_table("sliding", 2, 3)
    rules = Rules.of(puzzle)
    start = next(b for b in table if rules.shortest_plans(b, table, by_board=True) == 2)
    certify(Problem(puzzle, start), tmp_path / "it", every_plan=True)
    report = check_certificate(tmp_path / "it")
    assert report.is_every_plan and len(report.certificate.plans) == 2


def test_a_board_of_two_cells_has_a_list(tmp_path):
    certify([[0, 1]], tmp_path / "it", every_plan=True)
    report = check_certificate(tmp_path / "it")
    assert (report.verdict, report.is_every_plan) == (CheckVerdict.PROVED, True)


def test_moves_that_name_a_cell_whose_content_stays_have_proofs(tmp_path):
    """The middle of an odd number of pancakes, which shorter turns do not name."""
    problem = Problem(cases.make("pancake", 1, 8), (1, 6, 4, 5, 3, 2, 7, 8))
    assert any(cell == source for op in problem.puzzle.operators for cell, source in op.moves)
    certify(problem, tmp_path / "sat", by="sat")
    report = check_certificate(tmp_path / "sat")
    assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, 5)


def test_a_list_with_a_plan_less_or_twice_is_refuted(complete, tmp_path):
    one = next(m for m in complete if len(certificates.read(m.folder).plans) > 1)
    for folder in certificates.lists_damaged(one, tmp_path):
        report = check_certificate(folder)
        assert report.verdict == CheckVerdict.REFUTED and not report.is_every_plan
        assert report.steps[-1].what == "the list of plans"


@pytest.mark.parametrize(
    ("folder", "length"),
    [
        pytest.param("sat-frontier", 31, marks=pytest.mark.slow),
        ("torus-ring-walks", 5),
        ("lloyd-walks", 16),
    ],
)
def test_boards_of_the_three_puzzles(folder, length, tmp_path):
    board = instance(folder, length)
    certified = certify(board.problem, tmp_path / "it")
    assert certified.certificate.is_of_optimality
    report = check_certificate(tmp_path / "it", problem=board.problem)
    assert report.verdict == CheckVerdict.PROVED
    assert report.lower_bound == length


def test_a_board_that_is_its_goal_needs_no_proof(tmp_path):
    puzzle = cases.make("sliding", 3, 3)
    certify(Problem(puzzle, puzzle.goal), tmp_path / "it")
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.PROVED
    assert report.certificate.plan == () and report.certificate.refuted == ()


def test_a_claim_proves_nothing(made, tmp_path):
    folder = certificates.copy_of(made[0], tmp_path)
    certificate = certificates.read(folder)
    least, *_ = certificate.refuted
    claim = Claim("idastar", len(certificate.plan), {"idastar": {"nodes": 1000}})
    write_certificate(folder, replace(certificate, refuted=(), lower_bound=least, claim=claim))
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.BOUNDS and report.lower_bound == least
    assert report.certificate.claim == claim


@pytest.mark.slow
def test_what_sat_does_not_reach_in_time_is_claimed(tmp_path):
    # IDA* takes some seconds, half a minute where it first builds its tables, and may take half of
    # the time. SAT cannot refute 78 moves in an hour.
    board = instance("fifteen-hardest", 80)
    certified = certify(board.problem, tmp_path / "it", by="sat", time_limit=120)
    certificate = certified.certificate
    assert certified.result.status == "optimal"
    assert certificate.lower_bound < 80 == certificate.claim.lower_bound
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.BOUNDS
    assert report.lower_bound == certificate.lower_bound


def test_what_sat_does_not_reach_is_certified_by_a_search(tmp_path):
    certify(instance("korf100", 65).problem, tmp_path / "it")
    report = check_certificate(tmp_path / "it")
    assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, 65)


def test_a_folder_with_something_in_it_is_not_written_to(made, tmp_path):
    one = made[0]
    with pytest.raises(OptionError, match="not empty"):
        certify(one.problem, one.folder)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(OptionError, match="no folder"):
        certify(one.problem, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "precious"


def test_a_certificate_of_another_board_is_refuted(made):
    report = check_certificate(made[0].folder, problem=made[1].problem)
    assert report.verdict == CheckVerdict.REFUTED and report.steps[-1].what == "the problem"


def test_a_gap_among_the_lengths_is_named(made, tmp_path):
    folder = certificates.copy_of(made[0], tmp_path)
    record = json.loads((folder / "certificate.json").read_text())
    missing = record["refuted"].pop()
    (folder / "certificate.json").write_text(json.dumps(record))
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.REFUTED
    assert report.lower_bound == missing
    assert f"a plan of {missing} moves" in report.steps[-1].seen


def test_proofs_of_two_lengths_exchanged_are_refuted(made, tmp_path):
    one = made[0]
    *_, first, second = certificates.read(one.folder).refuted
    folder = certificates.copy_of(one, tmp_path)
    for kind in ("cnf", "legend", "lrat"):
        a, b = folder / f"{first}.{kind}.gz", folder / f"{second}.{kind}.gz"
        data = a.read_bytes()
        a.write_bytes(b.read_bytes())
        b.write_bytes(data)
    report = check_certificate(folder)
    # What refutes the longer one may hold for the shorter one too, but not the other way round.
    assert report.verdict == CheckVerdict.REFUTED
    assert report.steps[-1].what in {f"length {first}", f"length {second}"}


def test_the_plan_s_own_length_cannot_be_refuted(made, tmp_path):
    folder = certificates.copy_of(made[0], tmp_path)
    record = json.loads((folder / "certificate.json").read_text())
    record["refuted"].append(record["length"])
    (folder / "certificate.json").write_text(json.dumps(record))
    assert check_certificate(folder).verdict == CheckVerdict.REFUTED


def test_a_formula_with_a_clause_more_is_refuted(made, tmp_path):
    folder = certificates.copy_of(made[0], tmp_path)
    length = certificates.read(folder).refuted[-1]
    path = folder / f"{length}.cnf.gz"
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join([*lines, b"1 0\n"])))
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.REFUTED and "header promises" in report.steps[-1].seen
    _, _, variables, count = lines[0].split()
    lines[0] = b"p cnf %s %d\n" % (variables, int(count) + 1)
    path.write_bytes(gzip.compress(b"".join([*lines, b"1 0\n"])))
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.REFUTED
    assert f"clause {int(count) + 1}: nothing shows" in report.steps[-1].seen


def test_an_empty_proof_refutes_nothing_that_needs_one(made, tmp_path):
    folder = certificates.copy_of(made[0], tmp_path)
    length = certificates.read(folder).refuted[-1]
    (folder / f"{length}.lrat.gz").write_bytes(gzip.compress(b""))
    assert check_certificate(folder).verdict == CheckVerdict.REFUTED


@pytest.mark.parametrize("kind", ["cnf", "legend", "lrat"])
def test_a_file_that_grows_out_of_all_proportion_is_refused(made, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(files, "_ANY_GROWTH", 1 << 12)
    folder = certificates.copy_of(made[0], tmp_path)
    length = certificates.read(folder).refuted[-1]
    path = folder / f"{length}.{kind}.gz"
    # The lines of a legend are read one by one, so that many of them mean nothing.
    padding = b"x" * 8_000_000 if kind == "legend" else b"c\n" * 4_000_000
    content = gzip.decompress(path.read_bytes())
    # A proof is read to its empty clause and no further.
    content = padding + content if kind == "lrat" else content + padding
    path.write_bytes(gzip.compress(content, mtime=0))
    assert len(padding) > 300 * path.stat().st_size
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.REFUTED
    assert path.name in report.steps[-1].seen and "too long" in report.steps[-1].seen


def test_a_proof_that_deletes_without_end_is_refused(made, tmp_path, monkeypatch):
    monkeypatch.setattr(dimacs, "_MOST_DELETIONS", 100)
    folder = certificates.copy_of(made[0], tmp_path)
    length = certificates.read(folder).refuted[-1]
    path = folder / f"{length}.lrat.gz"
    content = gzip.decompress(path.read_bytes())
    for lines, verdict in ((100, CheckVerdict.PROVED), (101, CheckVerdict.REFUTED)):
        path.write_bytes(gzip.compress(b"1 d 0\n" * lines + content))
        report = check_certificate(folder)
        assert report.verdict == verdict
    assert "more than 100 lines delete clauses" in report.steps[-1].seen


@pytest.mark.parametrize("name", ["problem.json", "plan.txt", "certificate.json"])
def test_files_that_are_none_are_an_error_that_names_them(made, tmp_path, name):
    folder = certificates.copy_of(made[0], tmp_path)
    for spoil in (
        lambda path: path.unlink(),
        lambda path: path.mkdir(),
        lambda path: (path.rmdir(), path.symlink_to("/dev/zero")),
        lambda path: (path.unlink(), path.write_bytes(b"\xff" * 100)),
        lambda path: path.write_bytes(b"[" * 100_000),
    ):
        spoil(folder / name)
        with pytest.raises(ProofError, match=name):
            check_certificate(folder)


def mutate(made, tmp_path, count, seed):
    """How many of the damaged certificates were still accepted, all of them true."""
    random, accepted = Random(seed), 0
    for _ in range(count):
        one = random.choice(made)
        folder = certificates.copy_of(one, tmp_path)
        what = certificates.damage(folder, random)
        try:
            report = check_certificate(folder)
        except ProofError:
            continue
        if report.verdict != CheckVerdict.REFUTED:
            accepted += 1
            assert certificates.is_true(report, one.table), (what, report)
    return accepted


def test_no_damaged_certificate_is_accepted_that_is_wrong(made, tmp_path):
    # Some damage does no harm: a deletion more, a clause twice.
    assert mutate(made, tmp_path, 150, seed=1) < 75


@pytest.mark.slow
def test_no_damaged_certificate_is_accepted_that_is_wrong_5000_times(made, complete, tmp_path):
    assert mutate([*made, *complete], tmp_path, 5000, seed=2) < 2500


def penalties(problem, table):
    """The penalties of the shortest plans, each step at its cheapest; from the distances alone."""
    known = {problem.start: {0}}
    for left in range(table[problem.start], 0, -1):
        following = {}
        for board, costs in known.items():
            cheapest = {}
            for operator in problem.puzzle.operators:
                after = operator.apply(board)
                if operator.applies_to(board) and table.get(after) == left - 1:
                    cost = min(cheapest.get(after, operator.penalty), operator.penalty)
                    cheapest[after] = cost
            for after, cost in cheapest.items():
                following.setdefault(after, set()).update(c + cost for c in costs)
        known = following
    return known[problem.goal]


def test_a_complete_list_shows_the_least_penalty(tmp_path):
    puzzle = cases.make("lloyd", 3, 3)
    table = cases.distance_table("lloyd", 3, 3, depth=9)
    # A board whose shortest plans differ in their transports.
    problem, found = next(
        (Problem(puzzle, board), found)
        for board, distance in sorted(table.items())
        if distance == 9 and len(found := penalties(Problem(puzzle, board), table)) > 1
    )
    certify(problem, tmp_path / "it", every_plan=True)
    report = check_certificate(tmp_path / "it", problem=problem)
    assert report.is_every_plan and report.is_least_penalty
    assert report.steps[-1].seen == f"{min(found)}, the least of all shortest plans"
    # The same list, and a plan of it with more transports as the plan.
    certificate = report.certificate
    heavy = max(certificate.plans, key=lambda plan: penalty(problem, plan))
    write_certificate(tmp_path / "it", replace(certificate, plan=heavy))
    report = check_certificate(tmp_path / "it", problem=problem)
    assert report.verdict == CheckVerdict.PROVED and not report.is_least_penalty
    assert report.steps[-1].seen.endswith(f"; another of the shortest plans has {min(found)}")


def test_a_list_may_name_the_heavier_of_two_moves_with_one_effect():
    turn = ((0, 1), (1, 0))
    moves = (Operator("light", turn, penalty=1), Operator("heavy", turn, penalty=5))
    puzzle = Puzzle("pair", 1, 2, (1, 2), moves, ("", "a", "b"))
    assert least_penalty(Problem(puzzle, (2, 1)), [("heavy",)]) == 1
