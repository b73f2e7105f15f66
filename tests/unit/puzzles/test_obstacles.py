"""Sliding boards with walls and holes: rules, goals, files, random boards and proofs."""

import re
from random import Random

import pytest
from support.fixtures.cases import make
from support.reference import rules as by_hand
from support.reference.oracle import Rules

from plansolve.analysis.grid import grid_of
from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import read_problem, write_problem
from plansolve.instances.random_boards import BoardSampler
from plansolve.instances.randomness import Randomness
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle, named_goal
from plansolve.solvers.engine.registry import ENGINES
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Status

QUICK = ("cnf", "idastar")
SLOWER = [e.name for e in ENGINES.values() if e.proves and e.name not in QUICK]
RING = "sliding:holes=5"
"""An 8-puzzle without its centre: seven tiles go round in a ring, and keep their order."""


def crosses(specification, a, b):
    """Whether something is between two cells, told by the numbers of the specification alone."""
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


@pytest.mark.parametrize(
    ("goal", "holes", "board"),
    [
        ("blank-last", "5", "1 2 3/4 - 5/6 7 ."),
        ("blank-last", "8+9", "1 2 3/4 5 6/. - -"),
        ("blank-first", "1+5", "- . 1/2 - 3/4 5 6"),
        ("snail", "5", "1 2 3/. - 4/7 6 5"),
        ("snail", "2", "1 - 2/7 . 3/6 5 4"),
    ],
)
def test_named_goals_go_round_holes(goal, holes, board):
    specification = f"sliding:holes={holes}"
    wanted = named_goal(specification, goal, 3, 3)
    problem = read_problem(board.replace("/", "\n"), goal=goal)
    assert (problem.puzzle.name, problem.goal, problem.start) == (specification, wanted, wanted)
    assert write_problem(Problem(problem.puzzle, wanted), "puz" if goal == "blank-last" else "json")


def test_a_board_says_its_holes():
    problem = read_problem("1 2 3\n4 - 6\n7 5 .")
    assert problem.puzzle.name == RING and problem.start == (1, 2, 3, 4, 8, 6, 7, 5, 0)
    assert write_problem(problem, "puz") == "1 2 3\n4 - 6\n7 5 .\n"
    assert read_problem(write_problem(problem, "json")) == problem
    multi = read_problem("1 2 3\n4 - 6\n7 5 .", puzzle="sliding:metric=multi-tile")
    assert multi.puzzle.name == "sliding:metric=multi-tile,holes=5"
    assert read_problem("1 2 3\n4 - 6\n7 5 .", goal="1 2 .\n3 - 4\n5 6 7").goal[4] == 8
    assert read_problem([[1, 2, 3], [4, "-", 6], [7, 5, 0]]) == problem
    assert read_problem('{"board": ["1 2 3", "4 - 6", "7 5 ."]}') == problem
    assert str(problem) == "1 2 3\n4 - 6\n7 5 0"


@pytest.mark.parametrize(
    ("board", "options", "message"),
    [
        (
            "1 2 3\n4 - 5\n6 7 .",
            {"goal": "1 2 3\n4 5 -\n6 7 ."},
            "line 2: - is a hole, sliding:holes=5",
        ),
        (
            "1 2 3\n4 - 5\n6 7 .",
            {"puzzle": "sliding:holes=4"},
            "line 2: - is a hole, sliding:holes=4",
        ),
        ("1 2 3\n4 - 5\n6 8 .", {}, "line 3: - appears twice, 7 is missing"),
        ("1 2 3\n4 - 5\n6 7 8", {}, "is the gap"),
        (
            "1 2 3\n4 - 5\n6 7 8",
            {"puzzle": "loopover"},
            "line 2: - is a hole, torus-ring:rings=none",
        ),
    ],
)
def test_holes_that_do_not_fit(board, options, message):
    with pytest.raises(InputError) as caught:
        read_problem(board, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("specification", "error", "message"),
    [
        ("sliding:holes=10", BoardError, "there is no cell 10: the board has 9"),
        ("sliding:holes=x", OptionError, "'x' is no cell: cells are numbers from 1"),
        ("sliding:holes=", OptionError, "'' is no cell"),
        ("sliding:holes=1+2+3+4+5+6+7+8", BoardError, "8 of 9 cells, two have to be left"),
        ("sliding:walls=1", OptionError, "walls=1: two cells are expected"),
        ("sliding:walls=1-3", BoardError, "walls: 1 and 3 are no neighbours"),
        ("sliding:walls=3-4", BoardError, "walls: 3 and 4 are no neighbours"),
    ],
)
def test_what_are_no_obstacles(specification, error, message):
    with pytest.raises(error) as caught:
        make_puzzle(specification, 3, 3)
    assert message in str(caught.value)


def test_a_goal_has_no_tile_in_a_hole():
    with pytest.raises(BoardError, match="the goal has a tile in cell 5, which is a hole"):
        make_puzzle(RING, 3, 3, (1, 2, 3, 4, 5, 6, 7, 8, 0))


def test_the_name_gives_the_same_rules_again():
    puzzle = make("sliding:walls=6-2+5-1+1-2,holes=11+6", 4, 4)
    assert puzzle.name == "sliding:holes=6+11,walls=1-2+1-5"
    assert make_puzzle(puzzle.name, 4, 4) == puzzle


@pytest.mark.parametrize("specification", [RING, "sliding:walls=5-6", "sliding:holes=7"])
def test_what_needs_a_whole_grid_sees_none(specification):
    puzzle = make(specification, 3, 3)
    assert grid_of(Problem(puzzle, puzzle.goal).structure.blank_graph) is None
    assert grid_of(Problem(make("sliding", 3, 3), puzzle.goal).structure.blank_graph) is not None


@pytest.mark.parametrize(
    "engine",
    ["auto", *QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOWER)],
)
def test_engines_agree_on_a_ring_with_a_hole_in_it(engine, kept_workers):
    puzzle = make(RING, 3, 3)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    # The order of seven tiles stays: eight places of the blank times seven turns.
    assert len(table) == 8 * 7
    random = Random(engine)
    for board in random.sample(sorted(table), 2):
        result = solve(Problem(puzzle, board), engine=engine, time_limit=60, workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, table[board])
    twisted = (2, 1, 3, 4, 8, 5, 6, 7, 0)
    result = solve(Problem(puzzle, twisted), engine=engine, time_limit=60, workers=kept_workers)
    assert twisted not in table and result.status == Status.UNSOLVABLE


def test_a_wall_makes_24_moves_30(kept_workers):
    # The board of docs/tutorial/own-puzzle.md, whose rules stand there one by one.
    board = "6 4 8\n7 2 5\n1 3 ."
    for specification, moves in (("sliding", 24), ("sliding:walls=5-6", 30)):
        result = solve(read_problem(board, puzzle=specification), workers=kept_workers)
        assert (result.status, result.length) == (Status.OPTIMAL, moves)


@pytest.mark.parametrize(
    ("specification", "rows", "columns", "boards"),
    [
        (RING, 3, 3, 56),
        # The right column is cut off: one tile goes up and down in it.
        ("sliding:walls=2-3+5-6", 2, 3, 2),
        # A ring of four cells with a tail of one or three: the order in the ring stays, and each
        # cell of the tail that the blank goes into is one more place for it.
        ("sliding:holes=3", 2, 3, 4 * 3 + 3),
        ("sliding:holes=2", 2, 4, 4 * 3 + 3 * 3),
        # The 2x3 puzzle with a tail of one cell.
        ("sliding:holes=1", 2, 4, 360 + 60),
    ],
)
def test_random_boards_have_plans_and_are_all_met(specification, rows, columns, boards):
    puzzle = make(specification, rows, columns)
    table = Rules.of(puzzle).distances_to(puzzle.goal)
    sampler, randomness = BoardSampler(puzzle), Randomness(5)
    drawn = {sampler.solvable(randomness.child()) for _ in range(400)}
    assert drawn <= table.keys() and len(table) == boards
    # Of few boards all come, of many each about once.
    assert len(drawn) == boards if boards < 60 else len(drawn) > 200
    sampler = BoardSampler(puzzle)
    if boards != 2:
        board, reason = sampler.unsolvable(randomness)
        assert board not in table and reason
        assert all(board[c] == puzzle.goal[c] for c in puzzle.layout.holes)


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
