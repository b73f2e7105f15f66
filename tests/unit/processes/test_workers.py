"""Processes of engines: many boards, children that are kept, and searches that give up."""

import queue
import sys
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from support.fixtures.cases import distance_table, make
from support.fixtures.processes import engine_processes, hold_with_forks
from support.fixtures.solving import board, in_order

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Operator, Puzzle
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.engine.solve_many import solve_many
from plansolve.solvers.processes.call import Call
from plansolve.solvers.processes.workers import Workers
from plansolve.solvers.result import Status


def test_many_boards():
    puzzle, table = make("sliding", 2, 3), distance_table("sliding", 2, 3)
    starts = Random(8).sample(sorted(table), 12)
    problems = [Problem(puzzle, start) for start in starts]
    results = in_order(problems, solve_many(problems, engine="idastar", parallel=2))
    assert [result.length for result in results] == [table[start] for start in starts]
    assert engine_processes() == []


def test_workers_are_used_again_and_end_with_their_context():
    problem = board(make("sliding", 2, 3), 12)
    with Workers() as workers:
        solve(problem, engine="idastar", workers=workers)
        first = {child.pid for child in engine_processes()}
        solve(problem, engine="idastar", workers=workers)
        assert {child.pid for child in engine_processes()} == first
        assert len(first) == 1
    assert engine_processes() == []


def test_a_child_that_died_while_it_was_idle_is_replaced():
    problem = board(make("sliding", 2, 3), 12)
    with Workers() as workers:
        first = solve(problem, engine="idastar", workers=workers)
        for child in engine_processes():
            child.kill()
            child.wait(10)
        second = solve(problem, engine="idastar", workers=workers, time_limit=60)
    assert second.status == first.status == Status.OPTIMAL


def test_a_child_that_gives_way_is_not_used_again():
    with Workers() as workers:
        child = workers.take()
        (process,) = engine_processes()
        before = process.nice()
        child.give_way()
        assert process.nice() >= max(before, 10)
        group = Path(f"/proc/{process.pid}/autogroup")
        if group.exists() and (text := group.read_text()):
            assert text.split()[-1] == "10"
        workers.give_back(child)
        assert not child.is_alive
        another = workers.take()
        workers.give_back(another)
        assert another is not child


def test_children_outlive_the_threads_that_used_them():
    problem = board(make("sliding", 2, 3), 12)
    results = []
    with Workers() as workers:
        for _ in range(2):
            thread = Thread(
                target=lambda: results.append(
                    solve(problem, engine="idastar", workers=workers, time_limit=60)
                )
            )
            thread.start()
            thread.join()
    assert [result.status for result in results] == [Status.OPTIMAL] * 2


def test_the_cheaper_of_two_moves_with_the_same_effect_is_taken():
    operators = [
        Operator(f"{letter}{a}", ((a, b), (b, a)), a, penalty)
        for letter, penalty in (("x", 5), ("y", 1))
        for a, b in ((0, 1), (1, 0), (1, 2), (2, 1))
        if letter == "x" or (a, b) != (1, 0)
    ]
    operators = [
        Operator(f"{o.name}{o.moves[0][1]}", o.moves, o.blank, o.penalty) for o in operators
    ]
    puzzle = Puzzle("twins", 1, 3, (1, 2, 0), tuple(operators), tuple("012"))
    result = solve(Problem(puzzle, (0, 1, 2)), engine="idastar")
    assert (result.plan, result.penalty) == (("y01", "y12"), 2)
    assert result.is_least_penalty


def test_a_search_that_gives_up_counts_nothing_as_complete():
    # The tables of so large a board do not fit.
    puzzle = make("sliding", 30, 30)
    start = list(puzzle.goal)
    start[-1], start[-2] = start[-2], start[-1]
    result = solve(
        Problem(puzzle, tuple(start)), plans="count", max_horizon=1, memory_limit=110 << 20
    )
    assert not (result.status == Status.OPTIMAL and result.is_every_plan and not result.plan_count)


def test_with_a_largest_horizon_any_plan_within_it_is_enough():
    problem = Problem(make("sliding", 4, 4), (0, 12, 9, 13, 15, 11, 10, 14, 3, 7, 2, 5, 4, 8, 6, 1))
    result = solve(problem, max_horizon=400, optimal=False)
    assert result.length <= 400
    assert result.status in (Status.FEASIBLE, Status.OPTIMAL)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells what forks share")
def test_what_forks_share_counts_once_where_memory_is_told_exactly():
    size, inbox = 64 << 20, queue.SimpleQueue()
    with Workers() as workers:
        child = workers.take()
        try:
            before = child.memory(exactly=True)
            child.attach(inbox)
            child.send(Call(hold_with_forks, (size, 3), tells=True))
            assert inbox.get(timeout=60) == (child, ("told", "they hold it"))
            assert child.memory(exactly=False) >= 4 * size
            assert size <= child.memory(exactly=True) < before + 2 * size
        finally:
            child.end()
