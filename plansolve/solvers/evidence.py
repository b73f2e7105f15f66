"""Evidence that an answer rests on besides its own search: cached tables and records.

A pattern database that an earlier run built, or that somebody put into the cache folder, is used as
it is. `plansolve tables verify` checks it, and certificates do not rest on it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from plansolve.json_reader import Line
from plansolve.storage.notices import used_tables
from plansolve.text import counted


@dataclass(frozen=True)
class Evidence:
    """One thing that the lower bound of a result, or the list of its plans, rests on.

    `kind` is "table" for a file of the cache folder or "records" for finished units in a store.
    `name` is that file's, without its suffix for a table; `title` says in words what it holds.
    """

    kind: Literal["table", "records"]
    name: Line
    title: Line


def tables_in_use() -> tuple[Evidence, ...]:
    """Return the tables of the cache folder that the current work in this process has used."""
    return tuple(Evidence("table", *table) for table in used_tables())


def tables_among(rests_on: Iterable[Evidence]) -> list[Evidence]:
    """Return those that are tables."""
    return [evidence for evidence in rests_on if evidence.kind == "table"]


def units_in_use(
    counts: Mapping[str, Mapping[str, Any]], store: str | None
) -> tuple[Evidence, ...]:
    """Return the finished units that were read from a store, by the engines' figures."""
    if store is None:
        return ()
    return tuple(
        Evidence("records", store, f"{known} of {counted(figures['units'], 'unit')}")
        for figures in counts.values()
        if isinstance(known := figures.get("units_from_store"), int) and known
    )


def suspects(rests_on: Iterable[Evidence]) -> str:
    """Return the end of a message about a contradiction: the kept tables that may be wrong."""
    names = [table.name for table in tables_among(rests_on)]
    if not names:
        return ""
    return f"; check the cached tables with `plansolve tables verify`: {', '.join(names)}"
