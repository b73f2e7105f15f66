"""The command `verify`: verdicts, exit codes, documents, and plan files of every kind."""

import json
import os
import signal
import subprocess
from contextlib import suppress
from itertools import chain, repeat
from threading import Thread

import pytest
from support.fixtures.processes import environment

BOARD = "1 8 2\n0 5 3\n6 7 4\n"
PLAN = "LDLURURDLULDRURDLUL"
OTHER = PLAN.translate(str.maketrans("UDLR", "DURL"))
# Of 80 moves, which a second does not prove.
FAR = "0 12 9 13\n15 11 10 14\n3 7 2 5\n4 8 6 1\n"
FAR_PLAN = "LLLUUURRDRDDLLLUUURRRDDLDLLUURRRDLDLLUURURDRDDLLUUURRDDDLLLUURRDDLLUUURRDDDLLUUU"


@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    (folder / "board.puz").write_text(BOARD)
    (folder / "far.puz").write_text(FAR)
    return folder


@pytest.fixture
def verify(plansolve, boards):
    def run(*arguments, **options):
        return plansolve("verify", *arguments, cwd=boards, **options)

    return run


def test_a_plan_that_is_called_optimal_and_is_not(verify, boards):
    """37 moves, as long as a well-known package's plan for this board; 19 suffice."""
    (boards / "long.txt").write_text("LR" * 9 + PLAN + "\n")
    done = verify("board.puz", "long.txt", "--optimal")
    assert done.code == 1
    verdict, _, shorter = done.out.rstrip("\n").rpartition(" ")
    told = "legal: yes - reaches the goal: yes - 37 moves"
    assert verdict == (f"{told} - optimal: NO, 18 more than the shortest; 19 moves suffice:")
    again = verify("board.puz", "--plan", shorter, "--optimal")
    assert (again.code, again.out) == (0, f"{RIGHT} - optimal: yes\n")
    # Without --optimal, the longer plan is as it should be.
    done = verify("board.puz", "long.txt")
    assert (done.code, done.out) == (0, f"{told}\n")


RIGHT = "legal: yes - reaches the goal: yes - 19 moves"
OUTPUT = f"moves so far: LDL\nboard\n1 8 2\n\x1b[1mSolution\x1b[0m: {PLAN} (20)\nNodes: 312\n"
ILLEGAL = """\
legal: NO, move 3: D cannot be made while the blank is in row 1 column 2; possible there: U L R \
- reaches the goal: NO, 1 of 8 tiles placed before move 3 - 3 moves
the board before move 3:
1 0 2
5 8 3
6 7 4"""
TAKEN = "taken from line 4; the text says 20 moves, the plan has 19; not taken: line 1 (3 moves)"
READ = "...right if the letters name the motion of the"
VERDICTS = [
    (f"board.puz --plan {PLAN}", "", 0, RIGHT),
    ("board.puz -", PLAN, 0, RIGHT),
    (f"- --plan {PLAN}", BOARD, 0, RIGHT),
    ("- --plan=", "1 2\n0 3\n", 1, "...right if the goal is snail: --goal snail"),
    ("board.puz --plan LDD", "", 1, ILLEGAL),
    (f"board.puz --plan {PLAN[:-1]} --optimal", "", 1, "...NO, 7 of 8 tiles placed - 18 moves"),
    (f"board.puz --plan {OTHER}", "", 1, f"{READ} blank: --moves blank"),
    (f"board.puz --plan {PLAN} --moves blank", "", 1, f"{READ} tile: --moves tile"),
    (
        f"board.puz --plan {PLAN} --goal snail",
        "",
        1,
        "...the goal is blank-last: --goal blank-last",
    ),
    (f"board.puz --plan {PLAN[::-1]}", "", 1, "...right if it is read backwards, last move first"),
    (f"board.puz --plan {OTHER[::-1]}", "", 1, "...it starts at the goal and ends at the board"),
    (
        f"board.puz --plan {OTHER} --goal snail",
        *("", 1, f"{READ} blank and the goal is blank-last: --moves blank --goal blank-last"),
    ),
    ("board.puz -", "LR" * 60_000, 1, "...was tried, since the plan has more than 100000 moves"),
    ("board.puz - --extract", OUTPUT, 0, f"{RIGHT}\n{TAKEN}"),
    (f"board.puz --plan {PLAN} --cross-check", "", 0, "...cross-check: cnf and idastar agree"),
    (
        f"far.puz --plan {FAR_PLAN} --cross-check --time-limit 0.5s -q",
        *("", 23, "...cross-check: not finished (cnf and idastar)"),
    ),
]


@pytest.mark.parametrize(
    ("words", "stdin", "code", "out"), VERDICTS, ids=[case[0] for case in VERDICTS]
)
def test_the_verdict(verify, boards, words, stdin, code, out):
    """If `out` begins with dots, it is the end of the output."""
    (boards / "plan.txt").write_text(PLAN)
    done = verify(*words.split(), stdin=stdin)
    assert done.code == code
    said = done.out.rstrip("\n")
    assert said.endswith(out[3:]) if out.startswith("...") else said == out


def test_other_text_needs_extract(verify):
    done = verify("board.puz", "-", stdin=OUTPUT)
    assert done.code == 2
    assert done.error_line.startswith("standard input: step 1: 's' (in 'so')")
    assert done.error_line.endswith("--extract finds a plan within other text")


def poured(pipe, data):
    """Make a pipe, as `<(...)` of a shell does; who reads it a second time gets nothing."""
    os.mkfifo(pipe)

    def pour():
        for content in chain([data], repeat(b"")):
            with suppress(OSError):
                pipe.write_bytes(content)

    Thread(target=pour, daemon=True).start()
    return pipe


def test_a_result_stands_for_board_and_plan(plansolve, tmp_path):
    result = tmp_path / "result.json"
    result.write_text(plansolve("-", "--json", "-q", stdin=BOARD).out)
    right = (0, f"{RIGHT}\n")
    document = json.loads(result.read_text())
    document["plans"] = [document["plan"]] * 6_000
    (tmp_path / "many.json").write_text(json.dumps(document))
    assert (tmp_path / "many.json").stat().st_size > 512 * 1024
    for given in (result, tmp_path / "many.json", poured(tmp_path / "a", result.read_bytes())):
        done = plansolve("verify", given)
        assert (done.code, done.out) == right
    shown = plansolve("replay", result, "--no-animation")
    assert shown.code == 0 and shown.out == plansolve("replay", result, result).out
    # What another command is given by a pipe is another board.
    other = plansolve("verify", poured(tmp_path / "b", b"1 2\n0 3\n"), "--plan", "L")
    assert other.out == "legal: yes - reaches the goal: yes - 1 move\n"


@pytest.mark.parametrize(
    ("text", "plan", "said"),
    [
        ('{"board": [[1, 2], [0, 3]]}', (), "as a file or with --plan"),
        (f'{{"board": [{"1," * 300_000}1]}}', ("--plan", "U"), "the input is larger than any"),
        ('{"plan": []}' * 2, (), "more follows its end"),
    ],
    ids=["no plan", "large", "two"],
)
def test_a_document_that_is_no_result(plansolve, tmp_path, text, plan, said):
    (tmp_path / "it.json").write_text(text)
    done = plansolve("verify", tmp_path / "it.json", *plan)
    assert done.code == 2 and said in done.error_line


@pytest.mark.parametrize("moves", ["tile", "blank"])
def test_results_of_solve_are_plan_files(verify, plansolve, boards, moves):
    solved = plansolve("solve", "board.puz", "--optimal", "--json", "--moves", moves, cwd=boards)
    done = verify("board.puz", "-", "--optimal", "--json", stdin=solved.out)
    assert done.code == 0
    document = json.loads(done.out)
    assert document["moves"] == moves
    assert document["plan"] == json.loads(solved.out)["plan"]
    assert (document["optimal"], document["length"]) == (True, 19)


def test_the_document_of_a_plan_that_is_not_optimal(verify):
    arguments = ("--plan", "LR" + PLAN, "--optimal", "--json", "--cross-check", "-q")
    done = verify("board.puz", *arguments)
    assert (done.code, done.err) == (1, "")
    document = json.loads(done.out)
    shorter = document["shorter_plan"]
    assert len(shorter) == 19 and verify("board.puz", "--plan", "".join(shorter)).code == 0
    assert document["seconds"] > 0 and document["lower_bound_by"]
    known = {
        "goal_name": "blank-last",
        "length": 21,
        "plan": list("LR" + PLAN),
        "confirmed": False,
        "legal": True,
        "first_bad_step": None,
        "reaches_goal": True,
        "placed": 8,
        "tiles": 8,
        "penalty": 0,
        "least_penalty": None,
        "optimal": False,
        "losing_step": 2,
        "lower_bound": 19,
        "upper_bound": 19,
        "stop_reason": "solved",
        "lighter_plan": None,
        "other_readings": [],
        "extracted_from": None,
        "rests_on": [],
    }
    assert {key: document[key] for key in known} == known
    assert document["cross_check"] == {
        "engines": ["cnf", "idastar"],
        "agreed": True,
        "length": 19,
        "bounds": [[19, 19], [19, 19]],
    }


def test_the_document_of_an_illegal_plan(verify):
    text = f"Solution found in 20 moves:\n{OTHER}\nTime: 1 s\n"
    done = verify("board.puz", "-", "--json", "--optimal", "--extract", stdin=text)
    assert done.code == 1
    document = json.loads(done.out)
    assert document["first_bad_step"] == {
        "step": 1,
        "move": "R",
        "board": [[1, 8, 2], [0, 5, 3], [6, 7, 4]],
        "reason": "R cannot be made while the blank is in row 2 column 1; possible there: U D L",
    }
    assert document["other_readings"] == [
        {
            "text": "the plan is right if the letters name the motion of the blank: --moves blank",
            "moves": "blank",
            "goal": None,
            "order": "forward",
        }
    ]
    assert document["extracted_from"] == {"lines": [2, 2], "stated_length": 20, "not_taken": []}
    assert (document["legal"], document["reaches_goal"], document["confirmed"]) == (False,) * 3
    unknown = ("optimal", "shorter_plan", "losing_step", "lower_bound", "cross_check")
    assert {document[key] for key in unknown} == {None}


def test_transports_are_counted(verify):
    """A shortest plan with 4 transports, where 2 suffice at the same length."""
    board, plan = "C+G\nBFD\nEHA\n", "tldrrutlurrtldrrtul"
    done = verify("-", "--plan", plan, "--optimal", stdin=board)
    assert done.code == 0
    verdict, lighter = done.out.splitlines()
    assert verdict == (
        "legal: yes - reaches the goal: yes - 19 moves - 4 t (2 suffice) - optimal: yes"
    )
    told, _, better = lighter.rpartition(" ")
    assert told == "same length, smaller penalty:"
    assert (len(better), better.count("t")) == (19, 2)
    done = verify("-", "--plan", better, "--optimal", stdin=board)
    assert "19 moves - 2 t (the fewest) - optimal: yes" in done.out
    assert "19 moves - 2 t\n" in verify("-", "--plan", better, stdin=board).out


def test_when_time_runs_out_the_bound_is_told(verify):
    done = verify("far.puz", "--plan", FAR_PLAN, "--optimal", "--time-limit", "0.3")
    assert done.code == 23
    known, _, most = done.out.rstrip("\n").rpartition(", so this one has at most ")
    head, _, bound = known.rpartition("every plan has ")
    assert head == (
        "legal: yes - reaches the goal: yes - 80 moves - optimal: not decided (time limit "
        "reached), "
    )
    lower = int(bound.removesuffix(" or more"))
    assert 58 <= lower <= 80 and most == f"{80 - lower} more than the shortest"


def test_an_interruption_leaves_the_bounds(talkative_command_line, boards):
    with subprocess.Popen(
        [*talkative_command_line, "verify", "far.puz", "--plan", FAR_PLAN, "--optimal", "--json"],
        cwd=boards,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # Once an engine is at work it says so; the proof then takes ten seconds more.
        while "every plan has" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    document = json.loads(out)
    assert (document["optimal"], document["stop_reason"]) == (None, "interrupted")
    assert 58 <= document["lower_bound"] <= 80 == document["upper_bound"]
