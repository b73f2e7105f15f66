"""Grids found from structure alone, and a plan for every solvable board on one of them."""

from random import Random

import pytest
from support.fixtures.cases import make
from support.fixtures.grids import random_goal, random_problem

from plansolve.analysis.grid import Grid, grid_of, strips
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import Structure
from plansolve.puzzles.sliding import SLIDING, blank_last, sliding
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.tiles import constructive, constructive_walk, reduced

SHAPES = [(rows, columns) for rows in range(2, 8) for columns in range(2, 10)]


def plans(problem, incumbent=None):
    reports = list(constructive(problem, incumbent or Incumbent(), Budget()))
    return [report.plan for report in reports]


def solve(problem):
    (plan,) = plans(problem)
    verdict = check_plan(problem, plan)
    assert verdict.solves, (problem.start, problem.goal, verdict.illegal)
    return plan


def shuffled(puzzle, random):
    """The same rules and goal with all cells renumbered, and how (old cell -> new cell)."""
    image = list(range(puzzle.cells))
    random.shuffle(image)
    goal = [0] * puzzle.cells
    for cell, tile in enumerate(puzzle.goal):
        goal[image[cell]] = tile
    operators = tuple(
        Operator(
            f"{operator.name}{operator.blank}",
            tuple((image[cell], image[source]) for cell, source in operator.moves),
            image[operator.blank],
        )
        for operator in puzzle.operators
    )
    return Puzzle("shuffled", 1, puzzle.cells, tuple(goal), operators, puzzle.labels), image


@pytest.mark.parametrize("rows,columns", [(1, 1), (1, 6), (2, 2), (2, 3), (5, 3), (3, 7), (6, 6)])
def test_a_grid_that_is_numbered_row_by_row_keeps_its_rows(rows, columns):
    grid = grid_of(Structure(sliding(rows, columns)).blank_graph)
    assert grid == Grid(rows, columns, tuple(range(rows * columns)))


def test_a_single_column_is_a_single_row():
    assert grid_of(Structure(sliding(6, 1)).blank_graph) == Grid(1, 6, (0, 1, 2, 3, 4, 5))


def test_a_grid_is_found_however_its_cells_are_numbered():
    random = Random(2)
    for rows, columns in [(2, 2), (2, 5), (3, 3), (4, 6), (1, 5)]:
        puzzle, image = shuffled(sliding(rows, columns), random)
        grid = grid_of(Structure(puzzle).blank_graph)
        assert {grid.rows, grid.columns} == {rows, columns}
        wanted = [[image[r * columns + c] for c in range(columns)] for r in range(rows)]
        ways = [wanted, [*zip(*wanted, strict=True)]]
        ways += [way[::-1] for way in ways]
        ways += [[line[::-1] for line in way] for way in ways]
        assert [list(line) for line in grid.lines] in [[list(x) for x in way] for way in ways]


def test_no_grid_is_seen_where_there_is_none():
    assert grid_of(None) is None
    assert grid_of(Structure(make("lloyd", 3, 3)).blank_graph) is None
    whole = sliding(4, 4)
    for missing in whole.operators[::7]:
        operators = tuple(op for op in whole.operators if op is not missing)
        one_way = Puzzle("holed", 4, 4, whole.goal, operators, whole.labels)
        assert grid_of(Structure(one_way).blank_graph) is None
        both = tuple(op for op in operators if sorted(op.moves) != sorted(missing.moves))
        holed = Puzzle("holed", 4, 4, whole.goal, both, whole.labels)
        assert grid_of(Structure(holed).blank_graph) is None


def test_a_ring_and_a_torus_are_no_grids():
    for size, steps in [(6, (1, 5)), (16, (1, 15, 4, 12))]:
        operators = tuple(
            Operator(f"m{step}", ((b, (b + step) % size), ((b + step) % size, b)), b)
            for b in range(size)
            for step in steps
        )
        labels = tuple(map(str, range(size)))
        puzzle = Puzzle("ring", 1, size, tuple(range(size)), operators, labels)
        assert grid_of(Structure(puzzle).blank_graph) is None


@pytest.mark.parametrize("rows,columns", SHAPES)
def test_every_shape_with_every_goal(rows, columns):
    random = Random(rows * 100 + columns)
    goals = [goal(rows, columns) for goal in SLIDING.goals.values()]
    goals += [random_goal(random, rows, columns) for _ in range(3)]
    for goal in goals:
        solve(random_problem(random, rows, columns, goal))


def test_the_blank_may_be_at_home_in_any_cell():
    random = Random(8)
    for rows, columns in [(3, 3), (4, 5), (6, 4)]:
        for home in range(rows * columns):
            goal = list(blank_last(rows, columns))
            goal[home], goal[-1] = goal[-1], goal[home]
            solve(random_problem(random, rows, columns, tuple(goal)))


def test_plans_are_no_shorter_than_the_shortest(eight_table):
    random = Random(3)
    for start in random.sample(list(eight_table), 300):
        plan = solve(Problem(sliding(3, 3), start))
        assert len(plan) >= eight_table[start]


@pytest.mark.parametrize("rows,columns", [(2, 10), (10, 2), (12, 12), (3, 25)])
def test_long_and_large_boards(rows, columns):
    solve(random_problem(Random(4), rows, columns))


def test_a_board_of_900_cells():
    problem = random_problem(Random(5), 30, 30)
    plan = solve(problem)
    assert len(plan) < 100_000


def test_a_single_line_is_walked_along():
    puzzle = sliding(1, 6)
    assert solve(Problem(puzzle, (0, 1, 2, 3, 4, 5))) == ("L",) * 5
    assert plans(Problem(puzzle, (0, 2, 1, 3, 4, 5))) == []
    assert solve(Problem(sliding(1, 1), (0,))) == ()


def test_the_goal_itself_takes_no_move():
    for goal in SLIDING.goals.values():
        board = goal(4, 5)
        assert solve(Problem(sliding(4, 5, board), board)) == ()


def test_no_plan_where_there_is_none():
    for rows, columns in [(2, 2), (3, 3), (4, 6), (7, 7)]:
        start = list(blank_last(rows, columns))
        start[0], start[1] = start[1], start[0]
        assert plans(Problem(sliding(rows, columns), tuple(start))) == []
    assert plans(Problem(make("lloyd", 5, 5), make("lloyd", 5, 5).goal)) == []


def test_a_plan_that_is_no_news_is_not_told():
    problem = random_problem(Random(6), 5, 5)
    (plan,) = plans(problem)
    assert plans(problem, Incumbent(0, len(plan))) == []
    assert plans(problem, Incumbent(0, len(plan) + 1)) == [plan]


def test_cells_of_a_puzzle_in_any_order():
    random = Random(9)
    puzzle, image = shuffled(sliding(5, 6), random)
    plain = random_problem(random, 5, 6)
    start = [0] * 30
    for cell, tile in enumerate(plain.start):
        start[image[cell]] = tile
    solve(Problem(puzzle, tuple(start)))


def test_steps_that_are_taken_back_are_left_out():
    assert reduced([]) == []
    assert reduced([0, 1, 0, 1, 2]) == [0, 1, 2]
    assert reduced([0, 1, 2, 5, 2, 1, 0]) == [0]
    walk = constructive_walk(
        problem := random_problem(Random(7), 6, 6), problem.puzzle.arrangement(problem.start)
    )
    assert walk == reduced(walk)


def test_what_is_left_shrinks_to_a_rectangle_with_the_blank_in_it():
    random = Random(10)
    for rows, columns in [(6, 6), (4, 9), (9, 2), (3, 3)]:
        problem = Problem(sliding(rows, columns, goal := random_goal(random, rows, columns)), goal)
        parts = list(strips(problem, grid_of(problem.structure.blank_graph), 3))
        left = set(range(rows * columns))
        for lines in parts:
            assert {cell for line in lines for cell in line} == left
            if lines is not parts[-1]:
                assert goal.index(0) not in lines[0]
                assert len(lines) >= len(lines[0])
                left -= set(lines[0])
        assert goal.index(0) in left
        assert max(len(parts[-1]), len(parts[-1][0])) <= 3
