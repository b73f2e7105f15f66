"""The tables of a store, and how one of an earlier version becomes one of this.

Each version is a list of statements that make it of the version before. A store says in its
`user_version` which it has; its `application_id` tells it from other programs' files.
"""

import sqlite3
from collections.abc import Sequence

from plansolve.errors import StoreError

__all__ = ["APPLICATION", "MIGRATIONS", "migrate", "version_of"]

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
"""What makes version 1 of an empty file, version 2 of version 1, and so on."""


def migrate(
    connection: sqlite3.Connection, place: str, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring the store to the newest version, in one transaction.

    Raise `StoreError` for a file of a later version, and one with other tables.
    """
    # Another process may be about to do the same.
    connection.execute("BEGIN IMMEDIATE")
    try:
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
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    _check_shape(connection, place, migrations)


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
    blank = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for statement in (s for statements in migrations for s in statements):
            blank.execute(statement)
        if _shape(connection) != _shape(blank):
            raise StoreError(f"{place}: its tables are not those of a store of plansolve")
    finally:
        blank.close()


def _shape(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    )
    return {tuple(map(str, row)) for row in rows}
