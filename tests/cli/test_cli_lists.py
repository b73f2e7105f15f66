"""`plansolve puzzles` and `plansolve engines`, as text and as JSON."""

import json
from importlib.metadata import version

from plansolve.encoders.lemmas.registry import LEMMAS
from plansolve.encoders.registry import ENCODINGS
from plansolve.formats import FORMATS
from plansolve.puzzles.registry import FAMILIES
from plansolve.solvers.formula.backends import BACKENDS


def test_puzzles(plansolve):
    done = plansolve("puzzles")
    assert (done.code, done.err) == (0, "")
    for name in (*FAMILIES, *FORMATS):
        assert name in done.out
    for goal in ("blank-last", "blank-first", "snail", "in-order"):
        assert goal in done.out


def test_puzzles_as_json(plansolve):
    done = plansolve("puzzles", "--json")
    document = json.loads(done.out)
    assert (done.code, done.err, document["schema"]) == (0, "", "plansolve.puzzles/1")
    puzzles = {entry["name"]: entry for entry in document["puzzles"]}
    assert set(puzzles) == set(FAMILIES)
    assert puzzles["sliding"]["goals"] == ["blank-last", "blank-first", "snail"]
    assert set(puzzles["torus-ring"]["parameters"]) == {"rows", "columns", "rings", "metric"}
    assert set(document["formats"]) == set(FORMATS)


def test_engines(plansolve):
    done = plansolve("engines")
    assert (done.code, done.err) == (0, "")
    for name in (*BACKENDS, *ENCODINGS, *LEMMAS):
        assert name in done.out
    assert version("python-sat") in done.out


def test_engines_as_json(plansolve):
    done = plansolve("engines", "--json")
    document = json.loads(done.out)
    assert (done.code, done.err, document["schema"]) == (0, "", "plansolve.engines/1")
    backends = {entry["name"]: entry for entry in document["backends"]}
    assert set(backends) == set(BACKENDS)
    assert backends["cp-sat"]["version"] == version("ortools")
    assert {entry["name"] for entry in document["encodings"]} == set(ENCODINGS)
    known = {entry["name"] for entry in document["lemmas"]}
    for entry in document["encodings"]:
        assert set(entry["default"]) <= set(entry["lemmas"]) <= known


def test_every_puzzle_that_is_listed_can_be_asked_for(plansolve):
    for name in FAMILIES:
        done = plansolve("-", "-q", "--puzzle", name, stdin="1\n")
        assert done.code == 2
        assert "unknown puzzle" not in done.err
