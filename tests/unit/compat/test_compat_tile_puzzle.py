"""TilePuzzle against brute force, and as the course's GUI drives it."""

import importlib.util
import random

import pytest
from support.reference.rules import GAP_WAYS, moved, replayed, solved

from plansolve.compat.tile_puzzle import TilePuzzle, create_tile_puzzle
from plansolve.errors import BoardError


def every_optimal_solution(board):
    """All shortest solutions by breadth-first layers of walks; for shallow boards only."""
    goal = solved(len(board), len(board[0]))
    walks, seen = [((), board)], {str(board)}
    while walks:
        solutions = [list(walk) for walk, rows in walks if rows == goal]
        if solutions:
            return solutions
        following = [
            ((*walk, direction), new)
            for walk, rows in walks
            for direction in GAP_WAYS
            if (new := moved(rows, direction)) is not None and str(new) not in seen
        ]
        seen |= {str(rows) for _, rows in following}
        walks = following
    return []


def scrambled(rows, columns, moves):
    puzzle = create_tile_puzzle(rows, columns)
    puzzle.scramble(moves)
    return puzzle.get_board()


def test_the_examples_of_the_assignment():
    assert TilePuzzle([[0, 1], [3, 2]]).get_board() == [[0, 1], [3, 2]]
    assert create_tile_puzzle(3, 3).get_board() == [[1, 2, 3], [4, 5, 6], [7, 8, 0]]
    b = [[1, 2, 3], [4, 0, 5], [6, 7, 8]]
    # The text has lost the line of "down" here, and shows it as a successor of another board.
    assert [(move, p.get_board()) for move, p in TilePuzzle(b).successors()] == [
        ("up", [[1, 0, 3], [4, 2, 5], [6, 7, 8]]),
        ("down", [[1, 2, 3], [4, 7, 5], [6, 0, 8]]),
        ("left", [[1, 2, 3], [0, 4, 5], [6, 7, 8]]),
        ("right", [[1, 2, 3], [4, 5, 0], [6, 7, 8]]),
    ]
    p = TilePuzzle([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    assert next(p.find_solutions_iddfs()) == ["up", "right", "right", "down", "down"]
    p = TilePuzzle([[1, 2, 3], [4, 0, 8], [7, 6, 5]])
    assert list(p.find_solutions_iddfs()) == [
        ["down", "right", "up", "left", "down", "right"],
        ["right", "down", "left", "up", "right", "down"],
    ]
    plan = "right down left left up right down right up left left down right right"
    assert TilePuzzle(b).find_solution_a_star() == plan.split()


@pytest.mark.parametrize(
    ("rows", "columns", "moves"),
    [
        (3, 3, 14),
        (2, 3, 60),
        (2, 2, 9),
        (2, 4, 30),
        (3, 4, 18),
        pytest.param(3, 3, 40, marks=pytest.mark.slow),
        pytest.param(2, 5, 24, marks=pytest.mark.slow),
        pytest.param(4, 4, 16, marks=pytest.mark.slow),
    ],
)
def test_all_optimal_solutions_are_those_of_brute_force(rows, columns, moves):
    random.seed(rows * 100 + moves)
    board = scrambled(rows, columns, moves)
    expected = every_optimal_solution(board)
    puzzle = TilePuzzle(board)
    found = list(puzzle.find_solutions_iddfs())
    assert sorted(found) == sorted(expected)
    if rows * columns <= 9:
        # In the order of a depth-first search that tries up, down, left, right.
        order = list(GAP_WAYS)
        assert found == sorted(found, key=lambda moves: [order.index(move) for move in moves])
    assert puzzle.find_solution_a_star() in expected
    assert puzzle.get_board() == board


def test_a_board_with_many_optimal_solutions():
    board = [[8, 6, 7], [2, 5, 4], [3, 0, 1]]
    found = list(TilePuzzle(board).find_solutions_iddfs())
    # 31 moves, the most that a 3x3 board needs.
    assert len(found) == len(set(map(tuple, found))) == 40
    for solution in found:
        assert (len(solution), replayed(board, solution)) == (31, solved(3, 3))


def test_a_solved_board_has_the_empty_solution():
    for rows, columns in [(1, 1), (1, 4), (3, 3), (6, 7)]:
        puzzle = create_tile_puzzle(rows, columns)
        assert puzzle.is_solved()
        assert list(puzzle.find_solutions_iddfs()) == [[]]
        assert puzzle.find_solution_a_star() == []


@pytest.mark.parametrize(
    "board", [[[2, 1], [3, 0]], [[1, 3, 2, 0]], [[2, 1, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]]
)
def test_an_unsolvable_board_has_none(board):
    assert list(TilePuzzle(board).find_solutions_iddfs()) == []
    assert TilePuzzle(board).find_solution_a_star() is None


def test_moves_as_in_plain_code_and_nothing_where_they_are_impossible():
    random.seed(7)
    puzzle = create_tile_puzzle(3, 4)
    for _ in range(200):
        direction = random.choice([*GAP_WAYS, "Up", "u", "", None, 3, ["up"]])
        before = [list(row) for row in puzzle.get_board()]
        expected = moved(before, direction) if direction in list(GAP_WAYS) else None
        assert puzzle.perform_move(direction) is (expected is not None)
        assert puzzle.get_board() == (expected or before)


def test_the_board_that_is_given_and_a_copy_are_apart_from_the_puzzle():
    board = [[1, 2], [3, 0]]
    puzzle = TilePuzzle(board)
    copy = puzzle.copy()
    assert puzzle.perform_move("up")
    assert board == copy.get_board() == [[1, 2], [3, 0]]
    assert puzzle.get_board() == [[1, 0], [3, 2]]
    # The rows themselves, so that a GUI may keep them.
    assert puzzle.get_board() is puzzle.get_board()


def test_scramble_uses_the_course_s_source_of_chance_and_keeps_the_board_solvable():
    random.seed(3)
    first = scrambled(3, 3, 50)
    random.seed(3)
    assert scrambled(3, 3, 50) == first
    assert TilePuzzle(first).find_solution_a_star() is not None
    puzzle = create_tile_puzzle(3, 3)
    puzzle.scramble(0)
    assert puzzle.is_solved()


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (3, -1), (31, 2)])
def test_what_is_no_size_is_refused(rows, columns):
    with pytest.raises(BoardError, match="out of range"):
        create_tile_puzzle(rows, columns)


def test_a_module_that_imports_everything_is_what_the_gui_drives(tmp_path):
    path = tmp_path / "homework3.py"
    path.write_text("from plansolve.compat.tile_puzzle import *\n")
    spec = importlib.util.spec_from_file_location("homework3", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    random.seed(11)
    rows, columns = 3, 4
    puzzle = module.create_tile_puzzle(rows, columns)
    # The GUI keeps the puzzle, and asks for the board again after each move.
    drawn = [list(row) for row in puzzle.get_board()]
    puzzle.scramble(rows * columns * 20)
    for moves in (next(puzzle.find_solutions_iddfs()), puzzle.find_solution_a_star()):
        copy = puzzle.copy()
        while moves:
            copy.perform_move(moves[0])
            moves = moves[1:]
        assert copy.get_board() == drawn
        assert copy.is_solved()
