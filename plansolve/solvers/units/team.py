"""The crew of one proof, and the store that keeps what its units have found."""

import json
import socket
import time
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from plansolve.errors import EngineError, StoreError
from plansolve.json_text import JsonError, json_object
from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import Budget, Spread
from plansolve.solvers.result import StopReason
from plansolve.solvers.units.crew import Crew, ThreadCrew
from plansolve.solvers.units.dispatch import Dispatcher
from plansolve.solvers.units.executors import open_crew

if TYPE_CHECKING:
    # A search without a store does without SQLite.
    from plansolve.records.rows import UnitRow
    from plansolve.solvers.units.proof_records import ProofRecords

__all__ = ["Answered", "KeptUnit", "Team", "UnitAnswer", "host", "open_team", "team_of"]


class UnitAnswer(Protocol):
    """What came out of a unit; `is_done` tells that its work was done to the end."""

    @property
    def is_done(self) -> bool: ...

    @property
    def seconds(self) -> float:
        """How long its worker took."""

    @property
    def host(self) -> str:
        """The name of its worker's machine."""

    def document(self) -> dict[str, Any]:
        """Return the rest of it, ready for JSON."""


_MOST_TRIES = 5

AnswerT = TypeVar("AnswerT", bound=UnitAnswer)
AnswerT_co = TypeVar("AnswerT_co", bound=UnitAnswer, covariant=True)


class KeptUnit(Protocol[AnswerT_co]):
    """A unit whose answer can be kept under a key."""

    @property
    def key(self) -> str:
        """The SHA-256 of all that determines the answer."""

    @abstractmethod
    def run(self) -> AnswerT_co:
        """Do the work, see `dispatch.Unit`."""

    @abstractmethod
    def answer(self, document: dict[str, Any], seconds: float) -> AnswerT_co:
        """Return the answer that `document()` gave; raise `ValueError` for what it never gives."""


@dataclass(frozen=True)
class Answered(Generic[AnswerT]):
    """A unit's answer, by the unit's place among all."""

    number: int
    answer: AnswerT


class Team:
    """Has units done by a crew, but for those of which `records` have the answer.

    `known` counts the units whose answers came from the store, `done` those of the crew. `deadline`
    is on the clock of `time.monotonic`.
    """

    def __init__(
        self,
        crew: Crew,
        records: "ProofRecords | None" = None,
        deadline: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.crew, self.records = crew, records
        self.known = self.done = 0
        self._deadline = deadline
        self._dispatcher: Dispatcher[Any] | None = None
        self._numbers: list[int] = []
        self._last: int | None = None

    def run(
        self, units: Sequence[KeptUnit[AnswerT]], bound: int
    ) -> Iterator[Answered[AnswerT] | None]:
        """Yield the units' answers as they come, those first that are kept; None now and then.

        Raise `CutShort` at the end where a unit could not be done, and `StoreError` where the store
        cannot be used.
        """
        rows = {} if self.records is None else self.records.units(bound)
        self._last, self._dispatcher = None, None
        self._numbers = [n for n, unit in enumerate(units) if unit.key not in rows]
        for number, unit in enumerate(units):
            if (row := rows.get(unit.key)) is not None:
                self.known += 1
                yield Answered(number, self._read(unit, row))
        for _ in range(_MOST_TRIES):
            if not self._numbers or self._last == -1:
                return
            # Whoever takes a task from a worker that has begun it makes that end early.
            self._numbers = yield from self._turn(units, bound)
        if self._numbers and self._last is None:
            raise CutShort(StopReason.CRASH, "a part of the proof was given up again and again")

    def _turn(
        self, units: Sequence[KeptUnit[AnswerT]], bound: int
    ) -> Generator[Answered[AnswerT] | None, None, list[int]]:
        """Have the units done whose numbers are left; return those that were given up."""
        numbers, left = self._numbers, list[int]()
        dispatcher = self._dispatcher = Dispatcher[AnswerT](self.crew, self._deadline)
        if self._last is not None:
            self.drop(self._last)
        failure: Exception | None = None
        for ended in dispatcher.run(units[number] for number in numbers):
            if ended is None:
                yield None
            elif ended.answer is None:
                failure = ended.error
            elif ended.answer.is_done:
                self.done += 1
                self._keep(units[numbers[ended.number]], ended.answer, bound)
                yield Answered(numbers[ended.number], ended.answer)
            else:
                left.append(numbers[ended.number])
        if failure is not None and self._last is None:
            if isinstance(failure, MemoryError | EngineError):
                raise failure
            reason = failure.reason if isinstance(failure, CutShort) else StopReason.CRASH
            raise CutShort(reason, f"a part of the proof could not be done: {failure}")
        end = self._deadline()
        if end is not None and time.monotonic() >= end:
            return []
        return sorted(n for n in left if self._last is None or n <= self._last)

    def counts(self) -> dict[str, Any]:
        """Return how many units there were, and how many of them the store had, ready for JSON."""
        return {"units": self.known + self.done, "units_from_store": self.known}

    def drop(self, after: int = -1) -> None:
        """Stop the work on the units beyond number `after`."""
        self._last = after if self._last is None else min(after, self._last)
        if self._dispatcher is not None:
            self._dispatcher.drop(bisect_right(self._numbers, self._last) - 1)

    def _keep(self, unit: KeptUnit[AnswerT], answer: AnswerT, bound: int) -> None:
        if self.records is not None:
            text = json.dumps(answer.document(), sort_keys=True)
            self.records.keep_unit(unit.key, bound, text, answer.seconds, answer.host)

    def _read(self, unit: KeptUnit[AnswerT], row: "UnitRow") -> AnswerT:
        assert self.records is not None
        try:
            return unit.answer(json_object(row.answer), row.seconds)
        except (JsonError, ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self.records.path}: the answer of unit {unit.key[:12]} cannot be read: {error}"
            ) from None


@contextmanager
def open_team(budget: Budget, proof: str) -> Iterator[Team | None]:
    """Yield the team of a budget's spread, whose store is open meanwhile; None for no spread.

    Without an executor it has the budget's threads.
    """
    if budget.spread == Spread():
        yield None
        return
    with team_of(budget.spread, proof, budget.threads, lambda: budget.deadline) as team:
        yield team


@contextmanager
def team_of(
    spread: Spread, proof: str, threads: int, deadline: Callable[[], float | None]
) -> Iterator[Team]:
    """Yield the team of a spread, whose store is open meanwhile; without an executor, threads."""
    with ExitStack() as stack:
        records = None
        if spread.store is not None:
            from plansolve.solvers.units.proof_records import ProofRecords

            records = ProofRecords(spread.store, proof, is_new=spread.is_new)
            stack.callback(records.close)
        crew = ThreadCrew(threads) if spread.executor is None else open_crew(spread.executor)
        yield Team(stack.enter_context(crew), records, deadline)


def host() -> str:
    """Return the name of this machine."""
    return socket.gethostname()
