"""The checker's own lower bounds, against exhaustive tables and against the prover's."""

from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.small_rules import puzzles
from support.reference.oracle import Rules
from support.reference.placements import goal_distances

from plansolve.bounds.distance import largest_tile_distance, tile_distance_sum
from plansolve.certcheck.elementary import elementary_bound, home_distances
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import UNREACHABLE

PUZZLES = [
    cases.make("sliding", 2, 3),
    cases.make("sliding", 3, 2, "snail"),
    cases.make("lloyd", 1, 5),
    cases.make("loopover", 2, 3),
    cases.make("torus-ring:rows=LR,columns=UD-,rings=none", 2, 3),
    cases.one_way_ring(),
    cases.row_slides(),
]


def agrees_with_the_provers(problem):
    bound = elementary_bound(problem)
    assert bound.value == max(largest_tile_distance(problem), tile_distance_sum(problem))
    return bound.value


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_no_plan_of_any_board_is_shorter(puzzle):
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    values = {board: agrees_with_the_provers(Problem(puzzle, board)) for board in table}
    assert values[puzzle.goal] == 0
    assert all(0 <= value <= table[board] for board, value in values.items())
    # On some board the bound is the distance, so that more would be wrong.
    assert any(value == table[board] > 1 for board, value in values.items())


def test_no_board_of_equal_pieces_is_nearer():
    for puzzle in puzzles(range(30)):
        for board, distance in goal_distances(puzzle).items():
            assert elementary_bound(Problem(puzzle, board)).value <= distance


def test_no_plan_of_a_sample_of_3x3_boards_is_shorter(eight_table, lloyd_table):
    for name, table in (("sliding", eight_table), ("lloyd", lloyd_table)):
        puzzle = cases.make(name, 3, 3)
        for board in Random(5).sample(list(table), 1000):
            assert 0 <= agrees_with_the_provers(Problem(puzzle, board)) <= table[board]


@pytest.mark.parametrize(
    ("specification", "side"), [("sliding", 5), ("lloyd", 5), ("torus-ring", 5), ("loopover", 4)]
)
def test_large_boards_have_the_provers_bound(specification, side):
    puzzle = cases.make(specification, side, side)
    for board in cases.scrambles(puzzle, 5, 60, seed=3):
        assert agrees_with_the_provers(Problem(puzzle, board)) <= 60


def test_a_tile_that_never_gets_home_has_no_plan():
    # Two cells change places, the third is out of reach.
    swap = Operator("S", ((0, 1), (1, 0)))
    puzzle = Puzzle("swap", 1, 3, (1, 2, 3), (swap,), ("_", "1", "2", "3"))
    assert elementary_bound(Problem(puzzle, (2, 1, 3))).value == 1
    assert elementary_bound(Problem(puzzle, (2, 3, 1))).value >= UNREACHABLE
    assert home_distances(puzzle)[3] == (UNREACHABLE, UNREACHABLE, 0)


def test_without_an_operator_only_the_goal_has_a_plan():
    puzzle = Puzzle("still", 1, 2, (1, 2), (), ("_", "1", "2"))
    assert elementary_bound(Problem(puzzle, (1, 2))).value == 0
    assert elementary_bound(Problem(puzzle, (2, 1))).value >= UNREACHABLE
