"""Who works on units: threads, processes that stay, or a Dask cluster, each behind an `Executor`.

local, local:4            processes of this machine, as many as it has cores, or 4
dask://HOST:PORT          the workers of a cluster whose scheduler listens there
dask-local, dask-local:4  a cluster of Dask on this machine, ended with the work
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from threading import Event
from types import TracebackType
from typing import Any

from plansolve.errors import PlansolveError
from plansolve.solvers.processes.stopping import stopped_by
from plansolve.solvers.units.process_executor import ProcessExecutor
from plansolve.text import counted

__all__ = ["Crew", "GivenCrew", "ProcessCrew", "ThreadCrew"]


class Crew(ABC):
    """An executor, and what a scheduler of units has to know of it; a context manager.

    `name` is the specification, for people.
    """

    name: str

    @property
    @abstractmethod
    def width(self) -> int:
        """How many units it works on at a time; may change, and may be 0 for a while."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have somebody call a function of a module; while it works it may ask `is_unwanted`."""

    def prepare(self, function: Callable[..., Any], *arguments: object) -> None:  # noqa: B027 - not all can
        """Have each process call a function ahead of its first unit, where it can be told to.

        Nobody waits for that, and nobody is told what it comes to.
        """

    def cancel(self, future: Future[Any]) -> None:
        """End the work on a future within a second, whether it has begun or not."""
        future.cancel()

    def withdraw(self, future: Future[Any]) -> bool:
        """Take work back that nobody has begun; return whether that is known."""
        return False

    def why_lost(self) -> PlansolveError | None:
        """Return what to raise where nobody is left who could do the work, else None."""
        return None

    @abstractmethod
    def close(self, *, at_once: bool) -> None:
        """End the work and all that was started for it."""

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(at_once=True)


class GivenCrew(Crew):
    """Any executor of `concurrent.futures`, of a known width, which is left open.

    What has begun cannot be ended: it ends at its deadline.
    """

    def __init__(self, executor: Executor, width: int) -> None:
        self.name, self._executor, self._width = type(executor).__name__, executor, width

    @property
    def width(self) -> int:
        """How many units it works on at a time."""
        return self._width

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have the executor call the function."""
        return self._executor.submit(function, *arguments)

    def withdraw(self, future: Future[Any]) -> bool:
        """Take work back that the executor has not begun."""
        return future.cancel()

    def close(self, *, at_once: bool) -> None:
        """Leave the executor to its owner."""


class ProcessCrew(GivenCrew):
    """Processes of this machine that stay from unit to unit."""

    def __init__(self, processes: int) -> None:
        super().__init__(ProcessExecutor(processes), processes)
        self.name = f"local:{processes}"

    def prepare(self, function: Callable[..., Any], *arguments: object) -> None:
        """Start the processes, and have each call a function."""
        for _ in range(self.width):
            self.submit(function, *arguments)

    def withdraw(self, future: Future[Any]) -> bool:
        """Leave the work: to cancel it would end what has begun."""
        return False

    def close(self, *, at_once: bool) -> None:
        """End the processes."""
        self._executor.shutdown(cancel_futures=at_once)


class ThreadCrew(Crew):
    """Threads of this process, for kernels that run without the interpreter's lock."""

    def __init__(self, threads: int) -> None:
        self.name, self._threads = counted(threads, "thread"), threads
        self._pool = ThreadPoolExecutor(threads, "plansolve-units")
        self._stops: dict[Future[Any], Event] = {}

    @property
    def width(self) -> int:
        """The number of threads."""
        return self._threads

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Have a thread call the function."""
        stop = Event()

        def call() -> Any:
            with stopped_by(stop.is_set):
                return function(*arguments)

        future = self._pool.submit(call)
        self._stops[future] = stop
        future.add_done_callback(lambda done: self._stops.pop(done, None))
        return future

    def cancel(self, future: Future[Any]) -> None:
        """Tell the thread that works on a future, or leave one out that has not begun."""
        if not future.cancel() and (stop := self._stops.get(future)) is not None:
            stop.set()

    def withdraw(self, future: Future[Any]) -> bool:
        """Take work back that no thread has begun."""
        return future.cancel()

    def close(self, *, at_once: bool) -> None:
        """Wait for the threads, which are told to stop with `at_once`."""
        if at_once:
            for stop in list(self._stops.values()):
                stop.set()
        self._pool.shutdown(cancel_futures=at_once)
