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
        assert (why_unsolvable(Problem(puzzle, start)) is None) == (start in eight_table)


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


BY_PARITY = (
    "parity: the goal is an odd permutation of the board (1 exchange of two tiles), and every move "
    "is an even one"
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
