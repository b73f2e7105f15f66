"""`why_unsolvable` against the oracle: never a false "unsolvable", and where it has to decide."""

from itertools import permutations
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.reference.oracle import Rules

from plansolve.analysis.solvability import why_unsolvable
from plansolve.model.problem import Problem

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
    puzzle = make(*specification)
    table = cases.distance_table(*specification)
    starts = list(permutations(sorted(puzzle.goal)))
    for start in starts:
        why = why_unsolvable(Problem(puzzle, start))
        assert (why is None) == (start in table), (start, why)


def test_lloyd_s_rectangle_of_one_row_is_never_falsely_unsolvable():
    # 20 of the 120 boards of 1x5 have a plan; for such rules None promises nothing.
    puzzle, table = make("lloyd", 1, 5), cases.distance_table("lloyd", 1, 5)
    assert len(table) == 20
    assert [why_unsolvable(Problem(puzzle, start)) for start in table] == [None] * 20


@pytest.mark.parametrize(
    "puzzle", [cases.one_way_ring(), cases.row_slides()], ids=lambda puzzle: puzzle.name
)
def test_no_board_of_rules_without_a_family_is_falsely_unsolvable(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    assert len(table) in (120, 360)
    assert {why_unsolvable(Problem(puzzle, start)) for start in table} == {None}


def test_random_boards_of_the_eight_puzzle_are_told_apart(eight_table):
    puzzle, random = make("sliding", 3, 3), Random(8)
    for _ in range(600):
        start = tuple(random.sample(range(9), 9))
        assert (why_unsolvable(Problem(puzzle, start)) is None) == (start in eight_table)


def test_every_board_of_lloyd_s_3x3_has_a_plan_and_no_reason_against(lloyd_table):
    # "This guarantees that ANY starting arrangement can be made into perfection": the contest.
    assert len(lloyd_table) == 362880
    puzzle = make("lloyd", 3, 3)
    for start in Random(9).sample(list(lloyd_table), 300):
        assert why_unsolvable(Problem(puzzle, start)) is None


@pytest.mark.parametrize(
    "specification",
    [
        ("torus-ring", 5, 5, None, 2),
        ("torus-ring", 4, 4, None, 2),
        ("torus-ring:rings=outer", 3, 3, None, 3),
        ("loopover", 3, 3, None, 3),
        ("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5, None, 3),
    ],
    ids=str,
)
def test_no_torus_scramble_is_falsely_unsolvable(specification):
    puzzle = make(*specification[:3])
    for start in Random(3).sample(sorted(cases.distance_table(*specification)), 40):
        assert why_unsolvable(Problem(puzzle, start)) is None


def test_an_odd_loopover_board_is_told_by_parity():
    puzzle = make("loopover", 3, 3)
    assert why_unsolvable(Problem(puzzle, (2, 1, 3, 4, 5, 6, 7, 8, 9))) == (
        "parity: the goal is an odd permutation of the board (1 exchange of two tiles), and every "
        "move is an even one"
    )
    assert why_unsolvable(Problem(puzzle, (2, 1, 3, 4, 5, 6, 7, 9, 8))) is None


def test_the_14_15_puzzle_is_told_by_parity_with_its_numbers():
    puzzle = make("sliding", 4, 4)
    assert why_unsolvable(Problem(puzzle, (*range(1, 14), 15, 14, 0))) == (
        "parity: the goal is 1 exchange away from the board, so every plan has an odd number of "
        "moves; but the blank is 0 moves from its goal cell, which makes the number even"
    )


def test_the_impossible_board_of_the_puz_files_is_told_by_parity():
    # puz-impossible, 3x4, of A. A. Smith's CS431 assignment.
    board = (2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0)
    assert "parity" in why_unsolvable(Problem(make("sliding", 3, 4), board))


def test_tiles_in_a_single_row_cannot_pass_each_other():
    why = why_unsolvable(Problem(make("sliding", 1, 4), (2, 1, 3, 0)))
    assert why == ("tile 2 cannot leave row 1 column 1; the goal has it in row 1 column 2")


def test_a_tile_in_a_row_that_does_not_move_is_named_with_its_cells():
    puzzle = make("torus-ring:rows=R-,columns=---,rings=none", 2, 3)
    assert why_unsolvable(Problem(puzzle, (1, 2, 3, 5, 4, 6))) == (
        "tile 5 cannot leave row 2 column 1; the goal has it in row 2 column 2"
    )
    assert why_unsolvable(Problem(puzzle, (4, 2, 3, 1, 5, 6))) == (
        "tile 4 cannot leave row 1 column 1, row 1 column 2, row 1 column 3; "
        "the goal has it in row 2 column 1"
    )
