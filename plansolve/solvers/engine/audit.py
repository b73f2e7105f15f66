"""Verify the kept tables that an answer rests on: every entry, by another algorithm."""

from collections.abc import Callable
from dataclasses import replace

from plansolve.errors import InternalError
from plansolve.patterns.registry import KINDS
from plansolve.solvers.evidence import Evidence
from plansolve.storage.store import Bytes, Store, StoreKey

__all__ = ["audited"]


def audited(evidence: Evidence, tell: Callable[[str], None]) -> Evidence:
    """Return the evidence as verified; what is no table is returned as it is.

    `tell` is called before each table. Raise `InternalError` for a table that is wrong or no longer
    there, since then nothing that rests on it counts.
    """
    if evidence.kind != "table":
        return evidence
    tell(f"verifying every entry of the table {evidence.title}")
    wrong, advice = "its file is gone, or damaged", "solve again"
    store = Store()
    found = store.read(evidence.name)
    if not isinstance(found, str):
        if store.checksum(found[1]) != evidence.sha256:
            wrong = "its file is another one now"
        elif wrong := _wrong(*found):
            advice = f"delete {store.folder}/{evidence.name}.table and solve again"
    if wrong:
        raise InternalError(
            f"the answer does not count, for it rests on the table {evidence.title}, and that "
            f"cannot be relied on: {wrong}; {advice}"
        )
    return replace(evidence, is_verified=True)


def _wrong(key: StoreKey, content: Bytes) -> str:
    """Return what is wrong with a table, in words; empty where nothing is."""
    if key.kind in KINDS:
        return "; ".join(KINDS[key.kind].verify(key.content, content, lambda line: None))
    return f"nobody can verify tables of kind {key.kind!r}"
