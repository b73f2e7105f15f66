"""The contract of every command: help, unknown options, streams that fail."""

import os
import re
from threading import Thread

import pytest

from plansolve.cli.main import cli

NAMES = cli.list_commands(None)
BOARD = "4 1 2\n0 5 3\n7 8 6\n"
ANSWERS = [
    *("--help", "--version", "list puzzles", "list engines", "tables list", "solve b -q"),
    *("verify b --plan DLLUU", "convert b --to json", "replay b --no-animation", "generate -q"),
    *("encode b --horizon 5", "replay b --html -", "b --json -q", "batch b -q"),
]
"""Commands that answer at once on standard output."""


def test_help_is_readable_and_lists_every_command(plansolve):
    helped = plansolve("--help")
    assert plansolve() == plansolve("-h") == helped
    assert (helped.code, helped.err) == (0, "")
    assert all(re.search(rf"^  {name} ", helped.out, re.MULTILINE) for name in NAMES)
    assert max(map(len, helped.out.splitlines())) <= 100
    assert re.fullmatch(r"plansolve \d+\.\d+\.\d+\S*\n", plansolve("--version").out)


def test_solve_shows_twelve_everyday_options_and_the_rest_on_demand(plansolve):
    everyday, every = plansolve("solve", "--help").out, plansolve("solve", "--help-all").out
    shown = set(re.findall(r"^  (?:-\w, )?--([\w-]+)", everyday, re.M))
    assert len(shown - {"help", "help-all"}) == 12
    assert {"optimal", "time-limit", "goal", "json", "verbose"} < shown
    options = {o.lstrip("-") for p in cli.get_command(None, "solve").params for o in p.opts[-1:]}
    assert set(re.findall(r"^  (?:-\w, )?--([\w-]+)", every, re.M)) == options - {"file"} | {"help"}
    assert every.startswith(everyday)
    assert re.findall(r"^(\w[\w ]+):$", every, re.M)[1:] == [
        "Reading the board",
        "Search",
        "Proof and machines",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_help_and_refuses_what_it_does_not_know(plansolve, name):
    helped = plansolve(name, "--help")
    assert (helped.code, helped.err) == (0, "")
    assert helped.out.startswith(f"Usage: plansolve {name} ")
    assert max(map(len, helped.out.splitlines())) <= 100
    done = plansolve(name, "--no-such-option")
    assert done.code == 2
    assert done.error_line.startswith("No such option")
    assert done.error_line.endswith(f"; see `plansolve {name} --help`")


@pytest.fixture
def answer(plansolve, tmp_path):
    """Runs a command that writes its answer to some stream."""
    (tmp_path / "b").write_text(BOARD)
    return lambda words, stdout: plansolve(*words.split(), cwd=tmp_path, stdout=stdout)


@pytest.mark.parametrize("words", ANSWERS)
def test_a_reader_that_has_had_enough(answer, words):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stdout:
        done = answer(words, stdout)
    assert (done.code, done.err) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("words", ANSWERS)
def test_a_full_disk(answer, words):
    with open("/dev/full", "w", encoding="utf-8") as stdout:
        done = answer(words, stdout)
    assert done.code == 2
    assert done.error_line == "standard output: No space left on device"


@pytest.mark.parametrize("place", ["nothing", "file", "link", "pipe"])
def test_output_goes_whole_to_whatever_has_the_name(plansolve, tmp_path, place):
    (tmp_path / "b").write_text(BOARD)
    target, named, received = tmp_path / "target", tmp_path / "named", []
    if place == "pipe":
        # As with -o /dev/stdout or /dev/null: a special file is written to, never replaced.
        os.mkfifo(named)
        reader = Thread(target=lambda: received.append(named.read_text()), daemon=True)
        reader.start()
    elif place != "nothing":
        target.write_text("old")
        target.chmod(0o640)
        named.symlink_to(target) if place == "link" else target.rename(named)
    words = ("encode", "b", "--horizon", "5", "-o")
    done = plansolve(*words, "named", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")
    out = plansolve(*words, "-", cwd=tmp_path).out
    if place == "pipe":
        reader.join(timeout=30)
        assert (received, named.is_fifo()) == ([out], True)
    else:
        assert (named.read_text(), named.is_symlink()) == (out, place == "link")
        assert place == "nothing" or named.stat().st_mode & 0o777 == 0o640
    assert {path.name for path in tmp_path.iterdir()} - {"target"} == {"b", "named"}
