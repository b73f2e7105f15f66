"""Child processes: calls, memory, children that are used again, and none that outlives its work."""

import asyncio
import json
import math
import operator
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from threading import Event, Thread

import psutil
import pytest
from support.fixtures.cases import make
from support.fixtures.processes import HoldWithForks, engine_processes, kept_pids
from support.fixtures.solving import board

from plansolve.errors import InternalError, OptionError
from plansolve.formats import read_problem
from plansolve.puzzles.registry import make_puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import CutShort, Limits
from plansolve.solvers.processes.child import Child
from plansolve.solvers.processes.workers import Workers, call_in_child, shared_workers
from plansolve.solvers.result import Status, StopReason

BOARD = read_problem("4 1 2\n. 5 3\n7 8 6")
SIX = board(make("sliding", 2, 3), 12)


@pytest.fixture(autouse=True)
def _no_process_is_left():
    shared_workers().end()
    before = set(engine_processes(recursive=True))
    yield
    assert set(engine_processes(recursive=True)) <= before


def shared():
    """The processes that are idle until the next call of `solve`."""
    own = {
        child.pid
        for child in psutil.Process().children()
        if "processes.worker" in " ".join(child.cmdline())
    }
    return own - kept_pids()


def ends(pid, seconds=10):
    """Return True if a process ends within so many seconds."""
    until = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


# Calls


def test_the_value_of_a_call_comes_back_whatever_it_is():
    assert call_in_child(math.gcd, 12, 18, limits=Limits()) == 6
    assert call_in_child(list.append, [], 1, limits=Limits()) is None
    assert isinstance(call_in_child(ValueError, "a value", limits=Limits()), ValueError)
    assert call_in_child(os.getpid, limits=Limits()) != os.getpid()
    large = bytes(1 << 20)  # more than a pipe holds
    assert call_in_child(bytes.upper, large, limits=Limits()) == large


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ((make_puzzle, "chess", 3, 3), OptionError, "unknown puzzle 'chess'"),
        ((operator.truediv, 1, 0), InternalError, "ZeroDivisionError"),
        ((os._exit, 3), CutShort, "exit code 3"),
        ((eval, "lambda: 0"), InternalError, "pickle"),
        ((len, Event()), TypeError, "pickle"),
    ],
    ids=["of ours", "another", "death", "value that cannot be sent", "what cannot be sent"],
)
def test_a_call_fails_with_the_error_of_its_function(call, error, message):
    with pytest.raises(error, match=message):
        call_in_child(*call, limits=Limits())


def test_a_limit_ends_the_call():
    cancel = Event()
    cancel.set()
    for limits, reason in (
        (Limits(deadline=time.monotonic() + 0.3), StopReason.TIME),
        (Limits(cancel=cancel), StopReason.INTERRUPTED),
    ):
        with pytest.raises(CutShort) as caught:
            call_in_child(time.sleep, 3600, limits=limits)
        assert caught.value.reason == reason


# Children that are used again


def test_workers_are_used_again_and_end_with_their_context():
    results = []
    with Workers() as workers:
        for _ in range(2):
            # Children outlive the threads that used them.
            work = partial(solve, SIX, engine="idastar", optimal=True, workers=workers)
            thread = Thread(target=lambda work=work: results.append(work()))
            thread.start()
            thread.join()
            (child,) = engine_processes()
        child.kill()
        child.wait(60)
        results.append(solve(SIX, engine="idastar", workers=workers, optimal=True))
        (another,) = engine_processes()
    assert another.pid != child.pid
    assert engine_processes() == []
    assert [result.status for result in results] == [Status.OPTIMAL] * 3


def test_the_next_call_uses_the_process_of_the_one_before():
    async def cell():
        return solve(BOARD, optimal=True).length, solve(BOARD, optimal=True).length

    assert asyncio.run(cell()) == (5, 5)
    first = shared()
    assert len(first) == 1
    assert solve(BOARD, optimal=True).length == 5
    assert shared() == first
    assert engine_processes() == []
    shared_workers().end()
    assert shared() == set()


@pytest.mark.parametrize("change", ["environment", "folder", "path", "idle", "dead"])
def test_a_process_is_not_used_again_where(monkeypatch, tmp_path, change):
    solve(BOARD, optimal=True)
    (first,) = shared()
    (child,) = shared_workers()._idle
    if change == "environment":
        monkeypatch.setenv("PLANSOLVE_TEST", "1")
    elif change == "folder":
        monkeypatch.chdir(tmp_path)
    elif change == "path":
        monkeypatch.syspath_prepend(tmp_path)
    elif change == "idle":
        child.idle_since -= 3600
    else:
        psutil.Process(first).kill()
        psutil.Process(first).wait(60)
    assert solve(BOARD, optimal=True).length == 5
    assert len(shared()) == 1
    assert first not in shared()


@pytest.mark.parametrize("reason", ["it has given way", "it is large", "there are enough"])
def test_a_process_is_not_kept_where(monkeypatch, reason):
    workers = shared_workers()
    child = workers.take()
    if reason == "it has given way":
        process = psutil.Process(child._process.pid)
        before = process.nice()
        child.give_way()
        assert process.nice() >= max(before, 10)
    elif reason == "it is large":
        monkeypatch.setattr(Child, "own_memory", lambda self: 1 << 40)
    else:
        monkeypatch.setattr(workers, "_idle", [None] * 1000)
    idle = len(workers._idle)
    workers.give_back(child)
    assert not child.is_alive
    assert len(workers._idle) == idle
    monkeypatch.undo()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells what forks share")
def test_what_forks_share_counts_once_in_the_exact_figure():
    size = 64 << 20
    child = Child()
    try:
        before = child.memory(exactly=True)
        child.send(HoldWithForks(size, 3))
        assert child.receive() == "they hold it"
        assert child.memory(exactly=False) >= 4 * size
        assert size <= child.memory(exactly=True) < before + 2 * size
        forks = psutil.Process(child._process.pid).children()
    finally:
        child.end()
    assert len(forks) == 3 and all(ends(fork.pid) for fork in forks)


# The end


def test_a_process_that_nobody_needs_ends_by_itself():
    child = Child(0.01)
    assert child.receive() is None
    child.end()
    # So does one that is lost, as when Ctrl-C comes while it starts.
    pid = Child()._process.pid
    assert ends(pid, seconds=1)


KILLED = """
import os, psutil, re, time
from plansolve.solvers.processes.child import Child
from plansolve.solvers.processes.worker import Call

child = Child()
child.send(Call(int, ()))
child.receive()
process = psutil.Process(child._process.pid)
until = process.cpu_times().user + 0.5
# It does not give up the interpreter's lock for hours.
child.send(Call(re.match, ("(a+)+$", "a" * 60 + "b")))
forked = os.fork()
if forked == 0:
    time.sleep(60)
    os._exit(0)
while process.cpu_times().user < until:
    time.sleep(0.01)
print(process.pid, forked, flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child that is busy")
def test_a_busy_child_ends_with_its_killed_parent_whatever_forks_there_are():
    command = [sys.executable, "-W", "ignore", "-c", KILLED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        pid, forked = map(int, parent.stdout.readline().split())
        try:
            assert psutil.Process(pid).is_running()
            parent.kill()
            parent.wait()
            assert ends(pid)
        finally:
            for left in pid, forked:
                with suppress(psutil.NoSuchProcess):
                    psutil.Process(left).kill()


PROGRAM = """
import json, os, sys, threading, psutil
import plansolve

def pids():
    return [child.pid for child in psutil.Process().children()]

def solved():
    return plansolve.solve("4 1 2 . 5 3 7 8 6").length

report = {"first": solved(), "children": pids()}
reading, writing = os.pipe()
if os.fork() == 0:
    length = solved()
    os.write(writing, json.dumps({"fork": length, "own": pids()}).encode())
    sys.exit()  # with all that is registered for the end
os.wait()
report |= json.loads(os.read(reading, 4096))
report |= {"second": solved(), "kept": pids()}

def last():
    threading.main_thread().join()
    report["last"] = solved()
    print(json.dumps(report))

threading.Thread(target=last).start()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_forks_threads_and_the_end_of_the_program():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, timeout=120
    )
    assert run.stderr == ""
    report = json.loads(run.stdout)
    assert {report[key] for key in ("first", "fork", "second", "last")} == {5}
    assert report["kept"] == report["children"]
    assert len(report["children"]) == len(report["own"]) == 1
    assert report["own"] != report["children"]
    for pid in report["children"] + report["own"]:
        assert not psutil.pid_exists(pid)
