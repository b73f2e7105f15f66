"""Certificates of boards with several gaps.

True ones are made by SAT and by a search and accepted; what is false is refused. The boards are so
small that all plans can be listed.
"""

import json
import shutil
from dataclasses import replace
from itertools import product

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import (
    Made,
    accepted_clauses_hold,
    all_justified,
    all_proved,
    any_board,
    damaged_lists_refuted,
    farthest,
    make_all,
    mutate,
    near,
    no_plan_refuted,
    puzzles,
)
from support.reference.placements import goal_distances

from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.justify.formula import Unjustified, justify
from plansolve.certcheck.justify.legend import read_legend
from plansolve.certcheck.unsolvable import why_no_plan
from plansolve.certify import search_proof
from plansolve.certify.certify import certify
from plansolve.claims.certificate import check_certificate
from plansolve.errors import ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle

SIX = cases.make("sliding-gaps", 2, 3)


def letters():
    """Boards of two gaps, of three kinds of tiles, whose goal is whole or gives the first row."""
    yield replace(SIX, goal=(1, 2, 1, 3, 0, 0), pieces=())
    yield replace(SIX, goal=(1, 2, 3, OPEN, OPEN, OPEN), pieces=(0, 0, 1, 2, 3, 3))


# --- formulas
def test_each_formula_is_justified():
    all_justified(farthest(SIX)[0], 3)
    for puzzle in puzzles(range(2), gaps=2):
        all_justified(any_board(puzzle, 1), 2)


@pytest.mark.slow
def test_each_formula_of_many_rules_is_justified():
    for gaps in (2, 3):
        for puzzle in puzzles(range(100, 200), gaps):
            all_justified(farthest(puzzle)[0], 5)
            all_justified(any_board(puzzle, 1), 4)


def test_only_clauses_that_hold_are_accepted():
    accepted, refused = accepted_clauses_hold(map(farthest, puzzles(range(4), gaps=2)), 60)
    assert accepted > 100 and refused > 50


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [2, 3])
def test_only_clauses_that_hold_are_accepted_many_times(gaps):
    accepted, refused = accepted_clauses_hold(map(farthest, puzzles(range(1000, 1120), gaps)), 400)
    assert accepted > 50_000 and refused > 10_000


@pytest.mark.slow
def test_only_clauses_that_hold_are_accepted_on_boards_of_six_cells():
    """Of 2 x 3 cells with two gaps, tiles that differ or not, goals that are whole or open."""
    problems = [one for puzzle in (SIX, *letters()) for one in near(puzzle, 4)]
    accepted, refused = accepted_clauses_hold(problems, 60)
    assert len(problems) > 100 and accepted > 10_000 and refused > 5_000


def test_a_move_needs_any_of_the_gaps_and_no_other_content():
    """The gap that a move needs may be another one than that which is followed."""
    lines = [b"1 move 0 0", b"2 at 0 0 0", b"3 move 1 1", b"4 at 1 1 0", b"5 at 1 1 1"]
    push = Operator("push", ((0, 1), (1, 0)), 0)
    pull = Operator("pull", ((1, 2), (2, 1)), 1)
    puzzle = Puzzle("line", 1, 4, (1, 0, 0, 2), (push, pull), tuple("012"))
    problem = Problem(puzzle, (0, 0, 1, 2))
    legend = read_legend(lines, 5, problem, 2)
    for clause in ([-3, 4], [-3, -5], [2], [-3, -2, 4]):
        assert justify(problem, 2, Clauses.of(5, [clause]), legend) == "rules"
    for clause in ([1], [-2], [3], [4], [-5], [3, 4], [1, -5]):
        with pytest.raises(Unjustified):
            justify(problem, 2, Clauses.of(5, [clause]), legend)


# --- that there is no plan
def test_every_small_board_without_a_plan_has_a_reason_and_no_other():
    for seed, puzzle in enumerate([*puzzles(range(15), 2), *puzzles(range(15), 3)]):
        distances = goal_distances(puzzle)
        for number in range(4):
            problem = any_board(puzzle, 10 * seed + number)
            assert (why_no_plan(problem) is None) == (problem.start in distances)


def test_a_piece_gets_only_where_moves_take_it_that_need_no_gap_in_its_place():
    come, go = Operator("in", ((0, 1), (1, 0)), 0), Operator("on", ((1, 2), (2, 1)), 2)
    puzzle = Puzzle("corner", 2, 2, (0, 0, 1, 2), (come, go), tuple("012"))
    assert why_no_plan(Problem(puzzle, (0, 1, 0, 2))) is None
    # The tile can come into the corner, and not out of it: a gap would have to be there.
    reason = why_no_plan(Problem(puzzle, (1, 0, 0, 2)))
    assert reason == "tile 1 does not get to its goal cell, whatever the other tiles do"
    stuck = Problem(Puzzle("stuck", 2, 2, (1, 0, 0, 2), (go,), tuple("012")), (0, 1, 0, 2))
    what = "the gap of row 1 column 1 does not get to any of its goal cells"
    assert why_no_plan(stuck) == f"{what}, whatever the other tiles do"


# --- certificates
@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Certificates by SAT, some with lists of all plans, and by searches in several units."""
    folder = tmp_path_factory.mktemp("gaps")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_proof, "_SMALL_TREE", 0)
        patch.setattr(search_proof, "_FEWEST", 5)
        patch.setattr(search_proof, "_MOST_ENTRIES", 400)
        ways = ("sat", {"by": "sat"}), ("all", {"every_plan": True}), ("search", {"by": "search"})
        found = [
            one
            for way, options in ways
            for gaps in (2, 3)
            for one in make_all(folder / f"{way}-{gaps}", range(50, 53), gaps, **options)
        ]
        # Searches whose lookups are added.
        for number, puzzle in enumerate((SIX, *letters())):
            problem, distances = farthest(puzzle)
            certify(problem, folder / str(number), by="search")
            found.append(Made(folder / str(number), problem, distances[problem.start]))
        return found


def test_each_proves_its_plan_optimal(made):
    all_proved(made)
    added = [
        len(json.loads((one.folder / "search.json").read_text())["sets"][0]) for one in made[-3:]
    ]
    assert min(added) > 1


def test_a_list_with_a_plan_less_or_twice_is_refuted(made, tmp_path):
    damaged_lists_refuted(made, tmp_path)


def test_that_a_solvable_board_has_no_plan_is_refuted(made, tmp_path):
    no_plan_refuted(made[:6], tmp_path)


def test_no_damaged_certificate_is_accepted_that_is_wrong(made, tmp_path):
    refused, accepted = mutate(made, tmp_path, 60, seed=1)
    assert refused > 30 and accepted > 0


@pytest.mark.slow
def test_no_damaged_certificate_is_accepted_that_is_wrong_3000_times(made, tmp_path):
    refused, _ = mutate(made, tmp_path, 3000, seed=2)
    assert refused > 1500


@pytest.mark.slow
@pytest.mark.parametrize("by", ["sat", "search"])
def test_every_board_of_two_gaps_is_certified(by, tmp_path):
    """All 360 boards of 2 x 3 cells, each with the length that a search of all boards gives it."""
    for number, (board, distance) in enumerate(goal_distances(SIX).items()):
        folder = tmp_path / str(number)
        certify(Problem(SIX, board), folder, by=by)
        report = check_certificate(folder)
        assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, distance)


@pytest.mark.parametrize(
    ("by", "where"), [("sat", "length 12"), ("search", "the search to 13 moves")]
)
def test_a_plan_that_is_two_moves_too_long_is_refuted(by, where, tmp_path):
    """Each file claims what it would if it were a shortest one."""
    folder, problem = tmp_path / "it", farthest(SIX)[0]
    certify(problem, folder, by=by)
    record = json.loads((folder / "certificate.json").read_text())
    assert record["length"] == 12
    (folder / "plan.txt").write_text((folder / "plan.txt").read_text().strip() + " c1D c2U\n")
    record |= {"length": 14, "lower_bound": 14}
    if by == "search":
        record |= {"searched": 13}
        search = json.loads((folder / "search.json").read_text())
        (folder / "search.json").write_text(json.dumps(search | {"bound": 13}))
    else:
        record["refuted"] += [12, 13]
        for length, kind in product((12, 13), ("cnf", "legend", "lrat")):
            shutil.copy(folder / f"11.{kind}.gz", folder / f"{length}.{kind}.gz")
    (folder / "certificate.json").write_text(json.dumps(record))
    report = check_certificate(folder)
    assert (report.verdict, report.steps[-1].what) == (CheckVerdict.REFUTED, where)
    assert report.lower_bound <= 12


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
