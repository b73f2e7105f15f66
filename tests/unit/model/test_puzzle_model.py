"""Puzzles, operators and problems as data: what is refused, in which words, and what applies."""

import pickle
from copy import deepcopy
from dataclasses import replace
from itertools import permutations
from random import Random

import numpy as np
import pytest

from plansolve.errors import BoardError, InternalError, PlanError, WrongTypeError
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.model.names import describe_mismatch
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.model.structure import PuzzleKind
from plansolve.puzzles.lloyd import lloyd
from plansolve.puzzles.sliding import sliding, sliding_gaps
from plansolve.puzzles.torus_ring import torus_ring

SWAP = Operator("L", ((1, 0), (0, 1)), 0)


def puzzle(operators=(SWAP,), goal=(1, 0), rows=1, columns=2, labels=(), name="mine", **others):
    labels = labels or tuple(map(str, range(rows * columns + 1)))
    return Puzzle(name, rows, columns, goal, tuple(operators), labels, **others)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 2}, "a board of 2x2 has 4 cells, but the goal has 2"),
        ({"goal": (1, 2, 0)}, "a board of 1x2 has 2 cells, but the goal has 3"),
        (
            {"goal": (0, 0), "operators": [SWAP, Operator("L", ((1, 0), (0, 1)), 1)]},
            "operator 'L' stands for two moves, which the 2 gaps may allow at once: each move "
            "needs a name of its own",
        ),
        ({"goal": (2, 0)}, "not a permutation of the tiles: 2 is not a tile, 1 is missing"),
        ({"goal": (1, 1)}, "operator 'L' needs the blank in cell 0, which is impossible"),
        ({"goal": (-1, 0)}, "the goal leaves cells open: the pieces of the boards are missing"),
        ({"pieces": (0, 2)}, "not a permutation of the tiles: 2 is not a tile, 1 is missing"),
        ({"goal": (-1, 0), "pieces": (1, 1)}, "the goal has piece 0 more often than the boards"),
        ({"goal": (-1, 7), "pieces": (1, 1)}, "the goal has the unknown piece 7"),
        ({"pieces": (1, 0)}, "the pieces are not 2 numbers in ascending order"),
        ({"pieces": (0, 1, 2)}, "the pieces are not 2 numbers in ascending order"),
        ({"goal": (-1, -1), "pieces": (3, 3)}, "the pieces are not kinds from 0 to 2"),
        ({"labels": tuple("01234")}, "labels: 5 are too many: at most 3"),
        (
            {"goal": (1, 1), "labels": tuple(map(str, range(902)))},
            "labels: 902 are too many: at most 901",
        ),
        ({"goal": (2, 1)}, "operator 'L' needs the blank in cell 0, which is impossible"),
        (
            {"operators": [Operator("A", ((0, 1), (0, 0)))]},
            "operator 'A' does not permute the cells it changes",
        ),
        (
            {"operators": [Operator("A", ((0, 1),))]},
            "operator 'A' does not permute the cells it changes",
        ),
        (
            {"operators": [Operator("A", ((0, 1), (1, 1)))]},
            "operator 'A' does not permute the cells it changes",
        ),
        (
            {"operators": [Operator("A", ((0, 2), (2, 0)))]},
            "operator 'A' names a cell outside 0..1",
        ),
        (
            {"operators": [Operator("A", ((0, -1), (-1, 0)))]},
            "operator 'A' names a cell outside 0..1",
        ),
        (
            {"operators": [Operator("A", ((0, 1), (1, 0)), 2)]},
            "operator 'A' needs the blank in cell 2, which is impossible",
        ),
        (
            {"operators": [Operator("A", ((0, 1), (1, 0)), -1)]},
            "operator 'A' needs the blank in cell -1, which is impossible",
        ),
        ({"operators": [SWAP, SWAP]}, "operator 'L' stands for two different moves in one"),
        (
            {"operators": [SWAP, Operator("L", ((1, 0), (0, 1)))]},
            "operator 'L' stands for two different moves in one position",
        ),
        (
            {"operators": [Operator("L", ((1, 0), (0, 1))), SWAP]},
            "operator 'L' stands for two different moves in one position",
        ),
        # What a document of the puzzle could not say.
        ({"name": "two rings"}, "name: 'two rings' is not a name"),
        ({"rows": 31, "columns": 30}, "rows and columns: 31x30, but a board has 1 to 900 cells"),
        ({"rows": 0}, "rows and columns: 0x2"),
        ({"labels": ("0", "1", "1")}, "labels: two tiles are called 1"),
        ({"labels": ("0", "a b")}, "labels: 'a b' is not a name"),
        ({"operators": [Operator("", ((0, 1), (1, 0)))]}, "operators: '' is not a name"),
        ({"blank_names": {"R": "L"}}, "blank_names: there is no move 'R'"),
        ({"blank_names": {"L": ""}}, "blank_names: '' is not a name"),
        ({"fixed": ((0, 1),)}, "fixed: cell 0 does not exist, or moves change it"),
        ({"operators": [], "fixed": ((0, 0),)}, "the goal has 1 in row 1 column 1, where all boar"),
        (
            {"operators": [], "fixed": ((0, 7),)},
            "fixed: every board must have just one piece 7",
        ),
    ],
)
def test_contradictory_rules_are_refused_with_their_contradiction(change, message):
    with pytest.raises(BoardError) as caught:
        puzzle(**change)
    assert message in str(caught.value)


def test_an_operator_that_moves_nothing_is_no_exchange_with_the_blank():
    # Either the rules are refused, or the structure must not take it for an arc of the blank.
    still = Operator("A", ((0, 0), (1, 1)), 0)
    try:
        graph = Problem(puzzle([still]), (1, 0)).structure.blank_graph
    except BoardError:
        return
    assert graph is None or graph.names[0] == {}


def test_one_name_may_stand_for_moves_with_the_blank_in_different_cells():
    both = [SWAP, Operator("L", ((1, 0), (0, 1)), 1)]
    assert puzzle(both).move_names == ("L",)


@pytest.mark.parametrize(
    ("board", "tiles", "words"),
    [
        ((1, 2, 0), range(3), ""),
        ((1, 1, 0), range(3), "1 appears twice, 2 is missing"),
        ((1, 1, 1), range(3), "1 appears 3 times, 0, 2 are missing"),
        ((1, 9, 0), range(3), "9 is not a tile, 2 is missing"),
        ((8, 9, 0), range(3), "8, 9 are not tiles, 1, 2 are missing"),
        ((), range(8), "0, 1, 2, 3, 4 and 3 more are missing"),
    ],
)
def test_a_mismatch_is_told_in_words(board, tiles, words):
    assert describe_mismatch(board, tiles) == words


@pytest.mark.parametrize(
    ("puzzle", "start", "message"),
    [
        (sliding(2, 2), (1, 2, 3), "the goal has 4 cells, the board has 3"),
        (sliding(2, 2), (1, 1, 2, 0), "not a board of this puzzle: 1 appears twice, 3 is missing"),
        (sliding(2, 2), (1, 2, 3, 4), "not a board of this puzzle: 4 is not a tile, 0 is missing"),
        (lloyd(3, 3), (1, 1, 2, 3, 4, 5, 6, 7, 8), "A appears twice, + is missing"),
    ],
)
def test_a_start_must_hold_the_tiles_of_the_goal(puzzle, start, message):
    with pytest.raises(BoardError) as caught:
        Problem(puzzle, start)
    assert message in str(caught.value)


def test_puzzles_and_problems_are_keys_and_their_numbers_are_python_s_own():
    one, other = (sliding(2, 2).with_goal(goal) for goal in ((1, 2, 3, 0), (0, 1, 2, 3)))
    assert len({one, other, sliding(2, 2)}) == 2
    starts = (1, 2, 0, 3), np.array((1, 2, 0, 3)), (3, 2, 0, 1)
    problems = [Problem(one, start) for start in starts]
    assert len({*problems, Problem(other, starts[0])}) == 3
    turned = Operator("a", np.array(((0, 1), (1, 0))))
    same = {puzzle([turned], np.array((1, 2))), puzzle([replace(turned)], (1, 2))}
    assert len(same) == 1
    for problem in (*problems, *(Problem(rules, (2, 1)) for rules in same)):
        assert read_problem(problem_text(problem)) == problem
    with pytest.raises(WrongTypeError, match="a board: whole numbers are expected, not"):
        Problem(one, "1203")


def test_applicable_moves_are_those_of_the_blank_s_cell():
    square = sliding(3, 3)
    corner, centre, edge = (1, 2, 3, 4, 5, 6, 7, 8, 0), (1, 2, 3, 4, 0, 5, 6, 7, 8), None
    edge = (1, 0, 2, 3, 4, 5, 6, 7, 8)
    assert set(square.applicable(corner)) == {"D", "R"}
    assert set(square.applicable(centre)) == {"U", "D", "L", "R"}
    assert set(square.applicable(edge)) == {"U", "L", "R"}
    assert all(name == operator.name for name, operator in square.applicable(edge).items())
    # Without a blank all moves are always applicable.
    torus = torus_ring()
    assert set(torus.applicable(torus.goal)) == set(torus.move_names)
    assert len(torus.move_names) == 24


def test_a_free_move_is_applicable_beside_those_of_the_blank():
    free = Operator("turn", ((0, 1), (1, 2), (2, 0)))
    mixed = puzzle([SWAP, free], (1, 2, 0), 1, 3)
    assert set(mixed.applicable((0, 1, 2))) == {"L", "turn"}
    assert set(mixed.applicable((1, 0, 2))) == {"turn"}


def test_of_several_gaps_each_allows_its_moves():
    gaps, random = sliding_gaps(3, 4, 3), Random(1)
    for _ in range(20):
        board = tuple(random.sample(gaps.goal, gaps.cells))
        wanted = {op.name: op for op in gaps.operators if board[op.blank] == 0}
        assert gaps.applicable(board) == wanted


def test_an_operator_takes_each_content_from_its_source():
    turn = Operator("turn", ((0, 1), (1, 2), (2, 0)))
    assert turn.apply((7, 8, 9, 6)) == (8, 9, 7, 6)
    assert SWAP.applies_to((0, 1))
    assert not SWAP.applies_to((1, 0))


def test_a_plan_passes_the_start_and_the_board_after_each_move():
    problem = Problem(sliding(2, 2), (0, 2, 1, 3))
    assert list(boards_of(problem, ("U", "L"))) == [(0, 2, 1, 3), (1, 2, 0, 3), (1, 2, 3, 0)]
    with pytest.raises(PlanError, match="step 2: 'R'"):
        boards_of(problem, ("U", "R"))


def test_an_arrangement_tells_the_goal_cell_of_each_content():
    mine = sliding(2, 2).with_goal((0, 3, 1, 2))
    assert mine.home == {0: 0, 3: 1, 1: 2, 2: 3}
    assert mine.arrangement((1, 2, 3, 0)) == (2, 3, 1, 0)
    assert Problem(mine, (1, 2, 3, 0)).home == mine.home


def test_a_problem_as_text_is_its_board_and_its_repr_is_short():
    problem = Problem(sliding(3, 3), (8, 0, 6, 5, 4, 7, 2, 3, 1))
    assert str(problem) == "8 0 6\n5 4 7\n2 3 1"
    assert repr(problem) == "<Problem sliding 3x3: 8 0 6 / 5 4 7 / 2 3 1>"
    assert repr(problem.puzzle) == "<Puzzle sliding 3x3: 24 operators>"
    large = Problem(sliding(30, 30), sliding(30, 30).goal)
    assert repr(large).endswith("...>") and len(repr(large)) < 200
    assert torus_ring().board_text(torus_ring().goal).splitlines()[1] == " 6  7  8  9 10"
    assert str(Problem(lloyd(3, 3), (1, 2, 3, 4, 0, 5, 6, 7, 8))) == "A B C\nD + E\nF G H"


def alike(goal, pieces=()):
    """Four cells in a ring that turns, with some pieces alike."""
    turn = Operator("T", tuple((cell, (cell + 1) % 4) for cell in range(4)))
    return Puzzle("ring", 1, 4, goal, (turn,), (".", "a", "b", "c"), pieces=pieces)


def test_pieces_that_are_alike():
    puzzle = alike((2, 1, 1, 2))
    assert puzzle.pieces == (1, 1, 2, 2) and puzzle.kinds == (1, 2) and not puzzle.is_distinct
    assert [*puzzle.goal_boards()] == [(2, 1, 1, 2)]
    assert puzzle.is_goal((2, 1, 1, 2)) and not puzzle.is_goal((1, 2, 1, 2))
    assert Problem(puzzle, (1, 1, 2, 2)).is_solved is False
    with pytest.raises(BoardError, match="a appears 3 times, not twice, b appears once, not twice"):
        Problem(puzzle, (1, 1, 1, 2))
    structure = Problem(puzzle, (1, 1, 2, 2)).structure
    assert structure.kind == PuzzleKind.ANY and not structure.is_free
    assert structure.plan_parity((1, 1, 2, 2)) is None
    for derived in ("home", "tiles"):
        with pytest.raises(InternalError, match="no places of their own"):
            getattr(puzzle, derived)


def test_an_open_goal():
    puzzle = alike((-1, 1, -1, -1), (0, 1, 1, 2))
    boards = [*puzzle.goal_boards()]
    assert sorted(boards) == [b for b in sorted(set(permutations((0, 1, 1, 2)))) if b[1] == 1]
    assert len(set(boards)) == len(boards) == 6
    assert all(puzzle.is_goal(board) for board in boards)
    assert not puzzle.is_goal((1, 0, 1, 2))
    assert puzzle.board_text(puzzle.goal) == "* a * *"
    assert puzzle.with_goal((0, 1, 1, 2)).pieces == puzzle.pieces


@pytest.mark.parametrize("goal", [(1, 2, 3, 0), (-1, 2, 3, 0), (-1, -1, -1, -1)])
def test_the_boards_of_a_goal_whose_pieces_are_all_different(goal):
    puzzle = alike(goal, (0, 1, 2, 3))
    boards = set(puzzle.goal_boards())
    assert boards == {b for b in permutations(range(4)) if puzzle.is_goal(b)}
    assert puzzle.is_distinct == (goal == (1, 2, 3, 0))


def test_problems_arrive_in_another_process_as_they_were_and_share_their_puzzle():
    eight = sliding(3, 3)
    problems = [Problem(eight, start) for start in (eight.goal, (8, 6, 7, 2, 5, 4, 3, 0, 1))]
    assert problems[0].structure is problems[1].structure
    before = len(pickle.dumps(problems[1]))
    first, second = (pickle.loads(pickle.dumps(problem)) for problem in problems)
    assert [first, second] == problems
    assert first.puzzle is second.puzzle and first.structure is second.structure
    other = Problem(eight.with_goal((0, *range(1, 9))), eight.goal)
    assert pickle.loads(pickle.dumps(other)).goal == (0, *range(1, 9)) != first.goal
    # What was derived stays behind.
    assert problems[1].structure.blank_graph is not None and problems[1].home
    assert len(pickle.dumps(problems[1])) == before == len(pickle.dumps(deepcopy(problems[1])))
