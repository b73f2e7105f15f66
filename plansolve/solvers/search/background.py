"""Long work that cannot be cut up, done in another thread while the search reports it."""

from collections.abc import Callable, Generator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from plansolve.solvers.protocol import Report

T = TypeVar("T")

_SECONDS = 0.3


class _Unwanted(Exception):
    """Ends the work at the next line it tells, once nobody waits for it any more."""


def run_in_background(
    work: Callable[[Callable[[str], None]], T], by: str
) -> Generator[Report, None, T]:
    """Return what `work(tell)` returns; yield its notes, and empty reports while it works.

    Raise what it raises. If the generator is closed before, the next call of `tell` raises an
    exception that ends the work.
    """
    notes: SimpleQueue[str] = SimpleQueue()
    unwanted = Event()
    ended: Future[T] = Future()

    def tell(note: str) -> None:
        if unwanted.is_set():
            raise _Unwanted
        notes.put(note)

    def run() -> None:
        try:
            ended.set_result(work(tell))
        except BaseException as error:
            ended.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_SECONDS)
            yield Report(by=by)
            while True:
                try:
                    yield Report(by=by, note=notes.get_nowait())
                except Empty:
                    break
    finally:
        unwanted.set()
    return ended.result()
