"""A Dask cluster as an executor of units.

Dask cannot end what a worker has begun. A worker's own record of the call says that its future
was cancelled, or that its owner has gone, so a unit that asks now and then ends by itself.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import ExitStack, suppress
from importlib.metadata import version
from typing import Any

import distributed

from plansolve.errors import EngineError
from plansolve.solvers.limits import CutShort, stopped_by
from plansolve.solvers.result import StopReason

_CONNECT_SECONDS = 10
_LOOK_SECONDS = 2.0
"""The time between two queries for the number of workers."""
_PATIENCE = 5.0
"""For a connection that is lost, in seconds: it may come back."""


def open_cluster(address: str) -> "Cluster":
    """Return the workers of the scheduler that listens at `tcp://HOST:PORT`.

    Raise `EngineError` if none answers, or if its workers have another plansolve.
    """
    name = address.replace("tcp", "dask", 1)
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"{name}: no Dask scheduler answers there ({type(error).__name__}); "
            "start one with `dask scheduler`, and workers with `dask worker HOST:PORT`"
        ) from None
    return _checked(name, client, ExitStack())


def start_cluster(workers: int) -> "Cluster":
    """Return so many processes of this machine, with a scheduler of Dask of their own."""
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        # A unit's tables are mapped files, which Dask would take for memory in use.
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    )
    with ExitStack() as stack:
        stack.callback(cluster.close)
        client = distributed.Client(cluster, set_as_default=False)
        return _checked(f"dask-local:{workers}", client, stack.pop_all())


def _checked(name: str, client: "distributed.Client", cluster: ExitStack) -> "Cluster":
    """Return the cluster of a client, whose workers are checked; close all if one is wrong."""
    _quieten()
    with ExitStack() as stack:
        stack.push(cluster)
        stack.callback(client.close, timeout=_LOOK_SECONDS)
        _check_workers(name, client)
        return Cluster(name, client, stack.pop_all())


class Cluster:
    """A client and its cluster; `stack` closes both."""

    def __init__(self, name: str, client: "distributed.Client", stack: ExitStack) -> None:
        self.name, self._client, self._stack = name, client, stack
        self._executor: Executor = client.get_executor(pure=False)
        self._width, self._looked = 0, 0.0
        self._missed: float | None = None
        self._preparing: list[distributed.Future] = []

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have a worker call the function; each thread of a worker takes one unit at a time."""
        try:
            future: Future[Any] = self._executor.submit(_call, function, arguments)
        except TypeError as error:
            # A unit that cannot be pickled fails alone, as with other executors.
            future = Future()
            future.set_exception(error.__cause__ or error)
        return future

    def width(self) -> int:
        """Return the threads of all workers, as they were some seconds ago."""
        now = time.monotonic()
        if now > self._looked + _LOOK_SECONDS and self._client.status == "running":
            self._looked = now
            with suppress(OSError):  # the scheduler has just gone, see `why_lost`
                self._width = sum(self._client.nthreads().values())
        return self._width

    def prepare(self, function: Callable[..., Any], *arguments: object) -> None:
        """Have each worker that there is by now call a function."""
        with suppress(OSError):  # the scheduler has just gone, see `why_lost`
            # Dask leaves out calls whose futures nobody holds.
            self._preparing = [
                self._client.submit(function, *arguments, workers=[worker], pure=False)
                for worker in self._client.nthreads()
            ]

    def why_lost(self) -> CutShort | None:
        """Return what to raise if the scheduler has gone for good; None if a worker has."""
        if self._client.status == "running":
            self._missed = None
            return None
        now = time.monotonic()
        self._missed = now if self._missed is None else self._missed
        if now < self._missed + _PATIENCE:
            return None
        return CutShort(
            StopReason.LOST,
            f"{self.name}: the scheduler is lost, and with it the work in progress; results in a "
            "store are safe: the same command resumes, also with another --executor",
        )

    def close(self, at_once: bool) -> None:
        """Cancel what is at work, and leave the cluster; end it if it was started for this."""
        # To cancel at a scheduler that has gone would wait for it.
        if self._client.status == "running":
            self._executor.shutdown(wait=not at_once)
        self._stack.close()


def _check_workers(name: str, client: "distributed.Client") -> None:
    """Raise `EngineError` if the workers cannot import plansolve, or have another one."""
    ours = version("plansolve")
    try:
        theirs = client.run(version, "plansolve")
    except Exception as error:
        raise EngineError(
            f"{name}: its workers cannot use plansolve ({type(error).__name__}: {error}); "
            f"install plansolve {ours} in their environment"
        ) from None
    for worker, other in theirs.items():
        if other != ours:
            raise EngineError(f"{name}: {worker} has plansolve {other}, not {ours}")


def _quieten() -> None:
    """Have Dask say nothing: messages about its cluster come from here."""
    for name in [*logging.root.manager.loggerDict, "asyncio"]:
        if name.startswith(("distributed", "tornado", "asyncio")):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _call(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Call a function in a worker, where `is_unwanted` says whether its future was cancelled."""
    worker = distributed.get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state in ("cancelled", "released")

    with stopped_by(is_cancelled):
        return function(*arguments)
