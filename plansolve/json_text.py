"""Reads texts that others have written as JSON objects, strictly; and names values in messages."""

import json
from codecs import BOM_UTF8
from collections import Counter
from math import isfinite, isnan
from reprlib import repr as brief
from typing import Any, NoReturn

from plansolve.text import quote


class JsonError(ValueError):
    """A text is not a JSON object."""


def json_object(text: str | bytes, *, example: str = "{...}") -> dict[str, Any]:
    """Return the object that a JSON text holds; `example` is one for people.

    Raise `JsonError` for anything else, for an object that has a key twice, which readers take in
    different ways, for bytes that are not UTF-8, for NaN and infinities, which JSON does not have,
    and for numbers that readers would take for infinities.
    """
    try:
        if isinstance(text, bytes):
            # Python would guess UTF-16 and UTF-32 too.
            text = text.decode("utf-8-sig")
        found = json.loads(
            text,
            object_pairs_hook=_without_repeats,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except JsonError:
        raise
    except json.JSONDecodeError as error:
        what = "more follows its end" if error.msg == "Extra data" else error.msg
        raise JsonError(f"line {error.lineno}: not a JSON document: {what}") from None
    except UnicodeDecodeError:
        raise JsonError("not a JSON document: not UTF-8 text") from None
    except RecursionError:
        raise JsonError("the JSON document is nested too deeply") from None
    except ValueError:
        raise JsonError("the JSON document holds a number that is too long") from None
    if not isinstance(found, dict):
        raise JsonError(f"the JSON document must be an object: {example}")
    return found


def begins_object(data: bytes) -> bool:
    """Return True if data seem to be a JSON object: only a byte order mark comes before it."""
    return data.removeprefix(BOM_UTF8).lstrip()[:1] == b"{"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise JsonError(f"an object of the JSON document has the key {quote(key)} twice")
    return document


def _no_constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not allowed in a JSON document")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise JsonError(f"{quote(text)} in the JSON document is too large a number")
    return number


def json_word(value: object) -> str:
    """Return what a message calls a value: as JSON writes it, if it is short."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return brief(value)
