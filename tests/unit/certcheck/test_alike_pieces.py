"""Certificates of boards whose pieces are alike, or whose goals leave cells open.

True ones are made by SAT and by a search and accepted; what is false is refused, however it came
about. The boards are so small that all plans can be listed.
"""

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import (
    accepted_clauses_hold,
    all_justified,
    all_proved,
    any_board,
    damaged_lists_refuted,
    farthest,
    make_all,
    mutate,
    no_plan_refuted,
    puzzles,
    walks,
)
from support.reference.oracle import Rules
from support.reference.placements import goal_distances

from plansolve.certcheck.check import CheckVerdict
from plansolve.certcheck.clauses import Clauses
from plansolve.certcheck.elementary import elementary_bound
from plansolve.certcheck.justify.formula import Unjustified, justify
from plansolve.certcheck.justify.legend import read_legend
from plansolve.certcheck.search import words
from plansolve.certcheck.unsolvable import why_no_plan
from plansolve.certify import search_proof
from plansolve.certify.certify import certify
from plansolve.claims.certificate import check_certificate
from plansolve.errors import OptionError, ProofError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle


# --- formulas
def test_each_formula_is_justified():
    for puzzle in puzzles(range(3)):
        all_justified(farthest(puzzle)[0], 3)
        all_justified(any_board(puzzle, 1), 2)


@pytest.mark.slow
def test_each_formula_of_many_rules_is_justified():
    for puzzle in puzzles(range(100, 250)):
        all_justified(farthest(puzzle)[0], 5)
        all_justified(any_board(puzzle, 1), 4)


def test_only_clauses_that_hold_are_accepted():
    accepted, refused = accepted_clauses_hold(map(farthest, puzzles(range(6))), 60)
    assert accepted > 100 and refused > 50


@pytest.mark.slow
def test_only_clauses_that_hold_are_accepted_many_times():
    accepted, refused = accepted_clauses_hold(map(farthest, puzzles(range(1000, 1120))), 400)
    assert accepted > 100_000 and refused > 10_000


def test_one_of_two_equal_pieces_may_stand_where_the_other_does_not():
    """What follows for the only piece of a kind does not follow for one of two."""
    turn = Operator("turn", ((0, 2), (1, 0), (2, 1)))
    puzzle = Puzzle("ring", 1, 3, (1, 1, 2), (turn,), tuple("0123"))
    problem = Problem(puzzle, (2, 1, 1))
    lines = [b"1 at 0 1 1", b"2 at 1 2 1", b"3 at 1 0 1", b"4 at 1 1 2", b"5 at 1 1 1"]
    legend = read_legend(lines, 5, problem, 2)
    for clause in ([-1, 2], [2], [3], [4], [-5]):
        assert justify(problem, 2, Clauses.of(5, [clause]), legend) == "rules"
    for clause in ([-2, -3], [-2], [-3], [-4], [5], [-1, -3], [-1, -2, -3]):
        with pytest.raises(Unjustified):
            justify(problem, 2, Clauses.of(5, [clause]), legend)


def test_a_legend_of_a_content_that_the_board_has_not_is_refused():
    turn = Operator("turn", ((0, 2), (1, 0), (2, 1)))
    puzzle = Puzzle("ring", 1, 4, (1, 1, 2, 5), (turn,), tuple("012345"))
    with pytest.raises(ProofError, match="no content 3"):
        read_legend([b"1 at 1 0 3"], 1, Problem(puzzle, puzzle.goal), 3)


def test_a_kind_that_no_piece_has_shows_nothing():
    """Kinds need not be numbered one after the other: of none that is left out anything follows."""
    swap = Operator("swap", ((0, 1), (1, 0)))
    turn = Operator("turn", ((1, 2), (2, 3), (3, 1)))
    puzzle = Puzzle("few", 1, 4, (1, 1, 4, 4), (swap, turn), tuple("01234"))
    problem = Problem(puzzle, (4, 1, 1, 4))
    legend = read_legend([b"1 move 0 0", b"2 step 0 0 1"], 2, problem, 3)
    assert walks(problem, 3)
    for clause in ([-1], [-2], [1], [2]):
        with pytest.raises(Unjustified):
            justify(problem, 3, Clauses.of(2, [clause]), legend)


# --- bounds, and that there is no plan
def test_no_board_is_nearer_than_the_elementary_bound():
    for puzzle in puzzles(range(30)):
        for board, distance in goal_distances(puzzle).items():
            assert elementary_bound(Problem(puzzle, board)).value <= distance


def test_every_small_board_without_a_plan_has_a_reason_and_no_other():
    for seed, puzzle in enumerate(puzzles(range(30))):
        distances = goal_distances(puzzle)
        for number in range(4):
            problem = any_board(puzzle, 10 * seed + number)
            assert (why_no_plan(problem) is None) == (problem.start in distances)


def test_equal_pieces_have_no_parity():
    """An odd arrangement of different tiles is an even one where two are alike."""
    rules = cases.make("sliding", 2, 3)
    odd = Problem(rules, (2, 1, 3, 4, 5, 0))
    assert "parity" in why_no_plan(odd)
    alike = Puzzle("two-fours", 2, 3, (1, 2, 3, 4, 4, 0), rules.operators, rules.labels)
    assert why_no_plan(Problem(alike, (2, 1, 3, 4, 4, 0))) is None
    goal, pieces = (1, 2, *[OPEN] * 4), tuple(range(6))
    row = Puzzle("row", 2, 3, goal, rules.operators, rules.labels, pieces=pieces)
    assert why_no_plan(Problem(row, odd.start)) is None


# --- certificates
def sevens():
    """The 8-puzzle with two sevens, and with three ones and a goal that gives the first row."""
    rules = cases.make("sliding", 3, 3)
    alike = Puzzle("sevens", 3, 3, (1, 2, 3, 4, 5, 6, 7, 7, 0), rules.operators, rules.labels)
    row = Puzzle("row", 3, 3, (1, 1, 2, *[OPEN] * 6), rules.operators, rules.labels,
                 pieces=(0, 1, 1, 1, 2, 3, 3, 4, 5))  # fmt: skip
    return [Problem(alike, (1, 5, 0, 4, 7, 2, 7, 6, 3)), Problem(row, (3, 1, 5, 4, 3, 1, 0, 2, 1))]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Certificates by SAT, some with lists of all plans, and by searches in several units."""
    folder = tmp_path_factory.mktemp("alike")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_proof, "_SMALL_TREE", 0)
        patch.setattr(search_proof, "_FEWEST", 5)
        seeds = range(40, 47)
        return [
            *make_all(folder / "sat", seeds, by="sat"),
            *make_all(folder / "all", seeds, every_plan=True),
            *make_all(folder / "search", seeds, by="search"),
        ]


def test_each_proves_its_plan_optimal(made):
    all_proved(made)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("by", ["sat", "search"])
def test_an_8_puzzle_of_equal_tiles_is_certified(number, by, tmp_path):
    problem = sevens()[number]
    rules, boards, distance = Rules.of(problem.puzzle), {problem.start}, 0
    while not any(map(problem.puzzle.is_goal, boards)):
        boards = {after for board in boards for _, after in rules.successors(board)}
        distance += 1
    certify(problem, tmp_path / "it", by=by)
    report = check_certificate(tmp_path / "it", problem=problem)
    assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, distance)


@pytest.mark.parametrize("by", ["sat", "search"])
def test_a_goal_that_places_the_blank_alone_is_certified(by, tmp_path):
    rules = cases.make("sliding", 3, 3)
    goal, pieces = (*[OPEN] * 8, 0), tuple(range(9))
    puzzle = Puzzle("corner", 3, 3, goal, rules.operators, rules.labels, pieces=pieces)
    certify(Problem(puzzle, pieces), tmp_path / "it", by=by)
    report = check_certificate(tmp_path / "it")
    # The elementary bound says 1: no tile has far to go.
    assert (report.verdict, report.lower_bound) == (CheckVerdict.PROVED, 4)


def test_a_list_with_a_plan_less_or_twice_is_refuted(made, tmp_path):
    damaged_lists_refuted(made, tmp_path)


def test_no_damaged_certificate_is_accepted_that_is_wrong(made, tmp_path):
    refused, accepted = mutate(made, tmp_path, 80, seed=1)
    assert refused > 40 and accepted > 0


@pytest.mark.slow
def test_no_damaged_certificate_is_accepted_that_is_wrong_3000_times(made, tmp_path):
    refused, _ = mutate(made, tmp_path, 3000, seed=2)
    assert refused > 1500


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


def test_that_a_solvable_board_has_no_plan_is_refuted(made, tmp_path):
    no_plan_refuted(made[:6], tmp_path)


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
