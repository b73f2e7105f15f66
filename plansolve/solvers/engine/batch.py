"""A batch: many boards, worked on side by side, each kept as soon as it is done."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from threading import Event
from typing import Any, TypeAlias

from plansolve.checker import check_plan
from plansolve.formats.identity import problem_key
from plansolve.model.problem import Problem
from plansolve.records.records import Records
from plansolve.records.rows import AttemptRow, BoardRow
from plansolve.solvers.engine.attempts import (
    SolvedBoard,
    attempt_of,
    canonical_options,
    failed_attempt,
    problem_row,
)
from plansolve.solvers.engine.board_unit import BoardUnit
from plansolve.solvers.protocol import Spread
from plansolve.solvers.result import Result, StopReason
from plansolve.solvers.units.crew import Crew, ThreadCrew
from plansolve.solvers.units.dispatch import Dispatcher, Done
from plansolve.text import counted

__all__ = [
    "Again",
    "BadBoard",
    "Batch",
    "BatchRow",
    "GivenBoard",
    "NamedBoard",
    "board_row",
    "forged_plan",
]


class Again(Enum):
    """What is computed again although the store has it."""

    NOTHING = "nothing"
    UNPROVED = "unproved"
    ALL = "all"


@dataclass(frozen=True)
class NamedBoard:
    """A problem, the set that it belongs to and its name there, and the length recorded there."""

    set_name: str
    name: str
    problem: Problem
    recorded_length: int | None = None

    @cached_property
    def key(self) -> str:
        """What the problem is called in a store."""
        return problem_key(self.problem)


@dataclass(frozen=True)
class BadBoard:
    """Something that is no board, and why; `error` begins with its place."""

    set_name: str
    name: str
    error: str


GivenBoard: TypeAlias = NamedBoard | BadBoard


@dataclass(frozen=True)
class BatchRow:
    """A board and what came of it: an attempt, or what is wrong with the board.

    `result` is that of an attempt that was made now, and `error` what it died of; an attempt
    without either was found in the store. `forged` tells what is wrong with one that was found: the
    board is computed anew.
    """

    board: GivenBoard
    attempt: AttemptRow | None
    result: Result | None = None
    error: Exception | None = None
    forged: str = ""

    @property
    def problem_with_board(self) -> str:
        """What is wrong with what should be a board; empty for one that is."""
        return self.board.error if isinstance(self.board, BadBoard) else ""

    @property
    def from_store(self) -> bool:
        """Whether nothing was computed."""
        return self.attempt is not None and self.result is None and self.error is None


class Batch:
    """Has a crew solve boards with `options`, those of `solve`, and keeps what comes of them.

    What `records` have is not computed again: what is proved, and what was attempted with the same
    options; `again` says otherwise. Where the crew are threads of this process, the records also
    keep the finished units of a proof that takes long, so that it can be gone on with.
    """

    def __init__(
        self,
        crew: Crew,
        options: Mapping[str, Any],
        records: Records | None = None,
        again: Again = Again.NOTHING,
        cancel: Event | None = None,
    ) -> None:
        self._options, self._records, self._again = dict(options), records, again
        self._cancel = cancel
        self._is_here = isinstance(crew, ThreadCrew)
        self._text = canonical_options(options)
        self._dispatcher = Dispatcher[SolvedBoard](crew)
        self._known: deque[BatchRow] = deque()
        self._boards: dict[int, NamedBoard] = {}
        # By the key of a problem at work: other boards with that problem, which wait for it.
        self._waiting: dict[str, list[NamedBoard]] = {}

    def run(self, boards: Iterable[GivenBoard]) -> Iterator[BatchRow | None]:
        """Yield what comes of each board, as it comes, and None some times a second.

        Raise `StoreError` where the store cannot be used, `EngineError` where the crew is gone.
        """
        for ended in self._dispatcher.run(self._units(boards)):
            while self._known:
                yield self._known.popleft()
            if ended is None:
                yield None
                continue
            row = self._row(self._boards.pop(ended.number), ended)
            yield row
            yield from self._repeats(row)
        yield from self._known

    def drain(self) -> None:
        """Begin no more boards; those at work come to their end."""
        self._dispatcher.drain()

    def _repeats(self, row: BatchRow) -> Iterator[BatchRow]:
        """Yield the rows of boards that waited for an equal one, unless that was interrupted."""
        assert isinstance(row.board, NamedBoard)
        repeats = self._waiting.pop(row.board.key, [])
        if row.result is None or row.result.stop_reason != StopReason.INTERRUPTED:
            yield from (BatchRow(board, row.attempt) for board in repeats)

    def _row(self, board: NamedBoard, ended: Done[SolvedBoard]) -> BatchRow:
        """Return what came of a board, after keeping it; to be interrupted is no attempt."""
        if ended.answer is None:
            assert ended.error is not None
            engine = str(self._options.get("engine", "auto"))
            attempt = failed_attempt(board.key, self._text, engine, ended.error)
            row = BatchRow(board, attempt, error=ended.error)
        else:
            result = replace(ended.answer.result, problem=board.problem)
            attempt = attempt_of(board.key, self._text, ended.answer)
            row = BatchRow(board, attempt, result)
            if result.stop_reason == StopReason.INTERRUPTED:
                return row
        if self._records is not None:
            self._records.keep(attempt)
        return row

    def _units(self, boards: Iterable[GivenBoard]) -> Iterator[BoardUnit | None]:
        """Yield the boards to compute; None where there is something to tell of another one."""
        number = 0
        for board in boards:
            if isinstance(board, BadBoard):
                self._known.append(BatchRow(board, None))
                yield None
                continue
            if (known := self._from_store(board)) is not None:
                self._known.append(known)
                yield None
                if not known.forged:
                    continue
            if self._records is not None and self._again != Again.ALL:
                if board.key in self._waiting:
                    self._waiting[board.key].append(board)
                    yield None
                    continue
                self._waiting[board.key] = []
            self._boards[number] = board
            number += 1
            yield BoardUnit(board.problem, self._options, self._cancel, self._unit_store(board))

    def _unit_store(self, board: NamedBoard) -> Spread | None:
        """Return what keeps the units of a long proof; None where they are not of this machine.

        Nor are there units where everything is computed again, whoever has written the store.
        """
        if self._records is None or not self._is_here or self._again == Again.ALL:
            return None
        path = os.path.abspath(self._records.path)
        return Spread(store=path, is_new=not self._records.has_rounds(board.key))

    def _from_store(self, board: NamedBoard) -> BatchRow | None:
        """Enter a board, and return what the store has of it; a forged plan is told besides."""
        if self._records is None:
            return None
        row = problem_row(board.problem)
        self._records.add_boards([(row, board_row(board))])
        if self._again == Again.ALL:
            return None
        # The last one first, but before all one that proves.
        attempts = reversed(self._records.attempts(row.key))
        for attempt in sorted(attempts, key=lambda attempt: not attempt.is_proved):
            is_same = attempt.options == self._text and self._again != Again.UNPROVED
            if not (attempt.is_proved or is_same):
                continue
            forged = forged_plan(board.problem, attempt)
            return BatchRow(board, attempt, forged=forged)
        return None


def board_row(board: NamedBoard) -> BoardRow:
    """Return the row of a board in a store."""
    return BoardRow(board.set_name, board.name, board.key, board.recorded_length)


def forged_plan(problem: Problem, attempt: AttemptRow) -> str:
    """Return what is wrong with the plan of an attempt; the store may come from a stranger."""
    if attempt.plan is None:
        return "" if attempt.length is None else "it has a length and no plan"
    plan = tuple(attempt.plan.split())
    if len(plan) != attempt.length:
        return f"its plan has {counted(len(plan), 'move')}, and its length is {attempt.length}"
    if not check_plan(problem, plan).solves:
        return f"its plan of {counted(len(plan), 'move')} does not solve the board"
    if attempt.status == "optimal" and attempt.lower_bound != attempt.length:
        return "it is called optimal, and its bounds differ"
    return ""
