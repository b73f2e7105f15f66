"""The store: boards, attempts at them, and the finished units of proofs, in one SQLite file."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from threading import RLock
from typing import Any, get_type_hints

from plansolve.errors import InputError, StoreError
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.records.board import Attempt, Board, contradictions
from plansolve.records.opening import connected, explained, transaction
from plansolve.text import one_line


@dataclass(frozen=True)
class UnitRow:
    """A finished unit of a proof: what it came to, as JSON, under the key of the unit."""

    key: str
    proof: str
    bound: int
    answer: str
    seconds: float
    host: str


_ATTEMPT, _UNIT = get_type_hints(Attempt), get_type_hints(UnitRow)
"""The columns of each kind of row, and the types of their values."""
_BOARD: Mapping[str, Any] = {"set_name": str, "name": str, "recorded_length": int | None}
_LONGEST_TEXT = 16 << 20
"""Characters of a value; a plan of a million moves has fewer."""
_LARGEST = 1 << 62


class Records:
    """A store in one SQLite file; a context manager. Threads and processes may share it.

    Whatever is kept is committed when the call returns. What is read is checked for its types, and
    is no more than the word of whoever wrote the file. Each method raises `StoreError` where the
    file cannot be used.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False) -> None:
        self.path = Path(path)
        self._place = one_line(str(self.path))
        self._lock = RLock()
        self._connection = connected(self.path, must_exist=must_exist)

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock, explained(self._place):
            self._connection.close()

    def add_boards(self, boards: Iterable[Board]) -> None:
        """Keep boards, in this order; those that are there under their names are replaced."""
        with self._writing() as connection:
            # A count would look at all of them, each time.
            (last,) = connection.execute("SELECT max(number) FROM boards").fetchone()
            for number, board in enumerate(boards, 0 if last is None else last + 1):
                problem = board.problem
                connection.execute(
                    "INSERT OR IGNORE INTO problems (key, text, puzzle) VALUES (?, ?, ?)",
                    (board.key, problem_text(problem), problem.puzzle.title),
                )
                connection.execute(
                    "INSERT INTO boards (set_name, name, problem, recorded_length, number) "
                    "VALUES (?, ?, ?, ?, ?) ON CONFLICT (set_name, name) DO UPDATE SET "
                    "problem = excluded.problem, recorded_length = excluded.recorded_length",
                    (board.set_name, board.name, board.key, board.optimal_length, number),
                )

    def attempts(self, problem: str) -> list[Attempt]:
        """Return the attempts at a problem, in the order in which they were kept."""
        rows = self._read(_ATTEMPT, "attempts WHERE problem = ? ORDER BY id", problem)
        return [Attempt(*row) for row in rows]

    def keep(self, attempt: Attempt) -> None:
        """Keep an attempt at a problem that some board has."""
        self._insert("INTO attempts", _ATTEMPT, attempt)

    def results(self) -> Iterator[tuple[Board, list[Attempt]] | StoreError]:
        """Yield each board, in the order in which they were added, with all attempts at it.

        A `StoreError` stands for a board that cannot be read, and precedes one that is not the
        board of its key; it begins with its name.
        """
        columns = {**_BOARD, "key": str, "text": str}
        where = "boards LEFT JOIN problems ON key = problem ORDER BY number, set_name, name"
        for set_name, name, length, key, text in self._read(columns, where):
            try:
                board = Board(read_problem(text, format="json"), name, set_name, length)
            except InputError as error:
                yield StoreError(f"{set_name}/{name}: its board cannot be read: {error}")
                continue
            if board.key != key:
                yield StoreError(f"{board.full_name}: its board is not the one of its key")
            yield board, self.attempts(key)

    def contradictions(self) -> Iterator[str]:
        """Yield what is said of one problem and cannot all be true, after the name of a board."""
        for (problem,) in self._read({"problem": str}, "attempts GROUP BY problem"):
            boards = self._read(_BOARD, "boards WHERE problem = ? ORDER BY number", problem)
            named = [(f"{set_name}/{name}", length) for set_name, name, length in boards]
            yield from contradictions(named or [(problem[:12], None)], self.attempts(problem))

    def units(self, proof: str, bound: int) -> dict[str, UnitRow]:
        """Return the finished units of a round of a proof, by their keys."""
        rows = self._read(_UNIT, "units WHERE proof = ? AND bound = ?", proof, bound)
        return {row.key: row for row in (UnitRow(*row) for row in rows)}

    def keep_unit(self, row: UnitRow) -> None:
        """Keep a finished unit; one that another process has finished too is left as it is."""
        self._insert("OR IGNORE INTO units", _UNIT, row)

    def has_rounds(self, problem: str) -> bool:
        """Return True if there is any round of a proof about a problem."""
        # The proof of an engine is named by the problem's key, a blank and the engine.
        where = "rounds WHERE proof > ? AND proof < ? LIMIT 1"
        return any(self._read({"proof": str}, where, f"{problem} ", f"{problem}!"))

    def round(self, proof: str, bound: int) -> str | None:
        """Return what was kept of a round of a proof, None where it has not begun."""
        rows = self._read({"details": str}, "rounds WHERE proof = ? AND bound = ?", proof, bound)
        return next((details for (details,) in rows), None)

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
        with self._lock, explained(self._place), transaction(self._connection):
            yield self._connection

    def _insert(self, into: str, columns: Mapping[str, Any], row: Attempt | UnitRow) -> None:
        names, places = ", ".join(columns), ", ".join("?" * len(columns))
        with self._writing() as connection:
            connection.execute(f"INSERT {into} ({names}) VALUES ({places})", astuple(row))

    def _read(
        self, columns: Mapping[str, Any], where: str, *values: object
    ) -> Iterator[tuple[Any, ...]]:
        """Yield rows, which may hold anything anywhere, if they hold what the columns should.

        They are read some at a time, so that neither memory nor the lock is held for long.
        """
        with self._lock, explained(self._place):
            cursor = self._connection.execute(f"SELECT {', '.join(columns)} FROM {where}", values)
        while True:
            with self._lock, explained(self._place):
                rows = cursor.fetchmany(500)
            if not rows:
                return
            for row in rows:
                for (name, kind), value in zip(columns.items(), row, strict=True):
                    if wrong := _what_is_wrong(value, kind):
                        place = f"{self._place}: a row of {where.split()[0]}"
                        raise StoreError(f"{place} is impossible: {name} {wrong}")
                yield row


def _what_is_wrong(value: object, kind: Any) -> str:
    if not isinstance(value, kind):
        return f"is a {type(value).__name__}"
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"is longer than {_LONGEST_TEXT} characters"
    if isinstance(value, int | float) and not 0 <= value < _LARGEST:
        return "is out of range"
    return ""
