"""A plan at once: tile by tile on grids, by exchanges elsewhere, and for puzzles of any kind."""

from dataclasses import replace
from random import Random

import pytest
from support.fixtures import cases
from support.fixtures.cases import alike, make, opened, scrambles
from support.fixtures.grids import random_goal, random_problem, renumbered
from support.reference.placements import goal_distances

from plansolve.analysis.solvability import why_unsolvable
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.sliding import SLIDING, blank_last, sliding
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.group import group_constructive
from plansolve.solvers.search.constructive.labelled import labelled_problems
from plansolve.solvers.search.constructive.tiles import (
    any_constructive,
    constructive,
    constructive_walk,
    exchange_constructive,
    reduced,
)


def plans_of(problem, incumbent=None, search=any_constructive, most=2):
    """The first plans, which are replayed, each shorter than those before."""
    plans = []
    for report in search(problem, incumbent or Incumbent(), Budget()):
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            assert not plans or len(report.plan) < len(plans[-1])
            plans.append(report.plan)
            if len(plans) == most:
                break
    return plans


def tile_by_tile(problem, incumbent=None):
    return plans_of(problem, incumbent, constructive)


# Tile by tile


SHAPES = [(rows, columns) for rows in range(2, 8) for columns in range(2, 10)]


@pytest.mark.parametrize("rows,columns", [*SHAPES, (2, 10), (10, 2), (12, 12), (3, 25), (30, 30)])
def test_every_shape_with_every_goal(rows, columns):
    random = Random(rows * 100 + columns)
    goals = [goal(rows, columns) for goal in SLIDING.goals.values()]
    goals += [random_goal(random, rows, columns) for _ in range(3)]
    for goal in goals if rows * columns < 100 else goals[:1]:
        problem = random_problem(random, rows, columns, goal)
        (plan,) = tile_by_tile(problem)
        assert len(plan) < 5 * (rows * columns) ** 1.5 + 100
        start = problem.puzzle.arrangement(problem.start)
        walk = constructive_walk(problem, start)
        assert walk == reduced(walk) and problem.blank_graph.plan(walk) == plan
        assert tile_by_tile(Problem(problem.puzzle, goal)) == [()]


def test_the_blank_may_be_at_home_in_any_cell_and_cells_in_any_order():
    random = Random(8)
    for rows, columns in [(3, 3), (4, 5), (6, 4)]:
        for home in range(rows * columns):
            goal = list(blank_last(rows, columns))
            goal[home], goal[-1] = goal[-1], goal[home]
            assert tile_by_tile(random_problem(random, rows, columns, tuple(goal)))
    puzzle, image = renumbered(sliding(5, 6), random)
    plain, start = random_problem(random, 5, 6), [0] * 30
    for cell, tile in enumerate(plain.start):
        start[image[cell]] = tile
    assert tile_by_tile(Problem(puzzle, tuple(start)))


def test_a_single_line_is_walked_along():
    puzzle = sliding(1, 6)
    assert tile_by_tile(Problem(puzzle, (0, 1, 2, 3, 4, 5))) == [("L",) * 5]
    assert tile_by_tile(Problem(puzzle, (0, 2, 1, 3, 4, 5))) == []
    assert tile_by_tile(Problem(sliding(1, 1), (0,))) == [()]


def test_no_plan_where_there_is_none():
    for rows, columns in [(2, 2), (3, 3), (4, 6), (7, 7)]:
        start = list(blank_last(rows, columns))
        start[0], start[1] = start[1], start[0]
        assert tile_by_tile(Problem(sliding(rows, columns), tuple(start))) == []
    assert tile_by_tile(Problem(make("lloyd", 5, 5), make("lloyd", 5, 5).goal)) == []


def test_a_plan_that_is_no_news_is_not_told():
    problem = random_problem(Random(6), 5, 5)
    (plan,) = tile_by_tile(problem)
    assert tile_by_tile(problem, Incumbent(0, len(plan))) == []
    assert tile_by_tile(problem, Incumbent(0, len(plan) + 1)) == [plan]


def test_steps_that_are_taken_back_are_left_out():
    assert reduced([]) == []
    assert reduced([0, 1, 0, 1, 2]) == [0, 1, 2]
    assert reduced([0, 1, 2, 5, 2, 1, 0]) == [0]


# Puzzles of any kind


def crossing_rings(length, kinds):
    """Two rings of cells that cross in two of them, and turn by one cell."""
    first = [*range(length)]
    second = [0, *range(length, length + 3), 4, *range(length + 3, 2 * length - 2)]
    operators = []
    for name, ring in (("A", first), ("B", second)):
        turn = tuple(zip(ring[1:] + ring[:1], ring, strict=True))
        operators.append(Operator(name, turn))
        operators.append(Operator(f"{name}'", tuple((source, cell) for cell, source in turn)))
    cells = 2 * length - 2
    goal = tuple(1 + cell * kinds // cells for cell in range(cells))
    return Puzzle("rings", 1, cells, goal, tuple(operators), tuple(map(str, range(kinds + 1))))


PUZZLES = {
    "the first row of sliding tiles": opened(make("sliding", 4, 4), 4),
    "two gaps": make("sliding-gaps", 4, 4),
    "two gaps on a large board": make("sliding-gaps", 20, 20),
    "a larger board": alike(make("sliding", 7, 9), 5),
    "several tiles at once": alike(make("sliding:metric=multi-tile", 4, 5), 3),
    "Lloyd's square": alike(make("lloyd", 5, 5), 3),
    "transports in an open goal": opened(make("lloyd", 3, 5), 6),
    "a blank that goes one way": alike(cases.one_way_ring(9), 2),
    "rows of one colour": alike(make("loopover", 4, 4), 4),
    "turns in an open goal": opened(make("torus-ring", 5, 5), 10),
    "coloured rings": crossing_rings(12, 3),
    "pairs of a top spin": alike(make("top-spin:20,4", 1, 20), 2),
    "the colours of a cube": alike(make("pocket-cube", 6, 4), 4),
    "without exchanges": cases.row_slides(3, 4),
}


@pytest.mark.parametrize("name", PUZZLES)
def test_random_boards_get_a_plan(name):
    puzzle = PUZZLES[name]
    (board,) = scrambles(puzzle.with_goal(puzzle.goal_board), 1, 300, 6)
    assert plans_of(Problem(puzzle, board)) or puzzle.is_goal(board)


@pytest.mark.parametrize("is_open", [False, True])
def test_problems_of_different_pieces_have_plans_of_the_problem(is_open):
    puzzle = opened(make("sliding", 3, 3), 4) if is_open else alike(make("sliding", 3, 3), 2)
    for board in scrambles(puzzle.with_goal(puzzle.goal_board), 20, 300, 8):
        problem = Problem(puzzle, board)
        twins = [*labelled_problems(problem)]
        assert len(twins) == 2 and all(twin.puzzle.is_distinct for twin in twins)
        plans = [plans_of(twin) for twin in twins]
        assert sum(map(bool, plans)) == 1
        assert all(check_plan(problem, plan).solves for own in plans for plan in own)


@pytest.mark.parametrize("gaps", [2, 3, 4])
@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (3, 3), (4, 5)])
def test_every_board_of_several_gaps_gets_a_plan_by_moves_of_one(gaps, rows, columns):
    """After a first move of another gap where parity asks for it, which two gaps need at times."""
    puzzle, random, first_moves = make(f"sliding-gaps:{gaps}", rows, columns), Random(gaps), 0
    for _ in range(10):
        problem = Problem(puzzle, tuple(random.sample(puzzle.goal, puzzle.cells)))
        assert plans_of(problem, search=exchange_constructive)
        solvable = [twin for twin in labelled_problems(problem) if why_unsolvable(twin) is None]
        first_moves += not solvable
    assert (first_moves > 0) == (gaps == 2)


def test_boards_of_two_gaps_with_a_wall_get_a_plan_by_the_group_of_one():
    puzzle, first_moves = make("sliding-gaps", 3, 3), 0
    passes = [op for op in puzzle.operators if {cell for cell, _ in op.moves} != {4, 5}]
    walled = replace(puzzle, name="walled", operators=tuple(passes), blank_names={})
    assert len(goal_distances(walled)) == 181_440
    for seed in range(6):
        problem = Problem(walled, tuple(Random(seed).sample(walled.goal, 9)))
        assert plans_of(problem)
        first_moves += not plans_of(problem, search=group_constructive)
    assert 0 < first_moves < 6


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 4), (5, 6)])
def test_a_plan_of_exchanges_is_cut_short_by_the_other_moves(rows, columns):
    puzzle, simple = make("sliding:metric=multi-tile", rows, columns), sliding(rows, columns)
    for board in scrambles(puzzle, 3, 300, 4):
        plans = plans_of(Problem(puzzle, board), search=exchange_constructive)
        (single, *_) = plans_of(Problem(simple, board), search=exchange_constructive)
        assert len(plans[-1]) < len(single)


def test_no_exchanges_no_plan_of_them():
    puzzle = make("loopover", 3, 3)
    problem = Problem(puzzle, scrambles(puzzle, 1, 9, 1)[0])
    assert plans_of(problem, search=exchange_constructive) == []
