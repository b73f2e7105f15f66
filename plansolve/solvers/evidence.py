"""What an answer rests on besides the work that was done for it: kept tables, and records.

A pattern database that an earlier run built, or that somebody put into the cache folder, is taken
over as it stands but for a sample of its entries. Whoever wants more verifies it, or asks for a
certificate, which rests on nothing of the kind.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from plansolve.errors import ResultError
from plansolve.storage.used import used_files
from plansolve.text import counted, quote

__all__ = ["Evidence", "files_in_use", "read_evidence", "suspects", "tables_among", "units_in_use"]


@dataclass(frozen=True)
class Evidence:
    """One thing that the lower bound of a result, or the list of its plans, rests on.

    `kind` is "table" for a file of the cache folder or "records" for finished units in a store.
    `name` is that file's, without its suffix for a table; `title` says in words what it holds.
    `sha256` is that of the table's bytes in hexadecimal digits, "" for records. `is_verified` tells
    whether every entry was verified for this answer.
    """

    kind: str
    name: str
    title: str
    sha256: str = ""
    is_verified: bool = False

    def document(self) -> dict[str, Any]:
        """Return it as it stands in the JSON document of a result."""
        return asdict(self)


def files_in_use() -> tuple[Evidence, ...]:
    """Return the tables of the cache folder that the work at hand in this process has used."""
    return tuple(
        Evidence("table", file.key.name, file.key.title, file.sha256) for file in used_files()
    )


def tables_among(rests_on: Iterable[Evidence]) -> list[Evidence]:
    """Return those that are tables."""
    return [evidence for evidence in rests_on if evidence.kind == "table"]


def units_in_use(
    counts: Mapping[str, Mapping[str, Any]], store: str | None
) -> tuple[Evidence, ...]:
    """Return the finished units that the engines' figures say were taken over from a store."""
    if store is None:
        return ()
    return tuple(
        Evidence("records", store, f"{known} of {counted(figures['units'], 'unit')}")
        for figures in counts.values()
        if isinstance(known := figures.get("units_from_store"), int) and known
    )


def suspects(rests_on: Iterable[Evidence]) -> str:
    """Return the end of a message about a contradiction: which kept tables may be to blame."""
    names = [table.name for table in tables_among(rests_on)]
    if not names:
        return ""
    return f"; kept tables in use, which `plansolve tables verify` checks: {', '.join(names)}"


def read_evidence(document: object) -> tuple[Evidence, ...]:
    """Return what a result's document lists; raise `ResultError` for anything else."""
    if not isinstance(document, list):
        raise ResultError("rests_on: a list is expected")
    return tuple(map(_read_one, document))


def _read_one(one: object) -> Evidence:
    fields = {"kind": str, "name": str, "title": str, "sha256": str, "is_verified": bool}
    if not isinstance(one, dict) or {key: type(one[key]) for key in one} != fields:
        raise ResultError("rests_on: each entry has kind, name, title, sha256 and is_verified")
    evidence = Evidence(**one)
    is_table = evidence.kind == "table"
    if evidence.kind not in ("table", "records"):
        raise ResultError(f"rests_on: table or records, not {quote(evidence.kind)}")
    if not re.fullmatch("[0-9a-f]{64}" if is_table else "", evidence.sha256):
        raise ResultError(f"rests_on: {quote(evidence.sha256)} is no SHA-256")
    if not (evidence.name + evidence.title).isprintable():
        raise ResultError(f"rests_on: {quote(evidence.title)} cannot be shown")
    return evidence
