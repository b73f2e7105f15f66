"""One contract for the documents that plansolve reads again: there and back, and wrong parts named.

Every object in a document is tried: without each of its keys, with one more, and with values of
other types under each key.
"""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from support.fixtures import cases

from plansolve.claims.search_proof import PathsUnit
from plansolve.errors import ResultError
from plansolve.formats import read_problem
from plansolve.formats.json_document import problem_text
from plansolve.json_text import JsonError
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result

BOARD = problem_text(read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]]))
FAR = problem_text(read_problem([[1, 8, 2], [0, 5, 3], [6, 7, 4]]))
HOSTILE = (None, True, -1, 10**30, 2.5, "x", "\x1b[8m\n", [], ["x", 7], {}, {"x": [None]})
TABLE = {"kind": "table", "name": "additive-x", "title": "4x4 sliding, 6-6-3"}


@dataclass(frozen=True)
class Document:
    """A kind of document: a sample, its reader and its writer, and the reader's error.

    What is below a key of `others` has readers of its own, or may be anything; keys of `optional`
    may be missing.
    """

    sample: Callable[[], dict[str, Any]]
    read: Callable[[Any], Any]
    write: Callable[[Any], dict[str, Any]]
    error: type[Exception]
    others: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()


@cache
def solved(board: str, **options) -> str:
    return solve(read_problem(board), optimal=True, **options).to_json()


def result(board: str, **options) -> Document:
    def sample():
        document = json.loads(solved(board, **options))
        # That of the whole command, where a command writes it.
        document["seconds"] = document["statistics"]["seconds"]
        return document | {"rests_on": [TABLE]}

    return Document(
        sample,
        lambda document: Result.from_json(json.dumps(document)),
        lambda result: json.loads(result.to_json()),
        ResultError,
        frozenset({"puzzle", "start", "goal", "counts"}),
        frozenset(
            {"choice", "backend", "encoding", "lemmas", "refuted", "conflicts", "horizons"}
            | {"boards", "by_search"}
        ),
    )


UNIT = PathsUnit(BOARD, "{}", ())
DOCUMENTS = {
    "result by search, with all plans": result(BOARD, plans="all"),
    "result by formulas": result(FAR, engine="cnf"),
    "result of own rules": result(json.dumps(cases.OWN), plans="all"),
    "answer of a unit of a certificate": Document(
        lambda: {"boards": 7, "plans": [[*"DLLUU"]]},
        lambda document: UNIT.answer(document, 1.5),
        lambda answer: json.loads(json.dumps(answer.document())),
        JsonError,
    ),
}
every_document = pytest.mark.parametrize("name", DOCUMENTS)


def objects(value: Any, others: frozenset[str], place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the place of each object in a document, and the object itself."""
    if isinstance(value, dict):
        yield place, value
        for key, part in value.items():
            if key not in others:
                yield from objects(part, others, f"{place}.{key}".removeprefix("."))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from objects(part, others, f"{place}[{number}]")


def changed(document: Document, place: str, change: Callable[[dict[str, Any]], None]) -> Any:
    """Return a sample in which the object at a place has been changed."""
    sample = copy.deepcopy(document.sample())
    change(dict(objects(sample, document.others))[place])
    return sample


def places(document: Document) -> list[tuple[str, list[str]]]:
    return [(place, [*found]) for place, found in objects(document.sample(), document.others)]


def refused(document: Document, sample: Any) -> str:
    """Return why a document is refused, in one short line; empty where it is not."""
    try:
        document.read(sample)
    except ValueError as error:
        said = str(error)
        assert said and said.isprintable() and len(said) < 500, said
        return said
    return ""


@every_document
def test_it_comes_back_equal(name):
    document = DOCUMENTS[name]
    assert document.write(document.read(document.sample())) == document.sample()


@every_document
def test_a_missing_and_an_unknown_key_are_named_with_their_place(name):
    document = DOCUMENTS[name]
    for place, keys in places(document):
        prefix = f"{place}: " if place else ""
        more = changed(document, place, lambda found: found.update(zz=1))
        with pytest.raises(document.error) as caught:
            document.read(more)
        assert str(caught.value).startswith(f"{prefix}unknown key 'zz'; the keys are ")
        for key in keys:
            less = changed(document, place, lambda found, key=key: found.pop(key))
            missing = f"{prefix}missing key {key!r}"
            assert refused(document, less) == missing or key in document.optional, (place, key)


@every_document
def test_a_value_of_another_type_is_named_with_its_place(name):
    document = DOCUMENTS[name]
    for place, keys in places(document):
        sample = dict(objects(document.sample(), document.others))[place]
        for key in keys:
            where = f"{place}.{key}".removeprefix(".")
            for value in HOSTILE:
                wrong = changed(document, place, lambda found, v=value, k=key: found.update({k: v}))
                said = refused(document, wrong)
                if type(value) is type(sample[key]) or None in (value, sample[key]):
                    continue  # Refused for what it says, if at all.
                is_number = type(value) is int and type(sample[key]) is float and value >= 0
                is_refused = said.startswith(where) or (said and key in document.others)
                assert is_refused or is_number, (where, value, said)
