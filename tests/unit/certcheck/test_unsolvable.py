"""Certificates without a plan: that there is none at all, or none within a horizon."""

import json
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import any_board, puzzles
from support.reference.placements import goal_distances

from plansolve.analysis.solvability import why_unsolvable
from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.unsolvable import Generated, why_no_plan
from plansolve.claims.certificate import check_certificate
from plansolve.claims.certify import certify, certify_result
from plansolve.errors import OptionError, ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.solvers.engine.solve import solve


def depths(puzzle):
    return cases.distance_table(puzzle.name, puzzle.rows, puzzle.columns)


@pytest.mark.parametrize(
    "puzzle",
    [
        cases.make("sliding", 2, 3),
        cases.make("sliding", 1, 4),
        pytest.param(cases.make("loopover", 2, 3), marks=pytest.mark.slow),
        cases.make("loopover", 1, 5),
    ],
    ids=lambda puzzle: puzzle.title,
)
def test_every_board_without_a_plan_has_a_reason_and_no_other(puzzle):
    table = depths(puzzle)
    boards = permutations(puzzle.goal)
    without = {b for b in boards if why_no_plan(Problem(puzzle, b)) is not None}
    assert without == {*permutations(puzzle.goal)} - table.keys()


@pytest.mark.parametrize("gaps", [1, 2, 3])
def test_every_board_of_random_rules_without_a_plan_has_a_reason_and_no_other(gaps):
    for seed, puzzle in enumerate(puzzles(range(30 if gaps == 1 else 15), gaps)):
        distances = goal_distances(puzzle)
        for number in range(4):
            problem = any_board(puzzle, 10 * seed + number)
            assert (why_no_plan(problem) is None) == (problem.start in distances)


def test_equal_pieces_have_no_parity():
    """An odd arrangement of different tiles is an even one where two are alike."""
    rules = cases.make("sliding", 2, 3)
    odd = (2, 1, 3, 4, 5, 0)
    assert "parity" in why_no_plan(Problem(rules, odd))
    alike = replace(rules, goal=(1, 2, 3, 4, 4, 0), pieces=())
    assert why_no_plan(Problem(alike, (2, 1, 3, 4, 4, 0))) is None
    row = replace(rules, goal=(1, 2, *[OPEN] * 4), pieces=tuple(range(6)))
    assert why_no_plan(Problem(row, odd)) is None


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


@pytest.mark.parametrize("size", [(3, 3), (4, 4), (3, 5)])
@pytest.mark.parametrize("name", ["sliding", "torus-ring:rings=outer", "loopover"])
@pytest.mark.slow
def test_large_boards_are_told_apart_as_the_engines_do(name, size):
    puzzle, random = cases.make(name, *size), Random(7)
    for _ in range(6):
        board = tuple(random.sample(puzzle.goal, len(puzzle.goal)))
        problem = Problem(puzzle, board)
        assert (why_no_plan(problem) is None) == (why_unsolvable(problem) is None), board


def unsolvable():
    return [[1, 2, 3], [4, 5, 6], [8, 7, 0]]


def test_that_there_is_no_plan_is_certified_and_seen_again(tmp_path):
    certified = certify(unsolvable(), tmp_path / "it")
    assert certified.certificate.plan is None and certified.certificate.lower_bound is None
    assert not (tmp_path / "it" / "plan.txt").exists()
    report = check_certificate(tmp_path / "it")
    assert report.verdict == CheckVerdict.UNSOLVABLE and report.lower_bound is None
    assert "an odd permutation" in report.steps[-1].seen
    kept = certify_result(solve(unsolvable()), tmp_path / "kept")
    assert kept.certificate.lower_bound is None
    assert check_certificate(tmp_path / "kept").verdict == CheckVerdict.UNSOLVABLE


@pytest.mark.parametrize("by", ["sat", "search"])
def test_that_no_plan_is_so_short_is_certified_and_seen_again(by, tmp_path):
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
    # A word more is too much.
    path = tmp_path / "it" / "certificate.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"lower_bound": 17}))
    assert check_certificate(tmp_path / "it").verdict == CheckVerdict.REFUTED


def test_a_plan_within_the_horizon_is_certified_as_ever(tmp_path):
    certified = certify([[1, 2], [0, 3]], tmp_path / "it", max_horizon=5)
    assert certified.certificate.is_of_optimality
    assert check_certificate(tmp_path / "it").verdict == CheckVerdict.PROVED
    with pytest.raises(OptionError, match="has no horizon"):
        certify([[1, 2], [0, 3]], tmp_path / "other", max_horizon=5, every_plan=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"plans": 1}, "plans: a list of all comes with a plan, and a search"),
        ({"length": 2}, "plan.txt: No such file"),
        ({"length": True}, "length: 'True' is of the wrong kind"),
        ({"lower_bound": "x"}, "lower_bound: \"'x'\" is of the wrong kind"),
        ({"lower_bound": None}, "null says that there is no plan, and there is one"),
    ],
)
def test_what_does_not_go_together_is_refused(change, said, tmp_path):
    certify([[1, 2], [0, 3]] if "there is one" in said else unsolvable(), tmp_path / "it")
    path = tmp_path / "it" / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ProofError, match=said):
        check_certificate(tmp_path / "it")


def cycle(*cells):
    """The moves that take each cell's content to the next cell, and the last one's to the first."""
    return tuple(sorted(zip((*cells[1:], cells[0]), cells, strict=True)))


def couples():
    """Sixteen tiles in eight couples that stay together: 2^8 * 8! = 10,321,920 boards."""
    both = [(2 * n, 2 * n + 1) for n in range(8)]
    round_all = cycle(*(one for one, _ in both)) + cycle(*(other for _, other in both))
    moves = {
        "within": cycle(0, 1),
        "two": cycle(0, 2) + cycle(1, 3),
        "all": tuple(sorted(round_all)),
    }
    operators = tuple(Operator(name, tuple(sorted(cells))) for name, cells in moves.items())
    return Puzzle("couples", 2, 8, tuple(range(1, 17)), operators, ("", *"abcdefghijklmnop"))


@pytest.mark.slow
def test_a_board_outside_a_large_group_is_told_and_none_within():
    puzzle, random, said = couples(), Random(3), {True: 0, False: 0}
    assert Generated([o.destinations(16) for o in puzzle.operators], 16).order == 10_321_920
    for _ in range(8):
        order = random.sample(range(8), 8)
        pairs = [random.sample((2 * n + 1, 2 * n + 2), 2) for n in order]
        if random.random() < 0.5:
            # One of a couple changes places with one of another.
            pairs[0][0], pairs[1][0] = pairs[1][0], pairs[0][0]
        is_whole = all((a + 1) // 2 == (b + 1) // 2 for a, b in pairs)
        reason = why_no_plan(Problem(puzzle, tuple(tile for pair in pairs for tile in pair)))
        assert (reason is None) == is_whole
        said[is_whole] += 1
    assert min(said.values()) > 1


@pytest.mark.parametrize("seed", range(20))
def test_small_groups_hold_the_permutations_that_their_products_give(seed):
    random = Random(seed)
    degree = random.randrange(1, 7)
    generators = [tuple(random.sample(range(degree), degree)) for _ in range(random.randrange(3))]
    found = {tuple(range(degree))}
    while fresh := {tuple(g[x] for x in p) for p in found for g in generators} - found:
        found |= fresh
    group = Generated(generators, degree)
    assert group.order == len(found)
    assert {p for p in permutations(range(degree)) if p in group} == found
