"""Round trips through every format and notation; hostile files are read in `test_fuzz_readers`."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plansolve.formats import FORMATS, detect, format_plan, read_plan, read_problem, write_problem
from plansolve.formats.notation import CONVENTIONS, STYLES
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.puzzles.registry import make_puzzle, named_goal

sides = st.integers(2, 6)


@st.composite
def starts(draw, specification, rows, columns, goal=None):
    """A problem of a family on a random board, which need not be solvable."""
    cells = named_goal(specification, goal, rows, columns) if goal else None
    puzzle = make_puzzle(specification, rows, columns, cells)
    return Problem(puzzle, tuple(draw(st.permutations(puzzle.goal))))


@st.composite
def squares(draw, specification, goal, among=sides):
    side = draw(among)
    return draw(starts(specification, side, side, goal))


@st.composite
def grids(draw, specification, least=1):
    rows, columns = draw(st.integers(least, 30)), draw(st.integers(max(least, 2), 30))
    return draw(starts(specification, rows, columns))


@st.composite
def letters(draw):
    """Sliding letters, some of them alike and one of them missing."""
    rows, columns = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    tiles = draw(st.lists(st.sampled_from("abcXYé"), min_size=1, max_size=rows * columns - 2))
    goal = [*tiles, *"Q" * (rows * columns - 1 - len(tiles)), "."]
    boards = [draw(st.permutations(goal)), goal]
    lines = ["".join(b[i : i + columns]) for b in boards for i in range(0, len(b), columns)]
    return read_problem("\n".join([*lines[:rows], "goal:", *lines[rows:]]))


toruses = st.one_of(starts("torus-ring", 5, 5), starts("torus-ring", 4, 6))

INSTANCES = Path(__file__).parents[2] / "instances"
RUSH_HOUR = (INSTANCES / "rush-hour" / "boards.txt").read_text().split()

EXPRESSIBLE = {
    "puz": st.one_of(
        grids("sliding"),
        starts("sliding-gaps:3", 3, 3),
        *(starts("sliding", *s) for s in ((4, 4), (2, 7), (5, 1))),
    ),
    "lloyd": st.one_of(starts("lloyd", 5, 5), starts("lloyd", 3, 5), starts("lloyd", 1, 3)),
    "torus": toruses,
    "nested": st.one_of(grids("sliding"), toruses),
    "json": st.one_of(
        grids("sliding"),
        toruses,
        grids("loopover"),
        squares("sliding", "snail"),
        starts("sliding-gaps:3", 3, 3, "blank-first"),
        starts("lloyd", 3, 3),
        starts("torus-ring:rows=LRLR,columns=UDUDU,rings=none", 4, 5),
    ),
    "letters": letters(),
    "line": st.one_of(
        squares("sliding", "blank-last", st.integers(2, 12)), starts("sliding-gaps:3", 3, 3)
    ),
    "algs4": squares("sliding", "blank-last"),
    "npuzzle42": squares("sliding", "snail"),
    "comma": squares("sliding", "blank-last"),
    "korf": squares("sliding", "blank-first", st.integers(3, 5)),
    "tws": st.one_of(squares("loopover", None), starts("torus-ring", 5, 5)),
    "rush-hour": st.sampled_from(RUSH_HOUR).map(read_problem),
}


# The shapes that plain detection takes for another format are in docs/reference/formats.md.
DETECTED = {"puz": lambda rules: (rules.rows, rules.columns) in ((4, 4), (2, 7))}


def test_every_format_has_a_round_trip():
    assert set(EXPRESSIBLE) == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_is_written_is_recognised_and_read_back(name, data):
    problem = data.draw(EXPRESSIBLE[name])
    text = write_problem(problem, name)
    read = read_problem(text, format=name)
    assert (read.start, read.goal) == (problem.start, problem.goal)
    assert read.puzzle.move_names == problem.puzzle.move_names
    if name != "tws":  # it lists the cells of a move in another order
        assert read == problem
    if name not in DETECTED or DETECTED[name](problem.puzzle):
        assert detect(text).name == name


CUSTOM = Puzzle(
    "custom",
    1,
    3,
    (1, 2, 3),
    tuple(Operator(name, ((0, 1), (1, 0))) for name in ("u", "p", "up", "R", "R'", "r", "x-", "7")),
    ("0", "1", "2", "3"),
)
SINGLE = Puzzle(
    "single",
    1,
    2,
    (1, 2),
    tuple(Operator(name, ((0, 1), (1, 0))) for name in "uUpdownl7"),
    ("0", "1", "2"),
)
PUZZLES = (
    make_puzzle("sliding", 3, 4),
    make_puzzle("lloyd", 5, 5),
    make_puzzle("torus-ring", 5, 5),
    CUSTOM,
    SINGLE,
)
SPOKEN = [
    (puzzle, c) for puzzle in PUZZLES for c in CONVENTIONS if c == "tile" or puzzle.blank_names
]


@pytest.mark.parametrize("style", STYLES[:4])  # tiles need a board: see test_plans.py
@given(spoken=st.sampled_from(SPOKEN), data=st.data())
def test_plans_round_trip(style, spoken, data):
    puzzle, convention = spoken
    plan = tuple(data.draw(st.lists(st.sampled_from(puzzle.move_names), max_size=40)))
    text = format_plan(plan, puzzle, style, convention)
    assert read_plan(text, puzzle, convention) == plan
