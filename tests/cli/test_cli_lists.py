"""`plansolve list`: puzzles, formats, goals and engines."""

from importlib.metadata import version

import pytest


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("puzzles", ["sliding: ", " blank-last, blank-first, snail\n", "to 30x30"]),
        ("formats", ["\npuz ", "\nalgs4 "]),
        ("goals", ["\nlloyd:\n  blank-last   A B C D ", "  snail        1 2 3 4 / 12 13 14 5 "]),
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
    done = plansolve("list", command)
    assert (done.code, done.err) == (0, "")
    assert [line for line in lines if line not in f"\n{done.out}"] == []
