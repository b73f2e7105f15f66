"""Completion in shells: commands, options, names and files."""

import pytest

from plansolve.solvers.engine.registry import ENGINES

FILE = ("file", "")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sol", [("file", "sol"), "solve"]),
        ("solve ", [FILE]),
        ("verify board.puz ", [FILE]),
        ("board.puz --engine ", ["auto", *ENGINES]),
        ("board.puz --opt", ["--optimal"]),
        ("tables build --puzzle slid", ["sliding", "sliding-gaps"]),
        ("solve --goal sn", ["snail"]),
        ("solve --bound walk", ["walking-distance"]),
    ],
)
def test_what_is_offered(plansolve, line, offered):
    words = f"plansolve {line}"
    env = {
        "_PLANSOLVE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = plansolve(env=env)
    assert (done.code, done.err) == (0, "")
    items = [tuple(item.split(",", 1)) for item in done.out.splitlines()]
    assert items == [item if isinstance(item, tuple) else ("plain", item) for item in offered]
