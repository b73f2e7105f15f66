"""Opening a store: its tables, what brings those of an earlier version up to date, clear errors.

Each version is a list of statements that make it of the version before. A store says in its
`user_version` which it has; its `application_id` tells it from other programs' files.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

from plansolve.errors import StoreError
from plansolve.text import one_line

_SECONDS_TO_WAIT = 20.0
"""For another process that writes; each of our own writes takes milliseconds."""

_PRAGMAS = (
    # A store may come from strangers.
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
_PRAGMAS_OF_OURS = (
    # Readers and one writer do not wait for each other.
    "PRAGMA journal_mode = WAL",
    # A commit is on its way to the disk when it returns: whatever ends the process, it is kept. A
    # power cut may lose the last ones, but leaves the file whole.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)


def connected(path: Path, *, must_exist: bool) -> sqlite3.Connection:
    """Return a connection to the store, made if there is none; raise `StoreError` otherwise.

    One that must exist and may not be written to is only read. Statements are committed one by one,
    but for those between BEGIN and COMMIT. Any thread may use it, one at a time.
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
        # Beside a store that nobody has open SQLite would make files.
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
                migrate(connection, place)
            _check_shape(connection, place, MIGRATIONS)
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
    """Have what is done meanwhile be committed, or leave nothing; a signal may come at any time."""
    try:
        # Another process may be about to write, too.
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn what SQLite raises into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{place}: {_explanation(error)}") from None


def _explanation(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    said = (what for begin, what in _EXPLANATIONS.items() if name.startswith(begin))
    return next(said, f"the store cannot be used: {error}")


_LOCKED = "another program keeps it locked: wait for its end, or end it"
_EXPLANATIONS = {
    "FULL": "the disk is full; what was kept before is safe: make room and go on",
    "BUSY": _LOCKED,
    "LOCKED": _LOCKED,
    "READONLY": "it may not be written to: change the permissions, or use a copy",
    "CANTOPEN": "it cannot be opened: may files be made in its folder?",
    "PERM": "it may not be opened",
    "IOERR": "the disk fails, or is full; what was kept before is safe",
    "CORRUPT": "it is damaged: begin a new one, or use a copy from before",
    "NOTADB": "it is neither a store of plansolve nor another SQLite database",
}

APPLICATION = 0x706C_736F
"""The letters "plso"."""

_VERSION_1 = (
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

MIGRATIONS: Sequence[Sequence[str]] = (_VERSION_1,)
"""The statements that make version 1 of an empty file, version 2 of version 1, and so on."""


def migrate(
    connection: sqlite3.Connection, place: str, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring the store to the newest version, in one transaction.

    Raise `StoreError` for a file of a later version.
    """
    with transaction(connection):
        version = version_of(connection, place)
        if version > len(migrations):
            raise StoreError(
                f"{place}: it was written by a later plansolve (its version is {version}, this one "
                f"knows {len(migrations)}): use that, or another file"
            )
        for statements in migrations[version:]:
            for statement in statements:
                connection.execute(statement)
        if version < len(migrations):
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {len(migrations)}")


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


def _check_shape(
    connection: sqlite3.Connection, place: str, migrations: Sequence[Sequence[str]]
) -> None:
    """Raise `StoreError` unless the file has our tables and nothing else, such as triggers."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as blank:
        for statement in chain.from_iterable(migrations):
            blank.execute(statement)
        if _shape(connection) != _shape(blank):
            raise StoreError(f"{place}: its tables are not those of a store of plansolve")


def _shape(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    )
    return {tuple(map(str, row)) for row in rows}
