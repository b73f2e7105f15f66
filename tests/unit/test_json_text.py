"""JSON that others have written: a text as an object, and an object as a dataclass."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest

from plansolve.json_reader import Line, Rule, Seconds, Whole, read
from plansolve.json_text import JsonError, json_object, json_word


@pytest.mark.parametrize(
    "text", ['{"a": [1, null]}', b'{"a": [1, null]}', b'\xef\xbb\xbf{"a": [1, null]}']
)
def test_an_object_is_read(text):
    assert json_object(text) == {"a": [1, None]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: not a JSON document: Expecting value"),
        ('{"a":\n1,}', "line 2: not a JSON document: "),
        ('{"a": 1}\n{"a": 2}\n', "line 2: not a JSON document: more follows its end"),
        ('{"a": 1e999}', "'1e999' in the JSON document is too large a number"),
        ('{"a": 1}'.encode("utf-16-le"), "line 1: not a JSON document: "),
        (b"\xff\xfe{", "not a JSON document: not UTF-8 text"),
        ('{"b": {"a": 1, "a": 2}}', "an object of the JSON document has the key 'a' twice"),
        ('{"a": NaN}', "NaN is not allowed in a JSON document"),
        ('{"a": -Infinity}', "-Infinity is not allowed in a JSON document"),
        ("[" * 100_000, "the JSON document is nested too deeply"),
        ("9" * 10_000, "the JSON document holds a number that is too long"),
        ("[1]", 'the JSON document must be an object: {"a": 1}'),
    ],
)
def test_anything_else_is_refused_in_one_sentence(text, said):
    with pytest.raises(JsonError) as caught:
        json_object(text, example='{"a": 1}')
    assert str(caught.value).startswith(said)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Round:
    nodes: Whole
    seconds: Seconds | None
    note: Line = "none"


@dataclass(frozen=True)
class Work:
    schema: Literal["work/1"]
    rounds: tuple[Round, ...]
    colour: Colour | None = None
    is_done: bool = False
    sizes: Mapping[str, Annotated[int, Rule("an even number", lambda n: n % 2 == 0)]] = field(
        default_factory=dict
    )
    rest: Any = None


def work(**changes):
    return {"schema": "work/1", "rounds": [{"nodes": 3, "seconds": 0.5}]} | changes


def test_an_object_becomes_what_its_dataclass_says():
    assert read(Work, work()) == Work("work/1", (Round(3, 0.5),))
    rest = {"anything": [None]}
    full = work(colour="blue", is_done=True, sizes={"a": 2}, rest=rest, rounds=[])
    assert read(Work, full) == Work("work/1", (), Colour.BLUE, True, {"a": 2}, rest)
    assert read(Colour, "red") is Colour.RED
    assert read(Round, {"nodes": 0, "seconds": None, "note": "x"}) == Round(0, None, "x")


def one_round(**changes):
    return work(rounds=[{"nodes": 1, "seconds": 1} | changes])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (5, "expected an object, got 5"),
        ({}, "missing key 'schema'"),
        ({"schema": "work/2"}, "schema: expected 'work/1', got 'work/2'"),
        ({"schema": ["work/1"]}, "schema: expected 'work/1', got a list"),
        ({"schema": "work/1"}, "missing key 'rounds'"),
        (work(extra=1), "unknown key 'extra'; the keys are schema, rounds, colour, is_done, sizes"),
        (work(**{"\x1b": 1}), "unknown key '\\x1b'; "),
        (work(rounds={}), "rounds: expected a list, got an object"),
        (work(rounds=[5]), "rounds[0]: expected an object, got 5"),
        (work(rounds=[{"nodes": 1}]), "rounds[0]: missing key 'seconds'"),
        (one_round(nodes=-1), "rounds[0].nodes: expected a whole number >= 0, got -1"),
        (one_round(nodes=True), "rounds[0].nodes: expected a whole number >= 0, got true"),
        (one_round(nodes=1.0), "rounds[0].nodes: expected a whole number >= 0, got 1.0"),
        (one_round(seconds=-0.5), "rounds[0].seconds: expected a number >= 0 or null, got -0.5"),
        (one_round(seconds=False), "rounds[0].seconds: expected a number >= 0 or null, got false"),
        (one_round(note="a\nb"), "rounds[0].note: expected one line of text, got 'a\\nb'"),
        (one_round(note=" "), "rounds[0].note: expected one line of text, got ' '"),
        (work(colour="green"), "colour: expected 'red' or 'blue' or null, got 'green'"),
        (work(colour=1), "colour: expected 'red' or 'blue' or null, got 1"),
        (work(is_done=0), "is_done: expected true or false, got 0"),
        (work(is_done=None), "is_done: expected true or false, got null"),
        (work(sizes=[]), "sizes: expected an object, got a list"),
        (work(sizes={"a": 2, "b b": 3}), "sizes['b b']: expected an even number, got 3"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named_with_its_place(value, said):
    with pytest.raises(JsonError) as caught:
        read(Work, value)
    assert str(caught.value).startswith(said)
    with pytest.raises(JsonError) as caught:
        read(Work, value, "jobs[7]")
    # The part follows its whole.
    assert str(caught.value).startswith((f"jobs[7].{said}", f"jobs[7]: {said}"))


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        ("x" * 100, "'" + "x" * 29 + "...'"),
        (12, "12"),
    ],
)
def test_a_value_is_called_as_json_writes_it(value, word):
    assert json_word(value) == word
