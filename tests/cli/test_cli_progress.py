"""Progress where stderr is no terminal: a line for each bound or plan, and none for work alone."""

import pytest

from plansolve.cli import progress
from plansolve.solvers.protocol import Event

EVENTS = [
    Event("plan", "beam", 78, 90, counts={"nodes": 281}),
    Event("bound", "idastar", 84, 90, counts={"nodes": 8248}),
    Event("bound", "idastar", 84, 90, counts={"nodes": 9123}),
    Event("plan", "beam", 84, 88, counts={"nodes": 500}),
]


@pytest.mark.parametrize(
    ("verbose", "told"),
    [
        (
            False,
            [
                "beam: a plan of 90 moves, at most 1.16 times the shortest; ",
                "idastar: every plan has 84 or more",
                "beam: a plan of 88 moves, at most 1.05 times the shortest; ",
            ],
        ),
        (
            True,
            [
                "beam: a plan of 90 moves, at most 1.16 times the shortest, 281 nodes; ",
                "idastar: every plan has 84 or more, 8248",
            ],
        ),
    ],
)
def test_a_line_a_step(monkeypatch, capsys, verbose, told):
    monkeypatch.setattr(progress, "QUIET_SECONDS", -1.0)
    with progress.ProgressReport(quiet=False, verbose=verbose) as report:
        for event in EVENTS:
            report(event)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == (len(EVENTS) if verbose else len(told))
    assert all(line.startswith(start) for line, start in zip(lines, told, strict=False))
    assert any("nodes" in line for line in lines) == verbose
