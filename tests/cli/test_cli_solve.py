"""`plansolve solve`: what goes to which stream, and what the options do."""

import json
import math
import re
import shlex

import pytest

from plansolve.checker import check_plan
from plansolve.formats import read_plan, read_problem
from plansolve.solvers.engine import choice

# A formula engine that was asked for is alone on boards of so few cells.
HARDEST = "8 6 7\n2 5 4\n3 0 1\n"
SOLVED = "1 2 3\n4 5 6\n7 8 0\n"
SHIFTED = "2 3 1\n4 5 6\n7 8 9\n"
TWO_PLANS = "1 2 3\n4 0 8\n7 6 5\n"
RANDOM_15 = "5 2 4 8\n10 0 3 14\n13 6 11 12\n1 15 9 7\n"
SIMPLE = "RRDDLUULDDRUULDRRDLLURUL"
CUBE = (
    "Name cube\nSet CORNER 3 3\nSolved\nEnd\n"
    "Move A\nCORNER\n2 3 1\n1 1 1\nEnd\nMove B\nCORNER\n2 1 3\n0 0 0\nEnd\n"
)


@pytest.fixture(scope="module")
def here(seeds, tmp_path_factory):
    """A folder with the seeds, and with files of odd names."""
    here = tmp_path_factory.mktemp("here")
    for path in seeds.iterdir():
        (here / path.name).symlink_to(path)
    (here / "my boards").mkdir()
    (here / "my boards" / "the böard.txt").write_text((here / "cis521-a.json").read_text())
    (here / "encode").write_text((here / "cis521-a.json").read_text())
    (here / "goal.txt").write_text("1 2 3\n8 0 4\n7 6 5\n")
    (here / "cube.tws").write_text(CUBE)
    return here


@pytest.mark.parametrize(
    ("words", "stdin", "out"),
    [
        ("solve simple.puz --optimal", "", SIMPLE),
        ("simple.puz --optimal", "", SIMPLE),
        ("--optimal -q -- simple.puz", "", SIMPLE),
        ("solve encode", "", "DLLUU"),
        ("'my boards/the böard.txt'", "", "DLLUU"),
        ("cis521-a.json --optimal --moves blank", "", "URRDD"),
        ("cis521-a.json --optimal --style list", "", '["D", "L", "L", "U", "U"]'),
        ("cis521-a.json --moves blank --style words", "", "up right right down down"),
        (
            *("lloyd.txt --optimal --engine cnf --style words", ""),
            "down down transport down left left up up up",
        ),
        ("sliders.txt --goal blank-first --optimal", "", "DR"),
        ("- --goal goal.txt --optimal", "1 2 3\n0 8 4\n7 6 5\n", "L"),
        ("- --goal blank-last", SOLVED, ""),
        ("- --optimal --style list", SOLVED, "[]"),
        ("- --optimal --puzzle torus-ring:rows=R--,columns=---,rings=none", SHIFTED, "R1"),
        # Only to the left it takes two moves to do the same.
        ("- --optimal --puzzle torus-ring:rows=L--,columns=---,rings=none", SHIFTED, "L1 L1"),
        # One line of four entries: a square board, or one row of four.
        ("- --format line", "1 2 0 3\n", "L"),
        ("- --format puz", "1 0 2 3\n", "LL"),
        ("-", b"\xef\xbb\xbf1 2 3\r\n4 5 6\r\n7 0 8\r\n", "L"),
        ("- --count", TWO_PLANS, "2"),
        ("simple.puz --count", "", "1"),
        ("cube.tws --scramble 'A B' --optimal", "", "B A'"),
        ('cube.tws --scramble "A2\'" --optimal', "", "A'"),
        ("- --scramble RD --optimal", SOLVED, "UL"),
        # The board itself, and the goal too.
        ("412053786", "", "DLLUU"),
        ("'4 1 2/. 5 3/7 8 6' --optimal", "", "DLLUU"),
        ("'[[4,1,2],[0,5,3],[7,8,6]]'", "", "DLLUU"),
        ("412053786 --goal 412503786 --optimal", "", "L"),
        ("123840765 --goal '1 2 3/8 . 4/7 6 5' --count", "", "1"),
    ],
)
def test_the_answer_on_standard_output(plansolve, here, words, stdin, out):
    quiet = () if "-q" in words else ("-q",)
    done = plansolve(*shlex.split(words), *quiet, stdin=stdin, cwd=here)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{out}\n"


def test_a_start_given_by_moves(plansolve, here):
    done = plansolve("cube.tws", "--scramble", "A2' B", "--optimal", cwd=here)
    again = plansolve("cube.tws", "--scramble", "A' A' B", "--optimal", cwd=here)
    assert done.out == again.out != ""
    done = plansolve("cube.tws", "--optimal", cwd=here)
    assert done.code == 2 and "--scramble 'A B'" in done.err
    done = plansolve("cube.tws", "--scramble", "A C2", cwd=here)
    assert (done.code, done.out) == (
        2,
        "",
    ) and "step 2: 'C' (in 'C2') is not a move of cube" in done.err


@pytest.fixture(scope="module")
def after_first_use(plansolve, seeds):
    """Tables and kernels are there, of which the first run tells."""
    plansolve("solve", seeds / "lloyd.txt", "--optimal", "--engine", "cnf")


@pytest.mark.usefixtures("after_first_use")
@pytest.mark.parametrize(
    ("words", "plan", "told"),
    [
        ("lloyd.txt --engine cnf", "ddtdlluuu", "9 moves, proved shortest, 1 t (the fewest); "),
        ("simple.puz --engine cp-sat", SIMPLE, "24 moves, proved shortest; "),
        ("simple.puz --backend cadical195", SIMPLE, "24 moves, proved shortest; "),
    ],
)
def test_plan_on_stdout_and_summary_on_stderr(plansolve, here, words, plan, told, monkeypatch):
    """Each of these boards has one optimal plan only (instances/seeds/manifest.json)."""
    # However slow the machine is, no search for plans joins.
    monkeypatch.setattr(choice, "SECONDS_ALONE", math.inf)
    done = plansolve("solve", *words.split(), "--optimal", cwd=here)
    assert (done.code, done.out) == (0, f"{plan}\n")
    assert re.fullmatch(rf"{re.escape(told)}\d+\.\d s", done.err.splitlines()[-1])


def test_verbose_shows_the_steps_and_the_proof(plansolve):
    done = plansolve("solve", "-", "--optimal", "-v", "--engine", "cnf", stdin=HARDEST)
    *lines, summary = done.err.splitlines()
    figures = r"\d+\.\d\d s, \d+ variables, \d+ constraints, \d+ conflicts"
    expected = [(23, "refuted"), (25, "refuted"), (27, "refuted"), (29, "refuted")]
    expected.append((31, "plan found"))
    for line, (horizon, what) in zip(lines, expected, strict=True):
        assert re.fullmatch(rf"horizon {horizon}: {what}, {figures}", line), line
    how = r"31 moves, proved shortest \(SAT\): first bound 23 \(linear conflict\); \d+\.\d s"
    assert re.fullmatch(how, summary)
    problem = read_problem(HARDEST)
    plan = read_plan(done.out, problem.puzzle)
    assert len(plan) == 31 == len(done.out.rstrip("\n"))
    assert check_plan(problem, plan).solves


def test_without_optimal_a_longer_plan_is_called_not_proved_optimal(plansolve):
    rows = "12 7 3 15\n1 10 14 9\n8 2 13 5\n6 11 4 0\n"
    done = plansolve("-", "--engine", "constructive", stdin=rows)
    assert done.code == 0
    assert re.match(
        r"\d+ moves, not proved shortest: every plan has \d+ or more; \d+\.\d s\n", done.err
    )


@pytest.mark.parametrize(
    ("file", "options", "length", "encoding", "lemmas"),
    [
        ("simple.puz", ("--encoding", "full-layer"), 24, "full-layer", None),
        ("simple.puz", ("--lemmas", "none"), 24, "half-layer", []),
        ("lloyd.txt", ("--lemmas", "distance, no-undo"), 9, "full-layer", ["distance", "no-undo"]),
    ],
)
def test_encodings_and_lemmas(plansolve, seeds, file, options, length, encoding, lemmas):
    done = plansolve("solve", seeds / file, "--optimal", "--json", *options)
    result = json.loads(done.out)
    assert (done.code, result["status"], result["length"]) == (0, "optimal", length)
    used = result["statistics"]
    assert used["encoding"] == encoding
    assert used["lemmas"] == lemmas or (lemmas is None and used["lemmas"])


def test_max_horizon_below_the_optimum(plansolve, seeds):
    words = ("solve", seeds / "fifteen.puz", "--max-horizon", "30")
    done = plansolve(*words, "--engine", "cnf", "-v")
    assert (done.code, done.out) == (13, "")
    assert done.err.splitlines()[-1].startswith(
        "proved: no plan of 30 moves or fewer: first bound 23 (linear conflict); 31 by SAT; "
    )
    result = json.loads(plansolve(*words, "--json").out)
    assert result["status"] == "no plan within horizon"
    assert (result["plan"], result["length"], result["upper_bound"]) == (None, None, None)
    assert (result["lower_bound"], result["stop_reason"]) == (31, "horizon")
    one = plansolve("solve", seeds / "simple.puz", "--max-horizon", "1")
    assert (one.code, one.out) == (13, "") and "no plan of 1 move or fewer" in one.err


def test_unsolvable_says_why_in_numbers(plansolve, seeds):
    done = plansolve("solve", seeds / "impossible.puz", "--optimal")
    assert (done.code, done.out) == (11, "")
    reason, others = done.err.splitlines()
    assert others == "did you mean another goal? Try --goal snail"
    assert plansolve("solve", seeds / "impossible.puz", "--goal", "snail").code == 0
    assert reason.startswith(
        "unsolvable: parity: the goal is 1 exchange away from the board, so every plan has an odd "
        "number of moves; but the blank is 0 moves from its goal cell, which makes the number even"
    )
    quiet = plansolve("solve", seeds / "impossible.puz", "-q")
    assert (quiet.code, quiet.out, quiet.err) == (11, "", "")
    result = json.loads(plansolve("solve", seeds / "impossible.puz", "--json").out)
    assert (result["status"], result["stop_reason"]) == ("unsolvable", "unsolvable")
    assert (result["plan"], result["lower_bound"], result["upper_bound"]) == (None, None, None)
    assert "1 exchange" in result["explanation"]


def test_every_shortest_plan(plansolve, seeds):
    done = plansolve("-", "--all", stdin=TWO_PLANS)
    assert done.code == 0
    assert len(set(done.out.split())) == 2
    assert re.search(r"^6 moves, proved shortest, 2 such plans; ", done.err, re.M)
    done = plansolve("-", "--all", "--json", "--moves", "blank", "-q", stdin=TWO_PLANS)
    result = json.loads(done.out)
    assert (result["plan_count"], result["is_every_plan"]) == (2, True)
    assert result["plan"] in result["plans"]
    # Named after the blank, which starts in the middle and ends in the corner.
    assert all(plan.count("D") - plan.count("U") == 1 for plan in result["plans"])
    assert plansolve(seeds / "simple.puz", "--count").err.startswith(
        "24 moves, proved shortest, the only such plan; "
    )


@pytest.mark.parametrize(
    ("engine", "technique", "bound"),
    [("astar", "A*", "linear-conflict"), ("idastar", "IDA*", "walking-distance")],
)
def test_engine_and_bound_are_chosen_by_name(plansolve, engine, technique, bound):
    options = ("--optimal", "-v", "--engine", engine, "--bound", bound)
    done = plansolve("-", *options, stdin=RANDOM_15)
    assert (done.code, len(done.out.strip())) == (0, 38), done.err
    told = f"38 moves, proved shortest ({technique} search): first bound 24 "
    assert f"\n{told}" in done.err


def test_the_document_of_an_answer(plansolve, seeds):
    done = plansolve("solve", seeds / "cis521-a.json", "--optimal", "--json")
    result = json.loads(done.out)
    assert done.code == 0 and done.out.count("\n") == 1
    seconds, statistics = result.pop("seconds"), result.pop("statistics")
    assert result == {
        "schema": "plansolve.result/1",
        "puzzle": "sliding",
        "start": [[4, 1, 2], [0, 5, 3], [7, 8, 6]],
        "goal": [[1, 2, 3], [4, 5, 6], [7, 8, 0]],
        "goal_name": "blank-last",
        "moves": "tile",
        "status": "optimal",
        "plan": ["D", "L", "L", "U", "U"],
        "plans": None,
        "plan_count": None,
        "is_every_plan": False,
        "length": 5,
        "lower_bound": 5,
        "upper_bound": 5,
        "lower_bound_by": "tile distances",
        "upper_bound_by": "breadth-first",
        "penalty": 0,
        "is_least_penalty": True,
        "rests_on": [],
        "engine": "auto",
        "stop_reason": "solved",
        "explanation": "",
    }
    assert seconds >= statistics["seconds"] >= 0
    assert done.err.startswith("5 moves, proved shortest; ")


def test_the_choice_is_told_in_json(plansolve, seeds):
    done = plansolve(seeds / "simple.puz", "--optimal", "--json", "-q")
    choice = json.loads(done.out)["statistics"]["choice"]
    assert choice["tracks"] == [["breadth-first"]]
    assert "9 cells" in choice["reason"]


PIECES = {
    "different": list(range(1, 13)),
    "different and a blank": [*range(1, 12), 0],
    "alike": [1] * 6 + [2] * 6,
    "alike and a blank": [1] * 6 + [2] * 5 + [0],
    "alike and two gaps": [1] * 6 + [2] * 4 + [0, 0],
}


@pytest.mark.parametrize("goal", PIECES.values(), ids=PIECES)
def test_rules_without_moves_have_formulas_and_no_tables(plansolve, tmp_path, goal):
    start = [goal[6], *goal[1:6], goal[0], *goal[7:]]
    rules = {"name": "stuck", "rows": 1, "columns": 12, "goal": [goal], "operators": []}
    board = tmp_path / "stuck.json"
    board.write_text(json.dumps({"puzzle": rules, "board": [start]}))
    for horizon in ("0", "2"):
        ran = plansolve("encode", board, "--horizon", horizon)
        assert ran.code == 0 and "p cnf" in ran.out, ran
    ran = plansolve("tables", "build", board)
    assert (ran.code, ran.out) == (2, "")
    assert "no tables: stuck has no moves" in ran.err


@pytest.mark.parametrize("engine", ["auto", "idastar", "astar"])
def test_moves_that_do_nothing_leave_a_board_unsolvable(engine, plansolve):
    goal, pieces = [1, *["*"] * 11], [0, *[1] * 11]
    rules = {"name": "still", "rows": 1, "columns": 12, "goal": [goal], "pieces": pieces}
    rules["operators"] = [{"name": "stay", "moves": [], "blank": 2}]
    text = json.dumps({"puzzle": rules, "board": [[0, *[1] * 11]]})
    ran = plansolve("solve", "-", "--engine", engine, "--optimal", stdin=text)
    assert (ran.code, ran.out) == (11, "")
    assert "unsolvable: " in ran.err


def test_a_reading_that_is_not_obvious_is_told(plansolve, tmp_path):
    read_as = "read as 1x5 sliding; a board of several rows has one row per line"
    board = "1 2 . 3 4"
    solved = plansolve("solve", board, "--optimal", cwd=tmp_path)
    # Before the search, which may take hours.
    assert solved.err.splitlines()[:2] == [read_as, solved.err.splitlines()[-1]]
    for words in (("verify", board, "LL"), ("certify", board, "-o", "certificate")):
        assert read_as in plansolve(*words, cwd=tmp_path).err.splitlines()
    assert read_as not in plansolve("verify", board, "LL", "-q", cwd=tmp_path).err
