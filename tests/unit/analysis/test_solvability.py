"""Reasons why there is no plan, of the engines and of the sceptic: none that is false, few missing.

The engines' `why_unsolvable` and the sceptic's `why_no_plan` share no code, and one contract.
"""

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.fixtures.small_rules import any_board, puzzles
from support.reference.oracle import Rules
from support.reference.placements import goal_distances

from plansolve.analysis.solvability import why_unsolvable
from plansolve.certcheck.unsolvable import why_no_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle

DECIDED = [
    ("sliding", 2, 2),
    ("sliding", 2, 3),
    ("sliding", 3, 2, "snail"),
    ("sliding", 2, 3, "blank-first"),
    ("sliding", 2, 3, (1, 0, 2, 3, 4, 5)),
    ("sliding", 1, 2),
    ("sliding", 1, 4),
    ("sliding", 4, 1),
    ("sliding", 1, 5),
    ("sliding", 1, 5, (1, 2, 0, 3, 4)),
    ("lloyd", 1, 3),
    ("lloyd", 3, 1),
    ("loopover", 2, 2),
    ("loopover", 2, 3),
    ("torus-ring:rings=none", 1, 5),
    ("torus-ring:rings=none", 4, 1),
    ("torus-ring:rows=RR,columns=---,rings=none", 2, 3),
    ("torus-ring:rows=R-,columns=--U,rings=none", 2, 3),
    ("torus-ring:rows=RL,columns=UUD,rings=none", 2, 3),
    ("torus-ring:rings=outer", 2, 3),
]


@pytest.mark.parametrize("specification", DECIDED, ids=str)
def test_a_reason_is_given_exactly_where_the_oracle_finds_no_plan(specification):
    puzzle, table = make(*specification), cases.distance_table(*specification)
    starts = list(permutations(sorted(puzzle.goal)))
    for start in starts:
        assert (why_unsolvable(Problem(puzzle, start)) is None) == (start in table), start
    # The sceptic may visit all boards for each.
    for start in starts[:: max(1, len(starts) // 90)]:
        assert (why_no_plan(Problem(puzzle, start)) is None) == (start in table), start


@pytest.mark.parametrize("gaps", [1, 2, 3])
def test_the_sceptic_decides_every_board_of_random_rules(gaps):
    for seed, puzzle in enumerate(puzzles(range(30 if gaps == 1 else 15), gaps)):
        distances = goal_distances(puzzle)
        for number in range(4):
            problem = any_board(puzzle, 10 * seed + number)
            assert (why_no_plan(problem) is None) == (problem.start in distances)


@pytest.mark.parametrize("size", [(3, 3), (4, 4), (3, 5)])
@pytest.mark.parametrize("name", ["sliding", "torus-ring:rings=outer", "loopover"])
@pytest.mark.slow
def test_the_sceptic_tells_large_boards_apart_as_the_engines_do(name, size):
    puzzle, random = make(name, *size), Random(7)
    for _ in range(6):
        problem = Problem(puzzle, tuple(random.sample(puzzle.goal, len(puzzle.goal))))
        assert (why_no_plan(problem) is None) == (why_unsolvable(problem) is None), problem.start


@pytest.mark.parametrize(
    ("puzzle", "count"),
    [
        # For such rules None promises nothing: 20 of the 120 boards of 1x5 have a plan.
        (make("lloyd", 1, 5), 20),
        (cases.one_way_ring(), 120),
        (cases.row_slides(), 360),
        # "This guarantees that ANY starting arrangement can be made into perfection": the contest.
        (make("lloyd", 3, 3), 362_880),
    ],
    ids=lambda value: getattr(value, "title", ""),
)
def test_no_board_with_a_plan_is_falsely_unsolvable(puzzle, count):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert len(table) == count
    for start in Random(9).sample([*table], min(count, 360)):
        assert why_unsolvable(Problem(puzzle, start)) is None


def test_random_boards_of_the_eight_puzzle_are_told_apart(eight_table):
    puzzle, random = make("sliding", 3, 3), Random(8)
    for _ in range(600):
        start = tuple(random.sample(range(9), 9))
        problem = Problem(puzzle, start)
        assert (why_unsolvable(problem) is None) == (start in eight_table)
        # Where there is a plan the sceptic visits many boards before it gives up.
        assert start in eight_table or why_no_plan(problem)


BY_PARITY = (
    "parity: the goal is an odd permutation of the board (1 exchange of tiles), but every move "
    "is even"
)
BY_TWO_PARITIES = (
    "parity: the goal is 1 exchange away from the board, so every plan has an odd number of moves; "
    "but the blank is 0 moves from its goal cell, which makes the number even"
)


@pytest.mark.parametrize(
    ("specification", "board", "why"),
    [
        (("loopover", 3, 3), (2, 1, 3, 4, 5, 6, 7, 8, 9), BY_PARITY),
        (("loopover", 3, 3), (2, 1, 3, 4, 5, 6, 7, 9, 8), None),
        (("sliding", 4, 4), (*range(1, 14), 15, 14, 0), BY_TWO_PARITIES),
        # puz-impossible of A. A. Smith's CS431 assignment.
        (("sliding", 3, 4), (2, 1, *range(3, 12), 0), BY_TWO_PARITIES),
        (
            ("sliding", 1, 4),
            (2, 1, 3, 0),
            "tile 2 cannot leave row 1 column 1; the goal has it in row 1 column 2",
        ),
        (
            ("torus-ring:rows=R-,columns=---,rings=none", 2, 3),
            (1, 2, 3, 5, 4, 6),
            "tile 5 cannot leave row 2 column 1; the goal has it in row 2 column 2",
        ),
        (
            ("torus-ring:rows=R-,columns=---,rings=none", 2, 3),
            (4, 2, 3, 1, 5, 6),
            "tile 4 cannot leave row 1 column 1, row 1 column 2, row 1 column 3; "
            "the goal has it in row 2 column 1",
        ),
    ],
)
def test_the_reason_names_tiles_cells_and_numbers(specification, board, why):
    assert why_unsolvable(Problem(make(*specification), board)) == why


def test_equal_pieces_have_no_parity():
    """An odd arrangement of different tiles is an even one where two are alike."""
    rules = make("sliding", 2, 3)
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
    assert reason == "tile 1 cannot reach its goal cell, wherever the other tiles are"
    stuck = Problem(Puzzle("stuck", 2, 2, (1, 0, 0, 2), (go,), tuple("012")), (0, 1, 0, 2))
    what = "the gap of row 1 column 1 cannot reach any of its goal cells"
    assert why_no_plan(stuck) == f"{what}, wherever the other tiles are"
