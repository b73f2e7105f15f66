"""Reads what others have written as JSON, strictly: a text as an object, an object as a dataclass.

A dataclass says what an object must be: its fields are the keys, in the order in which they are
checked; a key whose field has a default may be missing, and there are no others.

    @dataclass(frozen=True)
    class Round:
        nodes: Whole
        note: str = ""

    read(Round, {"nodes": -1}, "rounds[2]")
    JsonError: rounds[2].nodes: expected a whole number >= 0, got -1
"""

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite, isnan
from reprlib import repr as brief
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from plansolve.text import quote

T = TypeVar("T")


class JsonError(ValueError):
    """What is wrong with a text that should be a JSON object."""


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
        raise JsonError("not a JSON document: not a text in UTF-8") from None
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
    raise JsonError(f"{name} in the JSON document is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise JsonError(f"{quote(text)} in the JSON document is too large a number")
    return number


@dataclass(frozen=True)
class Rule:
    """A condition on values, for `Annotated`; `wanted` names the values for which it holds."""

    wanted: str
    holds: Callable[[Any], object]


Whole = Annotated[int, Rule("a whole number >= 0", lambda number: number >= 0)]
Seconds = Annotated[float, Rule("a number >= 0", lambda number: number >= 0)]
Line = Annotated[str, Rule("one line of text", lambda text: text.isprintable() and text.strip())]


def read(kind: type[T], value: object, place: str = "") -> T:
    """Return a value of JSON as one of `kind`; `place` says in messages where it stands.

    A kind is a dataclass, or what its fields may be: str, bool, int, float, an enumeration or a
    `Literal` of texts, `tuple[..., ...]` for a list, `Mapping[str, ...]`, `Any`, each of them or
    None, and `Annotated` with a `Rule`. Raise `JsonError` with the place of the first part that is
    missing, unknown, or something else.
    """
    try:
        found: T = _shape(cast("Any", kind)).read(value)
    except _Misfit as misfit:
        at = (place + "".join(reversed(misfit.path))).removeprefix(".")
        raise JsonError(f"{at}: {misfit}" if at else str(misfit)) from None
    return found


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


class _Misfit(Exception):
    """Says what is wrong with a part; `path` leads from the part to the whole."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.path: list[str] = []


class _Shape(NamedTuple):
    """The name of a kind of values, a test for them, and the function that makes one."""

    wanted: str
    fits: Callable[[Any], object]
    make: Callable[[Any], Any] = lambda value: value

    def read(self, value: object) -> Any:
        if not self.fits(value):
            raise _Misfit(f"expected {self.wanted}, got {json_word(value)}")
        return self.make(value)

    def read_part(self, value: object, step: str) -> Any:
        try:
            return self.read(value)
        except _Misfit as misfit:
            misfit.path.append(step)
            raise


_SCALARS: Mapping[Any, _Shape] = {
    Any: _Shape("anything", lambda value: True),
    str: _Shape("a text", lambda value: isinstance(value, str)),
    bool: _Shape("true or false", lambda value: isinstance(value, bool)),
    # To Python, true and false are whole numbers.
    int: _Shape("a whole number", lambda value: type(value) is int),
    float: _Shape("a number", lambda value: type(value) in (int, float)),
}


@cache
def _shape(kind: Any) -> _Shape:
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        inner, rule = _shape(arguments[0]), arguments[1]
        return inner._replace(
            wanted=rule.wanted, fits=lambda value: inner.fits(value) and rule.holds(value)
        )
    if origin in (Union, UnionType):
        (other,) = (_shape(argument) for argument in arguments if argument is not NoneType)
        return _Shape(
            f"{other.wanted} or null",
            lambda value: value is None or other.fits(value),
            lambda value: None if value is None else other.make(value),
        )
    if origin is Literal:
        return _one_of({choice: choice for choice in arguments})
    if origin is tuple:
        return _list_of(_shape(arguments[0]))
    if is_dataclass(kind):
        return _object_of(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _one_of({choice.value: choice for choice in kind})
    assert origin is Mapping, kind
    part = _shape(arguments[1])
    return _Shape(
        "an object",
        lambda value: isinstance(value, dict),
        lambda value: {key: part.read_part(item, _step(key)) for key, item in value.items()},
    )


def _one_of(choices: Mapping[str, Any]) -> _Shape:
    *others, last = map(repr, choices)
    wanted = f"{', '.join(others)} or {last}" if others else last
    return _Shape(wanted, lambda value: isinstance(value, str) and value in choices, choices.get)


def _list_of(part: _Shape) -> _Shape:
    return _Shape(
        "a list",
        lambda value: isinstance(value, list),
        lambda value: tuple(part.read_part(item, f"[{i}]") for i, item in enumerate(value)),
    )


def _object_of(kind: Any) -> _Shape:
    hints = get_type_hints(kind, include_extras=True)
    parts = {field.name: _shape(hints[field.name]) for field in fields(kind)}
    needed = {
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }

    def make(value: dict[str, Any]) -> Any:
        found = {}
        for key, part in parts.items():
            if key in value:
                found[key] = part.read_part(value[key], _step(key))
            elif key in needed:
                raise _Misfit(f"missing key {key!r}")
        if unknown := sorted(value.keys() - parts.keys()):
            raise _Misfit(f"unknown key {quote(unknown[0])}; the keys are {', '.join(parts)}")
        return kind(**found)

    return _Shape("an object", lambda value: isinstance(value, dict), make)


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() else f"[{quote(key)}]"
