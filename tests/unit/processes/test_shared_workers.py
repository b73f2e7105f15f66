"""The processes that calls of `solve` share: used again, never by two programs, ended with one."""

import asyncio
import json
import os
import queue
import subprocess
import sys

import psutil
import pytest
from support.fixtures.processes import engine_processes, kept_pids

from plansolve.formats import read_problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.processes.child import Child
from plansolve.solvers.processes.shared_workers import shared_workers

BOARD = read_problem("4 1 2\n. 5 3\n7 8 6")


@pytest.fixture(autouse=True)
def _nobody_is_idle():
    shared_workers().end()


def kept():
    own = {
        child.pid
        for child in psutil.Process().children()
        if "processes.worker" in " ".join(child.cmdline())
    }
    return own - kept_pids()


def test_the_next_call_uses_the_process_of_the_one_before():
    assert solve(BOARD).length == 5
    first = kept()
    assert len(first) == 1
    assert solve(BOARD).length == 5
    assert kept() == first
    assert engine_processes() == []
    shared_workers().end()
    assert kept() == set()


def test_inside_a_running_event_loop():
    async def cell():
        return solve(BOARD).length, solve(BOARD).length

    assert asyncio.run(cell()) == (5, 5)
    assert len(kept()) == 1


@pytest.mark.parametrize("change", ["environment", "folder", "path"])
def test_a_process_that_sees_something_else_is_not_used_again(monkeypatch, tmp_path, change):
    solve(BOARD)
    first = kept()
    if change == "environment":
        monkeypatch.setenv("PLANSOLVE_TEST", "1")
    elif change == "folder":
        monkeypatch.chdir(tmp_path)
    else:
        monkeypatch.syspath_prepend(tmp_path)
    solve(BOARD)
    assert len(kept()) == 1
    assert kept().isdisjoint(first)


def test_neither_a_large_nor_a_dead_nor_a_waiting_process_is_kept(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Child, "own_memory", lambda self: 1 << 40)
        solve(BOARD)
        assert kept() == set()
    solve(BOARD)
    (pid,) = kept()
    process = psutil.Process(pid)
    process.kill()
    process.wait(60)
    assert solve(BOARD).length == 5
    (child,) = shared_workers()._idle
    child.idle_since -= 3600
    before = kept()
    assert solve(BOARD).length == 5
    assert len(kept()) == 1
    assert kept().isdisjoint(before)


def test_a_process_that_nobody_needs_ends_by_itself():
    inbox = queue.SimpleQueue()
    child = Child(0.01)
    child.attach(inbox)
    assert inbox.get(timeout=60) == (child, None)
    child.end()


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
