"""Protocols: from a board to a program's input, from its output to an answer."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plansolve.apps.judge.optima import Known
from plansolve.apps.judge.protocols import make_program
from plansolve.apps.judge.sandbox import Ending, Run
from plansolve.apps.judge.scoring import score_run
from plansolve.checker import check_plan
from plansolve.errors import BoardError, OptionError
from plansolve.formats import read_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.registry import make_puzzle

EIGHT = read_problem("4 1 2\n. 5 3\n7 8 6")  # D L L U U
EIGHT_SOLVED = read_problem("1 2 3\n4 5 6\n7 8 .")
SNAIL = read_problem("1 2 3\n8 . 4\n7 5 6", puzzle="sliding", goal="snail")
# The contest's own example leads from perfection to this square by dddrrdt.
LLOYD = read_problem("ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXT")
TORUS_GOAL = make_puzzle("torus-ring", 5, 5)
# The assignment's example: the goal after L3 D3 Occ Ic.
TORUS = read_problem("2 23 4 5 10\n1 13 7 3 11\n6 17 8 9 20\n12 14 19 15 25\n16 21 22 18 24")


def program(protocol, command="./solver", **options):
    return make_program(command, name="p", protocol=protocol, **options)


def answer(protocol, output, problem=EIGHT, **options):
    return program(protocol, **options).answer(output.encode(), problem)


@pytest.mark.parametrize(
    ("problem", "name", "text"),
    [
        (EIGHT, "board.puz", "4 1 2\n. 5 3\n7 8 6\n"),
        (LLOYD, "board.txt", "ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXT\n"),
        (TORUS_GOAL, "board.txt", None),
        (SNAIL, "board.json", None),
    ],
)
def test_plain_programs_find_the_board_in_a_file(problem, name, text):
    if not isinstance(problem, Problem):
        problem = Problem(problem, problem.goal)
    task = program("plain", "./solver -x {board}").task(problem)
    assert task.argv == ("./solver", "-x", name)
    assert (set(task.files), task.stdin) == ({name}, b"")
    written = task.files[name].decode()
    assert text is None or written == text
    assert read_problem(written).start == problem.start
    assert read_problem(written).goal == problem.goal


def test_plain_programs_find_the_board_in_an_argument_or_on_standard_input():
    task = program("plain", "./solver --board={board_text}").task(EIGHT)
    assert task.argv == ("./solver", "--board=4 1 2\n. 5 3\n7 8 6")
    task = program("plain", "./solver").task(EIGHT)
    assert (task.argv, task.files, task.stdin) == (("./solver",), {}, b"4 1 2\n. 5 3\n7 8 6\n")


def test_a_board_format_can_be_asked_for_whatever_the_goal_is():
    task = program("plain", "./solver {board_text}", board_format="line").task(EIGHT)
    assert read_problem(task.argv[1]).start == EIGHT.start and "\n" not in task.argv[1]
    rows = program("plain", "./solver {board}", board_format="puz").task(SNAIL)
    assert rows.files == {"board.puz": b"1 2 3\n8 . 4\n7 5 6\n"}


def test_programs_of_the_assignments_get_their_file_as_first_argument():
    potm = program("potm").task(LLOYD)
    assert potm.argv == ("./solver", "board.txt")
    assert len(potm.files["board.txt"]) == 30  # "as shown by ls -l"
    assert program("puz").task(EIGHT).argv == ("./solver", "board.puz", "--nographics")
    given = program("puz", "./solver {board} -n").task(EIGHT)
    assert given.argv == ("./solver", "board.puz", "-n")
    (torus,) = program("solver2023").task(TORUS).files.values()
    assert sorted(map(int, torus.split())) == list(range(1, 26))


@pytest.mark.parametrize(
    ("protocol", "problem"),
    [("potm", EIGHT), ("puz", LLOYD), ("puz", SNAIL), ("solver2023", EIGHT), ("puz", TORUS)],
)
def test_boards_of_another_puzzle_or_goal_are_refused(protocol, problem):
    with pytest.raises(BoardError, match="not a board for this protocol"):
        program(protocol).task(problem)


@pytest.mark.parametrize(
    ("command", "protocol", "message"),
    [
        ("./solver", "nonsense", "unknown protocol 'nonsense': choose from plain, potm"),
        ("./solver", "python", "does not fit protocol python"),
        ("python:solver.py:solve", "plain", "does not fit protocol plain"),
        ("python:solve", None, "names no function"),
        ("python:no-such-file.py:solve", None, "there is no file"),
        ("python:no/such:solve", None, "there is no file"),
        ("   ", None, "empty"),
    ],
)
def test_commands_that_cannot_be_judged(command, protocol, message):
    with pytest.raises(OptionError, match=message):
        make_program(command, name="p", protocol=protocol)


def test_unknown_formats_and_conventions_are_refused():
    with pytest.raises(OptionError, match="unknown format 'png'"):
        program("plain", board_format="png")
    with pytest.raises(OptionError, match="no blank"):
        program("plain", convention="blank").task(TORUS)
    with pytest.raises(OptionError, match="in the format lloyd"):
        program("potm", board_format="json").task(LLOYD)


CLAIM, SILENCE = "claims unsolvable", "silence"
BOARDS = {"potm": LLOYD, "solver2023": TORUS}
FIVE = "D L L U U"
SOLVING = "Start state: \n  2  23\nSolving...\nSolution found in"


@pytest.mark.parametrize(
    ("protocol", "output", "expected", "note"),
    [
        ("plain", "DLLUU\n", FIVE, ""),
        ("plain", "d l l u u", FIVE, ""),
        ("plain", "down left left up up\n", FIVE, ""),
        ("plain", "['D', 'L', 'L', 'U', 'U']\n", FIVE, ""),
        ("plain", '["D","L","L","U","U"]', FIVE, ""),
        ("plain", "D -> L -> L -> U -> U\r\n", FIVE, ""),
        ("plain", "reading board ...\nSolution: DLLUU (5)\ntook 0.1 s\n", FIVE, ""),
        *(("plain", text, CLAIM, "") for text in
          ("unsolvable\n", "Impossible!", " No solution.\n", "None")),
        ("plain", " \n", SILENCE, ""),
        # The contest takes its rule to the letter.
        ("potm", "durlt\n", "d u r l t", ""),
        ("potm", "\n", "", ""),
        ("potm", "", SILENCE, ""),
        ("potm", "durlt", None, "does not end with a newline"),
        ("potm", "DURLT\n", None, "character 1 is 'D'"),
        ("potm", "du rl\n", None, "character 3 is ' '"),
        ("potm", "durl\nt\n", None, "one line is expected"),
        ("potm", "durlt\r\n", None, "character 6"),
        ("solver2023", f"{SOLVING} 4 moves:\nIcc Oc U3 R3\n", "Icc Oc U3 R3", ""),
        ("solver2023", f"{SOLVING} 7 moves:\nIcc Oc U3 R3\n", "Icc Oc U3 R3",
         "the program says 7 moves, but prints 4"),
        ("solver2023", f"{SOLVING} 0 moves:\n\n", "", ""),
        ("solver2023", "R3 U3\n", None, "no line like"),
        ("solver2023", "", SILENCE, ""),
        ("puz", "Solving ...\nSolution: DLLUU (5)\n", FIVE, ""),
        # The last one counts: programs print what they try.
        ("puz", "Solution: U (1)\nSolution: DLLUU (5)\n", FIVE, ""),
        ("puz", "Solution: DL (5)\n", "D L", "the program says 5 moves, but prints 2"),
        ("puz", "Solution:  (0)\n", "", ""),
        ("puz", "Solution: Impossible!\n", CLAIM, ""),
        ("puz", "Solution: Impossible! or is it\n", None, "no line like"),
        ("puz", "Solution: dlluu (5)\n", None, "no line like"),
        ("python", '{"moves": ["D", "L"], "is_class": false}', "D L", ""),
        ("python", '{"moves": ["down", "left"], "is_class": false}', "D L", ""),
        ("python", '{"moves": ["up", "right"], "is_class": true}', "D L", ""),
        ("python", '{"moves": "DL", "is_class": false}', "D L", ""),
        ("python", '{"moves": null}', CLAIM, ""),
        ("python", '{"moves": [["D"]]}', None, "item 1"),
        ("python", '{"moves": ["D L"]}', None, "item 1"),
        ("python", '{"moves": ["D", ""]}', None, "item 2"),
        ("python", '{"moves": 7}', None, "not a list of moves"),
        ("python", '{"trouble": "returned int"}', None, "returned int"),
        ("python", "[]", None, "not the runner's output"),
    ],
)  # fmt: skip
def test_what_output_says(protocol, output, expected, note):
    command = "python:json:loads" if protocol == "python" else "./solver"
    found = program(protocol, command).answer(output.encode(), BOARDS.get(protocol, EIGHT))
    assert found.claims_unsolvable == (expected == CLAIM)
    assert found.is_silent == (expected == SILENCE)
    is_plan = expected not in (CLAIM, SILENCE, None)
    assert found.plan == (tuple(expected.split()) if is_plan else None)
    assert note in (found.trouble if expected is None else found.note)
    assert bool(found.trouble) == (expected is None) and bool(found.note) == (
        is_plan and bool(note)
    )


def test_silence_is_right_for_a_solved_board_and_the_convention_can_be_another():
    solved = answer("plain", "", EIGHT_SOLVED)
    assert solved.plan == () and not solved.is_silent
    found = answer("plain", "URRDD", convention="blank")
    assert found.plan == tuple(FIVE.split()) and found.convention == "blank"


@pytest.mark.parametrize(
    "output", [b"DLXUU\n", b"\x1b[31mhello\n", b"x" * 100_000, b"[" * 5000, b"\0", b"\xff\xfeDLLUU"]
)
@pytest.mark.parametrize("protocol", ["plain", "puz", "python"])
def test_unreadable_output_is_quoted_in_one_short_printable_line(protocol, output):
    command = "python:json:loads" if protocol == "python" else "./solver"
    found = program(protocol, command).answer(output, EIGHT)
    assert found.plan is None and not found.claims_unsolvable and not found.is_silent
    assert found.trouble.isprintable() and len(found.trouble) < 300


@pytest.mark.parametrize(
    ("protocol", "problem"),
    [("plain", EIGHT), ("plain", TORUS), ("potm", LLOYD), ("solver2023", TORUS), ("puz", EIGHT),
     ("python", EIGHT)],
)  # fmt: skip
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_bytes_are_an_answer_of_some_kind(protocol, problem, data):
    pieces = [
        st.sampled_from(["Solution:", "Solution found in", "moves:", "(3)", "\n", "UDLR", "durlt",
                         "R1 Oc", "[", '"moves"', "{", "null", "Impossible!", "9" * 30]),
        st.text(max_size=5),
    ]  # fmt: skip
    text = " ".join(data.draw(st.lists(st.one_of(pieces), max_size=8)))
    output = data.draw(st.sampled_from([text.encode(), text.encode() + b"\xff\x00"]))
    command = "python:json:loads" if protocol == "python" else "./solver"
    found = program(protocol, command).answer(output, problem)
    kinds = (found.plan is not None, found.claims_unsolvable, found.is_silent, bool(found.trouble))
    assert sum(kinds) == 1
    # A tile that cannot move is no move: the step that names it is illegal.
    names = set(problem.puzzle.move_names)
    assert found.plan is None or all(move in names or move.isdecimal() for move in found.plan)
    score = score_run(problem, Known(1, "a lower bound"), run_of(output), found)
    assert score.detail.isprintable() and len(score.detail) < 300


BLANKS = " " * 1_000_000


@pytest.mark.parametrize(
    ("protocol", "output"),
    [
        ("plain", f"none{BLANKS}x"),
        ("plain", f"{BLANKS}none{BLANKS}x"),
        ("plain", "UD" * 500_000 + "x"),
        ("puz", f"Solution:{BLANKS}x"),
        ("puz", "Solution: " + "UD" * 500_000),
        ("puz", "Solution: U (1\n" * 60_000),
        ("solver2023", f"Solution found in{BLANKS}x"),
        ("solver2023", "Solution found in " + "1" * 1_000_000),
        ("potm", "durl" * 250_000),
        ("python", '{"moves":' * 100_000),
        ("python", '{"moves": [' + '"",' * 300_000 + "3]}"),
    ],
)
def test_a_megabyte_of_anything_is_read_in_one_go(protocol, output):
    """Would not end where the time grew with the square of the size."""
    problem = {"potm": LLOYD, "solver2023": TORUS}.get(protocol, EIGHT)
    command = "python:json:loads" if protocol == "python" else "./solver"
    found = program(protocol, command).answer(output.encode(), problem)
    assert found.plan is None and found.trouble


def run_of(output):
    return Run(Ending.EXITED, 0, None, output, b"", 0.1, 0.1, 10_000_000, "")


STUDENT = """
import os, sys, threading
import helper
print("loading")
def solve(board):
    print("board", board)
    os.write(1, b"raw noise")
    sys.stderr.write("to stderr")
    threading.Thread(target=threading.Event().wait).start()  # never ends by itself
    helper.seen(board)
    return {answer}
class TilePuzzle:
    def __init__(self, board):
        self.board = board
    def find_solution_a_star(self):
        return ["up" for _ in self.board]
"""


def run_function(tmp_path, answer, function="solve", problem=EIGHT):
    """Runs the task of a function as the cage would, without the cage."""
    folder = tmp_path / "student"
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(STUDENT.format(answer=answer))
    (folder / "helper.py").write_text(
        "def seen(board):\n    open('seen', 'w').write(repr(board))\n"
    )
    made = make_program(f"python:{folder / 'mine.py'}:{function}", name="p")
    task = made.task(problem)
    assert task.readable == (folder,)
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    for name, content in task.files.items():
        (work / name).write_bytes(content)
    # The runner needs nothing of plansolve.
    words = [task.argv[0], "-S", *task.argv[1:]]
    done = subprocess.run(words, cwd=work, env={}, capture_output=True, check=False, timeout=60)
    seen = work / "seen"
    return done, made.answer(done.stdout, problem), seen.read_text() if seen.exists() else ""


@pytest.mark.parametrize(
    ("value", "plan", "said"),
    [
        ('["D", "L", "L", "U", "U"]', tuple("DLLUU"), ""),
        ('("D", "L")', ("D", "L"), ""),
        ('(m for m in "DL")', ("D", "L"), ""),
        ("None", None, ""),
        ("7", None, "returned int"),
        ('["D", 3]', None, "item 2 is int"),
        ("object()", None, "returned object"),
    ],
)
def test_what_a_function_returns_counts_and_not_what_it_prints(tmp_path, value, plan, said):
    done, found, seen = run_function(tmp_path, value)
    assert done.returncode == 0 and b"noise" not in done.stdout
    assert (found.plan, found.claims_unsolvable) == (plan, value == "None")
    assert said in found.trouble and bool(said) == bool(found.trouble)
    assert seen == "[[4, 1, 2], [0, 5, 3], [7, 8, 6]]"


def test_the_2023_function_gets_a_flat_tuple(tmp_path):
    _, found, seen = run_function(tmp_path, '["Icc", "Oc", "U3", "R3"]', problem=TORUS)
    assert seen == repr(TORUS.start)
    assert check_plan(TORUS, found.plan).solves


def test_the_class_names_the_motion_of_the_blank(tmp_path):
    _, found, _ = run_function(tmp_path, "None", function="TilePuzzle")
    assert found.plan == ("D", "D", "D") and found.convention == "blank"


def test_an_exception_ends_the_run_with_its_traceback(tmp_path):
    done, found, _ = run_function(tmp_path, "1 / 0")
    assert done.returncode == 1 and found.is_silent
    assert done.stderr.strip().endswith(b"ZeroDivisionError: division by zero")
    done, _, _ = run_function(tmp_path, "None", function="absent")
    assert done.returncode == 1 and b"absent" in done.stderr


@pytest.mark.parametrize(
    ("output", "convention", "note"),
    [
        ("DLLUU", "tile", "the letters name the motion of the tile"),
        ("URRDD", "blank", "the letters name the motion of the blank"),
        ("Solution of 6 moves:\nURRDD", "blank", "the letters name the motion of the blank"),
        ("DLLU", "tile", ""),
        ("nonsense", "tile", ""),
    ],
)
def test_moves_that_may_name_either_motion(output, convention, note):
    read = answer("plain", output, convention="auto")
    assert (read.convention, read.note.partition("; ")[0]) == (convention, note)
    assert check_plan(EIGHT, read.plan or ()).solves is bool(note)


def test_where_there_is_no_blank_letters_name_one_thing():
    task = program("solver2023", convention="auto").task(TORUS)
    assert task.argv == program("solver2023").task(TORUS).argv
