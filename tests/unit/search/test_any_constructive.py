"""A plan at once for every kind of puzzle: pieces that are alike, open goals, moves of any kind."""

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from support.fixtures.cases import make, one_way_ring, row_slides, scrambles
from support.reference.placements import goal_distances, random_puzzle

from plansolve.analysis.group import PermutationGroup
from plansolve.analysis.solvability import why_unsolvable
from plansolve.analysis.ways import walks_of
from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Operator, Puzzle
from plansolve.solvers.protocol import Budget, Incumbent
from plansolve.solvers.search.constructive.any_puzzle import any_constructive, exchange_constructive
from plansolve.solvers.search.constructive.group import group_constructive
from plansolve.solvers.search.constructive.labelled import labelled_problems


def plans_of(problem, most=1):
    """The first plans that are told, each shorter than those before."""
    incumbent, plans = Incumbent(), []
    for report in any_constructive(problem, incumbent, Budget()):
        if report.plan is not None:
            assert check_plan(problem, report.plan).solves
            assert len(report.plan) < incumbent.upper_bound
            incumbent.lower_upper_bound(len(report.plan))
            plans.append(report.plan)
            if len(plans) == most:
                break
    return plans


def boards_of(puzzle, count, seed):
    """Boards at the end of walks back from a goal."""
    return scrambles(puzzle.with_goal(puzzle.goal_board), count, 300, seed)


def alike(puzzle, size):
    """The puzzle with pieces of which so many are alike."""
    goal = tuple((tile + size - 1) // size for tile in puzzle.goal)
    return replace(puzzle, goal=goal, pieces=())


def opened(puzzle, cells):
    """The puzzle with a goal for the first cells only."""
    goal = (*puzzle.goal[:cells], *[OPEN] * (puzzle.cells - cells))
    return replace(puzzle, goal=goal, pieces=tuple(sorted(puzzle.goal)))


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
    labels = tuple(map(str, range(kinds + 1)))
    return Puzzle("rings", 1, cells, goal, tuple(operators), labels)


PUZZLES = {
    "sliding tiles that are alike": alike(make("sliding", 4, 4), 2),
    "the first row of sliding tiles": opened(make("sliding", 4, 4), 4),
    "two gaps": make("sliding-gaps", 4, 4),
    "a larger board": alike(make("sliding", 7, 9), 5),
    "several tiles at once": alike(make("sliding:metric=multi-tile", 4, 5), 3),
    "Lloyd's square": alike(make("lloyd", 5, 5), 3),
    "transports in an open goal": opened(make("lloyd", 3, 5), 6),
    "a blank that goes one way": alike(one_way_ring(9), 2),
    "rows of one colour": alike(make("loopover", 4, 4), 4),
    "turns in an open goal": opened(make("torus-ring", 5, 5), 10),
    "coloured rings": crossing_rings(12, 3),
    "pairs of a top spin": alike(make("top-spin:20,4", 1, 20), 2),
    "the colours of a cube": alike(make("pocket-cube", 6, 4), 4),
    "without exchanges": row_slides(3, 4),
}


@pytest.mark.parametrize("name", PUZZLES)
def test_random_boards_get_a_plan(name):
    puzzle = PUZZLES[name]
    for board in boards_of(puzzle, 1, 6):
        plans = plans_of(Problem(puzzle, board), most=2)
        assert plans or puzzle.is_goal(board)


@pytest.mark.parametrize("are_alike", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_random_rules(are_alike, is_open):
    """A plan wherever there is one, if the blank can get from everywhere to everywhere."""
    for seed in range(20):
        random = Random(seed)
        puzzle = random_puzzle(random, 4 + seed % 3, are_alike=are_alike, is_open=is_open)
        distances = goal_distances(puzzle)
        can_return = walks_of(told_apart(puzzle)).is_strongly_connected
        for _ in range(6):
            board = tuple(random.sample(puzzle.pieces, puzzle.cells))
            plans = plans_of(Problem(puzzle, board))
            if board not in distances:
                assert not plans
            elif can_return:
                assert plans or puzzle.is_goal(board)
            assert all(len(plan) >= distances[board] for plan in plans)


def told_apart(puzzle):
    return replace(puzzle, goal=tuple(range(puzzle.cells)), pieces=())


@pytest.mark.parametrize("seed", range(30))
def test_an_element_brings_home_what_is_alike_exactly_where_one_does(seed):
    random, cells = Random(seed), 6
    generators = [tuple(random.sample(range(cells), cells)) for _ in range(random.randint(1, 2))]
    group = PermutationGroup(generators, cells)
    elements = [goes for goes in permutations(range(cells)) if goes in group]
    for _ in range(20):
        board = tuple(random.choice((1, 1, 2, 3)) for _ in range(cells))
        goal = random.sample(board, cells)
        goal = tuple(OPEN if random.random() < 0.3 else kind for kind in goal)
        wanted = [
            goes
            for goes in elements
            if all(goal[goes[cell]] in (board[cell], OPEN) for cell in range(cells))
        ]
        assert sorted(group.bringing_home(board, goal, random, 10_000)) == sorted(wanted)


@pytest.mark.parametrize("is_open", [False, True])
def test_problems_of_different_pieces_have_plans_of_the_problem(is_open):
    puzzle = opened(make("sliding", 3, 3), 4) if is_open else alike(make("sliding", 3, 3), 2)
    for board in boards_of(puzzle, 20, 8):
        problem = Problem(puzzle, board)
        twins = [*labelled_problems(problem)]
        assert len(twins) == 2 and all(twin.puzzle.is_distinct for twin in twins)
        parities = [twin.structure.plan_parity(twin.start) for twin in twins]
        solved = 0
        for twin in twins:
            reports = any_constructive(twin, Incumbent(), Budget())
            plans = [report.plan for report in reports if report.plan is not None]
            assert all(check_plan(problem, plan).solves for plan in plans)
            solved += bool(plans)
        assert solved == 1, parities


@pytest.mark.parametrize("gaps", [2, 3, 4])
@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (3, 3), (4, 5)])
def test_every_board_of_several_gaps_gets_a_plan_by_moves_of_one(gaps, rows, columns):
    """After a first move of another gap where parity asks for it, which two gaps need at times."""
    puzzle, random, first_moves = make(f"sliding-gaps:{gaps}", rows, columns), Random(gaps), 0
    for _ in range(10):
        board = tuple(random.sample(puzzle.goal, puzzle.cells))
        problem = Problem(puzzle, board)
        plans = [report.plan for report in exchange_constructive(problem, Incumbent(), Budget())]
        assert all(check_plan(problem, plan).solves for plan in plans)
        assert plans
        solvable = [twin for twin in labelled_problems(problem) if why_unsolvable(twin) is None]
        first_moves += not solvable
    assert (first_moves > 0) == (gaps == 2)


def test_boards_of_two_gaps_with_a_wall_get_a_plan_by_the_group_of_one():
    puzzle, first_moves = make("sliding-gaps", 3, 3), 0
    passes = [op for op in puzzle.operators if {cell for cell, _ in op.moves} != {4, 5}]
    walled = replace(puzzle, name="walled", operators=tuple(passes))
    assert len(goal_distances(walled)) == 181_440
    for seed in range(6):
        board = tuple(Random(seed).sample(walled.goal, 9))
        problem = Problem(walled, board)
        (plan,) = plans_of(problem)
        assert check_plan(problem, plan).solves
        reports = group_constructive(problem, Incumbent(), Budget())
        first_moves += all(report.plan is None for report in reports)
    assert 0 < first_moves < 6


def test_a_large_board_of_several_gaps_gets_a_plan():
    puzzle = make("sliding-gaps", 20, 20)
    board = tuple(Random(1).sample(puzzle.goal, puzzle.cells))
    assert plans_of(Problem(puzzle, board))


def test_no_plan_is_told_where_there_is_none():
    puzzle = make("sliding", 4, 4)
    odd = (2, 1, *puzzle.goal[2:])
    single = replace(puzzle, goal=puzzle.goal, name="other")
    assert plans_of(Problem(single, odd)) == []
    pairs = alike(puzzle, 2)
    assert len(plans_of(Problem(pairs, pairs.goal[::-1]))) > 0
