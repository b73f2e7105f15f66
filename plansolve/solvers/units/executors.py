"""Executors of units: threads, processes that stay, or a Dask cluster, by their specification.

local, local:4            processes of this machine, as many as it has cores, or 4
dask://HOST:PORT          the workers of a cluster whose scheduler listens there
dask-local, dask-local:4  a cluster of Dask on this machine, ended with the work
"""

import re
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Any

from plansolve.errors import OptionError
from plansolve.extras import require
from plansolve.solvers.limits import CutShort, cores, stopped_by
from plansolve.text import counted, quote


@dataclass(frozen=True)
class UnitExecutor:
    """The part of an executor of `concurrent.futures` that a team uses; a context manager.

    `name` is the specification, for people. `submit` is that of an `Executor`. `width` is how many
    units it works on at a time; that may change, and may be 0 for a while. `cancel` ends the work
    on a future within a second, begun or not, if the executor can do that; `withdraw` takes back
    work that has not begun, and returns whether it has. `prepare` calls a function in each process
    ahead of its first unit; its outcome is not reported. `why_lost` returns what to raise if no
    one is left to do the work. `close` ends the work, at once or after what was submitted, and all
    that was started for it. One that `shares_memory` calls functions in this process.
    """

    name: str
    submit: Callable[..., Future[Any]]
    width: Callable[[], int]
    close: Callable[[bool], None]
    cancel: Callable[[Future[Any]], object] = Future.cancel
    withdraw: Callable[[Future[Any]], bool] = Future.cancel
    prepare: Callable[..., None] = lambda *_: None
    why_lost: Callable[[], CutShort | None] = lambda: None
    shares_memory: bool = False

    def __enter__(self) -> "UnitExecutor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close(True)


class _Threads(ThreadPoolExecutor):
    """Threads whose work can be told to stop while it runs, see `limits.is_unwanted`."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads, "plansolve-units")
        self._stops: dict[Future[Any], Event] = {}

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        stop = Event()

        def call() -> Any:
            with stopped_by(stop.is_set):
                return function(*arguments, **options)

        future = super().submit(call)
        self._stops[future] = stop
        future.add_done_callback(lambda done: self._stops.pop(done, None))
        return future

    def stop(self, future: "Future[Any]") -> None:
        """Tell the thread that works on a future, or leave one out that has not begun."""
        if not future.cancel() and (stop := self._stops.get(future)) is not None:
            stop.set()

    def close(self, at_once: bool) -> None:
        """Wait for the threads, which are told to stop with `at_once`."""
        if at_once:
            for stop in list(self._stops.values()):
                stop.set()
        self.shutdown(cancel_futures=at_once)


class _ProcessThreads(_Threads):
    """Threads that each have a child process do their work.

    A call whose process dies raises `CutShort`, and one that cannot be sent its own error.
    """

    def __init__(self, processes: int) -> None:
        # Threads do without.
        from plansolve.solvers.processes.workers import Workers

        super().__init__(processes)
        self._processes, self._workers = processes, Workers()

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        return super().submit(self._workers.call, function, *arguments, **options)

    def prepare(self, function: Callable[..., Any], *arguments: object) -> None:
        """Start the processes, and have each call a function."""
        for _ in range(self._processes):
            self.submit(function, *arguments)

    def close(self, at_once: bool) -> None:
        super().close(at_once)
        self._workers.end()


def thread_executor(threads: int) -> UnitExecutor:
    """Return so many threads of this process, for kernels that run without the interpreter's lock.

    They are told to stop; what does not listen comes to its end.
    """
    pool = _Threads(threads)
    return UnitExecutor(
        counted(threads, "thread"),
        pool.submit,
        lambda: threads,
        pool.close,
        cancel=pool.stop,
        shares_memory=True,
    )


def process_executor(processes: int) -> UnitExecutor:
    """Return so many processes of this machine, which start when needed and stay."""
    pool = _ProcessThreads(processes)
    return UnitExecutor(
        f"local:{processes}",
        pool.submit,
        lambda: processes,
        pool.close,
        cancel=pool.stop,
        prepare=pool.prepare,
    )


_SPECIFICATION = re.compile(r"(local|dask-local)(?::(\d{1,4}))?|dask://([^\s/]+:\d{1,5})")
_PATIENCE, _MOST_FRAMES = 5.0, 1 << 16
_CHOICES = "local, local:N, dask://HOST:PORT or dask-local:N"


def check_executor(specification: str) -> None:
    """Raise `OptionError` for a specification that means nothing.

    It is also raised if Dask is named and not installed, or no scheduler answers.
    """
    match = _parsed(specification)
    if "dask" in specification:
        require("distributed", specification, "distributed")
    if match[3]:
        _check_scheduler(specification, *match[3].rsplit(":", 1))


def _parsed(specification: str) -> re.Match[str]:
    match = _SPECIFICATION.fullmatch(specification)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise OptionError(f"{quote(specification)} is not an executor: choose {_CHOICES}")
    return match


def _check_scheduler(specification: str, host: str, port: str) -> None:
    address = host.strip("[]"), int(port)
    with suppress(OSError, OverflowError), socket.create_connection(address, _PATIENCE) as stream:
        # A scheduler speaks first, and says how many frames follow. If nobody does, Dask's client
        # would wait for ever.
        if 0 < int.from_bytes(stream.recv(8), "little") < _MOST_FRAMES:
            return
    raise OptionError(
        f"{specification}: no Dask scheduler answers there; "
        "start one with `dask scheduler`, and workers with `dask worker HOST:PORT`"
    )


def local_processes(specification: str) -> int:
    """Return how many processes of this machine a specification names; 0 if it names others.

    Raise `OptionError` for one that means nothing.
    """
    match = _parsed(specification)
    return int(match[2] or cores()) if match[1] == "local" else 0


def open_executor(specification: str) -> UnitExecutor:
    """Return who a specification names, see the module.

    Raise `OptionError` as `check_executor` does, and `EngineError` for a scheduler whose workers
    have another plansolve.
    """
    if processes := local_processes(specification):
        return process_executor(processes)
    check_executor(specification)
    from plansolve.solvers.units.dask import open_cluster, start_cluster

    kind, _, rest = specification.partition(":")
    workers = int(rest) if rest.isdecimal() else cores()
    cluster = open_cluster(f"tcp:{rest}") if kind == "dask" else start_cluster(workers)
    return UnitExecutor(
        cluster.name,
        cluster.submit,
        cluster.width,
        cluster.close,
        # Dask cancels what has begun as well, so that nothing tells what has not.
        withdraw=lambda future: False,
        prepare=cluster.prepare,
        why_lost=cluster.why_lost,
    )
