"""The one scheduler of units: keeps a crew busy, runs lost units again, and stops what is unwanted.

Units are independent, and a unit may be run twice without harm. So a unit whose worker is lost is
given to another one; one that has lost two is left out and reported, while the rest goes on.
"""

import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

from plansolve.solvers.limits import CutShort
from plansolve.solvers.processes.stopping import stopped_by
from plansolve.solvers.result import StopReason
from plansolve.solvers.units.crew import Crew

__all__ = ["Dispatcher", "Done", "Unit", "run_unit"]

_POLL_SECONDS = 0.1
_AHEAD = 2
"""Units given to a crew for each that it works on, so that nobody waits for the next one."""
_MOST_LOST = 2

AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class Unit(Protocol[AnswerT_co]):
    """A part of the work: pure, so that it may be run twice, and small to send.

    It takes seconds to a minute, and asks `is_unwanted` some times a second.
    """

    def run(self) -> AnswerT_co:
        """Do the work and return its answer, which may say that it was not done to its end."""


@dataclass(frozen=True)
class Done(Generic[AnswerT_co]):
    """A unit that has come to its end, by its place among all; with an answer, or an error."""

    number: int
    unit: Unit[AnswerT_co]
    answer: AnswerT_co | None = None
    error: Exception | None = None


@dataclass
class _Given:
    """A unit in somebody's hands, and how many workers it has lost."""

    number: int
    unit: Unit[Any]
    lost: int = field(default=0)


def run_unit(unit: Unit[AnswerT_co], deadline: float | None) -> AnswerT_co:
    """Do the work of a unit, which is unwanted from the deadline on (`time.time`, as clocks of
    several machines agree on nothing else).
    """
    with stopped_by(lambda: deadline is not None and time.time() >= deadline):
        return unit.run()


class Dispatcher(Generic[AnswerT_co]):
    """Has a crew work on units, and yields them as they come to their end.

    `deadline` is on the clock of `time.monotonic`.
    """

    def __init__(self, crew: Crew, deadline: Callable[[], float | None] = lambda: None) -> None:
        self._crew, self._deadline = crew, deadline
        self._given: dict[Future[AnswerT_co], _Given] = {}
        self._ended: queue.SimpleQueue[Future[AnswerT_co]] = queue.SimpleQueue()
        self._last: int | None = None
        self._is_draining = False

    def run(self, units: Iterable[Unit[AnswerT_co] | None]) -> Iterator[Done[AnswerT_co] | None]:
        """Yield each unit when it has ended, and None some times a second.

        Only a few units are taken ahead; a None among them is passed on at once. To leave the loop
        stops those that are at work. Raise what the crew gives where it has gone altogether.
        """
        waiting, numbers = iter(units), count()
        again: deque[_Given] = deque()
        is_over = False
        try:
            while self._given or again or not is_over:
                if self._is_draining:
                    self._withdraw()
                if not is_over and len(self._given) < _AHEAD * self._crew.width:
                    given, is_over = self._next(waiting, again, numbers)
                    if given is not None:
                        self._hand_out(given)
                    elif not is_over:
                        yield None
                    continue
                try:
                    future = self._ended.get(timeout=_POLL_SECONDS)
                except queue.Empty:
                    if (gone := self._crew.why_lost()) is not None:
                        raise gone from None
                    yield None
                    continue
                # Those that were dropped end too.
                if (given := self._given.pop(future, None)) is None:
                    continue
                if (done := self._done(given, future)) is not None:
                    yield done
                elif self._is_wanted(given):
                    again.append(given)
                    is_over = False
        finally:
            self.drop()

    def _next(
        self,
        waiting: Iterator[Unit[AnswerT_co] | None],
        again: deque[_Given],
        numbers: Iterator[int],
    ) -> tuple[_Given | None, bool]:
        """Return what to hand out next, if anything, and whether nothing else will be."""
        if again:
            return again.popleft(), False
        for unit in waiting:
            given = None if unit is None else _Given(next(numbers), unit)
            if given is not None and not self._is_wanted(given):
                break
            return given, False
        return None, True

    def drain(self) -> None:
        """Hand out no more units, and take back those that nobody has begun.

        Those at work come to their end. A signal's handler may call it.
        """
        self._last, self._is_draining = -1, True

    def drop(self, after: int = -1) -> None:
        """Stop the work on the units beyond number `after`, and hand out none of them."""
        self._last = after if self._last is None else min(after, self._last)
        for future, given in list(self._given.items()):
            if given.number > after:
                del self._given[future]
                self._crew.cancel(future)

    def _withdraw(self) -> None:
        for future in list(self._given):
            if self._crew.withdraw(future):
                del self._given[future]

    def _is_wanted(self, given: _Given) -> bool:
        return self._last is None or given.number <= self._last

    def _hand_out(self, given: _Given) -> None:
        deadline = self._deadline()
        if deadline is not None:
            deadline += time.time() - time.monotonic()
        future = self._crew.submit(run_unit, given.unit, deadline)
        self._given[future] = given
        future.add_done_callback(self._ended.put)

    def _done(self, given: _Given, future: Future[AnswerT_co]) -> Done[AnswerT_co] | None:
        """Return what came out of a unit; None where its worker was lost and another takes it."""
        try:
            return Done(given.number, given.unit, future.result())
        except (BrokenExecutor, CancelledError, CutShort) as error:
            if (gone := self._crew.why_lost()) is not None:
                raise gone from None
            given.lost += 1
            if given.lost < _MOST_LOST:
                return None
            lost: Exception = error if isinstance(error, CutShort) else _lost(error)
        except Exception as error:
            lost = error
        return Done(given.number, given.unit, error=lost)


def _lost(error: BaseException) -> CutShort:
    return CutShort(StopReason.CRASH, f"it lost {_MOST_LOST} workers ({type(error).__name__})")
