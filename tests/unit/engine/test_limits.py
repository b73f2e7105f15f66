"""Limits, Ctrl-C, cancelling and a killed child end a search early; the bounds stay."""

import os
import signal
from threading import Event, Thread

import pytest
from support.fixtures import cases
from support.fixtures.cases import make
from support.fixtures.processes import engine_processes
from support.fixtures.solving import HARD, SIMPLE, told

from plansolve.checker import check_plan
from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.limits import Limits
from plansolve.solvers.result import Status, StopReason


def already_set():
    cancel = Event()
    cancel.set()
    return cancel


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"time_limit": 1e-9}, StopReason.TIME),
        ({"cancel": already_set()}, StopReason.INTERRUPTED),
        ({"cancel": already_set(), "engine": "cnf"}, StopReason.INTERRUPTED),
        ({"cancel": already_set(), "plans": "all"}, StopReason.INTERRUPTED),
    ],
)
def test_what_is_over_before_it_begins_leaves_the_first_bound(options, reason):
    result = solve(HARD, optimal=True, **options)
    assert (result.status, result.stop_reason, result.plan) == (Status.UNKNOWN, reason, None)
    # Linear conflict proves some of the 80 moves, and their number is even.
    assert result.lower_bound == result.statistics.first_horizon in range(2, 81, 2)


def test_a_time_limit_in_the_midst_leaves_what_was_proved_until_then():
    events, progress = told()
    result = solve(HARD, engine="cnf", time_limit=1, progress=progress, optimal=True)
    assert result.stop_reason == StopReason.TIME
    # On a fast machine the beam beside it may have found a plan by then.
    assert result.status == (Status.UNKNOWN if result.plan is None else Status.FEASIBLE)
    assert result.lower_bound == events[-1].lower_bound <= 80
    assert engine_processes() == []


@pytest.mark.parametrize(
    ("roughly", "exactly", "is_full", "asked"),
    [(10, None, False, [False]), (11, 10, False, [False, True]), (12, 11, True, [False, True])],
)
def test_memory_is_told_exactly_only_where_that_decides(roughly, exactly, is_full, asked):
    questions = []

    def used(exact):
        questions.append(exact)
        return exactly if exact else roughly

    limits = Limits(deadline=None, memory=10, memory_poll=-1.0)
    assert limits.is_full(used) is is_full
    assert questions == asked


@pytest.mark.parametrize(
    ("problem", "kind"), [(HARD, "trying"), (HARD, "waiting"), (SIMPLE, "bound")]
)
def test_ctrl_c_ends_with_the_proved_bound(problem, kind):
    seen = []

    def progress(event):
        seen.append(event)
        if event.kind == kind:
            raise KeyboardInterrupt

    result = solve(problem, engine="cnf", progress=progress, optimal=True)
    assert result.stop_reason == StopReason.INTERRUPTED
    # Where the solver is slow, the beam beside it finds a plan before.
    assert result.status == (Status.UNKNOWN if seen[-1].upper_bound is None else Status.FEASIBLE)
    assert result.lower_bound == seen[-1].lower_bound
    assert engine_processes() == []


def test_ctrl_c_when_the_plan_is_told_does_not_lose_the_plan():
    def progress(event):
        if event.kind == "plan":
            raise KeyboardInterrupt

    result = solve(SIMPLE, progress=progress, optimal=True)
    assert result.length == 24
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)


def test_another_thread_cancels_and_gets_plan_and_bounds():
    cancel, results = Event(), []

    def progress(event):
        if event.upper_bound is not None and event.lower_bound >= 58:
            has_both.set()
            # However fast the search is, it is not done before.
            cancel.wait(60)

    has_both = Event()
    solving = Thread(
        target=lambda: results.append(
            solve(HARD, progress=progress, cancel=cancel, threads=2, optimal=True)
        )
    )
    solving.start()
    assert has_both.wait(60)
    cancel.set()
    solving.join(60)
    (result,) = results
    assert (result.status, result.stop_reason) == (Status.FEASIBLE, StopReason.INTERRUPTED)
    assert result.was_interrupted and result.explanation == "cancelled"
    assert 58 <= result.lower_bound <= 80 <= result.length
    assert check_plan(HARD, result.plan).solves
    assert engine_processes() == []


def test_cancel_ends_the_count_of_plans_with_what_was_counted():
    cancel = Event()

    def progress(event):
        if event.kind == "plan":
            cancel.set()

    puzzle = make("loopover", 3, 3)
    problem = Problem(puzzle, cases.scrambles(puzzle, 1, 12, 5)[0])
    result = solve(problem, plans="count", progress=progress, cancel=cancel, optimal=True)
    assert result.length and not result.is_every_plan
    assert result.was_interrupted


@pytest.mark.parametrize(
    ("number", "reason", "explanation"),
    [
        (signal.SIGTERM, StopReason.CRASH, "a child process ended unexpectedly, signal 15"),
        # How the kernel answers a want of memory.
        (signal.SIGKILL, StopReason.MEMORY, "memory ran out, or a child process was killed"),
    ],
)
def test_a_child_that_is_ended_from_outside_keeps_the_bounds(number, reason, explanation):
    def progress(event):
        if event.kind == "waiting":
            (child,) = engine_processes()
            os.kill(child.pid, number)

    result = solve(HARD, engine="cnf", progress=progress, optimal=True)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, reason)
    assert result.explanation == explanation
    assert result.lower_bound >= 58
    assert engine_processes() == []


def test_an_error_in_the_caller_s_progress_reaches_the_caller_and_ends_the_child():
    class Mine(Exception):
        pass

    def progress(event):
        raise Mine

    with pytest.raises(Mine):
        solve(SIMPLE, progress=progress, optimal=True)
    assert engine_processes() == []
