"""Progress where stderr is no terminal: with -v each step, else the bounds now and then."""

import pytest

from plansolve.cli import progress
from plansolve.solvers.protocol import Event

WORK = {"counts": {"nodes": 281}}
EVENTS = [
    (0.1, Event("note", "beam", 78, None, note="building the table")),
    (0.2, Event("note", "beam", 78, None, note="10 % of the tables are built")),
    (0.3, Event("warning", "cnf", 78, None, note="failed; the others go on")),
    (1.0, Event("plan", "beam", 78, 90, **WORK)),
    (1.1, Event("bound", "idastar", 84, 90, **WORK)),
    (6.0, Event("waiting", "idastar", 84, 90)),
    (6.1, Event("plan", "beam", 84, 88, **WORK)),
    (11.1, Event("waiting", "idastar", 84, 88)),
    (12.0, Event("note", "idastar", 84, 88, note="table 2 of 3")),
    (19.0, Event("note", "idastar", 84, 88, note="table 2 of 3")),
    (20.0, Event("waiting", "idastar", 84, 88)),
]
STEPS = [
    "beam: building the table",
    "beam: 10 % of the tables are built",
    "cnf: failed; the others go on",
    "beam: a plan of 90 moves, at most 1.16 times the shortest, nodes: 281; 1.0 s",
    "idastar: every plan has 84 moves or more, nodes: 281; 1.1 s",
    "beam: a plan of 88 moves, at most 1.05 times the shortest, nodes: 281; 6.1 s",
    "idastar: table 2 of 3",
    "idastar: table 2 of 3",
]
NOW_AND_THEN = [
    "beam: building the table",
    "cnf: failed; the others go on",
    "a plan of 90 moves; every plan has 84 or more; 6 s",
    "a plan of 88 moves; every plan has 84 or more; 11 s",
    "idastar: table 2 of 3",
]


@pytest.mark.parametrize(
    ("options", "lines"), [("verbose", STEPS), ("", NOW_AND_THEN), ("quiet", [])]
)
def test_what_is_told_and_when(monkeypatch, capsys, options, lines):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    is_asked = {name: name == options for name in ("quiet", "verbose")}
    with progress.ProgressReport(**is_asked) as report:
        for clock[0], event in EVENTS:
            report(event)
    assert capsys.readouterr().err.splitlines() == lines
