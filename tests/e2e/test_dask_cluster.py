"""A real Dask cluster on loopback: a scheduler and two workers, each a process of its own."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import psutil
import pytest
from support.fixtures.processes import command
from support.fixtures.units import Square, leave_number
from support.fixtures.waiting import wait_until

import plansolve
from plansolve.errors import EngineError
from plansolve.formats.json_document import problem_text
from plansolve.instances.instance_set import load_instance_set
from plansolve.solvers.units.executors import open_executor
from plansolve.solvers.units.team import Team

dask = pytest.importorskip("plansolve.solvers.units.dask")
ROOT = Path(__file__).parents[2]
SECONDS = 90.0
# 80 moves: its last rounds are large enough to be cut into units.
HARDEST = ROOT / "instances" / "fifteen-hardest"


class Cluster:
    """The processes of a cluster, and where its scheduler listens."""

    def __init__(self, cache, workers=2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        self._environment = {**os.environ, "PYTHONPATH": path, "PLANSOLVE_CACHE_DIR": str(cache)}
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"
        )
        wait_until(self._listens)
        self.workers = [self.worker() for _ in range(workers)]

    @property
    def executor(self):
        return f"dask://127.0.0.1:{self.port}"

    def worker(self):
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny")
        return self._start("worker", f"127.0.0.1:{self.port}", *options)

    def _start(self, *words):
        program = "import sys; from distributed.cli import dask_scheduler, dask_worker as w; "
        program += "(dask_scheduler if sys.argv.pop(1) == 'scheduler' else w).main()"
        return subprocess.Popen(
            [sys.executable, "-c", program, *words],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture
def cache(tmp_path_factory):
    from plansolve.storage.folder import cache_folder

    return cache_folder()


@pytest.fixture
def cluster(cache):
    made = Cluster(cache)
    yield made
    made.end()


@pytest.fixture
def no_workers(cache):
    made = Cluster(cache, 0)
    yield made
    made.end()


def units_in(store):
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        return connection.execute("SELECT count(*) FROM units").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


class OtherHere:
    """A function that gives another version here, and the right one where it is sent to."""

    def __call__(self, name):
        return "99.0"

    def __reduce__(self):
        return getattr, (metadata, "version")


def solved_alone(board, store):
    """The result of one process with the tables of each round in the store, and none of its units.

    Larger tables are built where a machine is slow enough for them to pay, with fewer nodes.
    """
    with sqlite3.connect(store) as connection:
        connection.execute("DELETE FROM units")
    return plansolve.solve(board, engine="idastar", executor="local:1", store=store, optimal=True)


def command_with(cluster, name, board, *options):
    arguments = [name, str(board), "--optimal", "--executor", cluster.executor, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*command(), *arguments], **pipes)


def started(cluster, board, store):
    options = ("--engine", "idastar", "--json", "--store", str(store))
    return command_with(cluster, "solve", board, *options)


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "board.json"
    path.write_text(problem_text(load_instance_set(HARDEST).instances[0].problem))
    return path


def test_units_and_boards_have_the_same_answers_and_each_worker_is_prepared(cluster, tmp_path):
    with open_executor(cluster.executor) as executor:
        wait_until(lambda: executor.width() == 2)
        executor.prepare(leave_number, str(tmp_path))
        answers = Team(executor).each(Square(n) for n in range(50))
        found = sorted(done.answer for done in answers if done is not None)
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    assert found == [n * n for n in range(50)]
    assert {path.name for path in tmp_path.iterdir()} == {str(w.pid) for w in cluster.workers}
    boards = [[[4, 1, 2], [0, 5, 3], [7, 8, 6]], [[1, 2], [0, 3]]]
    results = plansolve.solve_many(boards, executor=cluster.executor, optimal=True)
    assert sorted(result.length for result in results) == [1, 5]


@pytest.mark.slow
def test_a_killed_worker_changes_neither_plan_nor_nodes(cluster, board, tmp_path):
    store = tmp_path / "a.sqlite"
    process = started(cluster, board, store)
    wait_until(lambda: units_in(store) >= 3)
    cluster.workers[0].send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    result, alone = json.loads(out), solved_alone(board, store)
    assert (result["status"], result["plan"]) == ("optimal", [*alone.plan])
    nodes = result["statistics"]["counts"]["idastar"]["nodes"]
    assert nodes == alone.statistics.counts["idastar"]["nodes"]


@pytest.mark.slow
def test_a_lost_scheduler_leaves_bounds_and_the_proof_goes_on_elsewhere(cluster, board, tmp_path):
    store = tmp_path / "a.sqlite"
    process = started(cluster, board, store)
    wait_until(lambda: units_in(store) >= 3)
    cluster.scheduler.send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=SECONDS)
    found = json.loads(out)
    assert (process.returncode, found["stop_reason"]) == (12, "lost")
    assert found["lower_bound"] > found["statistics"]["initial_bound"]
    assert f"gave up ({cluster.executor}: the scheduler is lost" in err.splitlines()[-1]
    assert "Traceback" not in err
    kept = units_in(store)
    assert kept >= 3
    result = plansolve.solve(board, engine="idastar", executor="local:2", store=store, optimal=True)
    counts = result.statistics.counts["idastar"]
    assert result.length == 80
    assert counts["units_from_store"] == kept
    assert counts["nodes"] == solved_alone(board, store).statistics.counts["idastar"]["nodes"]


def test_workers_with_another_plansolve_are_told_and_nothing_is_left_open(cluster, monkeypatch):
    clients, make = [], dask.distributed.Client

    def client(*arguments, **options):
        clients.append(make(*arguments, **options))
        return clients[-1]

    monkeypatch.setattr(dask.distributed, "Client", client)
    with open_executor(cluster.executor) as executor:
        wait_until(lambda: executor.width() == 2)
    monkeypatch.setattr(dask, "version", OtherHere())
    with pytest.raises(EngineError, match=r"has plansolve .*, not 99\.0"):
        open_executor(cluster.executor)
    assert [client.status for client in clients] == ["closed"] * 2


@pytest.mark.slow
def test_a_cluster_of_its_own_is_closed_where_its_check_fails(monkeypatch):
    monkeypatch.setattr(dask, "version", OtherHere())
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with pytest.raises(EngineError, match=r"has plansolve .*, not 99\.0"):
        open_executor("dask-local:1")
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    # What is left is Python's own server of processes.
    assert len(after - before) <= 1


@pytest.mark.slow
def test_a_batch_without_workers_waits_for_them_and_says_so(no_workers, tmp_path):
    board = tmp_path / "board.puz"
    board.write_text("1 2\n0 3\n")
    limited = command_with(no_workers, "batch", board, "--time-limit", "1s")
    _, err = limited.communicate(timeout=SECONDS)
    assert limited.returncode == 12
    assert "had no workers for 1 s, the time limit" in err
    process = command_with(no_workers, "batch", board)
    assert "has no workers: waiting for one" in process.stderr.readline()
    no_workers.workers.append(no_workers.worker())
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    assert "1 move" in out


@pytest.mark.slow
def test_a_time_limit_counts_where_there_are_no_workers(no_workers, board):
    begin = time.monotonic()
    process = command_with(no_workers, "solve", board, "--engine", "idastar", "--time-limit", "40s")
    _, err = process.communicate(timeout=SECONDS)
    assert time.monotonic() - begin < 40 + 5
    assert process.returncode == 23
    assert f"{no_workers.executor} has no workers" in err
