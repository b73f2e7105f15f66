"""The checker: what a verdict holds, and the first illegal step."""

import pytest

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import lloyd
from plansolve.puzzles.sliding import sliding, sliding_gaps
from plansolve.puzzles.torus_ring import torus_ring

EIGHT = Problem(sliding(3, 3), (1, 2, 3, 4, 0, 6, 7, 5, 8))
SOLVED, BELOW = EIGHT.goal, (1, 2, 3, 4, 5, 6, 7, 0, 8)
TORUS = Problem(torus_ring(), torus_ring().goal)
STUCK = "cannot be made while the blank is in row"


@pytest.mark.parametrize(
    ("problem", "plan", "figures", "board", "solves"),
    # (moves of the plan, moves made, tiles in place)
    [
        (EIGHT, "UL", (2, 2, 8), SOLVED, True),
        # It stops before the goal, or passes it and goes on.
        (EIGHT, "U", (1, 1, 7), BELOW, False),
        (EIGHT, "ULR", (3, 3, 7), BELOW, False),
        (EIGHT, "", (0, 0, 6), EIGHT.start, False),
        (Problem(EIGHT.puzzle, SOLVED), "", (0, 0, 8), SOLVED, True),
        # Tiles count, and the blank does not.
        (TORUS, (), (0, 0, 25), TORUS.goal, True),
        (TORUS, ("R1",), (1, 1, 20), None, False),
        (TORUS, ("Oc",), (1, 1, 9), None, False),
    ],
)
def test_a_legal_plan_solves_where_it_ends_on_the_goal(problem, plan, figures, board, solves):
    # A plan may be any iterable of names.
    for given in (plan, list(plan), tuple(plan), iter(plan)):
        verdict = check_plan(problem, given)
        assert (verdict.legal, verdict.reaches_goal, verdict.solves) == (True, solves, solves)
        assert (verdict.length, verdict.applied, verdict.placed) == figures
        assert verdict.board == board or board is None
        assert verdict.illegal is None


@pytest.mark.parametrize(
    ("problem", "plan", "step", "board", "reason"),
    [
        (EIGHT, "UULX", 2, BELOW, f"U {STUCK} 3 column 2; possible there: D L R"),
        # An illegal step on the goal board does not solve.
        (EIGHT, "ULL", 3, SOLVED, f"L {STUCK} 3 column 3; possible there: D R"),
        (
            EIGHT,
            "Uu",
            2,
            BELOW,
            "there is no move 'u' while the blank is in row 3 column 2; possible there: D L R",
        ),
        (TORUS, ("R6", "R1"), 1, TORUS.goal, "there is no move 'R6' in this puzzle"),
        # "A transport move when the center square is empty is illegal (and silly!)": the contest.
        (
            Problem(lloyd(3, 3), (1, 2, 3, 4, 0, 5, 6, 7, 8)),
            "t",
            1,
            (1, 2, 3, 4, 0, 5, 6, 7, 8),
            f"t {STUCK} 2 column 2; possible there: u d l r",
        ),
        # The last move would exchange two tiles, and reach the goal.
        (
            Problem(sliding_gaps(2, 3, 2), (1, 3, 0, 4, 0, 2)),
            ("c2U", "b1R"),
            2,
            (1, 3, 2, 4, 0, 0),
            "b1R cannot be made while the gaps are in row 2 column 2 and row 2 column 3; "
            "possible there: b1D c2L a2R c1D b2R",
        ),
    ],
)
def test_the_first_illegal_step_is_told_with_its_board_and_reason(
    problem, plan, step, board, reason
):
    verdict = check_plan(problem, plan)
    assert (verdict.legal, verdict.reaches_goal, verdict.solves) == (False, False, False)
    assert (verdict.length, verdict.applied) == (len(plan), step - 1)
    illegal = verdict.illegal
    assert (illegal.step, illegal.move, illegal.reason) == (step, plan[step - 1], reason)
    assert illegal.board == verdict.board == board
