"""A team: an executor at work on the units of a proof, and the finished units in a store.

Units are independent, and a unit may be run twice without harm. So a unit whose worker is lost is
given to another one; one that has lost two is left out and reported, while the rest goes on.
"""

import itertools
import json
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from socket import gethostname
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from plansolve.errors import EngineError, StoreError
from plansolve.json_reader import read
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import Problem
from plansolve.solvers.limits import CutShort, stopped_by
from plansolve.solvers.protocol import Budget, Distribution
from plansolve.solvers.result import StopReason
from plansolve.solvers.units.executors import UnitExecutor, open_executor, thread_executor

if TYPE_CHECKING:
    # A search without a store does without SQLite.
    from plansolve.records.records import Records, UnitRow

_POLL_SECONDS = 0.1
_AHEAD = 2
"""Units given to an executor for each that it works on, so that nobody waits for the next one."""
_MOST_LOST = 2
_MOST_GIVEN_UP = 5
_FIRST_NOTE, _NEXT_NOTE = 5.0, 30.0
"""Seconds without any worker after which that is told, and told again."""

AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class Unit(Protocol[AnswerT_co]):
    """A part of the work: pure, so that it may be run twice, and small to send.

    It takes seconds to a minute, and asks `is_unwanted` some times a second.
    """

    def run(self) -> AnswerT_co:
        """Do the work and return its answer, which may say that it was not done to its end."""


@dataclass(frozen=True, kw_only=True)
class UnitAnswer:
    """The outcome of a unit of a proof, for which a subclass has fields.

    `is_done` tells that the work was done to the end, `seconds` how long its worker took, and
    `host` is the name of its worker's machine.
    """

    is_done: bool = True
    seconds: float = 0.0
    host: str = field(default_factory=gethostname)

    @classmethod
    def of(cls, document: dict[str, Any], seconds: float) -> Self:
        """Return the answer with the fields of a document; raise `JsonError` for other keys."""
        # A store keeps only what was done to the end, and who did it stands in its row.
        for key in UnitAnswer.__dataclass_fields__.keys() & document.keys():
            raise JsonError(f"unknown key {key!r}")
        return replace(read(cls, document), seconds=seconds)

    def document(self) -> dict[str, Any]:
        """Return the fields of the subclass, as they come back from JSON."""
        own = vars(self).keys() - UnitAnswer.__dataclass_fields__.keys()
        return dict(json.loads(json.dumps({name: getattr(self, name) for name in own})))


AnswerT = TypeVar("AnswerT", bound=UnitAnswer)


class KeptUnit(Unit[AnswerT_co], Protocol[AnswerT_co]):
    """A unit of a proof, whose answer can be kept under a key."""

    @property
    def key(self) -> str:
        """The SHA-256 of all that determines the answer."""

    def answer(self, document: dict[str, Any], seconds: float) -> AnswerT_co:
        """Return the answer that `document()` gave; raise `ValueError` for what it never gives."""


@dataclass(frozen=True)
class Done(Generic[AnswerT_co]):
    """A unit's answer, by the unit's place among all."""

    number: int
    unit: Unit[AnswerT_co]
    answer: AnswerT_co


@dataclass(frozen=True)
class Failed:
    """A unit that has ended with an error, by its place among all."""

    number: int
    unit: Unit[Any]
    error: Exception


@dataclass
class _Given:
    """A unit in a worker's hands, and how often it was lost with one, or given up by one."""

    number: int
    unit: Unit[Any]
    lost: int = 0
    given_up: int = 0


def run_unit(unit: Unit[AnswerT_co], deadline: float | None) -> AnswerT_co:
    """Do the work of a unit, which is unwanted from the deadline on (`time.time`, as clocks of
    several machines agree on nothing else).
    """
    with stopped_by(lambda: deadline is not None and time.time() >= deadline):
        return unit.run()


class ProofRecords:
    """The part of a store that is about one proof, to be closed in the end.

    If `is_new` says that the store has nothing of it, the file is opened once the first unit is
    done: most boards of a batch never have one, and opening it takes as long as solving them. Until
    then rounds are kept in memory, as without units they are of no use.

    Each method raises `StoreError` if the file cannot be used.
    """

    def __init__(self, path: str, proof: str, *, is_new: bool = False) -> None:
        self.path, self._proof = path, proof
        self._rounds: dict[int, str] = {}
        self._records = None if is_new else _opened(path)

    def round(self, bound: int) -> str | None:
        """Return what was kept of a round, None if it has not begun."""
        if self._records is None:
            return self._rounds.get(bound)
        return self._records.round(self._proof, bound)

    def keep_round(self, bound: int, details: str) -> None:
        """Keep how a round is done; what was kept first stays."""
        if self._records is None:
            self._rounds.setdefault(bound, details)
        else:
            self._records.keep_round(self._proof, bound, details)

    def answers(self, units: Sequence[KeptUnit[AnswerT]], bound: int) -> dict[int, AnswerT]:
        """Return the answers of the finished units of a round, by their places among all."""
        rows = {} if self._records is None else self._records.units(self._proof, bound)
        return {
            number: self._read(unit, row)
            for number, unit in enumerate(units)
            if (row := rows.get(unit.key)) is not None
        }

    def keep_unit(self, unit: KeptUnit[Any], answer: UnitAnswer, bound: int) -> None:
        """Keep a finished unit; one that another process has finished too is left as it is."""
        from plansolve.records.records import UnitRow

        if self._records is None:
            self._records = _opened(self.path)
            for known, details in self._rounds.items():
                self._records.keep_round(self._proof, known, details)
        text = json.dumps(answer.document(), sort_keys=True)
        row = UnitRow(unit.key, self._proof, bound, text, answer.seconds, answer.host)
        self._records.keep_unit(row)

    def close(self) -> None:
        if self._records is not None:
            self._records.close()

    def _read(self, unit: KeptUnit[AnswerT], row: "UnitRow") -> AnswerT:
        try:
            return unit.answer(json_object(row.answer), row.seconds)
        except (JsonError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self.path}: the answer of unit {unit.key[:12]} cannot be read: {error}"
            ) from None


def _opened(path: str) -> "Records":
    from plansolve.records.records import Records

    return Records(path)


class Team:
    """Has units done by an executor, but for those of which `records` have the answer.

    `known` counts the units whose answers came from the store, `done` those of the executor.
    `deadline` is on the clock of `time.monotonic`. `tell` takes a line for people. `patience` is
    how many seconds an executor may be without any worker.
    """

    def __init__(
        self,
        executor: UnitExecutor,
        records: ProofRecords | None = None,
        deadline: Callable[[], float | None] = lambda: None,
        tell: Callable[[str], None] = lambda note: None,
        patience: float | None = None,
    ) -> None:
        self.executor, self.records = executor, records
        self.known = self.done = 0
        self._deadline, self._tell, self._patience = deadline, tell, patience
        self._given: dict[Future[Any], _Given] = {}
        self._ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._last: int | None = None
        self._is_draining = False
        # Since when no worker is there, and when that is told next.
        self._empty: float | None = None
        self._next_note = 0.0

    def run(self, units: Sequence[KeptUnit[AnswerT]], bound: int) -> Iterator[Done[AnswerT] | None]:
        """Yield the units' answers as they come, those first that are kept; None now and then.

        Raise `CutShort` at the end if a unit could not be done, and `StoreError` if the store
        cannot be used.
        """
        self._last, failure = None, None
        known = {} if self.records is None else self.records.answers(units, bound)
        self.known += len(known)
        for number, answer in known.items():
            yield Done(number, units[number], answer)
        left = [number for number in range(len(units)) if number not in known]
        for ended in self._work((units[number] for number in left), iter(left)):
            if isinstance(ended, Failed):
                failure = ended.error
                continue
            if ended is not None:
                self.done += 1
                if self.records is not None:
                    self.records.keep_unit(units[ended.number], ended.answer, bound)
            yield ended
        if failure is not None and self._last is None:
            if isinstance(failure, MemoryError | EngineError):
                raise failure
            reason = failure.reason if isinstance(failure, CutShort) else StopReason.CRASH
            raise CutShort(reason, f"a part of the proof failed: {failure}")

    def each(
        self, units: Iterable[Unit[AnswerT_co] | None]
    ) -> Iterator[Done[AnswerT_co] | Failed | None]:
        """Yield each unit when it has ended, and None some times a second; once for a team.

        Only a few units are taken ahead; a None among them is passed on at once. To leave the loop
        stops those that are at work. Raise `CutShort` if the executor has gone altogether, or
        all its workers for longer than the team's patience.
        """
        return self._work(units, itertools.count())

    def drain(self) -> None:
        """Hand out no more units, and take back those that nobody has begun.

        Those at work come to their end. A signal's handler may call it.
        """
        self._last, self._is_draining = -1, True

    def drop(self, after: int = -1) -> None:
        """Stop the work on the units beyond number `after`, and hand out none of them."""
        self._last = after if self._last is None else min(after, self._last)
        self._cancel(after)

    def counts(self) -> dict[str, Any]:
        """Return how many units there were, and how many of them the store had, ready for JSON."""
        return {"units": self.known + self.done, "units_from_store": self.known}

    def _work(
        self, units: Iterable[Unit[Any] | None], numbers: Iterator[int]
    ) -> Iterator[Done[Any] | Failed | None]:
        waiting, again, is_over = iter(units), deque[_Given](), False
        try:
            while self._given or again or not is_over:
                if self._is_draining:
                    for future in [*filter(self.executor.withdraw, self._given)]:
                        del self._given[future]
                width = self.executor.width()
                if not is_over and len(self._given) < _AHEAD * width:
                    given, is_over = self._next(waiting, again, numbers)
                    if given is not None:
                        self._hand_out(given)
                    elif not is_over:
                        yield None
                    continue
                if not width and self._is_late():
                    return  # nobody is there who could look at the clock
                self._note_width(width)
                try:
                    future = self._ended.get(timeout=_POLL_SECONDS)
                except queue.Empty:
                    self._raise_if_lost()
                    yield None
                    continue
                # Those that were dropped end too.
                if (given := self._given.pop(future, None)) is None:
                    continue
                if (done := self._done(given, future)) is not None:
                    yield done
                elif self._is_wanted(given) and not self._is_late():
                    again.append(given)
                    is_over = False
        finally:
            self._cancel(-1)

    def _next(
        self, waiting: Iterator[Unit[Any] | None], again: deque[_Given], numbers: Iterator[int]
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

    def _hand_out(self, given: _Given) -> None:
        deadline = self._deadline()
        if deadline is not None:
            deadline += time.time() - time.monotonic()
        future = self.executor.submit(run_unit, given.unit, deadline)
        self._given[future] = given
        future.add_done_callback(self._ended.put)

    def _done(self, given: _Given, future: Future[Any]) -> Done[Any] | Failed | None:
        """Return what came out of a unit; None if it is to be run again."""
        error: Exception
        try:
            answer = future.result()
            if getattr(answer, "is_done", True):
                return Done(given.number, given.unit, answer)
            # A task that is taken from its worker ends early.
            given.given_up += 1
            if given.given_up < _MOST_GIVEN_UP or self._is_late():
                return None
            error = CutShort(StopReason.CRASH, f"workers gave up on it {_MOST_GIVEN_UP} times")
        except (BrokenExecutor, CancelledError, CutShort) as lost:
            self._raise_if_lost()
            given.lost += 1
            if given.lost < _MOST_LOST:
                return None
            error = lost
            if not isinstance(lost, CutShort):
                what = f"{_MOST_LOST} workers died on it ({type(lost).__name__})"
                error = CutShort(StopReason.CRASH, what)
        except Exception as its_own:
            error = its_own
        return Failed(given.number, given.unit, error)

    def _cancel(self, after: int) -> None:
        for future, given in list(self._given.items()):
            if given.number > after:
                del self._given[future]
                self.executor.cancel(future)

    def _is_wanted(self, given: _Given) -> bool:
        return self._last is None or given.number <= self._last

    def _is_late(self) -> bool:
        end = self._deadline()
        return end is not None and time.monotonic() >= end

    def _raise_if_lost(self) -> None:
        if (gone := self.executor.why_lost()) is not None:
            raise gone from None

    def _note_width(self, width: int) -> None:
        """Tell after some seconds that no worker is there, and again and again.

        Raise `CutShort` after too many seconds.
        """
        now, name = time.monotonic(), self.executor.name
        if width:
            self._empty = None
            return
        if self._empty is None:
            self._empty, self._next_note = now, now + _FIRST_NOTE
        if self._patience is not None and now >= self._empty + self._patience:
            why = f"{name} had no workers for {self._patience:g} s, the time limit"
            raise CutShort(StopReason.LOST, why)
        if now >= self._next_note:
            self._next_note = now + _NEXT_NOTE
            self._tell(f"{name} has no workers: waiting for one")


@contextmanager
def open_team(budget: Budget, problem: Problem, by: str) -> Iterator[Team | None]:
    """Yield the team of a proof, whose store is open meanwhile; None if nothing is distributed.

    Without an executor it has the budget's threads.
    """
    if budget.distribution == Distribution():
        yield None
        return
    # Most searches are not distributed, and have no name for their problem.
    from plansolve.formats.json_document import problem_key

    deadline, tell = lambda: budget.deadline, budget.tell
    proof = f"{problem_key(problem)} {by}"
    with team_of(budget.distribution, proof, budget.threads, deadline, tell) as team:
        yield team


@contextmanager
def team_of(
    distribution: Distribution,
    proof: str,
    threads: int,
    deadline: Callable[[], float | None],
    tell: Callable[[str], None] | None = None,
) -> Iterator[Team]:
    """Yield the team of a proof, whose store is open meanwhile; without an executor, threads."""
    with ExitStack() as stack:
        records = None
        if distribution.store is not None:
            records = ProofRecords(distribution.store, proof, is_new=distribution.is_new)
            stack.callback(records.close)
        specification = distribution.executor
        executor = open_executor(specification) if specification else thread_executor(threads)
        yield Team(stack.enter_context(executor), records, deadline, tell or (lambda note: None))
