"""The store: boards, attempts at them, and the finished units of proofs."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, TypeVar

from plansolve.errors import StoreError
from plansolve.records.contradictions import contradictions_of
from plansolve.records.opening import connected, explained
from plansolve.records.rows import (
    AttemptRow,
    BoardResult,
    BoardRow,
    Contradiction,
    ProblemRow,
    UnitRow,
    read_row,
)
from plansolve.text import one_line

__all__ = ["Records"]

_RowT = TypeVar("_RowT", ProblemRow, BoardRow, AttemptRow, UnitRow)


def _columns(kind: type[Any]) -> str:
    return ", ".join(column.name for column in fields(kind))


def _places(kind: type[Any]) -> str:
    return ", ".join("?" for _ in fields(kind))


class Records:
    """A store in one SQLite file; a context manager. Threads and processes may share it.

    Whatever is kept is committed when the call returns. What is read is checked for its types, and
    is not more than the word of whoever wrote the file.

    Each method raises `StoreError` where the file cannot be used.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False) -> None:
        self.path = Path(path)
        self._place = one_line(str(self.path))
        self._lock = RLock()
        self._connection = connected(self.path, must_exist=must_exist)

    def __enter__(self) -> "Records":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock, explained(self._place):
            self._connection.close()

    def add_boards(self, boards: Iterable[tuple[ProblemRow, BoardRow]]) -> None:
        """Keep boards, in this order; those that are there under their names are replaced."""
        with self._writing() as connection:
            # A count would look at all of them, each time.
            (last,) = connection.execute("SELECT max(number) FROM boards").fetchone()
            for number, (problem, board) in enumerate(boards, 0 if last is None else last + 1):
                connection.execute(
                    f"INSERT OR IGNORE INTO problems ({_columns(ProblemRow)}) "
                    f"VALUES ({_places(ProblemRow)})",
                    astuple(problem),
                )
                connection.execute(
                    f"INSERT INTO boards ({_columns(BoardRow)}, number) "
                    f"VALUES ({_places(BoardRow)}, ?) ON CONFLICT (set_name, name) DO UPDATE SET "
                    "problem = excluded.problem, recorded_length = excluded.recorded_length",
                    (*astuple(board), number),
                )

    def attempts(self, problem: str) -> list[AttemptRow]:
        """Return the attempts at a problem, in the order in which they were kept."""
        return list(self._read(AttemptRow, "attempts WHERE problem = ? ORDER BY id", (problem,)))

    def keep(self, attempt: AttemptRow) -> None:
        """Keep an attempt at a problem that some board has."""
        with self._writing() as connection:
            connection.execute(
                f"INSERT INTO attempts ({_columns(AttemptRow)}) VALUES ({_places(AttemptRow)})",
                astuple(attempt),
            )

    def results(self) -> Iterator[BoardResult]:
        """Yield all boards, in the order in which they were added, each with its best attempt.

        That is one that proves, or else one with the shortest plan, the highest bound, the last.
        """
        boards = self._read(BoardRow, "boards ORDER BY number, set_name, name", ())
        for board in boards:
            (problem,) = self._read(ProblemRow, "problems WHERE key = ?", (board.problem,))
            attempts = self.attempts(board.problem)
            yield BoardResult(board, problem, max(attempts, key=_merit) if attempts else None)

    def contradictions(self) -> list[Contradiction]:
        """Return what is said of a problem that cannot all be true."""
        found: list[Contradiction] = []
        problems = self._rows("SELECT DISTINCT problem FROM attempts ORDER BY problem", ())
        for (problem,) in problems:
            boards = list(
                self._read(BoardRow, "boards WHERE problem = ? ORDER BY number", (problem,))
            )
            found += contradictions_of(str(problem), boards, self.attempts(str(problem)))
        return found

    def unit(self, key: str) -> UnitRow | None:
        """Return a finished unit, None where there is no such."""
        return next(self._read(UnitRow, "units WHERE key = ?", (key,)), None)

    def units(self, proof: str, bound: int) -> dict[str, UnitRow]:
        """Return the finished units of a round of a proof, by their keys."""
        rows = self._read(UnitRow, "units WHERE proof = ? AND bound = ?", (proof, bound))
        return {row.key: row for row in rows}

    def keep_unit(self, row: UnitRow) -> None:
        """Keep a finished unit; one that another process has finished too is left as it is."""
        with self._writing() as connection:
            connection.execute(
                f"INSERT OR IGNORE INTO units ({_columns(UnitRow)}) VALUES ({_places(UnitRow)})",
                astuple(row),
            )

    def has_rounds(self, problem: str) -> bool:
        """Return whether there is any round of a proof about a problem."""
        # The proof of an engine is named by the problem's key, a blank and the engine.
        rows = self._rows(
            "SELECT 1 FROM rounds WHERE proof > ? AND proof < ? LIMIT 1",
            (f"{problem} ", f"{problem}!"),
        )
        return next(rows, None) is not None

    def round(self, proof: str, bound: int) -> str | None:
        """Return what was kept of a round of a proof, None where it has not begun."""
        rows = self._rows(
            "SELECT details FROM rounds WHERE proof = ? AND bound = ?", (proof, bound)
        )
        row = next(rows, None)
        return None if row is None else str(row[0])

    def keep_round(self, proof: str, bound: int, details: str) -> None:
        """Keep how a round of a proof is done; what was kept first stays."""
        with self._writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO rounds (proof, bound, details) VALUES (?, ?, ?)",
                (proof, bound, details),
            )

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for one transaction, which is committed or leaves nothing."""
        with self._lock, explained(self._place):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _read(self, kind: type[_RowT], where: str, values: tuple[object, ...]) -> Iterator[_RowT]:
        for row in self._rows(f"SELECT {_columns(kind)} FROM {where}", values):
            try:
                yield read_row(kind, row)
            except ValueError as error:
                raise StoreError(
                    f"{self._place}: a row of {where.split()[0]} makes no sense: {error}"
                ) from None

    def _rows(self, query: str, values: tuple[object, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield rows, some at a time, so that neither memory nor the lock is held for long."""
        with self._lock, explained(self._place):
            cursor = self._connection.execute(query, values)
        while True:
            with self._lock, explained(self._place):
                rows = cursor.fetchmany(500)
            if not rows:
                return
            yield from rows


def _merit(attempt: AttemptRow) -> tuple[bool, bool, int, int]:
    """What makes one attempt better than another; of equals `max` takes the first."""
    length = attempt.length
    return (
        attempt.is_proved,
        length is not None,
        0 if length is None else -length,
        attempt.lower_bound or 0,
    )
