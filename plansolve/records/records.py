"""The store: boards, attempts at them, and the finished units of proofs, in one SQLite file.

The `user_version` of a store is the version of its tables; its `application_id` distinguishes it
from the files of other programs.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from threading import RLock
from typing import Any, get_type_hints

from plansolve.errors import InputError, StoreError
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.records.board import Attempt, Board, contradictions
from plansolve.text import one_line

_SECONDS_TO_WAIT = 20.0
"""The time to wait for another process that writes; each of our writes takes milliseconds."""

_PRAGMAS = (
    # A store may be untrusted.
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
_PRAGMAS_OF_OURS = (
    # Readers and one writer do not wait for each other.
    "PRAGMA journal_mode = WAL",
    # When a commit returns, the system has its data: it is kept however the process ends. A power
    # cut may lose the last commits, but leaves the file whole.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)


def connected(path: Path, *, must_exist: bool) -> sqlite3.Connection:
    """Return a connection to the store, made if there is none; raise `StoreError` otherwise.

    A store that must exist and is not writable is opened for reading. Statements are committed one
    by one, except those between BEGIN and COMMIT. Any thread may use it, one at a time.
    """
    place = one_line(str(path))
    try:
        is_new = _is_new(path, place, must_exist=must_exist)
    except OSError as error:
        raise StoreError(f"{place}: {error.strerror}") from None
    may_write, how = is_new or all(os.access(p, os.W_OK) for p in (path, path.parent)), "mode=rwc"
    if not may_write:
        if not must_exist:
            raise StoreError(f"{place}: it or its folder cannot be written; use a copy")
        # SQLite would create files beside a store that no process has open.
        is_open = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if is_open else "mode=ro&immutable=1"
    with explained(place):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?{how}",
            timeout=_SECONDS_TO_WAIT,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            # Another program's file stays as it is.
            version_of(connection, place)
            if may_write:
                for pragma in _PRAGMAS_OF_OURS:
                    connection.execute(pragma)
                _make_tables(connection, place)
            _check_shape(connection, place)
        except BaseException:
            connection.close()
            raise
    return connection


def _is_new(path: Path, place: str, *, must_exist: bool) -> bool:
    """Return True if there is no such file; raise `StoreError` for one that cannot be a store."""
    if "\0" in str(path):
        raise StoreError(f"{place}: no file can have this name")
    if path.is_dir():
        raise StoreError(f"{place}: it is a folder: give the name of a file, such as run.sqlite")
    if not path.exists():
        if must_exist:
            raise StoreError(f"{place}: there is no such store; plansolve batch --store makes one")
        if not path.parent.is_dir():
            raise StoreError(f"{place}: there is no folder {one_line(str(path.parent))}")
        return True
    if not path.is_file():
        raise StoreError(
            f"{place}: it is not a regular file: give another name, such as run.sqlite"
        )
    with path.open("rb") as file:
        if file.read(16) not in (b"", b"SQLite format 3\0"):
            raise StoreError(
                f"{place}: it is neither a store of plansolve nor another SQLite database"
            )
    return False


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all statements of the block, or none, even if a signal arrives."""
    try:
        # Take the write lock now, since another process may be about to write, too.
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn an error of SQLite into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
        said = (what for begin, what in _EXPLANATIONS.items() if name.startswith(begin))
        what = next(said, f"the store cannot be used: {error}")
        raise StoreError(f"{place}: {what}") from None


_LOCKED = "another program has locked it: wait until that program ends, or end it"
_EXPLANATIONS = {
    "FULL": "the disk is full; earlier results are safe: make room and go on",
    "BUSY": _LOCKED,
    "LOCKED": _LOCKED,
    "READONLY": "it cannot be written: change the permissions, or use a copy",
    "CANTOPEN": "it cannot be opened: check that you can write to its folder",
    "PERM": "you may not open it: change the permissions",
    "IOERR": "the disk fails or is full; earlier results are safe",
    "CORRUPT": "it is damaged: start a new one, or use a backup",
    "NOTADB": "it is neither a store of plansolve nor another SQLite database",
}

APPLICATION = 0x706C_736F
"""The letters "plso"."""

_VERSION = 1
_TABLES = (
    """CREATE TABLE problems (
        key TEXT PRIMARY KEY, text TEXT NOT NULL, puzzle TEXT NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE boards (
        set_name TEXT NOT NULL, name TEXT NOT NULL,
        problem TEXT NOT NULL REFERENCES problems(key), recorded_length INTEGER,
        number INTEGER NOT NULL, PRIMARY KEY (set_name, name)
    ) WITHOUT ROWID""",
    "CREATE INDEX boards_by_problem ON boards (problem)",
    "CREATE INDEX boards_by_number ON boards (number)",
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY, problem TEXT NOT NULL REFERENCES problems(key),
        options TEXT NOT NULL, engine TEXT NOT NULL, version TEXT NOT NULL,
        status TEXT NOT NULL, stop_reason TEXT NOT NULL,
        lower_bound INTEGER, length INTEGER, plan TEXT,
        lower_bound_by TEXT NOT NULL, upper_bound_by TEXT NOT NULL,
        seconds REAL NOT NULL, nodes INTEGER, conflicts INTEGER,
        host TEXT NOT NULL, began TEXT NOT NULL, error TEXT NOT NULL
    )""",
    "CREATE INDEX attempts_by_problem ON attempts (problem)",
    """CREATE TABLE rounds (
        proof TEXT NOT NULL, bound INTEGER NOT NULL, details TEXT NOT NULL,
        PRIMARY KEY (proof, bound)
    ) WITHOUT ROWID""",
    """CREATE TABLE units (
        key TEXT PRIMARY KEY, proof TEXT NOT NULL, bound INTEGER NOT NULL,
        answer TEXT NOT NULL, seconds REAL NOT NULL, host TEXT NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX units_by_round ON units (proof, bound)",
)


def _make_tables(connection: sqlite3.Connection, place: str) -> None:
    """Make the tables of an empty file; raise `StoreError` for a file of a later version."""
    with transaction(connection):
        version = version_of(connection, place)
        if version > _VERSION:
            raise StoreError(
                f"{place}: a later plansolve wrote it (it has format {version}, and this plansolve "
                f"reads {_VERSION}): use the later plansolve, or another file"
            )
        if version < _VERSION:
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")


def version_of(connection: sqlite3.Connection, place: str) -> int:
    """Return the version of a store, 0 for an empty file.

    Raise `StoreError` for a file of another program.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == APPLICATION and version >= 1:
        return int(version)
    if application or version or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise StoreError(
            f"{place}: it is the database of another program, not a store of plansolve"
        )
    return 0


def _check_shape(connection: sqlite3.Connection, place: str) -> None:
    """Raise `StoreError` unless the file has our tables and nothing else, such as triggers."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as blank:
        for statement in _TABLES:
            blank.execute(statement)
        if _shape(connection) != _shape(blank):
            raise StoreError(f"{place}: its tables are not those of a store of plansolve")


def _shape(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    )
    return {tuple(map(str, row)) for row in rows}


@dataclass(frozen=True)
class UnitRow:
    """A finished unit of a proof: its key, and its answer as JSON."""

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

    Data are committed when a call returns. The types of values that are read are checked, but their
    truth is as trustworthy as the author of the file. Each method raises `StoreError` if the file
    cannot be used.
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
        with self._lock, explained(self._place):
            self._connection.close()

    def add_boards(self, boards: Iterable[Board]) -> None:
        """Keep boards, in this order; boards of the same names are replaced."""
        with self._writing() as connection:
            # A count would read all of them each time.
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
        """Keep an attempt at the problem of some board."""
        self._insert("INTO attempts", _ATTEMPT, attempt)

    def results(self) -> Iterator[tuple[Board, list[Attempt]] | StoreError]:
        """Yield each board, in the order in which they were added, with all attempts at it.

        A `StoreError`, which begins with the name of the board, stands for a board that cannot be
        read, and precedes one that does not match its key.
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
                yield StoreError(f"{board.full_name}: its board does not match its key")
            yield board, self.attempts(key)

    def contradictions(self) -> Iterator[str]:
        """Yield contradictory claims about one problem, each after the name of a board."""
        for (problem,) in self._read({"problem": str}, "attempts GROUP BY problem"):
            boards = self._read(_BOARD, "boards WHERE problem = ? ORDER BY number", problem)
            named = [(f"{set_name}/{name}", length) for set_name, name, length in boards]
            yield from contradictions(named or [(problem[:12], None)], self.attempts(problem))

    def units(self, proof: str, bound: int) -> dict[str, UnitRow]:
        """Return the finished units of a round of a proof, by their keys."""
        rows = self._read(_UNIT, "units WHERE proof = ? AND bound = ?", proof, bound)
        return {row.key: row for row in (UnitRow(*row) for row in rows)}

    def keep_unit(self, row: UnitRow) -> None:
        """Keep a finished unit, unless another process has kept it already."""
        self._insert("OR IGNORE INTO units", _UNIT, row)

    def has_rounds(self, problem: str) -> bool:
        """Return True if there is any round of a proof about a problem."""
        # The proof of an engine is named by the problem's key, a space and the engine.
        where = "rounds WHERE proof > ? AND proof < ? LIMIT 1"
        return any(self._read({"proof": str}, where, f"{problem} ", f"{problem}!"))

    def round(self, proof: str, bound: int) -> str | None:
        """Return the details of a round of a proof, None if it has not begun."""
        rows = self._read({"details": str}, "rounds WHERE proof = ? AND bound = ?", proof, bound)
        return next((details for (details,) in rows), None)

    def keep_round(self, proof: str, bound: int, details: str) -> None:
        """Keep the details of a round of a proof, unless they are kept already."""
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
        """Yield rows, and raise `StoreError` for values that the columns must not hold.

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
        return f"has the type {type(value).__name__}"
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"is longer than {_LONGEST_TEXT} characters"
    if isinstance(value, int | float) and not 0 <= value < _LARGEST:
        return "is out of range"
    return ""
