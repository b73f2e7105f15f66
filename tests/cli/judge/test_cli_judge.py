"""`plansolve judge`: programs of several kinds, run for real, scored, ranked and reported."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.fixtures.judged import BOARDS, details, document, instance_set, verdicts
from support.fixtures.processes import command, environment
from support.fixtures.waiting import wait_until

PYTHON = shlex.quote(sys.executable)


def test_several_programs_are_scored_and_ranked(judge, programs, boards):
    names = ("longer", "illegal", "claims", "crash", "silent", "good")
    done = judge(
        programs[names[0]],
        boards,
        *(word for name in names[1:] for word in ("--against", programs[name])),
        "--json",
    )
    found = document(done)
    assert (done.code, found["complete"], found["all_optimal"]) == (1, True, False)
    assert [run["board"] for run in found["runs"]][:: len(names)] == sorted(BOARDS)
    assert verdicts(found) == {
        ("good", "one"): "optimal",
        ("good", "five"): "optimal",
        ("good", "odd"): "unsolvable, as said",
        ("longer", "one"): "longer",
        ("longer", "five"): "longer",
        ("longer", "odd"): "does not reach the goal",
        **{("illegal", board): "illegal" for board in BOARDS},
        ("claims", "one"): "wrongly called unsolvable",
        ("claims", "five"): "wrongly called unsolvable",
        ("claims", "odd"): "unsolvable, as said",
        **{("crash", board): "crashed" for board in BOARDS},
        **{("silent", board): "no output" for board in BOARDS},
    }
    ranking = [(p["rank"], p["program"], p["solved"], p["optimal"]) for p in found["programs"]]
    assert ranking[:3] == [(1, "good", 3, 3), (2, "longer", 2, 0), (3, "claims", 1, 1)]
    assert {p["program"]: p["mean_excess"] for p in found["programs"]} == {
        "good": 0, "longer": 2, "claims": None, "illegal": None, "crash": None, "silent": None
    }  # fmt: skip
    optima = {board["board"]: board["optimal_length"] for board in found["boards"]}
    assert optima == {name: length for name, (_, length) in BOARDS.items()}
    assert [len(b["plan"]) if b["plan"] else None for b in found["boards"]] == [5, None, 1]
    assert set(details(found, "crash")) == {"exit code 1: KeyError: '<img src=x onerror=alert(1)>'"}
    steps = {run["board"]: run["step"] for run in found["runs"] if run["program"] == "illegal"}
    assert steps == {"one": 3, "five": 2, "odd": 3}


def test_the_table_names_every_run_when_there_are_few(judge, programs, boards):
    done = judge(programs["good"], boards, "-q")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^ +1  good +3/3 +3/3 +0\.00 +\d", done.out, re.MULTILINE)
    assert re.search(r"^five +good +optimal .* 5 moves$", done.out, re.MULTILINE)
    assert re.search(r"^odd +good +unsolvable, as said .* parity: ", done.out, re.MULTILINE)


def test_many_runs_are_listed_on_request_alone(judge, tmp_path, monkeypatch):
    monkeypatch.setattr("plansolve.cli.judge._FEW_RUNS", 2)
    instance_set(tmp_path / "sets" / "tiny", [([[0, 1]], 1)] * 3)
    (tmp_path / "sets" / "README.md").write_text("about the sets")
    many = judge("echo L", tmp_path / "sets", "--jobs", "2")
    assert (many.code, many.out.count("\n"), many.err.count("echo on ")) == (0, 3, 3)
    assert many.out.endswith("\ngoal: blank-last\n")
    verbose = judge("echo L", tmp_path / "sets" / "tiny", "-qv")
    assert verbose.out.count("\n") == 2 + 2 + 3 + 1


def test_without_a_known_optimum_a_plan_is_legal_and_progress_goes_to_stderr(
    judge, tmp_path, programs
):
    # Its optimum is 19, and no lower bound tells that.
    board = tmp_path / "board.puz"
    board.write_text("1 8 2\n. 5 3\n6 7 4\n")
    done = judge(programs["good"], board, "--optimum-time-limit", "0", "--json")
    assert re.fullmatch(r"1/1 good on board: exited, \d+\.\d s\n", done.err)
    (run,), (known,) = document(done)["runs"], document(done)["boards"]
    assert (done.code, run["verdict"], run["length"]) == (1, "legal, optimum unknown", 19)
    assert known["optimal_length"] is None and known["lower_bound"] < 19
    assert run["detail"] == f"19 moves; every plan has {known['lower_bound']} or more"


def test_a_record_that_overstates_is_beaten_loudly(judge, tmp_path, programs):
    # The optimum is 5; who wrote the set says 7.
    folder = instance_set(tmp_path / "set", [([[4, 1, 2], [0, 5, 3], [7, 8, 6]], 7)])
    done = judge(programs["good"], folder, "-q", "--json")
    assert (done.code, verdicts(document(done))) == (4, {("good", "0"): "better than the record"})
    assert done.err == ("plansolve: 0: good: 5 moves, legal; the manifest wrongly says 7 or more\n")


def test_a_program_that_does_not_exist(judge, boards):
    for program, told in [
        ("./no-such-program {board}", "no such program: ./no-such-program"),
        ("python:no_such_module:solve", "there is no module 'no_such_module'"),
        ("no-such-program {board}", "no such program: no-such-program"),
        ("python3 no-such.py {board}", "no such program: no-such.py"),
        (f"{boards} {{board}}", f"not a program but a folder: {boards}"),
        (
            "cat {bord}",
            "'{bord}' in the command is not a placeholder: write {board} for the board's",
        ),
        ("cat {BOARD}", "'{BOARD}' in the command is not a placeholder"),
    ]:
        done = judge(program, boards / "five.puz")
        assert (done.code, done.out) == (2, "")
        assert told in done.error_line


def test_the_motion_of_the_blank_and_the_board_on_standard_input(judge, programs, boards):
    wrong = judge(programs["blank"], boards / "five.puz", "--json", "-q")
    (detail,) = details(document(wrong), "blank")
    assert (wrong.code, wrong.err) == (1, "")
    assert detail.endswith(
        "the plan is right if the letters name the motion of the blank: --moves blank"
    )
    right = judge(programs["blank"], boards / "five.puz", "--moves", "blank")
    note = "blank: no {board} in its command: it gets the board on standard input"
    assert (right.code, right.err.splitlines().count(note)) == (0, 1)
    given = (programs["blank"], boards / "five.puz", "--against", programs["good"], "--json", "-q")
    either = judge(*given, "--moves", "auto")
    told = {run["program"]: run["detail"] for run in document(either)["runs"]}
    letters = "5 moves; the letters name the motion of the"
    assert (either.code, told) == (0, {"blank": f"{letters} blank", "good": f"{letters} tile"})


def test_an_answer_in_a_file(judge, boards):
    """Output does not count then, and exit codes do."""
    writes = "'echo noise; echo L >out.txt; exit $1'"
    for code, verdict in ((0, "optimal"), (3, "optimal")):
        done = judge(f"a=sh -c {writes} sh {code}", boards / "one.puz", "--answer-file", "out.txt")
        assert done.code == 0 and f"{verdict} " in done.out
        assert ("exit code 3" in done.out) is (code == 3)
    for program, verdict, detail in (
        ("echo L", "no output", "no answer"),
        ("mkfifo out.txt", "timed out", "still running"),
        ("sh -c 'echo L >out.txt; kill -9 $$'", "optimal", "exit code 137"),
        ("ln -s /dev/zero out.txt", "output limit", "printed more"),
    ):
        given = (f"a={program}", boards / "one.puz", "--time-limit", "2", "--json", "-q")
        (run,) = document(judge(*given, "--answer-file", "out.txt"))["runs"]
        assert run["verdict"] == verdict and detail in run["detail"], run


def test_programs_that_nothing_isolates_are_warned_of(judge, boards):
    board, how = boards / "one.puz", ("--isolation", "process group", "--json")
    done = judge("echo L", board, *how)
    assert done.err.startswith("warning: PROGRAMS ARE NOT ISOLATED: they ")
    told = document(done)["isolation"]
    assert (told["name"], told["filesystem_protected"]) == ("process group", False)
    assert told["description"].startswith("PROGRAMS ARE NOT ISOLATED")
    assert judge("echo L", board, *how, "-q").err == ""


# What is wrong with the command line, told in one line.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["true"], "Missing argument 'INSTANCES...'"),
        (["true", "no-such-folder"], "no-such-folder: there is no such file or folder"),
        (["true", "empty"], "empty: a folder without board files"),
        (["true", "notes"], "notes/readme.txt: "),
        (["true", "boards", "--board-format", "png"], "unknown format 'png'"),
        (["true", "boards", "--jobs", "0"], "0 is not in the range x>=1"),
        (["true", "boards", "--time-limit", "soon"], "'soon' is not a duration"),
        (["true", "boards", "--html", "no/such/x.html"], "its folder does not exist"),
        (["true", "boards", "--csv", "boards"], "the name of a file is needed here"),
        (["true", "boards", "--html", "-"], "the name of a file is needed here"),
        (["a=true", "boards", "--against", "a=false"], "two programs are called 'a'"),
        (["true", "set", "--puzzle", "sliding"], "an instance set states its puzzle"),
        (["true", "wrong"], "wrong/manifest.json: line 1: not a JSON document"),
    ],
)
def test_wrong_input_gives_one_line(judge, tmp_path, boards, arguments, message):
    (tmp_path / "boards").symlink_to(boards)
    for folder in ("empty", "notes", "set", "wrong"):
        (tmp_path / folder).mkdir()
    (tmp_path / "notes" / "readme.txt").write_text("these are notes")
    (tmp_path / "set" / "manifest.json").write_text("{}")
    (tmp_path / "wrong" / "manifest.json").write_text("{")
    done = judge(*arguments, cwd=tmp_path)
    assert done.code == 2
    assert message in done.error_line


def test_boards_of_one_name_are_told_apart_by_their_paths(judge, programs, tmp_path, boards):
    text = (boards / "one.puz").read_text()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.puz").write_text(text)
    (tmp_path / "b" / "y.puz").write_text(text)
    done = judge(programs["good"], "a", "b", "--json", "-q", cwd=tmp_path)
    assert [board["board"] for board in document(done)["boards"]] == ["a/x", "b/x", "b/y"]


# Ctrl-C.


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_reports_what_there_is(tmp_path, boards, jobs):
    program = tmp_path / "stuck.py"
    # Solves the first board, and hangs on the others.
    program.write_text(
        "import sys, time\n"
        'if "4 1 2" in open(sys.argv[1]).read():\n    print("DLLUU")\n'
        "else:\n    time.sleep(1000)\n"
    )
    options = ["--jobs", jobs, "--time-limit", "1000", "--json", "--csv", tmp_path / "partial.csv"]
    process = subprocess.Popen(
        [*command(), "judge", f"p={PYTHON} {program} {{board}}", boards, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({"PLANSOLVE_CACHE_DIR": str(tmp_path / "cache")}),
    )
    try:
        assert process.stderr.readline().startswith("1/3 p on five: exited")
        wait_until(lambda: running("stuck.py") > 0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert err == "plansolve: interrupted: the report is not complete\n"
    found = json.loads(out)
    assert found["complete"] is False
    assert [(run["board"], run["length"]) for run in found["runs"]] == [("five", 5)]
    assert (tmp_path / "partial.csv").read_text().count("\n") == 2
    wait_until(lambda: running(str(program)) == 0)


def running(words):
    """Return how many processes have these words in their command line."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        found += words.encode() in line and b"judge" not in line and int(folder.name) != os.getpid()
    return found
