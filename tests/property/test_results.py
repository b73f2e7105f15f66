"""The document of a result is read back as it was, whatever the puzzle, its pieces and its goal."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.fixtures import cases

from plansolve.formats import read_problem
from plansolve.model.problem import Problem, penalty
from plansolve.model.puzzle import OPEN
from plansolve.puzzles.registry import FAMILIES, default_size_of, make_puzzle
from plansolve.solvers.result import Result, Status, StopReason

MOST_MOVES = 6
PUZZLES = {
    **{name: make_puzzle(name, *default_size_of(name)) for name in FAMILIES},
    "holes": cases.make("sliding:holes=5", 3, 3),
    "multi-tile": cases.make("sliding:metric=multi-tile", 3, 4),
    "turning letters": cases.turning_letters(),
    "alike, two gaps": read_problem("AB.\nB.A\ngoal:\n..A\nABB\n").puzzle,
    "alike, an open cell": read_problem("ABA\nB_A\ngoal:\nAAB\nAB*\n").puzzle,
    "own labels": cases.row_slides(),
    "one way": cases.one_way_ring(),
}


@pytest.mark.parametrize("name", PUZZLES)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), opened=st.booleans())
def test_a_result_comes_back_equal_for_every_family(name, seed, opened):
    random, rules = Random(seed), PUZZLES[name]
    start = board = rules.goal_board
    plan: list[str] = []
    for _ in range(random.randint(1, MOST_MOVES)):
        possible = rules.applicable(board)
        plan.append(random.choice(sorted(possible)))
        board = possible[plan[-1]].apply(board)
    goal = [OPEN if opened and random.random() < 0.3 else kind for kind in board]
    problem = Problem(rules.with_goal(goal), start)
    result = Result(
        Status.FEASIBLE,
        tuple(plan),
        0,
        len(plan),
        StopReason.TIME,
        "auto",
        penalty=penalty(problem, tuple(plan)),
        problem=problem,
    )
    for convention in ("tile", "blank") if rules.blank_names else ("tile",):
        assert Result.from_json(result.to_json(convention)) == result
