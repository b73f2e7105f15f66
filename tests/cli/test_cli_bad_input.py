"""Whatever is wrong with the input: one line that says so, exit code 2, nothing on stdout."""

import json
import re
import resource

import pytest
from support.fixtures import cases

GOOD = "1 2 3\n4 5 6\n7 0 8\n"
BAD_BOARDS = [
    ("empty", b"", ["empty"]),
    ("blank", b" \n\t\n", ["empty"]),
    ("ragged", b"1 2 3\n4 5\n6 7 8 0\n", ["line 2", "2 entries", "3"]),
    ("duplicate", b"1 2 3\n4 5 5\n7 8 0\n", ["line 2", "5 appears twice", "6 is missing"]),
    ("missing", b"1 2 3\n4 5 6\n7 9 0\n", ["line 3", "9 is no tile", "8 is missing"]),
    ("two gaps", b"1 2 3\n4 5 0\n7 8 0\n", ["0 appears twice", "6 is missing", "have one gap"]),
    ("open cell", b'{"board": [[1, 2], [null, 0]]}', ["row 2", "only a goal may leave cells open"]),
    ("rows that do not fit", b'{"board": [1, 2, 3, 4, 0, 5], "rows": 4}', ["6 numbers", "4 rows"]),
    (
        "a slip in the second of two",
        b"1 2 3\n4 5 6\n7 8 0\n\n1 2 3\n4 5 6\n7 7 0\n",
        ["2 boards, on lines 1, 5", "FILE#2"],
    ),
    (
        "starred cell",
        b'{"board": [[1, 2], ["*", 0]]}',
        ["row 2", "only a goal may leave cells open"],
    ),
    ("no gap", b'{"puzzle": "sliding", "board": [[1, 2], [3, 4]]}', ["0 is the gap"]),
    ("word", b"1 2 3\n4 five 6\n7 8 0\n", ["line 2", "'five'"]),
    ("fraction", b"1 2 3\n4 5 6\n7 8.5 0\n", ["line 3", "'8.5'"]),
    ("negative", b"1 2 3\n4 5 6\n7 -8 0\n", ["line 3", "'-8'"]),
    ("large number", b"1 2 3\n4 5 6\n7 99999999999999 0\n", ["line 3", "too large"]),
    ("prose", b"Dear Sir or Madam,\nI have a puzzle.\n", ["Dear Sir"]),
    ("binary", bytes(range(256)), ["not a text file", "0x00", "offset 0"]),
    ("elf", b"\x7fELF\x02\x01\x01\x00\x00", ["not a text file", "0x7f"]),
    ("invalid UTF-8", b"1 2 3\n4 5 6\n7 8 \xff\n", ["not a text file", "0xff", "offset 16"]),
    ("UTF-16", "1 2\n3 0\n".encode("utf-16-le"), ["not a text file", "UTF-16", "save it as UTF-8"]),
    ("two boards", b"1 2\n3 0\n\n1 0\n2 3\n", ["2 boards, on lines 1, 4", "FILE#2"]),
    ("two lines", b"867254301\n867254310\n", ["2 boards, on lines 1, 2", "FILE#2"]),
    ("title", b"Board 1\n8 6 7\n2 5 4\n3 . 1\n", ["'Board'", "begin it with #"]),
    ("word as title", b"Easy\n8 6 7\n2 5 4\n3 . 1\n", ["'Easy'", "begin the line with #"]),
    ("Arabic digits", "\u0661 \u0662\n\u0663 \u0660\n".encode(), ["the digits 0 to 9"]),
    ("no gap written", b"8 6 7\n2 5 4\n3   1\n", ["2 entries", "write the gap as . or 0"]),
    ("one cell", b"0\n", ["1x1"]),
    ("lloyd letter", b"ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXZ\n", ["line 5", "'Z'"]),
    ("lloyd twice", b"ABMDE\nFGCHI\nKL+NJ\nPQRSO\nUVWXA\n", ["A appears twice", "T is missing"]),
    ("no ring", b"1 2 3\n4 5 6\n7 8 8\n", ["no inner ring", "unless the puzzle is named"]),
    (
        "torus twice",
        b'{"puzzle": "loopover", "board": [[1, 2], [3, 3]]}',
        ["row 2", "3 appears twice", "4 is missing"],
    ),
    ("broken JSON", b'{"board": [[1, 2], [3, 0]]', ["line 1", "not a JSON document"]),
    ("JSON without board", b'{"puzzle": "sliding"}', ["no 'board'"]),
    ("JSON misspelt", b'{"bord": [[1, 2], [3, 0]]}', ["'bord'", "'board'"]),
    ("deep JSON", b'{"board": ' + b"[" * 100_000, ["nested too deeply"]),
    ("deep list", b"[" * 100_000, ["line 1"]),
    ("JSON goal", b'{"board": [[1, 2], [3, 0]], "goal": [[1, 2, 3, 0]]}', ["goal", "1x4", "2x2"]),
    ("unknown puzzle", b'{"puzzle": "rubik", "board": [[1, 2], [3, 0]]}', ["'rubik'", "sliding"]),
    ("200000 short lines", b"1\n" * 200_000, ["lines"]),
]


@pytest.mark.parametrize(
    ("data", "parts"), [case[1:] for case in BAD_BOARDS], ids=[case[0] for case in BAD_BOARDS]
)
def test_bad_boards(plansolve, tmp_path, data, parts):
    board = tmp_path / "board"
    board.write_bytes(data)
    done = plansolve("solve", board)
    assert done.code == 2
    assert done.error_line.startswith(f"{board}: ") or "unknown puzzle" in done.error_line
    for part in parts:
        assert part in done.error_line
    assert len(done.error_line) < 1000


def test_bad_boards_from_standard_input(plansolve):
    done = plansolve("-", stdin=b"1 2 3\n4 5 5\n7 8 0\n")
    assert done.code == 2
    assert done.error_line == "standard input: line 2: 5 appears twice, 6 is missing"
    assert plansolve("-").error_line.startswith("standard input: the input is empty")


@pytest.mark.parametrize("command", [("encode", "--horizon", "3"), ("decode", "--horizon", "3")])
def test_other_commands_read_boards_alike(plansolve, tmp_path, command):
    board = tmp_path / "board"
    board.write_text("1 2 3\n4 5 5\n7 8 0\n")
    done = plansolve(*command, board)
    assert done.code == 2
    assert done.error_line == f"{board}: line 2: 5 appears twice, 6 is missing"


def test_missing_file_and_folder(plansolve, tmp_path):
    missing = tmp_path / "missing.puz"
    done = plansolve(missing)
    assert (done.code, done.error_line) == (2, f"{missing}: No such file or directory")
    done = plansolve(tmp_path)
    assert (done.code, done.error_line) == (2, f"{tmp_path}: Is a directory")


def test_a_file_name_stays_on_one_line(plansolve, tmp_path):
    for name in ("two\nlines", "\x1b[31mred"):
        done = plansolve(tmp_path / name)
        assert done.code == 2
        assert done.error_line.isprintable()


def test_a_name_that_is_empty(plansolve):
    done = plansolve("")
    assert done.code == 2
    assert not done.error_line.startswith(":")


def test_a_million_lines_are_refused_at_once(plansolve_process, tmp_path):
    board = tmp_path / "board"
    board.write_bytes(b"1 2 3 4\n" * 1_000_000)
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = plansolve_process(board)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
    assert done.code == 2
    assert "larger than any board" in done.error_line
    # By contract one second, and the start of the interpreter; of its own, however busy all are.
    assert seconds < 3


def test_one_line_of_fifty_megabytes(plansolve_process, tmp_path):
    board = tmp_path / "board"
    board.write_bytes(b"1 " * 25_000_000)
    done = plansolve_process(board)
    assert done.code == 2
    assert "larger than any board" in done.error_line
    done = plansolve_process("-", stdin=b"1 " * 25_000_000)
    assert done.code == 2
    assert "larger than any board" in done.error_line


def test_an_endless_file(plansolve_process):
    done = plansolve_process("/dev/zero")
    assert done.code == 2
    assert "larger than any board" in done.error_line


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("1 2\n3 0\n", ["goal", "2x2", "3x3"]),
        ("1 2 3\n4 5 6\n7 8 8\n", ["goal", "8 appears twice"]),
        ("garbage\n", ["goal"]),
        ("", ["goal", "empty"]),
    ],
)
def test_wrong_goal_files(plansolve, tmp_path, goal, parts):
    board, path = tmp_path / "board", tmp_path / "goal.txt"
    board.write_text(GOOD)
    path.write_text(goal)
    done = plansolve(board, "--goal", path)
    assert done.code == 2
    for part in parts:
        assert part in done.error_line
    # The goal's file is at fault, so it is the one to name.
    assert str(path) in done.error_line


def test_goal_of_another_shape(plansolve, tmp_path):
    # Read as 2x3 this goal would be another board, and the plan a proof of something else.
    board, path = tmp_path / "board", tmp_path / "goal.txt"
    board.write_text("1 2 3\n4 0 5\n")
    path.write_text("1 2\n3 4\n5 0\n")
    done = plansolve(board, "--goal", path)
    assert done.code == 2
    assert "3x2" in done.error_line and "2x3" in done.error_line


USAGE = [
    (["--goal", "somewhere"], ["unknown goal 'somewhere'", "blank-last"]),
    (["--goal", "in-order"], ["unknown goal 'in-order' for sliding: choose blank-last, blank-f"]),
    (["-q", "-v"], ["--quiet and --verbose contradict each other"]),
    (["--json", "--style", "words"], ["--style", "--json lists its moves"]),
    (["--engine", "telepathy"], ["unknown engine 'telepathy'", "cnf, cp-sat"]),
    (["--backend", "telepathy"], ["unknown back end 'telepathy'", "glucose42"]),
    (["--engine", "cp-sat", "--backend", "glucose42"], ["glucose42", "cp-sat"]),
    (["--encoding", "telepathy"], ["unknown encoding 'telepathy'", "half-layer"]),
    (["--lemmas", "telepathy"], ["unknown lemma 'telepathy'", "distance"]),
    (["--lemmas", "move-order"], ["half-layer", "'move-order'"]),
    (["--lemmas", "linear-conflict"], ["waste-counter"]),
    (["--format", "telepathy"], ["'telepathy'", "puz"]),
    (["--puzzle", "telepathy"], ["unknown puzzle 'telepathy'", "sliding"]),
    (["--puzzle", "sliding:colour=red"], ["no parameter 'colour=red'"]),
    (["--puzzle", "torus-ring:colour=red"], ["no parameter 'colour=red'", "rings"]),
    (["--time-limit", "0"], ["'0'", "10m"]),
    (["--time-limit", "-1"], ["'-1'", "10m"]),
    (["--time-limit", "abc"], ["'abc'", "10m"]),
    (["--time-limit", "inf"], ["'inf'", "10m"]),
    (["--memory-limit", "x"], ["'x'", "500M"]),
    (["--memory-limit", "0"], ["'0'", "500M"]),
    (["--max-horizon", "-1"], ["-1"]),
    (["--max-horizon", "1.5"], ["1.5"]),
    (["--moves", "sideways"], ["'sideways'", "tile", "blank"]),
    (["--style", "poetry"], ["'poetry'", "letters"]),
    (["--no-such-option"], ["--no-such-option"]),
    (["--engine"], ["--engine"]),
    (["another-file"], ["another-file"]),
]


@pytest.mark.parametrize(("options", "parts"), USAGE, ids=[" ".join(case[0]) for case in USAGE])
def test_usage_errors(plansolve, tmp_path, options, parts):
    board = tmp_path / "board"
    board.write_text(GOOD)
    done = plansolve("solve", board, *options)
    assert done.code == 2
    for part in parts:
        assert part in done.error_line


def test_no_board_and_unknown_commands(plansolve):
    done = plansolve("solve")
    assert done.code == 2
    assert "'FILE': give its name, or - for standard input" in done.error_line
    done = plansolve("slove", "board.puz")
    assert done.code == 2
    assert "slove" in done.error_line or "board.puz" in done.error_line
    done = plansolve("encode", "board.puz")
    assert done.code == 2
    assert "--horizon" in done.error_line


def test_a_misspelt_command_is_told_from_a_missing_board(plansolve, tmp_path):
    done = plansolve("puzzels", cwd=tmp_path)
    assert done.code == 2
    assert "puzzels" in done.error_line


def test_moves_of_the_blank_where_there_is_none(plansolve, seeds):
    done = plansolve(seeds / "2023.txt", "--moves", "blank")
    assert done.code == 2
    assert done.error_line == "torus-ring has no blank: use the tile convention"


def test_sizes_and_parameters_that_do_not_fit(plansolve):
    board = "1 2 3\n4 5 6\n7 8 9\n"
    for specification, part in [
        ("torus-ring:rows=LR,rings=none", "3"),
        ("torus-ring:rows=LRX,rings=none", "'X'"),
        ("torus-ring", "inner"),
        ("lloyd", "gap"),
        ("sliding", "gap"),
    ]:
        done = plansolve("-", "--puzzle", specification, stdin=board)
        assert done.code == 2, specification
        assert part in done.error_line


@pytest.mark.parametrize("horizon", ["-1", "x", "1000000", ""])
def test_horizons(plansolve, seeds, horizon):
    done = plansolve("encode", seeds / "cis521-a.json", "--horizon", horizon)
    assert done.code == 2
    assert "--horizon" in done.error_line


def test_board_and_model_cannot_share_standard_input(plansolve):
    for model in ("-", None):
        done = plansolve("decode", "-", *filter(None, [model]), "--horizon", "3", stdin=GOOD)
        assert done.code == 2
        assert re.search("standard input", done.error_line)


def test_rules_of_ones_own(plansolve):
    rules = {
        "name": "swap",
        "rows": 1,
        "columns": 2,
        "goal": [[1, 2]],
        "operators": [{"name": "A", "moves": [[0, 1], [1, 1]], "blank": None}],
    }
    done = plansolve("-", stdin=json.dumps({"puzzle": rules, "board": [[2, 1]]}))
    assert done.code == 2
    assert "operator 'A'" in done.error_line
    rules["operators"] = [{"name": "A", "moves": [[0, 1], [1, 0]], "blank": 0}]
    done = plansolve("-", stdin=json.dumps({"puzzle": rules, "board": [[2, 1]]}))
    assert done.code == 2
    assert "operator 'A'" in done.error_line


@pytest.mark.parametrize(
    ("word", "command"), [("certfy", "certify"), ("verfy", "verify"), ("chek", "check")]
)
def test_a_misspelled_command_is_recognized(plansolve, tmp_path, word, command):
    done = plansolve(word, "a.puz", cwd=tmp_path)
    assert done.code == 2
    assert done.error_line == f"there is no file or command {word!r}: did you mean {command}?"
    # Options may come before the file.
    for option in ("--engine=cnf", "--puzzle=sliding", "--goal=blank-last"):
        assert plansolve(option, "b.puz", cwd=tmp_path).error_line.startswith("b.puz: ")
    # A file of that name is a board.
    (tmp_path / word).write_text("1 2\n3 .\n")
    assert plansolve(word, cwd=tmp_path).code == 0


def test_a_slip_in_one_board_of_a_file_hides_no_other(plansolve, tmp_path):
    boards = tmp_path / "boards.txt"
    boards.write_text("1 2 3\n4 5 6\n7 8 0\n\n1 2 3\n4 5 6\n7 7 0\n")
    assert plansolve(f"{boards}#1").code == 0
    done = plansolve(f"{boards}#2")
    assert done.code == 2
    assert "line 7: 7 appears twice, 8 is missing" in done.error_line


def test_a_puzzle_of_its_own_is_not_read_as_another(plansolve, tmp_path):
    board = tmp_path / "own.json"
    board.write_text(json.dumps(cases.OWN))
    done = plansolve(board, "--puzzle", "sliding")
    assert done.code == 2
    assert "the board comes with rules of its own" in done.error_line


def test_a_wrong_value_names_its_variable(plansolve, tmp_path):
    board = tmp_path / "board"
    board.write_text(GOOD)
    done = plansolve(board, env={"PLANSOLVE_SOLVE_ENGINE": "magic"})
    assert done.code == 2
    assert "unknown engine 'magic'" in done.error_line
    assert "it comes from the variable PLANSOLVE_SOLVE_ENGINE" in done.error_line


@pytest.mark.parametrize("plan", ["->", "\u2192\u2192", ",,"])
def test_separators_alone_are_no_plan(plansolve, tmp_path, plan):
    board = tmp_path / "board"
    board.write_text("1 2 3\n4 5 6\n7 8 0\n")
    done = plansolve("verify", board, "--plan", plan)
    assert done.code == 2
    assert "there are no moves" in done.error_line
