"""The contract of every format: it recognises its texts, gives the goal, and places errors.

Round trips and hostile input are in `tests/property`, and what all programs read alike is in
`tests/cli/test_cli_one_reading.py`.
"""

import re
from pathlib import Path
from random import Random

import pytest

from plansolve.analysis.solvability import why_unsolvable
from plansolve.errors import BoardError, GoalError, InputError, OptionError
from plansolve.formats import (
    FORMATS,
    MAX_BYTES,
    decode,
    detect,
    make,
    numbered,
    parse,
    parse_all,
    read_problem,
    specify,
    write_problem,
)
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import goal_text, make_puzzle

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")

SQUARE = "6 5 2 3\n. 7 11 4\n9 1 10 8\n15 14 13 12\n"
LLOYD = "ABCDE\nFGHIJ\nKLMNO\nPQRST\nUVWX+\n"
# Needs three moves.
TORUS = "2 23 4 5 10\n1 7 3 9 11\n6 13 8 15 20\n12 17 14 19 25\n16 21 22 18 24\n"
ALGS4 = "3\n 0  1  3\n 4  2  5\n 7  8  6\n"
SCHOOL42 = "# This puzzle is solvable\n3\n3 2 6 #first row\n1 4 0\n\n8 7 5\n"
KORF = "1 14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3 57\n"
KORF_24 = "1 14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13 95 2031102635\n"
COMMA = "14,5,9,2,18,8,23,19,12,17,15,0,10,20,4,6,11,21,1,7,24,3,16,22,13\n"
ONE_TO_25 = " ".join(map(str, range(1, 26)))
WORDS = "BOARD\nGAMES\nARENT\nFUN.O\nVERSO"
HEX = "15 14 1 6 9 11 4 12 0 10 7 3 13 8 5 2"
LAST, TORUS_5 = "sliding 3x3 to blank-last", "torus-ring 5x5 to in-order"

READ = [
    (SQUARE, "puz", "sliding 4x4 to blank-last", SQUARE),
    (SQUARE.replace(".", "X"), "puz", "sliding 4x4 to blank-last", SQUARE),
    ("1 _", "puz", "sliding 1x2 to blank-last", "1 0"),
    ("1\nx\n", "puz", "sliding 2x1 to blank-last", "1 0"),
    ("4 1 2\n. 5 3\n", "puz", "sliding 2x3 to blank-last", "4 1 2 0 5 3"),
    ("1 2 .", "puz", "sliding 1x3 to blank-last", "1 2 0"),
    ("9 1 2 3 4 5 6 7 8 0", "puz", "sliding 1x10 to blank-last", "9 1 2 3 4 5 6 7 8 0"),
    ("# This puzzle is solvable\n1 2 3\n4 5 6\n7 8 0", "puz", LAST, "1 2 3 4 5 6 7 8 0"),
    ("1 2 .\n. 3 4", "puz", "sliding-gaps:2 2x3 to blank-last", "1 2 0 0 3 4"),
    (LLOYD, "lloyd", "lloyd 5x5 to blank-last", f"{' '.join(map(str, range(1, 25)))} 0"),
    ("BAC\nDEF\n+GH", "lloyd", "lloyd 3x3 to blank-last", "2 1 3 4 5 6 0 7 8"),
    ("A+B", "lloyd", "lloyd 1x3 to blank-last", "1 0 2"),
    (TORUS, "torus", TORUS_5, TORUS),
    ("3\n" + TORUS, "torus", TORUS_5, TORUS),
    ("5\n" + TORUS, "torus", TORUS_5, TORUS),
    (TORUS.replace("\n", " "), "torus", TORUS_5, TORUS),
    (TORUS.replace(" ", "\n"), "torus", TORUS_5, TORUS),
    ("3\n" + ONE_TO_25, "torus", TORUS_5, ONE_TO_25),
    ("[[1, 2], [3, 0]]", "nested", "sliding 2x2 to blank-last", "1 2 3 0"),
    ("(\n(4,1,2),\n(0,5,3),\n)\n", "nested", "sliding 2x3 to blank-last", "4 1 2 0 5 3"),
    ("[[1 2]\n [3 0]]", "nested", "sliding 2x2 to blank-last", "1 2 3 0"),
    ("# [a, b]\n[[1, 2], # one\n [3, 0]]", "nested", "sliding 2x2 to blank-last", "1 2 3 0"),
    (f"[{TORUS.replace(' ', ', ')}]", "nested", TORUS_5, None),
    (ALGS4, "algs4", LAST, "0 1 3 4 2 5 7 8 6"),
    ("3 # a comment\n1 2 3\n4 5 6\n7 8 0", "algs4", LAST, "1 2 3 4 5 6 7 8 0"),
    (SCHOOL42.replace("This", "My"), "algs4", LAST, "3 2 6 1 4 0 8 7 5"),
    (SCHOOL42, "npuzzle42", "sliding 3x3 to snail", "3 2 6 1 4 0 8 7 5"),
    (SCHOOL42.replace("is s", "IS uns"), "npuzzle42", "sliding 3x3 to snail", None),
    (KORF, "korf", "sliding 4x4 to blank-first", KORF[2:-4]),
    (f"# a comment\n{KORF_24}", "korf", "sliding 5x5 to blank-first", COMMA.replace(",", " ")),
    (KORF_24.replace(" ", ","), "korf", "sliding 5x5 to blank-first", COMMA.replace(",", " ")),
    ("7 1 2 3 4 0 5 6 7 8", "korf", "sliding 3x3 to blank-first", "1 2 3 4 0 5 6 7 8"),
    ("9 1 2 3 4 5 6 7 8 0 20", "korf", "sliding 3x3 to blank-first", "1 2 3 4 5 6 7 8 0"),
    (COMMA, "comma", "sliding 5x5 to blank-last", COMMA.replace(",", " ")),
    ("1,0,2,3 # 4,5", "comma", "sliding 2x2 to blank-last", "1 0 2 3"),
    ("1;0;2;3", "comma", "sliding 2x2 to blank-last", "1 0 2 3"),
    (ONE_TO_25.replace(" ", ", "), "comma", TORUS_5, ONE_TO_25),
    ("8;6;7\n2;5;4\n3;.;1\n", "puz", LAST, "8 6 7 2 5 4 3 0 1"),
    ("8,6,7\n2,5,4\n3,,1\n", "puz", LAST, "8 6 7 2 5 4 3 0 1"),
    ("8, 6, 7,\n2, 5, 4,\n3, 0, 1,\n", "puz", LAST, "8 6 7 2 5 4 3 0 1"),
    ('"8","6","7"\n"2","5","4"\n"3","","1"\n', "puz", LAST, "8 6 7 2 5 4 3 0 1"),
    ("fe169b4c0a73d852", "line", "sliding 4x4 to blank-last", HEX),
    ("FE169B4C0A73D852\n", "line", "sliding 4x4 to blank-last", HEX),
    ("123456780 # digits", "line", LAST, "1 2 3 4 5 6 7 8 0"),
    ("2 3 4 1 5 x 7 6 8", "line", LAST, "2 3 4 1 5 0 7 6 8"),
    ("1 2 3 .", "line", "sliding 2x2 to blank-last", "1 2 3 0"),
    ("# of, course\nABC\nD+F # two\nGHE", "lloyd", "lloyd 3x3 to blank-last", "1 2 3 4 0 6 7 8 5"),
    (f"{WORDS}\ngoal:\n{WORDS}", "letters", None, None),
]


@pytest.mark.parametrize(("text", "name", "title", "cells"), READ)
def test_a_text_is_read_in_its_format(text, name, title, cells):
    assert detect(text).name == name
    problem = read_problem(text)
    assert title in (None, f"{problem.puzzle.title} to {goal_text(problem.puzzle)}")
    assert cells is None or problem.start == tuple(map(int, cells.replace(".", "0").split()))
    assert read_problem(text, format=name) == problem


ROWS = re.findall(r"^\| `([\w-]+)` \|[^|]*\| (.*?) \| ([\w-]+)[^|]*\|$", PAGE, re.MULTILINE)
EXAMPLES = [
    (name, example.replace(" / ", "\n"), puzzle)
    for name, examples, puzzle in ROWS
    for example in re.findall(r"`(.*?)`", examples)
    if name in FORMATS and "..." not in example
]


@pytest.mark.parametrize(("name", "example", "puzzle"), EXAMPLES)
def test_examples_of_the_page_are_read_as_it_says(name, example, puzzle):
    assert detect(example).name == name
    expected = "sliding" if puzzle in ("by", "as") else puzzle
    assert read_problem(example).puzzle.name == expected


def test_the_page_lists_the_formats_in_the_order_of_detection():
    assert [name for name, _, _ in ROWS if name in FORMATS] == list(FORMATS)
    assert all(name == known.name for name, known in FORMATS.items())
    blocks = re.findall(r"^```\w*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert [(p.puzzle.name, p.start) for p in map(read_problem, blocks)] == [
        ("torus-ring:rings=none", (2, 1, 3, 4, 5, 6)),
        ("hop", (0, 2, 1)),
        ("Swap", (3, 1, 2)),
    ]


def test_each_cell_remembers_its_line():
    assert parse("\n1 2\n\n3 .\n").lines == (2, 2, 4, 4)
    assert parse("[[1, 2],\n\n[3,\n0]]").lines == (1, 1, 3, 3)


NO_TILE = "is not a tile: a number or a gap (0 . _ x) is expected"
DAMAGED = [
    (" \n", "the input is empty: a board is expected"),
    ("# nothing\n", "there is no board: the input has only comments"),
    ("1 2\n3\n", "line 2: 1 entry, the first row has 2"),
    (
        "\nDear \x1b[31msir\nor madam",
        r"'Dear \x1b[31msir' does not begin a board; write rows of numbers",
    ),
    ("1 2\n3 q\n", f"line 2: 'q' {NO_TILE}"),
    ("1 2\n. -3\n", f"line 2: '-3' {NO_TILE}"),
    ("1 2\n. ²\n", f"line 2: '²' {NO_TILE}"),
    ("1 2\n. 99999\n", "line 2: '99999' is too large for a tile"),
    ("1 2\n. " + "9" * 5000, f"line 2: '{'9' * 29}...' is too large for a tile"),
    ("# title\n\n1 2\n9 .", "line 4: 9 is not a tile"),
    (SQUARE.replace("15", "7"), "line 4: 7 appears twice, 15 is missing"),
    (SQUARE.replace("15", "16"), "line 4: 16 is not a tile, 15 is missing"),
    ("1 2 .\n. 3 5", "line 2: 0 appears twice, 4 is missing; boards of sliding have one gap"),
    ("0 " + "1 " * 31, "the board would be 1x32: a side is at most 30 long"),
    ("0 1\n" * 31, "the board would be 31x2: a side is at most 30 long"),
    ("0 1\n" * 20_000, "the input has more than 10000 lines, too many for a board"),
    (ONE_TO_25.replace("14", "17"), "line 1: 17 appears twice, 14 is missing"),
    (TORUS.replace("13", "19"), "line 4: 19 appears twice, 13 is missing"),
    (TORUS.replace("25", "26"), "line 4: 26 is not a tile, 25 is missing"),
    (
        "1 2 3\n4 5 6\n7 8 9",
        "the board has no gap (write 0 or .), and is not a torus-ring board: a board of 3x3 has "
        "no inner ring that could turn",
    ),
    (LLOYD.replace("+", "Y"), "line 5: 'Y' is not a tile: A to X and + for the gap are expected"),
    (LLOYD.replace("O", "0"), "line 3: '0' is not a tile: A to X and + for the gap are expected"),
    (LLOYD.lower(), "line 1: 'a' is not a tile: A to X and + for the gap are expected"),
    (LLOYD.replace("B", "A"), "line 1: A appears twice, B is missing"),
    (LLOYD.replace("+", "A"), "line 5: A appears twice, + is missing; + is the gap"),
    ("AB\nCD\nE+", "a board of 3x2 has no centre tile: both sides must be odd"),
    ("ABC\nDEF\nG+", "line 3: 2 entries, the first row has 3"),
    ("[[1, 2], [3]]", "line 1: 1 entry, the first row has 2"),
    ("[[1, 2],\n [3, 'a']]", "line 2: 'a' is not a tile"),
    ("[[[1], [2]], [3, 0]]", "line 1: a list inside a row: rows hold numbers"),
    ("[" * 100_000, "line 1: the list is not closed: ] is expected"),
    ("[[1, 2), [3, 0]]", "line 1: ) has no opening bracket"),
    ("[[1, 2], [3, 0]", "line 1: the list is not closed: ] is expected"),
    ("[[1, 2],\n [3, 0]] 5", "line 2: '5' follows the end of the list"),
    ("[[1, 2], 3]", "line 1: '3' stands outside the rows"),
    ("[[]]", "the list is empty: rows of numbers are expected"),
    ("[[0]]", "a board of 1x1 is out of range: a side has 1 to 30 cells"),
    ("[[1, 0], []]", "line 1: 0 entries, the first row has 2"),
    ("[1, 2, 0]", "line 1: 3 cells cannot make a square board"),
    ("3\n1 2 3\n4 5 0", "line 1: the size is 3, but 2 rows follow"),
    ("4\n1 2 3 4\n5 6 7 8", "line 1: the size is 4, but 2 rows follow"),
    ("3\n1 2 3\n4 0\n7 8 6", "line 3: 2 entries, but the size is 3"),
    ("3\n1 2 3\n4 5 6\n7 8 9", "line 4: 9 is not a tile, 0 is missing; 0 is the gap"),
    ("1000000000\n1 0\n", "line 1: the size '1000000000' is out of range: 2 to 30"),
    ("9" * 5000 + "\n1 0\n", f"line 1: the size '{'9' * 29}...' is out of range: 2 to 30"),
    ("# c\n31\n1 0\n", "line 2: the size '31' is out of range: 2 to 30"),
    ("# c\n2\n1 2\n3 3\n", "line 4: 3 appears twice, 0 is missing; 0 is the gap"),
    (KORF.replace("14", "15"), "line 1: 15 appears twice, 14 is missing"),
    ("1,2,3\n4,0", "line 2: 2 entries, the first row has 3"),
    ("0,1,2", "line 1: 3 cells cannot make a square board (4, 9, 16, 25 ... up to 900)"),
    ("0,1,b,3", "line 1: 'b' is not a tile"),
    ("1234567809", "line 1: 10 cells cannot make a square board"),
    ("112345670", "line 1: 1 appears twice, 8 is missing"),
    (
        "x the first row is not a tile",
        "'x the first row is not a tile' does not begin a board; write rows",
    ),
    ("name,age\nx,3\n", "line 1: no column is called 'board': the heading is name, age"),
    ("name,board\n\n", "the table has no boards"),
    ("name,board\nx\n", "the input is empty"),
    (f"name,board\nx,{'1' * 140_000}\n", "line 2: field larger than field limit"),
]


FORCED = [
    ("torus", "1 2\n3 .", "line 2: a gap: these boards hold 1 to n without a gap"),
    ("algs4", "1 2\n3 0", "line 1: '1 2' is not the size of a board"),
    ("korf", "1 2 0", "line 1: a number, then 9, 16 or 25 cells, then at most"),
    ("korf", "a 1 2 3 4 0 5 6 7 8", "line 1: a number, then 9, 16 or 25 cells"),
    ("korf", KORF * 2, "there are 2 boards, on lines 1, 2: give one alone, or name one of a file"),
    ("line", "1230\n4567", "line 2: the board continues: write it on one line"),
    ("line", "é230", "line 1: 'é' is not a digit of a board with 4 cells: 0 to 3"),
    ("lloyd", "AB C", "line 1: there is white space between the letters"),
    ("nested", "1, [2, 0]", "line 1: '1' stands before the list: [ is expected"),
    ("nested", "]", "line 1: ] has no opening bracket"),
    ("puz", "1 2 3\n4 5 6\n7 8 9", "line 3: 9 is not a tile, 0 is missing; 0 is the gap"),
    ("letters", "AB\nC7\n", "line 2: '7' is not a letter, a gap"),
    ("json", "[[1, 0]]", "the JSON document must be an object"),
    *((name, text, "") for name in FORMATS for text in (" \n", "# nothing else")),
]


# Puzzle and goal


def test_arguments_stand_above_the_file():
    eight = "1 2 3\n4 5 6\n7 8 ."
    document = parse("1 2\n3 .")
    for given, goal in ((None, (1, 2, 3, 0)), ("blank-first", (0, 1, 2, 3)), ((3, 2, 1, 0),) * 2):
        assert make(specify(document, goal=given)).goal == goal
    assert read_problem(SCHOOL42, goal="blank-last").goal == (*range(1, 9), 0)
    assert read_problem(KORF, goal="blank-last").goal == (*range(1, 16), 0)
    assert read_problem("1 2 3 .", format="puz").puzzle.rows == 1
    assert read_problem(eight, puzzle="lloyd").puzzle == make_puzzle("lloyd", 3, 3)
    loopover = read_problem(eight.replace(".", "9"), puzzle="loopover")
    assert loopover.puzzle == make_puzzle("loopover", 3, 3)


MISFITS = [
    (ONE_TO_25, {"puzzle": "sliding"}, BoardError, "line 1: 25 is not a tile, 0 is missing; 0 is"),
    (ONE_TO_25, {"puzzle": "slidin"}, OptionError, "unknown puzzle 'slidin'"),
    (ONE_TO_25, {"puzzle": ""}, OptionError, "unknown puzzle ''"),
    (ONE_TO_25, {"goal": "snail"}, OptionError, "unknown goal 'snail' for torus-ring"),
    (ONE_TO_25, {"goal": (1, 2)}, BoardError, "the goal has 2 cells, the board has 25"),
    (
        ONE_TO_25,
        {"goal": (*range(1, 25), 0)},
        BoardError,
        "the goal is not a board of torus-ring: 0 is not a tile, 25 is missing",
    ),
    (ONE_TO_25, {"format": "csv"}, OptionError, "unknown format 'csv': choose from tws, json"),
    (
        ONE_TO_25,
        {"puzzle": "loopover:rows=LLL"},
        BoardError,
        "'LLL': a letter for each row is needed, 5 in all",
    ),
    (
        "1 2 3\n4 5 6\n7 8 .",
        {"puzzle": "loopover"},
        BoardError,
        "line 3: 0 is not a tile, 9 is missing; torus-ring:rings=none has no gap",
    ),
]
# A board of letters needs its goal; - is a hole, and * is open.
RATE = "RATE\nYOUR\nMIND\nPLA."
NO_GOAL = "the goal is not a board of sliding"
PALE = RATE.replace("LA", "AL")
BOTH = "the board must stand before 'goal:', and the goal after it"
LETTERS = [
    (RATE, None, BoardError, "a board of letters needs a goal"),
    (RATE, "blank-last", BoardError, "a board of letters needs a goal"),
    (RATE, PALE.replace("Y", "R"), BoardError, "line 2: 'Y' is not a piece of the goal"),
    (RATE.replace("Y", "R"), PALE, BoardError, "line 2: R appears 3 times, not twice, Y is mis"),
    (RATE.replace(".", "R"), PALE, BoardError, "line 4: R appears 3 times, not twice, . is mis"),
    (RATE, "R A T E\nY O U R\nM I N D", GoalError, "the goal is 3x4, but the board is 4x4"),
    (f"{RATE}\ngoal:", None, BoardError, f"line 5: {BOTH}"),
    (f"goal:\n{RATE}", None, BoardError, f"line 1: {BOTH}"),
    (f"{RATE}\ngoal:\n{PALE}\nGoal:\n{PALE}", None, BoardError, "line 10: a second goal"),
    (f"{RATE}\ngoal: RATE", None, BoardError, "the goal is 1x4, but the board is 4x4"),
    ("AB\nA.\ngoal:\nA*\nC.", None, BoardError, f"{NO_GOAL}: the goal has piece C more often than"),
    ("RA*\nTE.", "RAT\nET.", BoardError, "line 1: only a goal may leave cells open"),
    ("AB\nC\ngoal:\nAB\nC.", None, BoardError, "line 2: 1 entry, the first row has 2"),
    ("AB\nC.\ngoal:\nABC\nC.", None, BoardError, "line 5: 2 entries, the first row has 3"),
]
HOLES = [
    ("4 - 5\n1 . 3", {"goal": "1 . 3\n4 5 -"}, "line 2: - is a hole, sliding:holes=2"),
    ("4 - 5\n1 . 3", {"puzzle": "sliding:holes=4"}, "line 1: - is a hole, sliding:holes=4"),
    ("1 2 3\n4 - 5\n6 8 .", {}, "line 3: there is no tile 8, since - is a hole"),
    ("1 2 3\n4 - 5\n6 7 8", {"puzzle": "loopover"}, "line 2: - is a hole, torus-ring:rings=n"),
    ("1 2 -\n3 4 .", {"goal": (1, 2, 3, 5, 4, 0)}, f"{NO_GOAL}:holes=3: the goal has 3 in"),
]


@pytest.mark.parametrize(
    ("text", "arguments", "error", "message"),
    [
        *((text, {}, BoardError, message) for text, message in DAMAGED),
        *((text, {"format": name}, BoardError, message) for name, text, message in FORCED),
        *MISFITS,
        *((text, {"format": "letters", "goal": g}, e, m) for text, g, e, m in LETTERS),
        *((text, arguments, InputError, message) for text, arguments, message in HOLES),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, arguments, error, message):
    with pytest.raises(error) as caught:
        read_problem(text, **arguments)
    assert str(caught.value).startswith(message) and str(caught.value)


# Writing


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
    puzzle = make_puzzle(specification, rows, columns, goal)
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


@pytest.mark.parametrize(
    ("board", "name", "message"),
    [
        ("1 2 3\n4 5 .", "algs4", "the board is 2x3, but this format is for square boards"),
        ("1 2 3\n4 5 .", "tws", "sliding has a blank: the tws format is for puzzles"),
        ("1 2 3\n4 5 .", "comma", "the comma format cannot hold this puzzle and goal; json can"),
        ("1 2 3\n4 5 .", "csv", "unknown format 'csv'"),
        ("1 2 3\n4 5 6\n7 8 .", "npuzzle42", "the npuzzle42 format cannot hold this puzzle and"),
        (" ".join(map(str, range(36))), "lloyd", "35 tiles are more than there are letters"),
    ],
)
def test_why_a_format_cannot_hold_a_problem(board, name, message):
    with pytest.raises(InputError) as caught:
        write_problem(read_problem(board), name)
    assert message in str(caught.value)


# Bytes, tables, and several boards


def test_line_ends_and_byte_order_mark_are_normalised():
    assert decode(b"\xef\xbb\xbf1 2\r\n3 .\r\n") == "1 2\n3 .\n"
    assert decode(b"1 2\r3 .") == "1 2\n3 ."
    for encoding in "utf-16-le", "utf-16-be":
        assert decode("\ufeff1 2\r\n3 .".encode(encoding)) == "1 2\n3 ."
    assert decode("U → L".encode()) == "U → L"
    assert len(decode(b"1" * MAX_BYTES)) == MAX_BYTES


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the input is empty: a board is expected"),
        (b"\xef\xbb\xbf \n", "the input is empty: a board is expected"),
        (b"1 2\x003", "not a text file: byte 0x00 at offset 3"),
        (b"\xef\xbb\xbf1\x1b[2J", "not a text file: byte 0x1b at offset 4"),
        (b"1 2\x81", "not a text file: byte 0x81 at offset 3"),
        (b"1 2\n3 \x9d", "not a text file: byte 0x9d at offset 6, line 2; save the file as UTF-8"),
        ("1 2\n3 0".encode("utf-16-le"), "not a text file: byte 0x00 at offset 1: it looks like"),
        (b"\xff\xfe1\x00 ", "not a text file: UTF-16 that breaks off; save it as UTF-8"),
        (b"1" * (MAX_BYTES + 1), "the input is larger than any board: more than 512 KiB"),
    ],
)
def test_what_is_no_text_is_refused(data, message):
    with pytest.raises(BoardError) as caught:
        decode(data)
    assert str(caught.value).startswith(message)


CELLS = "1,2,3,4,5,6,7,0,8"
NEAR, GOAL = (1, 2, 3, 4, 5, 6, 7, 0, 8), (1, 2, 3, 4, 5, 6, 7, 8, 0)
TWO = "# first\n1 2 3\n4 5 6\n7 8 .\n\n# second\n\n1 2 3\n4 5 6\n7 . 8 # near\n"
SEVERAL = {
    "columns": ("name,board\na,123456708\nb,123456780\n", [("a", 2, NEAR), ("b", 3, GOAL)]),
    "comment": ("# ours\n\nname,board\na,123456708\n", [("a", 4, NEAR)]),
    "semicolon": ("board;name\n123456708;a\n", [("a", 2, NEAR)]),
    "no names": ("board\n123456708\n", [("", 2, NEAR)]),
    "quoted": (
        'name,board\n"a, b","1 2 3\n4 5 6\n7 0 8"\nc,123456708\n',
        [("a, b", 2, NEAR), ("c", 5, NEAR)],
    ),
    "rows": (f"{CELLS}\n{CELLS}\n", [("", 1, NEAR), ("", 2, NEAR)]),
    "cells": (f"name,c1,c2,c3,c4,c5,c6,c7,c8,c9\nx,{CELLS}\n", [("x", 2, NEAR)]),
    "blocks": ("1,2,3\n4,5,6\n7,0,8\n\n1,2,3\n4,5,6\n7,8,0\n", [("", 1, NEAR), ("", 5, GOAL)]),
    "rows of nothing": (
        "1,2,3\n4,5,6\n7,,8\n,,\n1,2,3\n4,5,6\n7,,8\n",
        [("", 1, NEAR), ("", 5, NEAR)],
    ),
    "named cells": (f"x,{CELLS}\ny,{CELLS}\n", [("x", 1, NEAR), ("y", 2, NEAR)]),
    "one name": (f"x,{CELLS}\n", [("x", 1, NEAR)]),
    "quoted name": (f'"x y" ,{CELLS}\n', [("x y", 1, NEAR)]),
    "one column": ("123456708\n\n123456780\n", [("", 1, NEAR), ("", 3, GOAL)]),
    "tabs": ("1\t2\t3\n4\t5\t6\n7\t0\t8\n", [("", 1, NEAR)]),
    "one cell": (f'"{CELLS}"\n', [("", 1, NEAR)]),
    "quoted column": (
        f'"{CELLS}"\n"1 2 3\n4 5 6\n7 0 8"\n123456708\n',
        [("", 1, NEAR), ("", 2, NEAR), ("", 5, NEAR)],
    ),
    "quoted cells": ('"1","2","3"\n"4","5","6"\n"7","0","8"\n', [("", 1, NEAR)]),
    "texts": (TWO, [("", 1, GOAL), ("", 8, NEAR)]),
    "lines": ("1230\n1203\n# end", [("", 1, (1, 2, 3, 0)), ("", 2, (1, 2, 0, 3))]),
    "lists": ("[[1, 2], [3, 0]]\n[[1, 0], [3, 2]]", [("", 1, (1, 2, 3, 0)), ("", 2, (1, 0, 3, 2))]),
    "sized": ("2\n1 2\n3 0\n\n2\n1 0\n3 2", [("", 1, (1, 2, 3, 0)), ("", 5, (1, 0, 3, 2))]),
    "letters": (
        "ABC\nD+F\nGHE\n\nABC\nDEF\nGH+",
        [("", 1, (1, 2, 3, 4, 0, 6, 7, 8, 5)), ("", 5, GOAL)],
    ),
    "one": ("1 2 3\n\n4 5 6\n\n7 8 .", [("", 1, GOAL)]),
}


@pytest.mark.parametrize("form", SEVERAL)
def test_each_board_of_a_text_has_its_name_line_and_number(form):
    text, expected = SEVERAL[form]
    assert [(part.name, part.line, d.cells) for part, d in parse_all(text)] == expected
    count = len(expected)
    for number, (_, _, cells) in enumerate(expected, start=1):
        assert parse(text, number=number).cells == cells
    for number in (0, count + 1):
        with pytest.raises(BoardError, match=f"there is no board {number}: the file holds {count}"):
            parse(text, number=number)
    if count == 1:
        assert parse(text).cells == expected[0][2]
        return
    with pytest.raises(BoardError, match=rf"there are {count} boards, on lines [\d, ]+: give one"):
        parse(text)


def test_a_slip_in_one_board_hides_no_other():
    found = [*parse_all("name,board\na,123456708\nb,1234x\nc,123456780\n")]
    assert [isinstance(document, BoardError) for _, document in found] == [False, True, False]
    assert parse(TWO, number=2).lines[0] == 8


def test_words_in_squares_of_letters_are_no_heading():
    assert parse(f"{WORDS}\ngoal:\n{WORDS}").rows == 5
    assert parse("NAME\nABC.\ngoal:\nNAME\nAB.C").columns == 4


def test_a_file_whose_name_ends_with_a_number(tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text(TWO)
    assert numbered(f"{file}#2") == (str(file), 2)
    assert read_problem(tmp_path / "boards.txt#2").start == NEAR
    (tmp_path / "boards.txt#2").write_text("1 2\n3 .")
    assert read_problem(tmp_path / "boards.txt#2").start == (1, 2, 3, 0)


@pytest.mark.parametrize(
    "unit", ["1 ", "a ", "1\n", "0 1\n", "# \n", "A\n", "+", "[1,", "Name\n", "1,", "{", '"', "9"]
)
def test_half_a_megabyte_of_anything_is_refused(unit):
    """Would take hours where the time grew with the square of the size."""
    with pytest.raises(InputError):
        read_problem((unit * (512 * 1024))[: 512 * 1024])
