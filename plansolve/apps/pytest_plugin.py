"""A pytest plugin: with `--plansolve` boards are tests, one for each board (docs/how-to/pytest.md).

Pytest loads this module in every project of an environment. Until boards are asked for it brings in
nothing but the options: what serves them stands in `pytest_boards`.
"""

import pytest

_BOARDS = ("*.puz", "*.plansolve.json")
"""The names of the files that are collected."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; all of them begin with `--plansolve`."""
    add = parser.getgroup("plansolve", "boards of tile puzzles as tests (plansolve)").addoption
    collected = f"collect boards: instance sets (manifest.json) and {' '.join(_BOARDS)}"
    add("--plansolve", action="store_true", help=collected)
    engine = "the engine that solves the boards (default: auto; see plansolve list engines)"
    add("--plansolve-engine", metavar="NAME", default="auto", help=engine)
    limit = "for each board; a board that is not decided then is a failure (default: 60)"
    add("--plansolve-time-limit", metavar="SECONDS", type=float, default=60.0, help=limit)
    optimal = "boards without a recorded optimum have to be proved as well, not only solved"
    add("--plansolve-optimal", action="store_true", help=optimal)
    glob = "collect files of such names too, for example '*.tws'; may be given several times"
    add("--plansolve-glob", metavar="PATTERN", action="append", default=[], help=glob)


def pytest_configure(config: pytest.Config) -> None:
    """Set the collection of boards to work where `--plansolve` asks for it."""
    if config.getoption("plansolve"):
        from plansolve.apps.pytest_boards import Collecting

        config.pluginmanager.register(Collecting(config, _BOARDS), "plansolve-collecting")
