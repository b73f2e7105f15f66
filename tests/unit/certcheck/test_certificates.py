"""Certificates: one contract for boards of all kinds, by SAT, with all plans, and by a search.

True ones are accepted, and nothing else, however it came about. The boards are so small that all
distances are known.
"""

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.fixtures import cases, certificates
from support.fixtures.certificates import make_all, mutate, units, write_units
from support.fixtures.small_rules import PLAIN, any_board, farthest, puzzles
from support.reference.placements import goal_distances, shortest_sequences

from plansolve.certcheck import dimacs, files
from plansolve.certcheck.certificate import Claim, least_penalty
from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.search import words
from plansolve.claims import search_proof
from plansolve.claims.certificate import check_certificate, write_certificate
from plansolve.claims.certify import certify
from plansolve.encoders.registry import ENCODINGS, choose_lemmas
from plansolve.errors import OptionError, ProofError
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import OPEN, Operator, Puzzle

INSTANCES = Path(__file__).parents[3] / "instances"
SIX = cases.make("sliding-gaps", 2, 3)


def letters():
    """Boards of two gaps, of three kinds of tiles, whose goal is whole or gives the first row."""
    yield replace(SIX, goal=(1, 2, 1, 3, 0, 0), pieces=())
    yield replace(SIX, goal=(1, 2, 3, OPEN, OPEN, OPEN), pieces=(0, 0, 1, 2, 3, 3))


def random_rules(seeds, gaps=1):
    for seed, puzzle in zip(seeds, puzzles(seeds, gaps), strict=True):
        effects = {operator.destinations(puzzle.cells) for operator in puzzle.operators}
        if gaps > 1 and len(effects) < len(puzzle.operators):
            continue  # Nothing lists plans where two moves may do the same to one board.
        problem, distances = farthest(puzzle)
        if distances[problem.start] > 1:
            yield f"{gaps}-{seed}", problem, distances


def with_gaps():
    yield from random_rules(range(50, 53), 2)
    yield from random_rules(range(50, 53), 3)
    for number, puzzle in enumerate((SIX, *letters())):
        problem, distances = farthest(puzzle)
        yield f"letters-{number}", problem, distances


FAMILIES = {
    "distinct": certificates.small_problems,
    "alike": lambda: random_rules(range(40, 47)),
    "gaps": with_gaps,
}


@pytest.fixture(scope="module", params=FAMILIES)
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with pytest.MonkeyPatch.context() as patch:
        certificates.cut_up(patch)
        if request.param == "gaps":
            # Then lookups are added, and some patterns do without the gaps.
            patch.setattr(search_proof, "_MOST_ENTRIES", 400)
        return make_all(folder, FAMILIES[request.param]())


def test_each_proves_its_plan_optimal(made):
    for one in made:
        report = check_certificate(one.folder, problem=one.problem)
        assert report.verdict == CheckVerdict.PROVED, report.steps[-1]
        stated = report.certificate
        assert report.lower_bound == len(stated.plan) == one.table[one.problem.start]
        assert certificates.is_true(report, one)
        way = one.folder.name.rsplit("-", 1)[1]
        assert way != "sat" or (stated.searched is None and {*stated.made_by["lemmas"]} <= PLAIN)
        if stated.searched is not None:
            assert any("re-executed all of" in step.seen for step in report.steps)
        assert report.is_every_plan == (way == "all") == (stated.plans is not None)
        if stated.plans is not None:
            assert len(stated.plans) == len(shortest_sequences(one.problem, one.table))
    stated = [certificates.read(one.folder) for one in made]
    assert any(len(one.plans or ()) > 1 for one in stated)
    assert {one.searched is None for one in stated} == {True, False}


# --- what is forged


def restated(folder, **changes):
    path = folder / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def rewritten(path, change):
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))


def last(folder, kind):
    """A file about the longest length that is refuted."""
    return folder / f"{certificates.read(folder).refuted[-1]}.{kind}.gz"


def exchanged(folder, stated):
    # What refutes the longer one may hold for the shorter one too, but not the other way round.
    for kind in ("cnf", "legend", "lrat"):
        one, other = (folder / f"{length}.{kind}.gz" for length in stated.refuted[-2:])
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)


def clause_more(folder, stated, counted=True):
    def change(text):
        head, *lines = text.splitlines(keepends=True)
        _, _, variables, count = head.split()
        head = b"p cnf %s %d\n" % (variables, int(count) + counted)
        return b"".join([head, *lines, b"1 0\n"])

    rewritten(last(folder, "cnf"), change)


def detour(problem):
    """The names of a move from the start and of one that takes it back; None without any."""
    applicable = problem.puzzle.applicable
    for away, operator in applicable(problem.start).items():
        there = operator.apply(problem.start)
        for back, other in applicable(there).items():
            if there != problem.start and other.apply(there) == problem.start:
                return away, back
    return None


def too_long(folder, stated):
    """A plan that goes there and back first; each file claims what it would for a shortest one."""
    length = len(stated.plan) + 2
    changes = {"plan": (*detour(stated.problem), *stated.plan), "lower_bound": length}
    if stated.searched is not None:
        changes["searched"] = length - 1
        search = json.loads((folder / "search.json").read_text())
        (folder / "search.json").write_text(json.dumps(search | {"bound": length - 1}))
    else:
        changes["refuted"] = (*stated.refuted, length - 2, length - 1)
        for copy in (length - 2, length - 1):
            for kind in ("cnf", "legend", "lrat"):
                shutil.copy(last(folder, kind), folder / f"{copy}.{kind}.gz")
    write_certificate(folder, replace(stated, **changes))


def unit_lost(place):
    def change(folder, stated):
        lines = units(folder)
        del lines[place(len(lines))]
        write_units(folder, lines)

    return change


def listed(change):
    def forge(folder, stated):
        plans = change(list(stated.plans))
        write_certificate(folder, replace(stated, plans=tuple(plans)))

    return forge


def without_plan(folder, stated):
    restated(folder, length=None, lower_bound=None, plans=None, refuted=[], searched=None,
             claimed=None)  # fmt: skip


FORGED = {
    "a length left out": (
        "sat",
        lambda folder, stated: restated(folder, refuted=[*stated.refuted[:-1]]),
        "the lower bound: stated is .* nothing excludes a plan of",
    ),
    "the plan's own length": (
        "sat",
        lambda folder, stated: restated(folder, refuted=[*stated.refuted, len(stated.plan)]),
        "length .* cannot be refuted",
    ),
    "lengths exchanged": ("sat", exchanged, "length "),
    "a clause more": ("sat", lambda *of: clause_more(*of, counted=False), "header promises"),
    "a clause more, counted": ("sat", clause_more, "clause .* nothing shows|step .* is expected"),
    "a proof that is empty": (
        "sat",
        lambda folder, _: rewritten(last(folder, "lrat"), lambda text: b""),
        "ends before the empty clause",
    ),
    "a proof cut in half": (
        "sat",
        lambda folder, _: rewritten(
            last(folder, "lrat"), lambda t: b"".join(t.splitlines(True)[: -1])
        ),
        "ends before the empty clause",
    ),
    "a plan too long, by SAT": ("sat", too_long, "length "),
    "a plan too long, by a search": ("search", too_long, "the search to "),
    "the first unit left out": ("search", unit_lost(lambda n: 0), "units.txt.gz: "),
    "a unit left out": ("search", unit_lost(lambda n: n // 2), "units.txt.gz: "),
    "the last unit left out": ("search", unit_lost(lambda n: n - 1), "units.txt.gz: "),
    "no list of units": (
        "search", lambda folder, _: (folder / "units.txt.gz").unlink(), "units.txt.gz",
    ),
    "another bound in the search": (
        "search",
        lambda folder, stated: restated(folder, searched=stated.searched - 1,
                                        lower_bound=stated.searched),
        "the search to .* its bound is",
    ),
    "a plan less": ("all", listed(lambda plans: plans[:-1]), "the list of plans: "),
    "a plan twice": ("all", listed(lambda plans: [*plans, plans[0]]), "two of the plans"),
    "a plan that is none": (
        "all", listed(lambda plans: [*plans[:-1], plans[-1][:-1]]), "is not a plan of",
    ),
    "no plan at all": ("search", without_plan, "no plan at all: nothing shows"),
    "a plan cut short": (
        "search",
        lambda folder, stated: write_certificate(
            folder, replace(stated, plan=stated.plan[:-1], lower_bound=0)
        ),
        "the plan: it does not end in the goal",
    ),
}  # fmt: skip


def fits(one, way, name):
    stated = certificates.read(one.folder)
    return (
        one.folder.name.endswith(way)
        and (way != "sat" or len(stated.refuted) > 1)
        and (way != "search" or stated.searched is not None)
        and ("twice" not in name or len(stated.plans) < 90)
        and ("less" not in name or len(stated.plans) > 1)
        and ("too long" not in name or detour(one.problem) is not None)
    )


@pytest.mark.parametrize("name", FORGED)
def test_what_is_forged_is_refuted_and_named(made, name, tmp_path):
    way, forge, said = FORGED[name]
    for one in [one for one in made if fits(one, way, name)][:2]:
        folder = certificates.copy_of(one, tmp_path)
        forge(folder, certificates.read(folder))
        report = check_certificate(folder)
        assert report.verdict == CheckVerdict.REFUTED and not report.is_every_plan
        step = report.steps[-1]
        assert not step.is_right
        assert re.search(said, f"{step.what}: {step.seen}"), step
        assert (report.lower_bound or 0) <= one.table[one.problem.start]


def test_each_forgery_fits_some_board(made):
    fitting = {name for name in FORGED if any(fits(one, FORGED[name][0], name) for one in made)}
    assert fitting >= {*FORGED} - {"a plan less"}


def test_no_damaged_certificate_is_accepted_that_is_wrong(made, tmp_path):
    # Some damage does no harm: a deletion more, a clause twice, longer words in one unit.
    refused, accepted = mutate(made, tmp_path, 120, seed=1)
    assert refused > 50 and accepted > 0


@pytest.mark.slow
def test_no_damaged_certificate_is_accepted_that_is_wrong_4000_times(made, tmp_path):
    refused, _ = mutate(made, tmp_path, 4000, seed=2)
    assert refused > 2000


def test_a_certificate_of_another_board_is_refuted(made):
    report = check_certificate(made[0].folder, problem=made[-1].problem)
    assert report.verdict == CheckVerdict.REFUTED and report.steps[-1].what == "the problem"


def test_a_claim_proves_nothing(made, tmp_path):
    one = next(one for one in made if fits(one, "sat", ""))
    folder = certificates.copy_of(one, tmp_path)
    stated = certificates.read(folder)
    least, *_ = stated.refuted
    claim = Claim("idastar", len(stated.plan), {"idastar": {"nodes": 1000}})
    write_certificate(folder, replace(stated, refuted=(), lower_bound=least, claim=claim))
    report = check_certificate(folder)
    assert report.verdict == CheckVerdict.BOUNDS and report.lower_bound == least
    assert report.certificate.claim == claim


# --- boards that something is known of


@pytest.fixture(scope="module")
def one_of_sat(tmp_path_factory):
    posed = certificates.small_problems()[1:2]
    return make_all(tmp_path_factory.mktemp("one"), posed, ["sat"])[0]


def instance(folder, length):
    return next(
        i for i in load_instance_set(INSTANCES / folder).instances if i.optimal_length == length
    )


def sevens():
    """The 8-puzzle with two sevens, and with three ones and a goal that gives the first row."""
    rules = cases.make("sliding", 3, 3)
    alike = replace(rules, goal=(1, 2, 3, 4, 5, 6, 7, 7, 0), pieces=())
    row = replace(rules, goal=(1, 1, 2, *[OPEN] * 6), pieces=(0, 1, 1, 1, 2, 3, 3, 4, 5))
    return [Problem(alike, (1, 5, 0, 4, 7, 2, 7, 6, 3)), Problem(row, (3, 1, 5, 4, 3, 1, 0, 2, 1))]


def corner():
    """A goal that places the blank alone: the elementary bound says 1."""
    rules = cases.make("sliding", 3, 3)
    return Problem(replace(rules, goal=(*[OPEN] * 8, 0), pieces=tuple(range(9))), tuple(range(9)))


def pancakes():
    """The middle of an odd number of pancakes stays, and shorter turns do not name it."""
    return Problem(cases.make("pancake", 1, 8), (1, 6, 4, 5, 3, 2, 7, 8))


KNOWN = {
    "two sevens": (lambda: sevens()[0], None),
    "three ones": (lambda: sevens()[1], None),
    "the blank alone": (corner, 4),
    "pancakes": (pancakes, 5),
    "two cells": (lambda: Problem(cases.make("sliding", 1, 2), (0, 1)), 1),
    "the goal": (lambda: Problem(cases.make("sliding", 3, 3), (*range(1, 9), 0)), 0),
    "2023": (lambda: instance("torus-ring-walks", 5).problem, 5),
    "lloyd": (lambda: instance("lloyd-walks", 16).problem, 16),
    "korf": (lambda: instance("korf100", 65).problem, 65),
    "31 moves": (lambda: instance("sat-frontier", 31).problem, 31),
}


@pytest.mark.parametrize(
    ("name", "by"),
    [
        pytest.param(name, by, marks=[pytest.mark.slow] * (name == "31 moves"))
        for name in KNOWN
        for by in ("sat", "search")
        if by == "search" or name not in ("korf", "2023", "lloyd")
    ],
)
def test_boards_of_known_length_are_certified(name, by, tmp_path):
    pose, length = KNOWN[name]
    problem = pose()
    if length is None:
        boards, length = {problem.start}, 0
        while not any(map(problem.puzzle.is_goal, boards)):
            boards = {op.apply(b) for b in boards for op in problem.puzzle.applicable(b).values()}
            length += 1
    certify(problem, tmp_path / "it", by=by)
    report = check_certificate(tmp_path / "it", problem=problem)
    assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, length)
    assert length or (report.certificate.plan, report.certificate.refuted) == ((), ())


@pytest.mark.slow
@pytest.mark.parametrize("by", ["sat", "search"])
def test_every_board_of_two_gaps_is_certified(by, tmp_path):
    """All 360 boards of 2 x 3 cells, each with the length that a search of all boards gives it."""
    for number, (board, distance) in enumerate(goal_distances(SIX).items()):
        certify(Problem(SIX, board), tmp_path / str(number), by=by)
        report = check_certificate(tmp_path / str(number))
        assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, distance)


def test_that_there_is_no_plan_is_certified(tmp_path):
    found = 0
    for seed, puzzle in enumerate(puzzles(range(18))):
        problem = any_board(puzzle, seed)
        if problem.start not in goal_distances(puzzle):
            certify(problem, tmp_path / str(seed))
            report = check_certificate(tmp_path / str(seed), problem=problem)
            assert report.verdict == CheckVerdict.UNSOLVABLE
            found += 1
    assert found > 2


def test_a_certificate_of_other_gaps_or_another_goal_is_refuted(tmp_path):
    folder, problem = tmp_path / "it", Problem(SIX, (1, 2, 3, 0, 0, 4))
    certify(problem, folder, by="search")
    stated = json.loads((folder / "problem.json").read_text())
    three = {"board": [[1, 2, 3], [0, 0, 0]], "goal": [[1, 2, 0], [3, 0, 0]]}
    for change in ({"puzzle": "sliding-gaps:3", **three}, {"goal": [[0, 1, 2], [3, 4, 0]]}):
        (folder / "problem.json").write_text(json.dumps(stated | change))
        for wanted in (problem, None):
            assert check_certificate(folder, problem=wanted).verdict == CheckVerdict.REFUTED
    one = {"board": [[1, 2, 3], [0, 5, 4]], "goal": [[1, 2, 3], [4, 5, 0]]}
    (folder / "problem.json").write_text(json.dumps(stated | {"puzzle": "sliding", **one}))
    with pytest.raises(ProofError, match="is not a move of sliding"):
        check_certificate(folder)


def test_where_words_are_too_many_for_a_search_sat_proves(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "MOST_WORDS", 20)
    problem = Problem(sevens()[0].puzzle, (4, 2, 3, 5, 7, 1, 0, 7, 6))
    # As if the board were large.
    monkeypatch.setitem(certify.__globals__, "FEW_CELLS", 4)
    made = certify(problem, tmp_path / "it")
    assert made.certificate.refuted and made.certificate.searched is None
    assert check_certificate(tmp_path / "it").verdict == CheckVerdict.PROVED
    with pytest.raises(OptionError, match="no search proof: words"):
        certify(problem, tmp_path / "other", by="search")


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


def test_formulas_with_proofs_have_plain_lemmas_alone():
    for encoding in ENCODINGS.values():
        usual = choose_lemmas(encoding, cells=16)
        kept = choose_lemmas(encoding, cells=16, is_proof=True)
        assert kept == usual & PLAIN < usual
        with pytest.raises(OptionError, match="no check follows lemma no-undo: leave it out"):
            choose_lemmas(encoding, ["no-undo"], is_proof=True)


# --- files


def test_a_folder_with_something_in_it_is_not_written_to(one_of_sat, tmp_path):
    with pytest.raises(OptionError, match="not empty"):
        certify(one_of_sat.problem, one_of_sat.folder)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(OptionError, match="no folder"):
        certify(one_of_sat.problem, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.parametrize("kind", ["cnf", "legend", "lrat"])
def test_a_file_that_grows_out_of_all_proportion_is_refused(
    one_of_sat, tmp_path, monkeypatch, kind
):
    monkeypatch.setattr(files, "_ANY_GROWTH", 1 << 12)
    folder = certificates.copy_of(one_of_sat, tmp_path)
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


def test_a_proof_that_deletes_without_end_is_refused(one_of_sat, tmp_path, monkeypatch):
    monkeypatch.setattr(dimacs, "_MOST_DELETIONS", 100)
    folder = certificates.copy_of(one_of_sat, tmp_path)
    length = certificates.read(folder).refuted[-1]
    path = folder / f"{length}.lrat.gz"
    content = gzip.decompress(path.read_bytes())
    for lines, verdict in ((100, CheckVerdict.PROVED), (101, CheckVerdict.REFUTED)):
        path.write_bytes(gzip.compress(b"1 d 0\n" * lines + content))
        report = check_certificate(folder)
        assert report.verdict == verdict
    assert "more than 100 lines delete clauses" in report.steps[-1].seen


@pytest.mark.parametrize("name", ["problem.json", "plan.txt", "certificate.json"])
def test_files_that_are_none_are_an_error_that_names_them(one_of_sat, tmp_path, name):
    folder = certificates.copy_of(one_of_sat, tmp_path)
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
