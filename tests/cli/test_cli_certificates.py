"""`plansolve certify` and `plansolve check` as a user runs them."""

import json
import re
import shutil

import pytest

from plansolve.formats import write_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import make_puzzle

BOARD = "1 8 2\n0 5 3\n6 7 4\n"
PLAN = "LURDLDLURULDRURDLUL"


@pytest.fixture(scope="module")
def certified(plansolve, tmp_path_factory):
    """A folder with a board and its certificate, and what `certify` said."""
    folder = tmp_path_factory.mktemp("certified")
    (folder / "board.puz").write_text(BOARD)
    done = plansolve("certify", folder / "board.puz", "-o", folder / "cert", "-q")
    return folder, done


@pytest.fixture
def copy(certified, tmp_path):
    return shutil.copytree(certified[0] / "cert", tmp_path / "cert")


def test_a_certificate_is_made_and_proved(plansolve, certified):
    folder, done = certified
    assert done.code == 0 and done.err == ""
    assert re.fullmatch(r"\S+: 19 moves, certified optimal; \d+\.\d s\n", done.out)
    assert (folder / "cert" / "plan.txt").read_text() == f"{PLAN}\n"
    done = plansolve("check", folder / "cert", folder / "board.puz")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "the problem: the given one"
    assert "parity: every plan has an odd number of moves" in lines
    assert lines[-1].startswith("proved: 19 moves are optimal, given the rules of sliding; ")
    assert plansolve("verify", folder / "cert/problem.json", folder / "cert/plan.txt").code == 0
    line = plansolve("check", folder / "cert", "--with", "eyes").error_line
    assert "unknown checker 'eyes': choose from cake_lpr, d" in line


def test_json(plansolve, certified):
    folder, _ = certified
    document = json.loads(plansolve("check", folder / "cert", "--json").out)
    assert document["schema"] == "plansolve.check/1"
    assert (document["verdict"], document["length"], document["lower_bound"]) == ("proved", 19, 19)
    assert all(step["is_right"] for step in document["steps"])
    done = plansolve("certify", folder / "board.puz", "-o", folder / "again", "--json", "-q")
    document = json.loads(done.out)
    assert document["schema"] == "plansolve.certified/1" and document["is_optimal"]
    assert document["refuted"] == [11, 13, 15, 17]


def test_what_is_wrong_is_refuted(plansolve, certified, copy):
    other = certified[0] / "other.puz"
    other.write_text("1 2 3\n4 5 6\n7 0 8\n")
    assert plansolve("check", copy, other).code == 1
    (copy / "17.lrat.gz").unlink()
    done = plansolve("check", copy)
    assert done.code == 1 and "WRONG: length 17: " in done.out
    # A slow machine tells how far it has come; how long a proof is shows at its end.
    progress = r"\d+(?: of \d+)? .+ checked; \d+ s"
    assert all(re.fullmatch(progress, line) for line in done.err.splitlines())


def claim(lower_bound):
    return {"by": "idastar", "lower_bound": lower_bound, "statistics": {}}


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"claimed": claim(21)}, 1, "21 or more moves are claimed, but the plan has 19"),
        ({"lower_bound": 5}, 0, "proved: 19 moves are optimal"),
        (
            {"refuted": [11, 13, 15], "lower_bound": 17, "claimed": claim(19)},
            12,
            "not decided: a plan of 19 moves; every plan has 17 or more, given the rules of "
            "sliding; IDA* search proved 19 or more, without a certificate",
        ),
    ],
)
def test_a_record_that_states_something_else(plansolve, copy, changes, code, said):
    path = copy / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    done = plansolve("check", copy, "-q")
    assert done.code == code and said in done.out


def test_without_a_board_the_one_that_is_proved_is_told(plansolve, tmp_path, copy):
    done = plansolve("check", copy)
    problem = "from 1 8 2 / 0 5 3 / 6 7 4 to 1 2 3 / 4 5 6 / 7 8 0"
    assert done.out.startswith(f"the problem: {problem}\n")
    (step, *_) = json.loads(plansolve("check", copy, "--json").out)["steps"]
    assert (step["what"], step["seen"]) == ("the problem", problem)
    # A goal of one's own makes any board easy: nobody may take it for the usual one.
    (tmp_path / "b.puz").write_text("4 1 2\n7 5 3\n0 8 6\n")
    (tmp_path / "g.puz").write_text("4 1 2\n7 5 3\n8 6 0\n")
    goal = ("--goal", tmp_path / "g.puz")
    assert plansolve("certify", tmp_path / "b.puz", *goal, "-o", tmp_path / "own").code == 0
    done = plansolve("check", tmp_path / "own")
    assert done.out.startswith("the problem: from 4 1 2 / 7 5 3 / 0 8 6 to 4 1 2 / 7 5 3 / 8 6 0\n")
    claim = "proved: 2 moves are optimal, given the rules of sliding with the goal 4 1 2 / 7 5"
    assert plansolve("check", tmp_path / "own", "-q").out.startswith(claim)


def test_a_key_that_is_there_twice_is_refused(plansolve, copy):
    text = (copy / "problem.json").read_text()
    (copy / "problem.json").write_text(text.rstrip()[:-1] + ', "board": []}')
    line = plansolve("check", copy).error_line
    assert "problem.json: " in line and "key 'board' twice" in line


def test_the_time_limit_holds(plansolve, certified):
    done = plansolve("check", certified[0] / "cert", "--time-limit", "0.001s")
    assert done.code == 23 and "time limit reached before everything was checked" in done.err
    done = plansolve("check", certified[0] / "cert", "--time-limit", "1h")
    assert done.code == 0
    assert "\nthe plan: legal, reaches the goal, 19 moves\n" in done.out
    assert "\nlength 17: refuted: " in done.out and "\nproved: 19 moves are optimal" in done.out


@pytest.mark.parametrize(
    ("board", "options", "code", "certified", "checked"),
    [
        (
            "2 1 3\n4 5 6\n7 8 0\n",
            (),
            11,
            "certified: no plan; parity: ",
            "there is no plan, given ",
        ),
        (BOARD, ("--max-horizon", "1"), 13, "moves or more, certified; ", "every plan has "),
        ("1 2 3\n4 5 6\n7 8 0\n", ("--all",), 0, "0 moves", "0 moves are optimal"),
    ],
    ids=["unsolvable", "horizon", "goal"],
)
def test_what_is_no_plan_of_some_moves(
    plansolve, tmp_path, board, options, code, certified, checked
):
    done = plansolve("certify", "-", "-o", tmp_path / "it", *options, stdin=board)
    assert done.code == code and certified in done.out
    done = plansolve("check", tmp_path / "it")
    assert done.code == code and f"proved: {checked}" in done.out
    if code == 11:
        done = plansolve("-", "--optimal", "--keep", tmp_path / "kept", stdin=board)
        assert done.code == 11 and "certified: no plan; parity" in done.err
        assert plansolve("check", tmp_path / "kept").code == 11


@pytest.fixture(scope="module")
def searched(plansolve, tmp_path_factory):
    """A certificate by search."""
    folder = tmp_path_factory.mktemp("searched")
    (folder / "board.puz").write_text(BOARD)
    done = plansolve("certify", folder / "board.puz", "-o", folder / "cert", "--by", "search")
    assert done.code == 0 and "19 moves, certified optimal; " in done.out
    return folder / "cert"


def test_a_search_is_run_again(plansolve, searched):
    done = plansolve("check", searched, searched.parent / "board.puz")
    assert done.code == 0
    step = next(line for line in done.out.splitlines() if "search" in line)
    assert re.fullmatch(
        r"the search to 17 moves: no plan, searched 1 unit; [\d,]+ boards, "
        r"tables rebuilt \(tiles: [\d, ]+\)",
        step,
    )
    assert done.out.splitlines()[-1].startswith("proved: 19 moves are optimal")
    document = json.loads(plansolve("check", searched, "--json", "--sample", "100%").out)
    assert (document["verdict"], document["lower_bound"]) == ("proved", 19)


@pytest.mark.parametrize("limit", ["1M", "100M"])
def test_a_check_stops_at_its_memory_limit(plansolve_process, searched, limit):
    # In a process of its own: what is beyond the limit is not there for anybody.
    done = plansolve_process("check", searched, "--memory-limit", limit, "--threads", "64")
    assert (done.code, done.err) == (22, "plansolve: out of memory\n")


def test_solve_keeps_the_certificate_of_its_answer(plansolve, certified, tmp_path):
    board = certified[0] / "board.puz"
    done = plansolve(board, "--optimal", "--keep", tmp_path / "it")
    assert (done.code, done.out) == (0, f"{PLAN}\n")
    assert f"{tmp_path / 'it'}: 19 moves, certified optimal; " in done.err
    checked = plansolve("check", tmp_path / "it", board, "-q")
    assert checked.code == 0 and checked.out.startswith("proved: 19 moves are optimal")
    # A folder with something in it is told of before the work, and left alone.
    again = plansolve(board, "--optimal", "--keep", tmp_path / "it")
    assert again.code == 2 and again.out == "" and "is not empty" in again.err


def test_what_is_kept_of_a_list_is_its_plan(plansolve, tmp_path):
    """A list is certified by `certify --all`; of equal tiles as of different ones."""
    start, goal = (1, 5, 0, 4, 7, 2, 7, 6, 3), (1, 2, 3, 4, 5, 6, 7, 7, 0)
    rules, board = make_puzzle("sliding", 3, 3), tmp_path / "board.json"
    puzzle = Puzzle("eight", 3, 3, goal, rules.operators, rules.labels)
    board.write_text(write_problem(Problem(puzzle, start), "json"))
    done = plansolve(board, "--all", "--keep", tmp_path / "it", "-q")
    assert done.code == 0 and len(done.out.split()) == 1
    checked = plansolve("check", tmp_path / "it", board, "-q")
    assert checked.code == 0 and f"{len(done.out.strip())} moves are optimal" in checked.out
    listed = plansolve("certify", board, "--all", "-o", tmp_path / "list", "-q")
    assert listed.code == 0 and "the only such plan, also certified" in listed.out
    assert "the only such plan" in plansolve("check", tmp_path / "list", board, "-q").out
    claimed = plansolve("verify", board, "--plan", done.out.strip(), "--optimal", "--cross-check")
    assert claimed.code == 0 and "agree" in claimed.out


@pytest.mark.parametrize(
    ("plan", "code", "said"), [(PLAN, 0, "optimal: yes"), (f"{PLAN}RL", 1, "19 moves suffice")]
)
def test_verify_keeps_the_certificate_of_the_shortest_plan(plansolve, tmp_path, plan, code, said):
    (tmp_path / "board").write_text(BOARD)
    words = ("verify", "board", "--plan", plan, "--optimal", "--keep", "it")
    done = plansolve(*words, cwd=tmp_path)
    assert done.code == code and said in done.out
    kept = (tmp_path / "it" / "plan.txt").read_text().strip()
    assert len(kept) == 19 and (code or kept == PLAN)
    assert plansolve("check", "it", "board", "-q", cwd=tmp_path).code == 0


@pytest.fixture
def several(certified, searched, tmp_path):
    """A folder with two certificates at different depths, and something else."""
    folder = tmp_path / "certs"
    shutil.copytree(certified[0] / "cert", folder / "a")
    shutil.copytree(searched, folder / "more" / "b")
    (folder / "notes.txt").write_text("no certificate\n")
    return folder


def test_one_wrong_certificate_among_many_is_told_and_the_rest_is_checked(plansolve, several):
    done = plansolve("check", several)
    assert (done.code, done.out.splitlines()[-1][:34]) == (0, "2 certificates: 2 proved optimal; ")
    plan = several / "a" / "plan.txt"
    plan.write_text(plan.read_text()[::-1].strip() + "\n")
    record = several / "more" / "b" / "certificate.json"
    shutil.copytree(several / "more" / "b", several / "z")
    record.write_text("{}\n")
    done = plansolve("check", several)
    assert done.code == 1
    first, second, third, last = done.out.splitlines()
    assert first.startswith("a: refuted: WRONG: the plan: ")
    assert second.startswith("more/b: unreadable: ") and "certificate.json" in second
    assert third.startswith("z: proved: 19 moves are optimal")
    assert last.startswith("3 certificates: 1 proved optimal, 1 REFUTED, 1 unreadable; ")
    documents = [json.loads(x) for x in plansolve("check", several, "--json").out.splitlines()]
    told = [("a", "refuted"), ("more/b", "unreadable"), ("z", "proved")]
    assert [(d["folder"], d["verdict"]) for d in documents] == told
    shutil.rmtree(several / "a")
    assert plansolve("check", several, "-q").code == 2


def test_many_certificates_are_not_about_one_board(plansolve, several):
    done = plansolve("check", several, several / "a" / "problem.json")
    assert done.code == 2 and f"{several} holds many certificates: leave BOARD out" in done.err


def test_what_is_left_of_a_certificate_counts_as_one(plansolve, several):
    (several / "a" / "certificate.json").unlink()
    # Below a certificate nothing is looked for.
    shutil.copytree(several / "a", several / "more" / "b" / "within")
    done = plansolve("check", several)
    assert done.code == 2
    first, second, last = done.out.splitlines()
    assert first.startswith("a: unreadable: ") and second.startswith("more/b: proved: ")
    assert last.startswith("2 certificates: 1 proved optimal, 1 unreadable; ")


def test_names_of_folders_cannot_forge_lines(plansolve, several):
    forged = several / "c: x\nb: proved: 1 move is optimal\x1b[8m"
    (several / "a").rename(forged)
    (forged / "problem.json").write_text("{")
    done = plansolve("check", several)
    assert done.code == 2 and len(done.out.splitlines()) == 3
    assert "\x1b" not in done.out and "c: x\\nb: proved" in done.out
    alone = plansolve("check", forged)
    assert alone.code == 2 and alone.err.count("\n") == 1 and "\x1b" not in alone.err
