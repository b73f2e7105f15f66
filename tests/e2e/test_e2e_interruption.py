"""Signals in the middle of a hard proof: a quick end, the bounds, and nobody left behind."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest
from support.fixtures.waiting import is_over, wait_until

# Without perimeters the hard board takes SAT minutes.
SLOW = ("--engine", "cnf", "--lemmas", "distance,tile-blank,no-undo,waste-counter")
REFUTED = "horizon 40: refuted"
# The proof goes on for minutes; a search beside it may have found a plan.
GAVE_UP = re.compile(
    r"(?:gave up|(?P<length>\d+) moves, not proved shortest)"
    r"(?: \((?P<why>[^)]+)\))?(?:, no plan yet)?: "
    r"every plan has (?P<bound>\d+) (?:moves )?or more(?P<how>(?:, so .*)?; first .*)?; \d+\.\d s"
)


def check_bounds(run, reason, why, moves=(42, 54)):
    """Assert that the last line and the document tell the same bounds, and why the run ended."""
    assert "Traceback" not in run.error
    claim = GAVE_UP.fullmatch(run.error.splitlines()[-1])
    assert claim, run.error
    assert (claim["why"] or "").startswith(why)
    length = None if claim["length"] is None else int(claim["length"])
    result = json.loads(run.out)
    status = "unknown" if length is None else "feasible"
    assert (result["status"], result["stop_reason"]) == (status, reason)
    assert moves[0] <= result["lower_bound"] == int(claim["bound"]) <= moves[1]
    assert result["upper_bound"] == length
    assert result["statistics"]["refuted"][0] == 40


def send(run, way: str) -> None:
    if way == "group":
        os.killpg(run.process.pid, signal.SIGINT)
    else:
        run.process.send_signal(getattr(signal, way))


@pytest.mark.parametrize(
    ("way", "engine"),
    [
        ("SIGINT", "cnf"),
        ("group", "cnf"),
        ("again and again", "cnf"),
        ("SIGTERM", "cnf"),
        pytest.param("SIGHUP", "cnf", marks=pytest.mark.slow),
        pytest.param("SIGINT", "cp-sat", marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_the_run_with_bounds(start, hard_board, way, engine):
    """The proof would go on for minutes, longer than `end` waits."""
    options = SLOW if engine == "cnf" else ("--engine", engine)
    run = start(hard_board, *options, "--optimal", "-v", "--json")
    run.wait_for(REFUTED)
    child = run.wait_for_child()
    for _ in range(1 + 20 * (way == "again and again")):
        send(run, "SIGINT" if way == "again and again" else way)
    assert run.end() == 130
    assert is_over(child)
    check_bounds(run, "interrupted", "interrupted")


def test_a_signal_as_soon_as_the_child_is_there(start, hard_board):
    run = start(hard_board, *SLOW, "--optimal")
    child = run.wait_for_child()
    send(run, "SIGINT")
    assert run.end() == 130
    wait_until(lambda: is_over(child), "the end of the child")
    # Standard output is for a plan.
    assert "Traceback" not in run.error and len(run.out.splitlines()) in (0, 1)


def test_a_time_limit_during_the_encoding(start, large_board):
    run = start(large_board, *SLOW, "--goal", "blank-first", "--optimal", "--time-limit", "1")
    assert run.end() == 23
    told = r"gave up \(time limit reached\), no plan to blank-first yet: every plan has \d+ "
    assert re.match(told, run.error)


@pytest.mark.parametrize("limit", ["1M", "60M"])
def test_a_memory_limit(start, large_board, limit):
    options = ("--engine", "cnf", "--goal", "blank-first", "--optimal", "--json")
    run = start(large_board, *options, "--memory-limit", limit)
    child = run.wait_for_child()
    assert run.end() == 22
    assert is_over(child)
    # A search that began beside it on a slow machine is ended first, and that is told.
    gave_up = run.error.splitlines()[-1]
    result = json.loads(run.out)
    # It may even have found a plan.
    status, known = {
        True: ("unknown", "no plan to blank-first yet"),
        False: ("feasible", "not proved shortest"),
    }[result["plan"] is None]
    assert known in gave_up and "(memory limit reached)" in gave_up
    assert ": every plan has " in gave_up
    assert (result["status"], result["stop_reason"]) == (status, "memory")
    assert 60 < result["lower_bound"] <= 95


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
@pytest.mark.parametrize(
    ("engine", "is_busy"),
    [("cnf", True), ("cnf", False), pytest.param("cp-sat", True, marks=pytest.mark.slow)],
)
def test_the_child_ends_with_a_killed_parent(start, hard_board, engine, is_busy):
    options = SLOW if engine == "cnf" else ("--engine", engine)
    run = start(hard_board, *options, "--optimal", "-v")
    if is_busy:
        run.wait_for(REFUTED)
    child = run.wait_for_child()
    assert not is_over(child)
    run.process.kill()
    assert run.end() == -signal.SIGKILL
    wait_until(lambda: is_over(child), "the end of the child", seconds=10)
    assert "Traceback" not in run.error


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_child_that_has_just_started_ends_with_a_killed_parent(start, large_board):
    # The parent dies when its first horizon is on its way, and before the child has asked to be
    # ended with it. Such a formula would keep the child busy for minutes.
    run = start(large_board, "--optimal", "--encoding", "permutation", "--lemmas", "none")
    child = run.wait_for_child()
    # Until then the parent waits for the start of the child, and would wait for ever.
    wait_until(lambda: "processes.worker" in " ".join(child.cmdline()), "the child's own program")
    child.suspend()
    parent = psutil.Process(run.process.pid)
    sent = parent.num_ctx_switches().voluntary + 10
    wait_until(
        lambda: parent.num_ctx_switches().voluntary >= sent, "the parent, to wait for answers"
    )
    run.process.kill()
    run.process.wait()
    child.resume()
    try:
        wait_until(lambda: is_over(child), "the end of the child", seconds=10)
    finally:
        if not is_over(child):
            child.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has forks that share a formula")
@pytest.mark.parametrize(
    "victim",
    [
        "killed parent",
        "fork",
        pytest.param("interrupted parent", marks=pytest.mark.slow),
        pytest.param("worker", marks=pytest.mark.slow),
    ],
)
def test_processes_that_share_a_formula_end_with_the_others(start, hard_board, victim):
    run = start(hard_board, *SLOW, "--optimal", "-v", "--threads", "2")

    def is_fork(child):
        with suppress(psutil.NoSuchProcess):
            return child.ppid() != run.process.pid
        return False

    def forks():
        return list(filter(is_fork, run.children()))

    wait_until(lambda: len(forks()) == 2, "two processes for one formula")
    everybody = run.children()
    worker = forks()[0].parent()
    if victim == "interrupted parent":
        send(run, "SIGINT")
        expected = 130
    elif victim == "killed parent":
        run.process.kill()
        expected = -signal.SIGKILL
    else:
        # How a want of memory shows itself; a fork's work is done again, but not twice.
        expected = 22
        if victim == "worker":
            worker.kill()
        while victim == "fork" and run.process.poll() is None:
            with suppress(psutil.NoSuchProcess):
                for fork in forks():
                    fork.kill()
    assert run.end() == expected
    wait_until(lambda: all(map(is_over, everybody)), "the end of all processes", seconds=10)
    assert "Traceback" not in run.error


TAKES_SIGNALS = """
import ctypes, time
from plansolve.program import take_signals
mutex = bytes(64)
take_signals()
try:
    print(flush=True)
    {wait}
finally:
    {wait}
"""
WAITS = {
    "in a kernel": "while True: ctypes.CDLL(None).pthread_mutex_lock(mutex)",
    "on the way out": "time.sleep(600)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="other mutexes are not made of zeros")
@pytest.mark.parametrize(
    ("wait", "number"),
    [
        ("in a kernel", signal.SIGINT),
        ("on the way out", signal.SIGTERM),
        *(
            pytest.param(wait, number, marks=pytest.mark.slow)
            for wait, number in (
                ("in a kernel", signal.SIGHUP),
                ("in a kernel", signal.SIGTERM),
                ("on the way out", signal.SIGINT),
                ("on the way out", signal.SIGHUP),
            )
        ),
    ],
)
def test_a_signal_ends_what_runs_no_handler_or_does_not_come_to_its_end(wait, number):
    command = [sys.executable, "-c", TAKES_SIGNALS.format(wait=WAITS[wait])]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        process.stdout.readline()
        process.send_signal(number)
        try:
            assert process.wait(60) == 130
            assert process.stderr.read() == "plansolve: interrupted\n"
        finally:
            process.kill()


LOST_IN_A_CALLBACK = """
import ctypes, signal, sys
from plansolve.program import exit_code_of, take_signals

def run():
    take_signals()
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGTERM))()
    try:
        while True:
            pass
    finally:
        print("heard")

sys.exit(exit_code_of(run, "plansolve: "))
"""


def test_a_signal_that_a_callback_loses_is_raised_again():
    """As in numba, whose compiler calls Python back when it has made an object."""
    command = [sys.executable, "-c", LOST_IN_A_CALLBACK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (130, "heard\n")
    assert done.stderr == "plansolve: interrupted\n"


SIGNALLED_WHILE_IMPORTING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "plansolve.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from plansolve.__main__ import main
main()
"""


def test_a_signal_while_modules_are_imported_gives_one_line_too():
    command = [sys.executable, "-c", SIGNALLED_WHILE_IMPORTING, "list", "puzzles"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "plansolve: interrupted\n")
    # The code is the same where nobody can be told.
    shell = f"{shlex.join(command)} 2>&-"
    assert subprocess.run(["sh", "-c", shell], timeout=60).returncode == 130
    # A signal that a shell has had ignored stays ignored.
    shell = f"trap '' INT; {shlex.join(command)}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and "lloyd" in done.stdout
