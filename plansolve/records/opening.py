"""Opening a store, and one clear error for each way in which that fails."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plansolve.errors import StoreError
from plansolve.records.schema import migrate, version_of
from plansolve.text import one_line

__all__ = ["connected", "explained"]

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

    Statements are committed one by one, but for those between BEGIN and COMMIT. Any thread may use
    it, one at a time.
    """
    place = one_line(str(path))
    if path.is_dir():
        raise StoreError(f"{place}: it is a folder: give the name of a file, such as run.sqlite")
    if not path.exists():
        if must_exist:
            raise StoreError(f"{place}: there is no such store; plansolve batch --store makes one")
        if not path.parent.is_dir():
            raise StoreError(f"{place}: there is no folder {one_line(str(path.parent))}")
    elif path.stat().st_size and not _begins_like_sqlite(path):
        raise StoreError(f"{place}: it is no store of plansolve, nor any SQLite database")
    elif not os.access(path, os.W_OK):
        raise StoreError(f"{place}: it may not be written to; a copy may")
    with explained(place):
        connection = sqlite3.connect(
            path, timeout=_SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            # Another program's file stays as it is.
            version_of(connection, place)
            for pragma in _PRAGMAS_OF_OURS:
                connection.execute(pragma)
            migrate(connection, place)
        except BaseException:
            connection.close()
            raise
    return connection


def _begins_like_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise StoreError(f"{one_line(str(path))}: it cannot be read: {error.strerror}") from None


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn what SQLite raises into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{place}: {_explanation(error)}") from None


def _explanation(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    for begin, explanation in _EXPLANATIONS:
        if name.startswith(begin):
            return explanation
    return f"the store cannot be used: {error}"


_EXPLANATIONS = (
    ("SQLITE_FULL", "the disk is full; what was kept before is safe: make room and go on"),
    ("SQLITE_BUSY", "another program keeps it locked: wait for its end, or end it"),
    ("SQLITE_LOCKED", "another program keeps it locked: wait for its end, or end it"),
    ("SQLITE_READONLY", "it may not be written to: change the permissions, or use a copy"),
    ("SQLITE_CANTOPEN", "it cannot be opened: may files be made in its folder?"),
    ("SQLITE_PERM", "it may not be opened"),
    ("SQLITE_IOERR", "the disk fails, or is full; what was kept before is safe"),
    ("SQLITE_CORRUPT", "it is damaged: begin a new one, or use a copy from before"),
    ("SQLITE_NOTADB", "it is no store of plansolve, nor any SQLite database"),
)
