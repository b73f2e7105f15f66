"""A real Dask cluster on loopback: a scheduler and two workers, each a process of its own."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.fixtures.processes import command
from support.fixtures.units import Square, leave_number

import plansolve
from plansolve.errors import EngineError
from plansolve.formats.identity import problem_text
from plansolve.instances.instance_set import load_instance_set
from plansolve.solvers.units.dispatch import Dispatcher
from plansolve.solvers.units.executors import open_crew

pytest.importorskip("distributed")
ROOT = Path(__file__).parents[2]
SECONDS = 90.0
# 80 moves: its last rounds are large enough to be cut into units.
HARDEST = ROOT / "instances" / "fifteen-hardest"


class Cluster:
    """The processes of a cluster, and where its scheduler listens."""

    def __init__(self, cache):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        self._environment = {**os.environ, "PYTHONPATH": path, "PLANSOLVE_CACHE_DIR": str(cache)}
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"
        )
        until(self._listens)
        self.workers = [self.worker() for _ in range(2)]

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


def until(happens):
    end = time.monotonic() + SECONDS
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def cache(tmp_path_factory):
    from plansolve.storage.folder import cache_folder

    return cache_folder()


@pytest.fixture
def cluster(cache):
    made = Cluster(cache)
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


def started(cluster, board, store):
    arguments = ["solve", str(board), "--optimal", "--engine", "idastar", "--json"]
    arguments += ["--executor", cluster.executor, "--store", str(store)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*command(), *arguments], **pipes)


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "board.json"
    path.write_text(problem_text(load_instance_set(HARDEST).instances[0].problem))
    return path


def test_units_and_boards_have_the_same_answers(cluster):
    with open_crew(cluster.executor) as crew:
        until(lambda: crew.width == 2)
        answers = Dispatcher(crew).run(Square(n) for n in range(50))
        found = sorted(done.answer for done in answers if done is not None)
    assert found == [n * n for n in range(50)]
    boards = [[[4, 1, 2], [0, 5, 3], [7, 8, 6]], [[1, 2], [0, 3]]]
    results = plansolve.solve_many(boards, executor=cluster.executor)
    assert sorted(result.length for result in results) == [1, 5]


def test_each_worker_is_prepared(cluster, tmp_path):
    with open_crew(cluster.executor) as crew:
        until(lambda: crew.width == 2)
        crew.prepare(leave_number, str(tmp_path))
        until(lambda: len(list(tmp_path.iterdir())) == 2)
    assert {path.name for path in tmp_path.iterdir()} == {str(w.pid) for w in cluster.workers}


@pytest.mark.slow
def test_a_killed_worker_changes_neither_plan_nor_nodes(cluster, board, tmp_path):
    alone = plansolve.solve(board, engine="idastar", executor="local:1")
    store = tmp_path / "a.sqlite"
    process = started(cluster, board, store)
    until(lambda: units_in(store) >= 3)
    cluster.workers[0].send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    result = json.loads(out)
    assert (result["status"], result["plan"]) == ("optimal", [*alone.plan])
    nodes = result["statistics"]["counts"]["idastar"]["nodes"]
    assert nodes == alone.statistics.counts["idastar"]["nodes"]


@pytest.mark.slow
def test_a_lost_scheduler_is_told_and_the_proof_goes_on_elsewhere(cluster, board, tmp_path):
    store = tmp_path / "a.sqlite"
    process = started(cluster, board, store)
    until(lambda: units_in(store) >= 3)
    cluster.scheduler.send_signal(signal.SIGKILL)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 3
    last = err.splitlines()[-1]
    assert last.startswith(f"plansolve: {cluster.executor}: the scheduler has gone")
    assert "Traceback" not in err
    kept = units_in(store)
    assert kept >= 3
    result = plansolve.solve(board, engine="idastar", executor="local:2", store=store)
    counts = result.statistics.counts["idastar"]
    assert result.length == 80
    assert counts["units_from_store"] == kept
    alone = plansolve.solve(board, engine="idastar", executor="local:1")
    assert counts["nodes"] == alone.statistics.counts["idastar"]["nodes"]


def test_workers_that_have_no_plansolve_are_told(cluster, monkeypatch):
    monkeypatch.setattr("plansolve.solvers.units.dask_crew.version", lambda name: "99.0")
    with pytest.raises(EngineError, match=r"has plansolve .*, not 99\.0"):
        until(lambda: open_crew(cluster.executor).width == 2)
