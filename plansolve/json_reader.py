"""Reads values of JSON that others have written as dataclasses, strictly.

A dataclass says what an object must be: its fields are the keys, in the order in which they are
checked; a key whose field has a default may be missing, and there are no others.

    @dataclass(frozen=True)
    class Round:
        nodes: Whole
        note: str = ""

    read(Round, {"nodes": -1}, "rounds[2]")
    JsonError: rounds[2].nodes: expected a whole number >= 0, got -1
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from plansolve.json_text import JsonError, json_word
from plansolve.text import quote

T = TypeVar("T")


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
    `Literal` of texts, `tuple[..., ...]` for a list or `tuple[float, float]` for one of so many,
    `Mapping[str, ...]`, `Any`, each of them or None, and `Annotated` with a `Rule`.

    Raise `JsonError` with the place of the first part that is missing, unknown, or something else.
    """
    try:
        found: T = _shape(cast("Any", kind)).read(value)
    except _Misfit as misfit:
        at = (place + "".join(reversed(misfit.path))).removeprefix(".")
        raise JsonError(f"{at}: {misfit}" if at else str(misfit)) from None
    return found


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
            size = f" of {len(value)}" if isinstance(value, list) else ""
            raise _Misfit(f"expected {self.wanted}, got {json_word(value)}{size}")
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
        return _list_of(_shape(arguments[0]), None if ... in arguments else len(arguments))
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


def _list_of(part: _Shape, length: int | None) -> _Shape:
    return _Shape(
        "a list" if length is None else f"a list of {length}",
        lambda value: isinstance(value, list) and length in (None, len(value)),
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
