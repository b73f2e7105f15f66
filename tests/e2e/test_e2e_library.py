"""`solve` as a library: in threads, beside itself, and without a trace."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from plansolve.checker import check_plan
from plansolve.formats import read_problem
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.processes.workers import shared_workers
from plansolve.solvers.result import Status, StopReason

SEEDS = Path(__file__).parents[2] / "instances" / "seeds"


def seed(name: str, **options):
    return read_problem((SEEDS / name).read_text(), **options)


@pytest.fixture(autouse=True)
def no_child_is_left_behind():
    before = {child.pid for child in psutil.Process().children()}
    yield
    shared_workers().end()
    assert {child.pid for child in psutil.Process().children()} <= before


def check(problem, result, length: int) -> None:
    assert (result.status, result.length, result.lower_bound) == (Status.OPTIMAL, length, length)
    assert check_plan(problem, result.plan).solves


@pytest.mark.slow
def test_two_at_once():
    boards = [(seed("lloyd.txt"), 9), (seed("2023.txt"), 4), (seed("simple.puz"), 24)]
    barrier = threading.Barrier(2)

    def work(mine):
        barrier.wait(timeout=60)
        return [solve(problem, optimal=True) for problem, _ in mine]

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.submit(work, boards), pool.submit(work, boards[::-1])
        results = [one.result(timeout=120), other.result(timeout=120)[::-1]]
    for solved in results:
        for (problem, length), result in zip(boards, solved, strict=True):
            check(problem, result, length)


def test_a_limit_in_one_thread_does_not_touch_the_other(hardest_board):
    hard, easy = read_problem(hardest_board.read_text()), seed("simple.puz")
    with ThreadPoolExecutor(2) as pool:
        limited = pool.submit(solve, hard, optimal=True, engine="cnf", time_limit=0.7)
        for _ in range(3):
            check(easy, solve(easy, optimal=True), 24)
        result = limited.result(timeout=120)
    assert (result.status, result.stop_reason) == (Status.UNKNOWN, StopReason.TIME)
    assert 58 <= result.lower_bound <= 80


def test_streams_and_descriptors_are_left_alone(capfd):
    process = psutil.Process()
    solve(seed("fifteen.puz"), optimal=True)
    shared_workers().end()
    before = process.num_fds()
    solve(seed("fifteen.puz"), optimal=True)
    shared_workers().end()
    assert process.num_fds() <= before
    assert tuple(capfd.readouterr()) == ("", "")
