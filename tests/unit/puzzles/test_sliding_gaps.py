"""Sliding tiles with several gaps: names, goals, boards, and all distances on 3x3."""

from dataclasses import replace
from random import Random

import pytest
from support.reference.oracle import Rules, depth_counts

from plansolve.checker import check_plan
from plansolve.errors import BoardError, OptionError
from plansolve.formats import format_plan, read_plan, read_problem, write_problem
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem, boards_of
from plansolve.puzzles.registry import make_puzzle
from plansolve.puzzles.sliding_gaps import sliding_gaps
from plansolve.replay.steps import steps
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.protocol import Budget, Incumbent, Options
from plansolve.solvers.result import Status
from plansolve.solvers.search.astar.astar import astar
from plansolve.solvers.search.idastar.engine import shortest_plan


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


def test_an_illegal_move_is_told_with_the_cells_of_all_gaps():
    verdict = check_plan(read_problem("1 2 .\n. 3 4"), ["c2U", "a1R"])
    assert verdict.illegal.step == 2 and verdict.illegal.reason == (
        "a1R cannot be made while the gaps are in row 2 column 1 and row 2 column 3; "
        "possible there: a1D b2L c1D b2R"
    )


@pytest.mark.parametrize(
    ("goal", "board"),
    [
        (None, (1, 2, 3, 4, 0, 0)),
        ("blank-last", (1, 2, 3, 4, 0, 0)),
        ("blank-first", (0, 0, 1, 2, 3, 4)),
        ("snail", (1, 2, 3, 0, 0, 4)),
    ],
)
def test_goals(goal, board):
    assert make_puzzle("sliding-gaps", 2, 3, goal).goal == board


@pytest.mark.parametrize(
    ("goal", "board"),
    [
        ("blank-last", "1 2 3/4 - 5/. . -"),
        ("blank-first", ". . 1/2 - 3/4 5 -"),
        ("snail", "1 2 3/. - 4/. 5 -"),
    ],
)
def test_holes_and_walls_stand_among_several_gaps(goal, board):
    puzzle = make_puzzle("sliding-gaps:holes=9+5,walls=1-2", 3, 3, goal)
    assert puzzle.name == "sliding-gaps:2,holes=5+9,walls=1-2"
    assert puzzle.line_text(puzzle.goal) == board.replace("/", " / ").replace(".", "0")
    assert make_puzzle(puzzle.name, 3, 3, goal) == puzzle
    # No tile goes to a hole, or through the wall.
    touched = [{cell for cell, _ in operator.moves} for operator in puzzle.operators]
    assert not any({4, 8} & cells or cells == {0, 1} for cells in touched)
    # Twelve passages of which four end at one hole, two at the other, and one is walled up.
    assert len(touched) == 2 * 5
    without = read_problem(board.replace("/", "\n")).puzzle
    assert without.name == "sliding-gaps:2,holes=5+9" and len(without.operators) == 2 * 6


def test_letters_with_holes_may_have_several_gaps():
    problem = read_problem("AB.\n.-C\ngoal:\n.AB\n.-C")
    assert problem.puzzle.name == "sliding-gaps:2,holes=5"
    assert solve(problem).length == 2
    assert read_problem(write_problem(problem, "letters")) == problem
    assert read_problem(write_problem(problem, "json")) == problem


@pytest.mark.parametrize(
    ("specification", "size", "every"),
    [
        ("sliding-gaps:2,holes=3", (3, 3), True),
        # A ring with a hole in it keeps the order of its tiles.
        ("sliding-gaps:2,holes=5", (3, 3), False),
    ],
)
def test_random_boards_with_holes_are_those_that_have_a_plan(specification, size, every):
    puzzle = make_puzzle(specification, *size)
    reached = Rules.of(puzzle).distances_to(puzzle.goal)
    assert len(reached) == (20160 if every else 7 * 8 // 2 * 6)
    sampler = BoardSampler(puzzle)
    assert {sampler.solvable(Randomness(seed)) for seed in range(20)} <= reached.keys()
    if every:
        with pytest.raises(OptionError, match="every 3x3 board of sliding-gaps:2,holes=3 can be"):
            sampler.unsolvable(Randomness(1))
    else:
        assert sampler.unsolvable(Randomness(1))[0] not in reached


@pytest.mark.parametrize(
    ("specification", "kind", "message"),
    [
        ("sliding-gaps:2,holes=1+2+3+4", BoardError, "2 cells are too few for two gaps and a tile"),
        ("sliding-gaps:4,holes=1+2", OptionError, "gaps=4: a number from 2 to 3 is expected on a"),
        ("sliding-gaps:1", OptionError, "gaps=1: a number from 2 to 5 is expected on a board of 6"),
        ("sliding-gaps:6", OptionError, "gaps=6: a number from 2 to 5 is expected on a board of 6"),
        ("sliding-gaps:gaps=two", OptionError, "gaps=two: a number from 2 to 5 is expected"),
        ("sliding-gaps:2,3", OptionError, "has no parameter '3'"),
    ],
)
def test_wrong_numbers_of_gaps(specification, kind, message):
    with pytest.raises(kind, match=message):
        make_puzzle(specification, 2, 3)


def test_one_gap_is_a_sliding_puzzle_and_not_this_one():
    with pytest.raises(BoardError, match="1 gap: two are the least, and one of 6 cells holds"):
        sliding_gaps(2, 3, 1)


@pytest.mark.parametrize("format_", ["puz", "line", "json"])
def test_boards_are_written_and_read(format_):
    puzzle = sliding_gaps(3, 3, 3)
    problem = Problem(puzzle, (3, 0, 1, 2, 0, 5, 6, 0, 4))
    assert read_problem(write_problem(problem, format_)) == problem


@pytest.mark.slow
def test_all_boards_of_3x3_with_two_gaps():
    puzzle = sliding_gaps(3, 3, 2)
    layers, distances = [{puzzle.goal}], {puzzle.goal: 0}
    while layers[-1]:
        layers.append({b for board in layers[-1] for b in slides(board, 3).values()})
        layers[-1] -= distances.keys()
        distances |= dict.fromkeys(layers[-1], len(layers) - 1)
    assert len(distances) == 181_440
    counts = depth_counts(distances)
    assert (len(counts), counts[:4], counts[-1]) == (25, [1, 3, 11, 24], 77)
    for board in Random(1).sample(sorted(distances), 12):
        problem = Problem(puzzle, board)
        reports = [*shortest_plan(problem, Incumbent(), Budget(memory=1 << 28))]
        assert len(reports[-1].plan) == reports[-1].lower_bound == distances[board]
        assert check_plan(problem, reports[-1].plan).solves


@pytest.mark.parametrize(("rows", "columns", "gaps"), [(2, 3, 2), (2, 4, 2), (2, 4, 3), (3, 3, 4)])
def test_every_board_of_a_grid_can_be_solved(rows, columns, gaps):
    puzzle = sliding_gaps(rows, columns, gaps)
    sampler = BoardSampler(puzzle)
    reached = Rules.of(puzzle).distances_to(puzzle.goal)
    board = sampler.solvable(Randomness(1).child())
    assert board in reached
    with pytest.raises(OptionError, match=f"every {rows}x{columns} board of {puzzle.name} can be"):
        sampler.unsolvable(Randomness(1).child())


def test_not_every_board_of_a_line_can_be_solved():
    sampler = BoardSampler(sliding_gaps(1, 6, 2))
    assert [tile for tile in sampler.solvable(Randomness(3).child()) if tile] == [1, 2, 3, 4]
    board, _ = sampler.unsolvable(Randomness(1).child())
    assert [tile for tile in board if tile] != [1, 2, 3, 4]


SCRAMBLED = "3 7 10 .\n1 2 12 4\n13 11 9 8\n5 6 . 14"
"""45 moves back from the goal."""
NEAR = "1 2 3 4\n5 6 8 7\n9 . . 10\n13 14 11 12"


def by_distances(problem, incumbent, budget):
    options = Options(bound="tile-distances")
    return shortest_plan(problem, incumbent, replace(budget, options=options))


@pytest.mark.parametrize(
    ("search", "board", "length"),
    [
        (by_distances, SCRAMBLED, 29),
        (astar, NEAR, 8),
        pytest.param(astar, SCRAMBLED, 29, marks=pytest.mark.slow),
    ],
)
def test_a_scrambled_board_of_4x4(search, board, length):
    problem = read_problem(board)
    reports = [*search(problem, Incumbent(), Budget(memory=1 << 30))]
    assert len(reports[-1].plan) == max(report.lower_bound for report in reports) == length
    assert check_plan(problem, reports[-1].plan).solves


@pytest.mark.parametrize(
    ("board", "length"),
    [
        ("1 2 3 4\n5 . 6 8\n9 10 7 11\n13 14 . 12", 4),
        pytest.param(SCRAMBLED, 29, marks=pytest.mark.slow),
    ],
)
def test_boards_of_4x4_with_two_gaps_are_proved(board, length, kept_workers):
    result = solve(read_problem(board), time_limit=100, workers=kept_workers)
    assert (result.status, result.length) == (Status.OPTIMAL, length)
