"""`plansolve puzzles` and `plansolve engines`, as text and as JSON."""

import json
from importlib.metadata import version

import pytest


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("puzzles", ["sliding: ", " blank-last, blank-first, snail\n", "  puz "]),
        (
            "engines",
            [
                "  idastar ",
                "  cnf     glucose42 ",
                f"python-sat {version('python-sat')}",
                "  walking-distance ",
                "  half-layer ",
                "  pair-mutex ",
            ],
        ),
    ],
)
def test_as_text(plansolve, command, lines):
    done = plansolve(command)
    assert (done.code, done.err) == (0, "")
    assert [line for line in lines if line not in f"\n{done.out}"] == []


def test_puzzles_as_json(plansolve):
    document = json.loads(plansolve("puzzles", "--json").out)
    puzzles = {entry["name"]: entry for entry in document["puzzles"]}
    assert puzzles["sliding"]["goals"] == ["blank-last", "blank-first", "snail"]
    assert set(puzzles["torus-ring"]["parameters"]) == {"rows", "columns", "rings", "metric"}
    assert document["formats"]["puz"]


def test_engines_as_json(plansolve):
    document = json.loads(plansolve("engines", "--json").out)
    proving = {engine["name"] for engine in document["engines"] if engine["proves"]}
    assert proving == {"cnf", "cp-sat", "breadth-first", "astar", "idastar"}
    assert {"beam", "constructive"} < {engine["name"] for engine in document["engines"]}
    needs = {engine["name"]: engine["needs"] for engine in document["engines"]}
    assert needs["cnf"] == ["any puzzle"]
    backends = {entry["name"]: entry for entry in document["backends"]}
    assert backends["cp-sat"]["version"] == version("ortools")
    bounds = {bound["name"]: bound for bound in document["bounds"]}
    assert bounds["walking-distance"] == {
        "name": "walking-distance",
        "needs": "sliding tiles on a full grid",
        "admissible": True,
        "consistent": True,
    }
