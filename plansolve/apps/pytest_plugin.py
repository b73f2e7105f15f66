"""A pytest plugin: with `--plansolve` boards are tests, one for each board (docs/how-to/pytest.md).

Pytest loads this module in every project of an environment. Unless `--plansolve` is given, it adds
only the options; the rest is in `pytest_boards`.
"""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; all of them begin with `--plansolve`."""
    add = parser.getgroup("plansolve", "boards of tile puzzles as tests (plansolve)").addoption
    collected = "collect instance sets (manifest.json), *.puz, and *.txt, *.csv, *.json with boards"
    add("--plansolve", action="store_true", help=collected)
    engine = "the engine that solves the boards (default: auto; see plansolve list engines)"
    add("--plansolve-engine", metavar="NAME", default="auto", help=engine)
    limit = "time limit for each board (30, 90s, 10m, 2h); an undecided board fails (default: 60)"
    add("--plansolve-time-limit", metavar="TIME", default="60", help=limit)
    optimal = "require a proof also for boards without a recorded optimum"
    add("--plansolve-optimal", action="store_true", help=optimal)
    glob = "also collect files that match this pattern, such as '*.tws' (repeatable)"
    add("--plansolve-glob", metavar="PATTERN", action="append", default=[], help=glob)


def pytest_configure(config: pytest.Config) -> None:
    """Register the collection of boards if `--plansolve` is given."""
    if config.getoption("plansolve"):
        from plansolve.apps.pytest_boards import Collecting

        config.pluginmanager.register(Collecting(config), "plansolve-collecting")
