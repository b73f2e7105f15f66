"""A Dask cluster as a crew.

Dask cannot end what a worker has begun. A worker's own record of the call tells that its future
was cancelled, or that its owner has gone, so a unit that asks now and then ends by itself.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from importlib.metadata import version
from typing import Any

import distributed
from distributed.cfexecutor import ClientExecutor

from plansolve.errors import EngineError, PlansolveError
from plansolve.solvers.processes.stopping import stopped_by
from plansolve.solvers.units.crew import Crew

__all__ = ["DaskCrew"]

_CONNECT_SECONDS = 10
_LOOK_SECONDS = 2.0
"""How often the number of workers is asked for."""
_PATIENCE = 5.0
"""For a connection that is lost, in seconds: it may come back."""


class DaskCrew(Crew):
    """The workers of a cluster; each thread of a worker takes one unit at a time."""

    def __init__(self, client: "distributed.Client", name: str) -> None:
        _quieten()
        self.name, self._client = name, client
        self._executor: ClientExecutor = client.get_executor(pure=False)
        self._width, self._looked = 0, 0.0
        self._missed: float | None = None
        self._preparing: list[distributed.Future] = []
        self._check_workers()

    @classmethod
    def at(cls, address: str) -> "DaskCrew":
        """Return the crew of the scheduler that listens at `tcp://HOST:PORT`.

        Raise `EngineError` where none answers, or where its workers have another plansolve.
        """
        name = address.replace("tcp", "dask", 1)
        try:
            client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise EngineError(
                f"{name}: no scheduler of Dask answers there ({type(error).__name__}); "
                "start one with `dask scheduler`, and workers with `dask worker HOST:PORT`"
            ) from None
        return cls(client, name)

    @classmethod
    def here(cls, workers: int) -> "DaskCrew":
        """Return a crew of so many processes of this machine, with a scheduler of its own."""
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            # A unit's tables are mapped files, which Dask would take for memory in use.
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
        crew = cls(distributed.Client(cluster, set_as_default=False), f"dask-local:{workers}")
        crew._cluster = cluster
        return crew

    _cluster: "distributed.LocalCluster | None" = None

    @property
    def width(self) -> int:
        """The threads of all workers, as they were some seconds ago."""
        now = time.monotonic()
        if now > self._looked + _LOOK_SECONDS and self._client.status == "running":
            self._looked = now
            with suppress(OSError):  # the scheduler has just gone, see `why_lost`
                self._width = sum(self._client.nthreads().values())
        return self._width

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have a worker call the function."""
        future: Future[Any] = self._executor.submit(_call, function, arguments)
        return future

    def prepare(self, function: Callable[..., Any], *arguments: object) -> None:
        """Have each worker that there is by now call a function."""
        with suppress(OSError):  # the scheduler has just gone, see `why_lost`
            # What nobody holds Dask leaves out.
            self._preparing = [
                self._client.submit(function, *arguments, workers=[worker], pure=False)
                for worker in self._client.nthreads()
            ]

    def why_lost(self) -> PlansolveError | None:
        """Return what to raise where the scheduler has gone for good; None where a worker has."""
        if self._client.status == "running":
            self._missed = None
            return None
        now = time.monotonic()
        self._missed = now if self._missed is None else self._missed
        if now < self._missed + _PATIENCE:
            return None
        return EngineError(
            f"{self.name}: the scheduler has gone, and with it what was at work; what is in a "
            "store is safe: the same command goes on, with another --executor too"
        )

    def close(self, *, at_once: bool) -> None:
        """Cancel what is at work, and leave the cluster; end it where it was started for this."""
        # To cancel at a scheduler that has gone would wait for it.
        if self._client.status == "running":
            self._executor.shutdown(wait=not at_once)
        self._client.close(timeout=_LOOK_SECONDS)
        if self._cluster is not None:
            self._cluster.close()

    def _check_workers(self) -> None:
        """Raise `EngineError` where the workers cannot import plansolve, or have another one."""
        ours = version("plansolve")
        try:
            theirs = self._client.run(_version)
        except Exception as error:
            raise EngineError(
                f"{self.name}: its workers cannot use plansolve ({type(error).__name__}: {error}); "
                f"install plansolve {ours} in their environment"
            ) from None
        for worker, other in theirs.items():
            if other != ours:
                raise EngineError(f"{self.name}: {worker} has plansolve {other}, not {ours}")


def _quieten() -> None:
    """Have Dask say nothing: what is to be told of its cluster this module tells."""
    for name in [*logging.root.manager.loggerDict, "asyncio"]:
        if name.startswith(("distributed", "tornado", "asyncio")):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _version() -> str:
    return version("plansolve")


def _call(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Call a function in a worker, where `is_unwanted` tells whether its future was cancelled."""
    worker = distributed.get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state in ("cancelled", "released")

    with stopped_by(is_cancelled):
        return function(*arguments)
