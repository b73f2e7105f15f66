import time
from random import Random

import pytest

from plansolve.analysis.solvability import why_unsolvable
from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import FORMATS, bind, detect, read_board, read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle, named_goal

ONE_TO_25 = " ".join(map(str, range(1, 26)))


def test_formats_are_registered_under_their_names():
    assert all(name == known.name for name, known in FORMATS.items())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("3\n1 2 3\n4 5 6\n7 8 0", "algs4"),
        ("3 # a comment\n1 2 3\n4 5 6\n7 8 0", "algs4"),
        ("#THIS puzzle is unsolvable\n3\n1 2 3\n4 5 6\n7 8 0", "npuzzle42"),
        ("# This puzzle is solvable\n1 2 3\n4 5 6\n7 8 0", "puz"),
        ("3\n" + ONE_TO_25, "torus"),
        ("4\n1 2 3 4\n5 6 7 8", "algs4"),
        ("1 2 3 .", "line"),
        ("1 2 .", "puz"),
        ("9 1 2 3 4 5 6 7 8 0", "puz"),
        ("9 1 2 3 4 5 6 7 8 0 20", "korf"),
        ("A+C", "lloyd"),
        ("x the first row is not a tile", None),
    ],
)
def test_disambiguation(text, name):
    if name is None:
        with pytest.raises(BoardError):
            detect(text)
    else:
        assert detect(text).name == name


def test_what_is_no_board_is_quoted_and_the_formats_are_listed():
    with pytest.raises(BoardError) as caught:
        detect("\nDear \x1b[31msir\nor madam")
    message = str(caught.value)
    assert message.startswith(r"'Dear \x1b[31msir' begins no board; a board is rows of numbers")
    assert all(name in message for name in FORMATS)
    with pytest.raises(BoardError, match="the input is empty: a board is expected"):
        detect(" \n")


def test_arguments_stand_above_the_file():
    snail = read_problem("# This puzzle is solvable\n2\n1 2\n3 0", goal="blank-last")
    assert snail.goal == (1, 2, 3, 0)
    assert read_problem("1 2 3\n4 5 .", goal="snail").goal == (1, 2, 3, 0, 5, 4)
    assert read_problem("1 2\n3 .", goal=(3, 2, 1, 0)).goal == (3, 2, 1, 0)
    assert read_problem("1 2 3 .", format="puz").puzzle.rows == 1
    lloyd = read_problem("1 2 3\n4 5 6\n7 8 .", puzzle="lloyd")
    assert lloyd.puzzle == make_puzzle("lloyd", 3, 3)
    loopover = read_problem("1 2 3\n4 5 6\n7 8 9", puzzle="loopover")
    assert loopover.puzzle == make_puzzle("loopover", 3, 3)
    assert read_problem("7 1 2 3 4 0 5 6 7 8", goal="blank-last").goal == (*range(1, 9), 0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"puzzle": "sliding"}, BoardError, "line 1: 25 is no tile, 0 is missing; 0 is the gap"),
        ({"puzzle": "slidin"}, OptionError, "unknown puzzle 'slidin'"),
        ({"puzzle": ""}, OptionError, "unknown puzzle ''"),
        ({"goal": "snail"}, OptionError, "unknown goal 'snail' for torus-ring"),
        ({"goal": (1, 2)}, BoardError, "the goal has 2 cells, the board has 25"),
        (
            {"goal": (*range(1, 25), 0)},
            BoardError,
            "the goal is not a board of torus-ring: 0 is no tile, 25 is missing",
        ),
        ({"format": "csv"}, OptionError, "unknown format 'csv': choose from tws, json"),
        ({"puzzle": "loopover:rows=LLL"}, BoardError, "'LLL' tells the ways of 3 rows"),
    ],
)
def test_arguments_that_do_not_fit(arguments, error, message):
    with pytest.raises(error) as caught:
        read_problem(ONE_TO_25, **arguments)
    assert str(caught.value).startswith(message)


def test_a_gap_where_the_puzzle_has_none():
    with pytest.raises(BoardError) as caught:
        read_problem("1 2 3\n4 5 6\n7 8 .", puzzle="loopover")
    expected = "line 3: 0 is no tile, 9 is missing; torus-ring:rings=none has no gap"
    assert str(caught.value) == expected


def test_a_document_can_be_bound_more_than_once():
    document = read_board("1 2\n3 .")
    assert bind(document).goal == (1, 2, 3, 0)
    assert bind(document, goal="blank-first").goal == (0, 1, 2, 3)


WRITABLE = {
    ("sliding", 4, 4, "blank-last"): "json nested algs4 comma line puz",
    ("sliding", 3, 4, "blank-last"): "json nested puz",
    ("sliding", 4, 4, "snail"): "json npuzzle42",
    ("sliding", 5, 5, "blank-first"): "json korf",
    ("lloyd", 5, 5, "blank-last"): "json lloyd",
    ("torus-ring", 5, 5, "in-order"): "tws json nested comma torus",
    ("torus-ring", 4, 5, "in-order"): "tws json nested torus",
    ("loopover", 3, 3, "in-order"): "tws json",
    ("torus-ring:rows=LRLRL,rings=none", 5, 5, "in-order"): "json",
}


@pytest.mark.parametrize("case", WRITABLE)
def test_a_format_writes_what_it_can_express_and_refuses_the_rest(case):
    specification, rows, columns, goal = case
    puzzle = make_puzzle(
        specification, rows, columns, named_goal(specification, goal, rows, columns)
    )
    problem = Problem(puzzle, puzzle.goal)
    written = {}
    for name in FORMATS:
        try:
            written[name] = write_problem(problem, name)
        except BoardError as error:
            assert str(error)
    assert " ".join(written) == WRITABLE[case]
    for name, text in written.items():
        assert detect(text).name == name
        assert read_problem(text).start == problem.start


@pytest.mark.parametrize("side", [2, 3, 4])
def test_maps_of_42_tell_the_truth_about_their_boards(side):
    random, puzzle = Random(side), make_puzzle("sliding", side, side, "snail")
    comments = set()
    for _ in range(20):
        problem = Problem(puzzle, tuple(random.sample(puzzle.goal, puzzle.cells)))
        text = write_problem(problem, "npuzzle42")
        word = "unsolvable" if why_unsolvable(problem) else "solvable"
        assert text.startswith(f"# This puzzle is {word}\n{side}\n")
        assert read_problem(text) == problem
        comments.add(word)
    assert len(comments) == 2
    with pytest.raises(BoardError, match="npuzzle42 this board with the goal snail"):
        write_problem(Problem(make_puzzle("sliding", 3, 3), tuple(range(9))), "npuzzle42")


def test_why_a_format_cannot_hold_a_problem():
    problem = read_problem("1 2 3\n4 5 .")
    with pytest.raises(BoardError, match="a 2x3 board has no single size"):
        write_problem(problem, "algs4")
    with pytest.raises(BoardError, match="sliding has a blank: the tws format is for puzzles"):
        write_problem(problem, "tws")
    with pytest.raises(BoardError, match="the comma format cannot hold this puzzle and goal"):
        write_problem(problem, "comma")
    with pytest.raises(BoardError, match="35 tiles are more than there are letters"):
        write_problem(read_problem(" ".join(map(str, range(36)))), "lloyd")
    with pytest.raises(OptionError, match="unknown format 'csv'"):
        write_problem(problem, "csv")


@pytest.mark.parametrize(
    "unit", ["1 ", "a ", "1\n", "0 1\n", "# \n", "A\n", "+", "[1,", "Name\n", "1,", "{", '"', "9"]
)
def test_half_a_megabyte_of_anything_is_refused_fast(unit):
    text = (unit * (512 * 1024))[: 512 * 1024]
    began = time.process_time()
    with pytest.raises(InputError):
        read_problem(text)
    assert time.process_time() - began < 1
