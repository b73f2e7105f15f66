"""Sliding boards with walls, holes and several gaps: rules, files, random boards and proofs."""

import re
from random import Random

import pytest
from support.fixtures.cases import make
from support.reference import rules as by_hand

from plansolve.analysis.grid import grid_of
from plansolve.checker import check_plan
from plansolve.formats import format_plan, read_plan, read_problem, write_problem
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem, boards_of
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding import sliding_gaps
from plansolve.replay.steps import steps
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

RING = "sliding:holes=5"
"""An 8-puzzle without its centre: seven tiles go round in a ring, and keep their order."""


def crosses(specification, a, b):
    """Return True if something is between two cells, by the numbers of the specification."""
    holes = re.search(r"holes=([\d+]*)", specification)
    walls = re.search(r"walls=([\d+-]*)", specification)
    pair = {f"{a + 1}-{b + 1}", f"{b + 1}-{a + 1}"}
    return bool({str(a + 1), str(b + 1)} & set(holes[1].split("+") if holes else ())) or bool(
        pair & set(walls[1].split("+") if walls else ())
    )


@pytest.mark.parametrize(
    ("specification", "rows", "columns"),
    [
        ("sliding:holes=5", 3, 3),
        ("sliding:walls=1-2+4-7+5-6", 3, 3),
        ("sliding:holes=6+11,walls=1-2+15-16", 4, 4),
        ("sliding:walls=2-7", 2, 5),
    ],
)
def test_slides_are_those_of_a_board_without_obstacles_that_cross_none(
    specification, rows, columns
):
    puzzle, random = make(specification, rows, columns), Random(3)
    for _ in range(50):
        state = tuple(random.sample(puzzle.goal, puzzle.cells))
        board = by_hand.fold(state, columns)
        legal = puzzle.applicable(state)
        for name in "UDLR":
            after = by_hand.slide(board, name)
            if after is not None:
                a, b = state.index(0), by_hand.flat(after).index(0)
                after = None if crosses(specification, a, b) else by_hand.flat(after)
            assert (legal[name].apply(state) if name in legal else None) == after


def test_a_push_of_several_tiles_ends_at_a_wall_and_at_a_hole():
    puzzle = make("sliding:metric=multi-tile,walls=2-3", 1, 5)
    assert puzzle.name == "sliding:metric=multi-tile,walls=2-3"
    assert set(puzzle.applicable((1, 2, 3, 4, 0))) == {"R", "R2"}
    assert set(puzzle.applicable((1, 0, 2, 3, 4))) == {"R"}
    hole = make("sliding:metric=multi-tile,holes=3", 3, 3)
    assert set(hole.applicable((0, 1, 8, 2, 3, 4, 5, 6, 7))) == {"L", "U", "U2"}


# Files


def test_a_board_says_its_holes():
    problem = read_problem("1 2 3\n4 - 6\n7 5 .")
    assert problem.puzzle.name == RING and problem.start == (1, 2, 3, 4, 8, 6, 7, 5, 0)
    assert write_problem(problem, "puz") == "1 2 3\n4 - 6\n7 5 .\n"
    multi = read_problem("1 2 3\n4 - 6\n7 5 .", puzzle="sliding:metric=multi-tile")
    assert multi.puzzle.name == "sliding:metric=multi-tile,holes=5"
    assert read_problem("1 2 3\n4 - 6\n7 5 .", goal="1 2 .\n3 - 4\n5 6 7").goal[4] == 8
    assert read_problem([[1, 2, 3], [4, "-", 6], [7, 5, 0]]) == problem
    assert read_problem('{"board": ["1 2 3", "4 - 6", "7 5 ."]}') == problem
    assert str(problem) == "1 2 3\n4 - 6\n7 5 0"


# Several gaps


def slides(board, columns):
    """All boards that a tile's slide leads to, by the move's name: written without operators."""
    found = {}
    for gap, kind in enumerate(board):
        row, column = divmod(gap, columns)
        for letter, r, c in (("U", 1, 0), ("D", -1, 0), ("L", 0, 1), ("R", 0, -1)):
            tile = (row + r) * columns + column + c
            is_on = 0 <= row + r < len(board) // columns and 0 <= column + c < columns
            if kind or not is_on or not board[tile]:
                continue
            after = list(board)
            after[gap], after[tile] = board[tile], 0
            found[f"{'abcdefgh'[column + c]}{row + r + 1}{letter}"] = tuple(after)
    return found


@pytest.mark.parametrize(("rows", "columns", "gaps"), [(2, 3, 2), (3, 3, 2), (3, 4, 5)])
def test_a_move_names_the_cell_of_its_tile(rows, columns, gaps):
    puzzle = sliding_gaps(rows, columns, gaps)
    for seed in range(20):
        board = tuple(Random(seed).sample(puzzle.pieces, puzzle.cells))
        made = {name: op.apply(board) for name, op in puzzle.applicable(board).items()}
        # Gaps that change places with each other do nothing.
        changed = {name: after for name, after in made.items() if after != board}
        assert changed == slides(board, columns)


def test_a_move_is_named_after_its_gap_as_well():
    problem = read_problem("1 2 .\n. 3 4")
    assert problem.puzzle.name == "sliding-gaps:2"
    plan = read_plan("c2U b2L", problem)
    assert check_plan(problem, plan).board == (1, 2, 4, 3, 0, 0)
    assert format_plan(plan, problem, convention="blank") == "c1D a2R"
    assert read_plan("c1D a2R", problem, "blank") == plan
    assert [step.board for step in steps(problem, plan)] == [*boards_of(problem, plan)]


def test_columns_beyond_z_have_two_letters():
    names = sliding_gaps(1, 30, 2).move_names
    assert {"a1R", "z1L", "z1R", "aa1L", "ad1L"} <= set(names) and "ad1R" not in names


def test_no_tile_goes_to_a_hole_or_through_a_wall():
    puzzle = make_puzzle("sliding-gaps:holes=9+5,walls=1-2", 3, 3)
    touched = [{cell for cell, _ in operator.moves} for operator in puzzle.operators]
    assert not any({4, 8} & cells or cells == {0, 1} for cells in touched)
    # Twelve passages of which four end at one hole, two at the other, and one is walled up.
    assert len(touched) == 2 * 5
    without = read_problem("1 2 3\n4 - 5\n. . -").puzzle
    assert without.name == "sliding-gaps:2,holes=5+9" and len(without.operators) == 2 * 6


def test_letters_with_holes_may_have_several_gaps():
    problem = read_problem("AB.\n.-C\ngoal:\n.AB\n.-C")
    assert problem.puzzle.name == "sliding-gaps:2,holes=5"
    assert solve(problem, optimal=True).length == 2
    assert read_problem(write_problem(problem, "letters")) == problem
    assert read_problem(write_problem(problem, "json")) == problem


# Random boards


def test_random_boards_of_a_large_board_with_holes():
    # More than 36 cells: parity decides, by Wilson's theorem, and only on the part of the blank.
    puzzle = make("sliding:holes=25+26+32,walls=43-44+37-44+38-45+39-46+40-47+41-48+42-49", 7, 7)
    sampler = BoardSampler(puzzle)
    for seed in range(5):
        board = sampler.solvable(Randomness(seed))
        assert {cell for cell in range(49) if board[cell] != puzzle.goal[cell]} <= set(
            range(43, 49)
        )


def test_a_hole_is_no_dead_end_of_the_blank():
    # Otherwise each tile would be looked at with each cell of the blank, for minutes.
    puzzle = make("sliding:holes=400", 30, 30)
    board = BoardSampler(puzzle).solvable(Randomness(1))
    assert board != puzzle.goal and board[399] == puzzle.goal[399]


# Proofs


@pytest.mark.parametrize("specification", [RING, "sliding:walls=5-6", "sliding:holes=7"])
def test_what_needs_a_whole_grid_sees_none(specification):
    puzzle = make(specification, 3, 3)
    assert grid_of(Problem(puzzle, puzzle.goal).structure.blank_graph) is None
    assert grid_of(Problem(make("sliding", 3, 3), puzzle.goal).structure.blank_graph) is not None


def test_a_wall_makes_24_moves_30(kept_workers):
    # The board of docs/tutorial/own-puzzle.md, whose rules stand there one by one.
    board = "6 4 8\n7 2 5\n1 3 ."
    for specification, moves in (("sliding", 24), ("sliding:walls=5-6", 30)):
        result = solve(
            read_problem(board, puzzle=specification), workers=kept_workers, optimal=True
        )
        assert (result.status, result.length) == (Status.OPTIMAL, moves)


@pytest.mark.slow
def test_boards_of_4x4_with_two_gaps_are_proved(kept_workers):
    # 45 moves back from the goal.
    problem = read_problem("3 7 10 .\n1 2 12 4\n13 11 9 8\n5 6 . 14")
    result = solve(problem, time_limit=100, workers=kept_workers, optimal=True)
    assert (result.status, result.length) == (Status.OPTIMAL, 29)
