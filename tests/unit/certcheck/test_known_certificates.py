"""Certificates of boards that something is known of: lengths, that there is no plan, penalties."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import PLAIN, any_board, puzzles
from support.reference.placements import goal_distances

from plansolve.certcheck.certificate import least_penalty
from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.search import words
from plansolve.claims.certificate import check_certificate, write_certificate
from plansolve.claims.certify import certify, certify_result
from plansolve.encoders.registry import ENCODINGS, choose_lemmas
from plansolve.errors import OptionError, ProofError
from plansolve.instances.instance_set import load_instance_set
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.solvers.engine.solve import solve

INSTANCES = Path(__file__).parents[3] / "instances"
SIX = cases.make("sliding-gaps", 2, 3)


def instance(folder, length):
    return next(
        i for i in load_instance_set(INSTANCES / folder).instances if i.optimal_length == length
    )


def corner():
    """A goal that places the blank alone: the elementary bound says 1."""
    rules = cases.make("sliding", 3, 3)
    return Problem(replace(rules, goal=(*[OPEN] * 8, 0), pieces=tuple(range(9))), tuple(range(9)))


def pancakes():
    """The middle of an odd number of pancakes stays, and shorter turns do not name it."""
    return Problem(cases.make("pancake", 1, 8), (1, 6, 4, 5, 3, 2, 7, 8))


KNOWN = {
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
    rules = cases.make("sliding", 3, 3)
    two_sevens = replace(rules, goal=(1, 2, 3, 4, 5, 6, 7, 7, 0), pieces=())
    problem = Problem(two_sevens, (4, 2, 3, 5, 7, 1, 0, 7, 6))
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
    puzzle = cases.make("sliding", 4, 4)
    for encoding in ENCODINGS.values():
        usual = choose_lemmas(encoding, puzzle)
        kept = choose_lemmas(encoding, puzzle, is_proof=True)
        assert kept == usual & PLAIN < usual
        with pytest.raises(OptionError, match="lemma no-undo cannot be certified: leave it out"):
            choose_lemmas(encoding, puzzle, ["no-undo"], is_proof=True)


# --- without a plan


def unsolvable():
    return [[1, 2, 3], [4, 5, 6], [8, 7, 0]]


def test_that_there_is_no_plan_is_certified_and_checked(tmp_path):
    certified = certify(unsolvable(), tmp_path / "it")
    assert certified.certificate.plan is None and certified.certificate.lower_bound is None
    assert not (tmp_path / "it" / "plan.txt").exists()
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.UNSOLVABLE and report.lower_bound is None
    assert "an odd permutation" in report.steps[-1].seen
    kept = certify_result(solve(unsolvable(), optimal=True), tmp_path / "kept")
    assert kept.certificate.lower_bound is None
    assert check_certificate(tmp_path / "kept").verdict == CheckVerdict.UNSOLVABLE
    found = 0
    for seed, puzzle in enumerate(puzzles(range(18))):
        problem = any_board(puzzle, seed)
        if problem.start not in goal_distances(puzzle):
            certify(problem, tmp_path / str(seed))
            report = check_certificate(tmp_path / str(seed), problem=problem)
            assert report.verdict == CheckVerdict.UNSOLVABLE
            found += 1
    assert found > 2


@pytest.mark.parametrize("by", ["sat", "search"])
def test_that_no_plan_is_so_short_is_certified_and_checked(by, tmp_path):
    puzzle = cases.make("sliding", 3, 3)
    table = cases.distance_table("sliding", 3, 3, depth=16)
    start = min(board for board, moves in table.items() if moves == 16)
    problem = Problem(puzzle, start)
    certified = certify(problem, tmp_path / "it", by=by, max_horizon=13)
    assert certified.certificate.plan is None
    assert 14 <= certified.certificate.lower_bound <= 16
    report = check_certificate(tmp_path / "it", problem=problem)
    assert report.verdict == CheckVerdict.BOUNDS
    assert report.lower_bound == certified.certificate.lower_bound
    path = tmp_path / "it" / "certificate.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"lower_bound": 17}))
    assert check_certificate(tmp_path / "it").verdict == CheckVerdict.REFUTED


def test_a_plan_within_the_horizon_is_certified_as_ever(tmp_path):
    certified = certify([[1, 2], [0, 3]], tmp_path / "it", max_horizon=5)
    assert certified.certificate.is_of_optimality
    assert check_certificate(tmp_path / "it").verdict == CheckVerdict.PROVED
    with pytest.raises(OptionError, match="exclude each other"):
        certify([[1, 2], [0, 3]], tmp_path / "other", max_horizon=5, every_plan=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"plans": 1}, "plans: a list of all plans needs a plan, and a search"),
        ({"length": 2}, "plan.txt: No such file"),
        ({"length": True}, "length: 'True' has the wrong type"),
        ({"lower_bound": "x"}, "lower_bound: \"'x'\" has the wrong type"),
        ({"lower_bound": None}, "null claims that there is no plan, but there is one"),
    ],
)
def test_what_does_not_go_together_is_refused(change, said, tmp_path):
    certify([[1, 2], [0, 3]] if "there is one" in said else unsolvable(), tmp_path / "it")
    path = tmp_path / "it" / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ProofError, match=said):
        check_certificate(tmp_path / "it")


# --- penalties


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
    puzzle = Puzzle("pair", 1, 2, (1, 2), moves, ("_", "a", "b"))
    assert least_penalty(Problem(puzzle, (2, 1)), [("heavy",)]) == 1
