"""`plansolve solve`: what goes to which stream, and what the options do."""

import json
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest

from plansolve.checker import check_plan
from plansolve.formats import read_plan, read_problem
from plansolve.solvers.engine import choice

# A formula engine that was asked for is alone on boards of so few cells.
HARDEST = "8 6 7\n2 5 4\n3 0 1\n"

# Each of these boards has one optimal plan only (instances/seeds/manifest.json).
ONLY_PLANS = [
    ("simple.puz", (), "RRDDLUULDDRUULDRRDLLURUL", 24),
    ("cis521-a.json", (), "DLLUU", 5),
    ("sliders.txt", ("--goal", "blank-first"), "DR", 2),
    ("lloyd.txt", (), "ddtdlluuu", 9),
]
SUMMARY = re.compile(
    r"(\d+) moves(?: to [\w-]+)?, proved shortest \([\w +-]+\)(?:, \d+ t \(the fewest\))?: "
    r"first bound (\d+) \(([a-z ]+)\)(?:, (\d+) by parity)?; "
    r"(?:horizons? ([\d, to]+) refuted|no horizon to refute) \(([\w-]+), ([\w-]+)\); "
    r"\d+\.\d s\n"
)


@pytest.fixture(scope="module")
def after_first_use(plansolve, seeds):
    """Tables and kernels are there, of which the first run tells."""
    plansolve("solve", seeds / "lloyd.txt", "--optimal", "--engine", "cnf")


@pytest.mark.usefixtures("after_first_use")
@pytest.mark.parametrize(("file", "options", "plan", "length"), ONLY_PLANS)
def test_plan_on_stdout_and_summary_on_stderr(
    plansolve, seeds, file, options, plan, length, monkeypatch
):
    # However slow the machine is, no search for plans joins.
    monkeypatch.setattr(choice, "SECONDS_ALONE", math.inf)
    done = plansolve("solve", seeds / file, "--optimal", "--engine", "cnf", *options)
    assert (done.code, done.out) == (0, f"{plan}\n")
    summary = SUMMARY.fullmatch(done.err)
    assert summary, done.err
    assert int(summary[1]) == length
    assert summary.group(6, 7) == ("cnf", "glucose42")


def test_summary_tells_the_bound_and_the_refuted_horizons(plansolve):
    done = plansolve("solve", "-", "--optimal", "--engine", "cnf", stdin=HARDEST)
    assert done.code == 0
    assert re.fullmatch(
        r"31 moves, proved shortest \(SAT\): first bound 23 \(linear conflict\); "
        r"horizons 23, 25, 27, 29 refuted \(cnf, glucose42\); \d+\.\d s\n",
        done.err,
    )
    problem = read_problem(HARDEST)
    plan = read_plan(done.out, problem.puzzle)
    assert len(plan) == 31 == len(done.out.rstrip("\n"))
    assert check_plan(problem, plan).solves


def slide(board: list[int], columns: int, plan: str) -> list[int]:
    """A replay that shares nothing with plansolve: tiles move the way the letter says."""
    board = list(board)
    for letter in plan:
        gap = board.index(0)
        row, column = divmod(gap, columns)
        down, right = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}[letter]
        assert 0 <= row + down < len(board) // columns and 0 <= column + right < columns
        tile = gap + down * columns + right
        board[gap], board[tile] = board[tile], 0
    return board


def test_plan_solves_the_board_by_an_independent_replay(plansolve, seeds):
    done = plansolve("solve", seeds / "fifteen.puz", "--optimal", "-q")
    start = [6, 5, 2, 3, 0, 7, 11, 4, 9, 1, 10, 8, 15, 14, 13, 12]
    assert slide(start, 4, done.out.strip()) == [*range(1, 16), 0]


def test_torus_plan_has_single_spaces(plansolve, seeds):
    done = plansolve("solve", seeds / "2023.txt", "--optimal")
    assert done.code == 0
    assert re.fullmatch(r"\S+( \S+){3}\n", done.out)
    problem = read_problem((seeds / "2023.txt").read_text())
    assert check_plan(problem, read_plan(done.out, problem.puzzle)).solves


def test_without_optimal_a_longer_plan_is_called_not_proved_optimal(plansolve, seeds):
    done = plansolve("solve", seeds / "fifteen.puz", "--json")
    result = json.loads(done.out)
    assert done.code == 0
    assert result["lower_bound"] <= 31 <= result["upper_bound"] == result["length"]
    if result["status"] == "feasible":
        assert re.fullmatch(
            rf"{result['length']} moves, not proved shortest: every plan has "
            rf"{result['lower_bound']} or more, "
            r"(?:so this one is at most [\d.]+ times the shortest, )?"
            r"first bound 23 \(linear conflict\); .* s\n",
            done.err,
        )


def test_moves_named_after_the_blank(plansolve, seeds):
    done = plansolve("solve", seeds / "cis521-a.json", "--optimal", "--moves", "blank")
    assert (done.code, done.out) == (0, "URRDD\n")


@pytest.mark.parametrize(
    ("file", "style", "out"),
    [
        ("cis521-a.json", "words", "down left left up up\n"),
        ("cis521-a.json", "list", '["D", "L", "L", "U", "U"]\n'),
        ("lloyd.txt", "words", "down down transport down left left up up up\n"),
        ("lloyd.txt", "list", '["d", "d", "t", "d", "l", "l", "u", "u", "u"]\n'),
    ],
)
def test_styles(plansolve, seeds, file, style, out):
    done = plansolve("solve", seeds / file, "--optimal", "--style", style, "--engine", "cnf")
    assert (done.code, done.out) == (0, out)


def test_style_and_blank_convention_together(plansolve, seeds):
    done = plansolve(seeds / "cis521-a.json", "--moves", "blank", "--style", "words", "-q")
    assert (done.code, done.out) == (0, "up right right down down\n")


def test_quiet_prints_nothing_on_stderr(plansolve, seeds):
    for option in ("-q", "--quiet"):
        done = plansolve("solve", seeds / "cis521-a.json", option)
        assert (done.code, done.out, done.err) == (0, "DLLUU\n", "")
    done = plansolve("solve", seeds / "impossible.puz", "-q")
    assert (done.code, done.out, done.err) == (11, "", "")


def test_verbose_prints_a_line_for_each_horizon(plansolve):
    done = plansolve("solve", "-", "--optimal", "-v", "--engine", "cnf", stdin=HARDEST)
    *lines, summary = done.err.splitlines()
    figures = r"\d+\.\d\d s, \d+ variables, \d+ constraints, \d+ conflicts"
    expected = [(23, "refuted"), (25, "refuted"), (27, "refuted"), (29, "refuted")]
    expected.append((31, "plan found"))
    assert len(lines) == len(expected)
    for line, (horizon, what) in zip(lines, expected, strict=True):
        assert re.fullmatch(rf"horizon {horizon}: {what}, {figures}", line), line
    assert summary.startswith("31 moves, proved shortest (SAT): ")


def test_a_piped_stderr_has_no_progress_lines_from_a_quick_run(plansolve, seeds):
    assert plansolve("solve", seeds / "simple.puz").err.count("\n") == 1


def test_board_from_standard_input(plansolve, seeds):
    done = plansolve("solve", "-", "--optimal", stdin=(seeds / "lloyd.txt").read_text())
    assert (done.code, done.out) == (0, "ddtdlluuu\n")


def test_the_word_solve_may_be_left_out(plansolve, seeds):
    board = seeds / "simple.puz"
    for arguments in (
        (board, "--optimal"),
        ("--optimal", board),
        ("solve", board, "--optimal"),
        ("--optimal", "--", board),
    ):
        done = plansolve(*arguments)
        assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n"), arguments
    done = plansolve("-", "--optimal", stdin=board.read_text())
    assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n")


def test_a_board_file_named_like_a_command(plansolve, seeds, tmp_path):
    (tmp_path / "encode").write_text((seeds / "cis521-a.json").read_text())
    done = plansolve("solve", "encode", cwd=tmp_path)
    assert (done.code, done.out) == (0, "DLLUU\n")
    done = plansolve("./encode", cwd=tmp_path)
    assert (done.code, done.out) == (0, "DLLUU\n")


@pytest.mark.parametrize(
    ("options", "engine", "backend"),
    [
        (("--engine", "cp-sat"), "cp-sat", "cp-sat"),
        (("--backend", "cadical195"), "cnf", "cadical195"),
        (("--engine", "cnf", "--backend", "minisat22"), "cnf", "minisat22"),
    ],
)
def test_engines_and_back_ends(plansolve, seeds, options, engine, backend):
    done = plansolve("solve", seeds / "simple.puz", "--optimal", *options)
    assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n")
    # On a busy machine, lines about the progress may come before.
    summary = SUMMARY.search(done.err)
    assert summary.group(1, 6, 7) == ("24", engine, backend)


@pytest.mark.parametrize(
    ("file", "options", "length", "encoding", "lemmas"),
    [
        ("simple.puz", ("--encoding", "half-layer"), 24, "half-layer", None),
        ("simple.puz", ("--encoding", "full-layer"), 24, "full-layer", None),
        ("cis521-c.json", ("--encoding", "permutation"), 14, "permutation", None),
        ("simple.puz", ("--lemmas", "none"), 24, "half-layer", []),
        ("2023.txt", ("--lemmas", "none"), 4, "permutation", []),
        ("lloyd.txt", ("--lemmas", "distance, no-undo"), 9, "full-layer", ["distance", "no-undo"]),
    ],
)
def test_encodings_and_lemmas(plansolve, seeds, file, options, length, encoding, lemmas):
    done = plansolve("solve", seeds / file, "--optimal", "--json", *options)
    result = json.loads(done.out)
    assert (done.code, result["status"], result["length"]) == (0, "optimal", length)
    assert result["statistics"]["encoding"] == encoding
    if lemmas is None:
        assert result["statistics"]["lemmas"]
    else:
        assert result["statistics"]["lemmas"] == lemmas


def test_max_horizon_below_the_optimum(plansolve, seeds):
    done = plansolve("solve", seeds / "fifteen.puz", "--max-horizon", "30", "--engine", "cnf")
    assert (done.code, done.out) == (13, "")
    assert done.err.startswith(
        "proved: no plan of 30 moves or fewer: first bound 23 (linear conflict); "
        "horizons 23, 25, 27, 29 refuted (cnf, glucose42); "
    )
    result = json.loads(
        plansolve("solve", seeds / "fifteen.puz", "--max-horizon", "30", "--json").out
    )
    assert result["status"] == "no plan within horizon"
    assert (result["plan"], result["length"], result["upper_bound"]) == (None, None, None)
    assert (result["lower_bound"], result["stop_reason"]) == (31, "horizon")


def test_max_horizon_at_the_optimum_and_below_the_bound(plansolve, seeds):
    done = plansolve("solve", seeds / "simple.puz", "--max-horizon", "24")
    assert (done.code, done.out) == (0, "RRDDLUULDDRUULDRRDLLURUL\n")
    done = plansolve("solve", seeds / "simple.puz", "--max-horizon", "0")
    assert (done.code, done.out) == (13, "")
    assert "no plan of 0 moves or fewer" in done.err
    done = plansolve("solve", seeds / "simple.puz", "--max-horizon", "1")
    assert "no plan of 1 move or fewer" in done.err


def test_unsolvable_says_why_in_numbers(plansolve, seeds):
    done = plansolve("solve", seeds / "impossible.puz", "--optimal")
    assert (done.code, done.out) == (11, "")
    reason, others = done.err.splitlines()
    assert others == "is another goal meant? Not excluded: --goal snail"
    assert plansolve("solve", seeds / "impossible.puz", "--goal", "snail").code == 0
    assert reason.startswith(
        "unsolvable: parity: the goal is 1 exchange away from the board, so every plan has an odd "
        "number of moves; but the blank is 0 moves from its goal cell, which makes the number even"
    )


def test_unsolvable_as_json(plansolve, seeds):
    done = plansolve("solve", seeds / "impossible.puz", "--json")
    result = json.loads(done.out)
    assert done.code == 11
    assert (result["status"], result["stop_reason"]) == ("unsolvable", "unsolvable")
    assert (result["plan"], result["lower_bound"], result["upper_bound"]) == (None, None, None)
    assert "1 exchange" in result["explanation"]


@pytest.mark.parametrize(
    ("board", "style", "out"),
    [
        ("1 2 3\n4 5 6\n7 8 0\n", "letters", "\n"),
        ("1 2 3\n4 5 6\n7 8 0\n", "words", "\n"),
        ("1 2 3\n4 5 6\n7 8 0\n", "list", "[]\n"),
        ("ABC\nDEF\nGH+\n", "letters", "\n"),
        ('{"puzzle": "loopover", "board": [[1, 2], [3, 4]]}', "words", "\n"),
    ],
)
def test_start_equals_goal(plansolve, board, style, out):
    done = plansolve("-", "--optimal", "--style", style, stdin=board)
    assert (done.code, done.out) == (0, out)
    assert re.fullmatch(r"0 moves, proved shortest: the board is the goal; \d+\.\d s\n", done.err)


def test_goal_from_a_file(plansolve, tmp_path):
    goal = tmp_path / "goal.txt"
    goal.write_text("1 2 3\n8 0 4\n7 6 5\n")
    done = plansolve("-", "--optimal", "--goal", goal, stdin="1 2 3\n0 8 4\n7 6 5\n")
    assert (done.code, done.out) == (0, "L\n")


@pytest.mark.parametrize("goal", ["blank-last", "blank-first", "snail"])
def test_named_goals(plansolve, goal):
    start = [1, 2, 3, 4, 5, 6, 7, 8, 0]
    text = "1 2 3\n4 5 6\n7 8 0\n"
    goals = {
        "blank-last": [1, 2, 3, 4, 5, 6, 7, 8, 0],
        "blank-first": [0, 1, 2, 3, 4, 5, 6, 7, 8],
        "snail": [1, 2, 3, 8, 0, 4, 7, 6, 5],
    }
    done = plansolve("-", "-q", "--goal", goal, stdin=text)
    assert done.code in (0, 11)
    inversions = [
        sum(a > b for n, a in enumerate(board) for b in board[n:] if a and b)
        for board in (start, goals[goal])
    ]
    # On a board of odd width the parity of the inversions never changes.
    assert (done.code == 0) == (inversions[0] % 2 == inversions[1] % 2)
    if done.code == 0:
        assert slide(start, 3, done.out.strip()) == goals[goal]


def test_puzzle_parameters(plansolve):
    board = "2 3 1\n4 5 6\n7 8 9\n"
    one_way = plansolve(
        "-", "--optimal", "--puzzle", "torus-ring:rows=R--,columns=---,rings=none", stdin=board
    )
    assert (one_way.code, one_way.out) == (0, "R1\n")
    # Only to the left it takes two moves to do the same.
    other = plansolve(
        "-", "--optimal", "--puzzle", "torus-ring:rows=L--,columns=---,rings=none", stdin=board
    )
    assert (other.code, other.out) == (0, "L1 L1\n")
    fixed = plansolve(
        "-", "--optimal", "--puzzle", "torus-ring:rows=---,columns=---,rings=outer", stdin=board
    )
    assert (fixed.code, fixed.out) == (11, "")


def test_format_can_be_named(plansolve):
    # One line of four entries: a square board, or one row of four.
    square = plansolve("-", "-q", "--format", "line", stdin="1 2 0 3\n")
    assert (square.code, square.out) == (0, "L\n")
    row = plansolve("-", "-q", "--format", "puz", stdin="1 2 0 3\n")
    assert (row.code, row.out) == (0, "L\n")
    row = plansolve("-", "-q", "--format", "puz", stdin="1 0 2 3\n")
    assert (row.code, row.out) == (0, "LL\n")


def test_windows_line_ends_and_byte_order_mark(plansolve):
    done = plansolve("-", "-q", stdin=b"\xef\xbb\xbf1 2 3\r\n4 5 6\r\n7 0 8\r\n")
    assert (done.code, done.out) == (0, "L\n")


def test_horizons_in_json_go_up_and_agree_with_the_bounds(plansolve, seeds):
    done = plansolve("solve", seeds / "fifteen.puz", "--optimal", "--json", "-q", "--engine", "cnf")
    statistics = json.loads(done.out)["statistics"]
    horizons = [entry["horizon"] for entry in statistics["horizons"]]
    assert all(b - a == 2 for a, b in pairwise(horizons))
    # The search beside the formulas may find the plan before that of 31 moves does.
    assert [h["refuted"] for h in statistics["horizons"]] in ([True] * 4, [True] * 4 + [False])
    assert statistics["refuted"] == horizons[:4] == [23, 25, 27, 29]
    assert (statistics["initial_bound"], statistics["initial_bound_by"]) == (23, "linear conflict")


def test_relative_paths_and_spaces(plansolve, seeds, tmp_path):
    folder = tmp_path / "my boards"
    folder.mkdir()
    (folder / "the böard.txt").write_text((seeds / "cis521-a.json").read_text())
    done = plansolve(Path("my boards") / "the böard.txt", cwd=tmp_path)
    assert (done.code, done.out) == (0, "DLLUU\n")


def test_a_start_given_by_moves(plansolve, tmp_path):
    rules = tmp_path / "cube.tws"
    rules.write_text(
        "Name cube\nSet CORNER 3 3\nSolved\nEnd\n"
        "Move A\nCORNER\n2 3 1\n1 1 1\nEnd\nMove B\nCORNER\n2 1 3\n0 0 0\nEnd\n"
    )
    done = plansolve(rules, "--scramble", "A B", "--optimal")
    assert (done.code, done.out) == (0, "B A'\n")
    done = plansolve(rules, "--scramble", "A2' B", "--optimal")
    assert done.out == plansolve(rules, "--scramble", "A' A' B", "--optimal").out
    assert plansolve(rules, "--scramble", "A2'", "--optimal").out == "A'\n"
    done = plansolve(rules, "--optimal")
    assert done.code == 2 and "--scramble 'A B'" in done.err
    done = plansolve(rules, "--scramble", "A C2")
    assert (done.code, done.out) == (2, "") and "step 2: 'C2' is not a move of cube" in done.err


def test_moves_from_the_goal_that_cannot_be_made(plansolve, tmp_path):
    board = tmp_path / "board.puz"
    board.write_text("1 2 3\n4 5 6\n7 8 .\n")
    assert plansolve(board, "--scramble", "RD", "--optimal").out == "UL\n"
    done = plansolve(board, "--scramble", "RL")
    assert (done.code, done.err) == (0, done.err)
    done = plansolve(board, "--scramble", "L")
    assert done.code == 2 and "--scramble, step 1: 'L' cannot be made here" in done.err
