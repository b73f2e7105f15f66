"""The checker: what a verdict holds, and the first illegal step."""

import pytest

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import lloyd
from plansolve.puzzles.sliding import sliding
from plansolve.puzzles.torus_ring import torus_ring

EIGHT = Problem(sliding(3, 3), (1, 2, 3, 4, 0, 6, 7, 5, 8))


def test_a_plan_to_the_goal_solves():
    verdict = check_plan(EIGHT, ("U", "L"))
    assert (verdict.legal, verdict.reaches_goal, verdict.solves) == (True, True, True)
    assert (verdict.length, verdict.applied, verdict.placed) == (2, 2, 8)
    assert verdict.board == (1, 2, 3, 4, 5, 6, 7, 8, 0)
    assert verdict.illegal is None


def test_a_legal_plan_that_stops_before_the_goal_does_not_solve():
    verdict = check_plan(EIGHT, ["U"])
    assert (verdict.legal, verdict.reaches_goal, verdict.solves) == (True, False, False)
    assert (verdict.length, verdict.applied, verdict.placed) == (1, 1, 7)
    assert verdict.board == (1, 2, 3, 4, 5, 6, 7, 0, 8)


def test_a_plan_that_passes_the_goal_and_goes_on_does_not_solve():
    verdict = check_plan(EIGHT, "ULR")
    assert verdict.legal
    assert not verdict.solves
    assert (verdict.applied, verdict.placed) == (3, 7)


def test_the_empty_plan_solves_the_goal_and_nothing_else():
    assert check_plan(Problem(EIGHT.puzzle, EIGHT.goal), ()).solves
    verdict = check_plan(EIGHT, ())
    assert (verdict.legal, verdict.solves, verdict.length) == (True, False, 0)
    assert verdict.board == EIGHT.start


def test_the_first_illegal_step_is_told_with_its_board_and_reason():
    verdict = check_plan(EIGHT, ("U", "U", "L", "X"))
    assert (verdict.legal, verdict.solves) == (False, False)
    assert (verdict.length, verdict.applied) == (4, 1)
    illegal = verdict.illegal
    assert (illegal.step, illegal.move) == (2, "U")
    assert illegal.board == verdict.board == (1, 2, 3, 4, 5, 6, 7, 0, 8)
    assert illegal.reason == (
        "U cannot be made while the blank is in row 3 column 2; possible there: D L R"
    )


def test_an_illegal_step_on_the_goal_board_does_not_solve():
    verdict = check_plan(EIGHT, ("U", "L", "L"))
    assert verdict.board == EIGHT.goal
    assert not verdict.reaches_goal
    assert not verdict.solves
    assert verdict.illegal.step == 3


def test_a_move_that_does_not_exist_is_told_as_such():
    verdict = check_plan(EIGHT, ("U", "u"))
    assert verdict.illegal.step == 2
    assert verdict.illegal.reason == "there is no move 'u' in this puzzle"


def test_an_unknown_move_is_told_where_there_is_no_blank():
    problem = Problem(torus_ring(), torus_ring().goal)
    verdict = check_plan(problem, ("R1", "R6"))
    assert verdict.applied == 1
    assert verdict.illegal.reason == "there is no move 'R6' in this puzzle"


def test_a_transport_onto_the_centre_is_illegal():
    # "A transport move when the center square is empty is illegal (and silly!)": the contest.
    verdict = check_plan(Problem(lloyd(3, 3), (1, 2, 3, 4, 0, 5, 6, 7, 8)), "t")
    assert verdict.illegal.step == 1
    assert verdict.illegal.reason == (
        "t cannot be made while the blank is in row 2 column 2; possible there: u d l r"
    )


def test_placed_counts_tiles_and_not_the_blank():
    torus = torus_ring()
    assert check_plan(Problem(torus, torus.goal), ()).placed == 25
    assert check_plan(Problem(torus, torus.goal), ("R1",)).placed == 20
    assert check_plan(Problem(torus, torus.goal), ("Oc",)).placed == 9


@pytest.mark.parametrize("plan", [("U", "L"), ["U", "L"], "UL", iter("UL")])
def test_a_plan_may_be_any_iterable_of_names(plan):
    assert check_plan(EIGHT, plan).solves
