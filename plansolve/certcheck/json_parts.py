"""The JSON parts of a certificate: objects that hold certain keys, and no others."""

from collections.abc import Collection, Mapping
from typing import Any

from plansolve.errors import ProofError
from plansolve.json_text import JsonError, json_object
from plansolve.text import quote

__all__ = ["read_object", "require_keys"]


def read_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object that a file holds; raise `ProofError`."""
    try:
        return json_object(data)
    except JsonError as error:
        raise ProofError(str(error)) from None


def require_keys(record: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise `ProofError` unless an object has these keys and no others."""
    for key in [*record, *keys]:
        if key not in keys or key not in record:
            what = "unknown" if key not in keys else "missing"
            raise ProofError(f"{what} key {quote(key)}; the keys are {', '.join(keys)}")
