"""What an answer rests on besides the work that was done for it: kept tables, and records.

A pattern database that an earlier run built, or that somebody put into the cache folder, is taken
over as it stands but for a sample of its entries. Whoever wants more verifies it, or asks for a
certificate, which rests on nothing of the kind.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from plansolve.errors import ResultError
from plansolve.model.problem import Problem
from plansolve.storage.used import used_files

__all__ = ["Evidence", "files_in_use", "read_evidence", "suspects", "units_in_use"]


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


def files_in_use(problem: Problem) -> tuple[Evidence, ...]:
    """Return the tables for the problem's rules that this process has loaded from the cache folder.

    An answer rests on no others. On some of these it may not rest: tables stay loaded, so a process
    that has solved other boards of the same rules names all that it has used for them.
    """
    own: dict[str, Any] = {"cells": problem.puzzle.cells}
    if (graph := problem.structure.blank_graph) is not None:
        own["arcs"] = [sorted(targets) for targets in graph.successors]
    return tuple(
        Evidence("table", file.key.name, file.key.title, file.sha256)
        for file in used_files()
        if _concerns(file.key.content, own)
    )


def units_in_use(
    counts: Mapping[str, Mapping[str, Any]], store: str | None
) -> tuple[Evidence, ...]:
    """Return the finished units that the engines' figures say were taken over from a store."""
    if store is None:
        return ()
    return tuple(
        Evidence("records", store, f"{figures['units_from_store']} of {figures['units']} units")
        for figures in counts.values()
        if figures.get("units_from_store")
    )


def suspects(rests_on: Iterable[Evidence]) -> str:
    """Return the end of a message about a contradiction: which kept tables may be to blame."""
    names = [evidence.name for evidence in rests_on if evidence.kind == "table"]
    if not names:
        return ""
    return f"; kept tables in use, which `plansolve tables verify` checks: {', '.join(names)}"


def read_evidence(document: object) -> tuple[Evidence, ...]:
    """Return what a result's document lists; raise `ResultError` for anything else."""
    if not isinstance(document, list):
        raise ResultError("rests_on: a list is expected")
    fields = {"kind": str, "name": str, "title": str, "sha256": str, "is_verified": bool}
    for one in document:
        if not isinstance(one, dict) or {key: type(one[key]) for key in one} != fields:
            raise ResultError("rests_on: each entry has kind, name, title, sha256 and is_verified")
    return tuple(Evidence(**one) for one in document)


def _concerns(content: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    """Whether the description of a table contradicts nothing that is known of the rules."""
    # Arrays for lemmas have theirs one level deeper.
    inner = content.get("key", content)
    return all(inner[key] == value for key, value in own.items() if key in inner)
