"""Track which kept tables the work at hand has used: its answer rests on them besides that work."""

from typing import NamedTuple


class UsedTable(NamedTuple):
    """A file of the store whose bytes were loaded: its name, and in words what it holds."""

    name: str
    title: str


_used: dict[UsedTable, None] = {}


def forget_used() -> None:
    """Begin another piece of work in this process, which has used nothing yet."""
    _used.clear()


def note_used(*tables: UsedTable) -> None:
    """Remember that the work at hand uses these tables, which may have been loaded before it."""
    _used.update(dict.fromkeys(tables))


def used_tables() -> tuple[UsedTable, ...]:
    """Return the tables that the work at hand has used so far."""
    return tuple(_used)
