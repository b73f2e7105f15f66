"""Plans in other programs' output: found where they stand, and never guessed."""

import json
import random

import pytest
from support.fixtures.cases import make

from plansolve.errors import PlanError
from plansolve.formats import format_plan
from plansolve.formats.extract import extract_plan, read_plan_file
from plansolve.formats.notation import MAX_PLAN
from plansolve.formats.parse import decode_plan
from plansolve.model.puzzle import Operator, Puzzle

SLIDING, LLOYD = make("sliding", 3, 3), make("lloyd", 3, 3)
TORUS = make("torus-ring", 5, 5)

BOARDS_BETWEEN = """\
Initial state:
1 2 3
4 . 5
7 8 6

Move: L
1 2 3
4 5 x
7 8 6

Move: U
+---+---+---+
| 1 | 2 | 3 |
+---+---+---+

Nodes expanded: 312
Time: 0.5 s
"""

COURSE = """\
Start state:
  1   2   3   4   5
  6   7   8   9  10
Solving...
Solution found in 3 moves:
R1 D2 Occ
"""

WRAPPED = "UDLR" * 20 + "\n" + "LRUD" * 20 + "\n" + "UD\n"
NUMBERED = "".join(f"Step {i}: {m}\nnodes so far: {i * 7}\n" for i, m in enumerate("ULD", 1))


@pytest.mark.parametrize(
    ("puzzle", "text", "plan", "lines"),
    [
        (SLIDING, "Solution: LLLU (4)", "LLLU", (1, 1)),
        (SLIDING, "Solution: LLLU (4 moves).", "LLLU", (1, 1)),
        (SLIDING, "Moves: U, D, L", "UDL", (1, 1)),
        (SLIDING, "step,move\n1,up\n2,down\n3,left", "UDL", (2, 4)),
        (SLIDING, "| Step | Move |\n|---|---|\n| 1 | Up |\n| 2 | Left |", "UL", (3, 4)),
        (SLIDING, "Sequence: LLLU, length 4", "LLLU", (1, 1)),
        (SLIDING, "LLLU # 4 moves", "LLLU", (1, 1)),
        (SLIDING, "Path = UDLR", "UDLR", (1, 1)),
        (SLIDING, "The solution is UULL.", "UULL", (1, 1)),
        (SLIDING, "12:30:01 INFO plan: up → left", "UL", (1, 1)),
        (SLIDING, "1. up 2. left", "UL", (1, 1)),
        (SLIDING, "1. up 2. left\n3. down 4. up\n", "ULDU", (1, 2)),
        (SLIDING, "read board\n1) up\n2) left\n", "UL", (2, 3)),
        (SLIDING, "u -> d => l > r", "UDLR", (1, 1)),
        (SLIDING, "returned ['up', 'left'] in 0.3 s", "UL", (1, 1)),
        (SLIDING, "solve([1, 2]) gave ('up', 'left')", "UL", (1, 1)),
        (SLIDING, "{'path': ['Up', 'Left'], 'cost': 2}", "UL", (1, 1)),
        (SLIDING, 'x\nPath: [\n  "U",\n  "L"\n]\nok', "UL", (3, 4)),
        (SLIDING, "Solution: U, L,\n   D, R\n", "ULDR", (1, 2)),
        (SLIDING, "\x1b[1;32mPath:\x1b[0m \x1b[1mU\x1b[0mDL\x1b]0;title\x07", "UDL", (1, 1)),
        (SLIDING, BOARDS_BETWEEN, "LU", (6, 11)),
        (SLIDING, NUMBERED, "ULD", (1, 5)),
        (SLIDING, WRAPPED, "UDLR" * 20 + "LRUD" * 20 + "UD", (1, 3)),
        (SLIDING, "Solution found in 4 moves:\nUU\nLL\n", "UULL", (2, 3)),
        (SLIDING, "Possible moves: U D L R\nSolution\nU\nL\n", "UL", (3, 4)),
        (SLIDING, "Moves of the blank: right, down", "LU", (1, 1)),
        (SLIDING, "Time: 3 s\r\nMoves: UL\r\n", "UL", (2, 2)),
        (SLIDING, "Solution: UL\nagain\nSolution: UL", "UL", (1, 1)),
        (SLIDING, "Solution:  (0)", "", (1, 1)),
        (SLIDING, "Path: []", "", (1, 1)),
        (SLIDING, "Solution found in 0 moves:\n", "", (1, 1)),
        (LLOYD, "A B C\nD + F\nE G H\ndlt\n", "dlt", (4, 4)),
        (LLOYD, "t\nA B C\nD E F\nG H +\nu\n", "tu", (1, 5)),
        (TORUS, COURSE, ("R1", "D2", "Occ"), (6, 6)),
        (TORUS, "['R1', 'L2']", ("R1", "L2"), (1, 1)),
    ],
)
def test_a_plan_with_text_around_it(puzzle, text, plan, lines):
    found = extract_plan(decode_plan(text.encode()), puzzle)
    assert (found.plan, found.lines) == (tuple(plan), lines)
    assert found.others == ()


def test_a_row_of_a_board_is_no_plan():
    """On a square of the letters of moves only, a board reads as moves."""
    puzzle = Puzzle(
        name="letters",
        rows=2,
        columns=2,
        goal=(1, 2, 3, 0),
        operators=(Operator("U", ((0, 2), (2, 0)), 0), Operator("D", ((0, 2), (2, 0)), 2)),
        labels=("+", "U", "D", "E"),
    )
    assert extract_plan("U D\nE +\n\nanswer D\nU D\n+ E", puzzle).plan == ("D",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BFS path: UULL\n\nDFS path: ULUL", "equally good, line 1 and line 3"),
        ("Solution 1: UU\nSolution 2: LL", "equally good, line 1 and line 2"),
        ("1. up\n2. left\n\n1. left\n2. up", "equally good, lines 1 to 2 and lines 4 to 5"),
        ("UULL\nLLUU", "line 1 and line 2 hold moves: one plan on several lines"),
        ("Solution: UULL\nLL", "line 1 and line 2 hold moves: one plan on several lines"),
        ("Solution found in 2 moves:\nUU\nLL", "line 2 and line 3 hold moves"),
        ("UU\nUU", "line 1 and line 2 hold moves"),
        ("Solution: Impossible!", r"nothing in the text reads as moves of sliding \(U, L, R, D\)"),
        ("Gave up after 10 s\n", "no plan was found"),
        ("['U'] or ['L']?", "no plan was found"),
        ("Legal moves: U D", "no plan was found"),
        ("", "no plan was found"),
        ("x\n" * 200_001, "more than 200000 lines"),
    ],
)
def test_what_is_not_certain_is_an_error(text, message):
    with pytest.raises(PlanError, match=message):
        extract_plan(text, SLIDING)


def test_what_was_not_taken_is_told():
    found = extract_plan("Moves: UU\nd\n\nbest: LLLLLL\n\nSolution: ULU", SLIDING)
    assert found.plan == tuple("ULU")
    assert found.others == ("line 1 (2 moves)", "line 2 (1 move)", "line 4 (6 moves)")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Solution: LLLU (5)", 5),
        ("Solution found in 5 moves:\nLLLU", 5),
        ("Solution of length 3: LLLU", 3),
        ("Solution: LLLU", None),
    ],
)
def test_the_number_of_moves_that_the_text_states(text, stated):
    found = extract_plan(text, SLIDING)
    assert (found.plan, found.stated) == (tuple("LLLU"), stated)


@pytest.mark.parametrize("puzzle", [SLIDING, LLOYD, TORUS], ids=lambda puzzle: puzzle.name)
@pytest.mark.parametrize("style", ["letters", "words", "list"])
def test_every_plan_in_every_style_and_frame(puzzle, style):
    choice = random.Random(6)
    frames = (
        "{}",
        "Solution: {}",
        "Solution found in {n} moves:\n{}\nTime: 1.5 s",
        "loading\n\nPlan = {}\n0 errors",
        "Moves: {} ({n})",
    )
    for frame in frames:
        for _ in range(20):
            plan = tuple(choice.choices(puzzle.move_names, k=choice.randint(1, 90)))
            text = format_plan(plan, puzzle, style)
            assert extract_plan(frame.format(text, n=len(plan)), puzzle).plan == plan
            mirrored = puzzle.blank_names and format_plan(plan, puzzle, style, "blank")
            if mirrored:
                assert extract_plan(frame.format(mirrored, n=0), puzzle, "blank").plan == plan


# Plan files


def test_a_file_that_is_nothing_but_a_plan():
    text = decode_plan(b"\xef\xbb\xbfU\r\nL\rup, down\n")
    assert decode_plan("\ufeffU\nL\nup, down\n".encode("utf-16-le")) == text
    found = read_plan_file(text, SLIDING)
    assert (found.plan, found.lines) == (tuple("ULUD"), (1, 3))
    assert read_plan_file("", SLIDING).plan == ()
    with pytest.raises(PlanError, match="step 2"):
        read_plan_file("U X", SLIDING)


@pytest.mark.parametrize(
    ("document", "convention", "plan"),
    [
        ({"plan": ["U", "L"], "moves": "tile"}, "tile", "UL"),
        ({"plan": ["U", "L"], "moves": "blank"}, "blank", "DR"),
        ({"plan": "UL", "length": 2}, "tile", "UL"),
        ({"moves": ["up", "left"], "cost": 2}, "tile", "UL"),
        ({"moves": 2, "solution": "UL", "path": ["U", "L"]}, "tile", "UL"),
        ({"plan": []}, "tile", ""),
    ],
)
def test_json_documents(document, convention, plan):
    text = json.dumps(document, indent=1)
    for read in (read_plan_file, extract_plan):
        found = read(text, SLIDING)
        assert (found.plan, found.convention) == (tuple(plan), convention)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"plan": null, "status": "unknown"}', "must hold one plan"),
        ('{"status": 1}', "must hold one plan"),
        ('{"plan": ["U"], "path": ["L"]}', "different plans under plan, path"),
        ('{"plan": ["U", null]}', "step 2: 'N' is not a move"),
        ('{"plan": ["U", 1.5]}', "a plan: 1.5 is not a move"),
        ('{"plan": ["U", "X"]}', "step 2: 'X' is not a move"),
        ('{"plan": [', "line 1: not a JSON document"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_json_documents_that_are_wrong(text, message):
    with pytest.raises(PlanError, match=message):
        read_plan_file(text, SLIDING)
    if "different plans" in message:
        with pytest.raises(PlanError, match=message):
            extract_plan(text, SLIDING)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"UL\x81", "byte 0x81 at offset 2"),
        (b"UL\0", "byte 0x00 at offset 2"),
        (b"U" * (MAX_PLAN + 1), "longer than"),
    ],
)
def test_files_that_are_no_text(data, message):
    with pytest.raises(PlanError, match=message):
        decode_plan(data)


@pytest.mark.parametrize(
    "text",
    [
        "U" + ":" * 200 + "U" * 1_000_000,
        "(" * 1_000_000,
        "(U?)" * 300_000,
        "\x1b]" * 500_000,
        "1. " * 300_000,
        "U: " * 300_000,
        ("plan plan is " * 80_000),
    ],
    ids=["colons", "parentheses", "lists", "escapes", "numbers", "labels", "words"],
)
def test_hostile_lines_are_refused(text):
    """Each would take hours where a pattern went back and forth."""
    with pytest.raises(PlanError, match="no plan was found"):
        extract_plan(text, SLIDING)
