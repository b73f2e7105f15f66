"""Frozen facts: keys and bytes of tables, lengths and bounds of boards.

The figures were recorded before it, but for boards in multi-tile moves, whose tables are others
now. `frozen_tables.json` holds arguments of `plansolve tables build` (or a board's text), and the
SHA-256 of each table by its name, which ends with the digest of its key. `frozen_boards.json` holds
boards by puzzle, with their optimal lengths and bounds.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from plansolve import Problem, Puzzle, make_puzzle, read_problem, solve
from plansolve.bounds.registry import BOUNDS
from plansolve.cli.tables import command

HERE = Path(__file__).parent
TABLES = json.loads((HERE / "frozen_tables.json").read_bytes())
BOARDS = json.loads((HERE / "frozen_boards.json").read_bytes())
MAGIC = b"plansolve table 1\n"
SHARE = 8
"""The quick suite solves one board in so many."""


def name_of(entry: Mapping[str, Any]) -> str:
    return "-".join(str(entry.get(key, "")) for key in ("puzzle", "rows", "columns", "goal"))


def checksum(path: Path) -> str:
    """The SHA-256 that the header of a table's file states."""
    data = path.read_bytes()
    size = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "little")
    return str(json.loads(data[len(MAGIC) + 4 :][:size])["sha256"])


@pytest.mark.slow
@pytest.mark.parametrize("entry", TABLES, ids=lambda entry: " ".join(entry["arguments"])[:40])
def test_tables_have_the_keys_and_bytes_that_they_had(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    arguments = entry["arguments"]
    if len(arguments) == 1:
        board = tmp_path / "board.txt"
        board.write_text(arguments[0])
        arguments = [str(board)]
    runner = CliRunner(env={"PLANSOLVE_CACHE_DIR": str(tmp_path)})
    assert runner.invoke(command, ["build", "-q", *arguments]).exit_code == 0
    found = {path.stem: checksum(path) for path in (tmp_path / "tables").glob("*.table")}
    assert found == entry["tables"]


def rules_of(entry: Mapping[str, Any]) -> Puzzle:
    if "document" in entry:
        return read_problem(json.dumps(entry["document"])).puzzle
    return make_puzzle(entry["puzzle"], entry["rows"], entry["columns"], entry["goal"])


@pytest.mark.parametrize("entry", BOARDS, ids=name_of)
@pytest.mark.parametrize("share", [SHARE, pytest.param(1, marks=pytest.mark.slow)])
def test_lengths_and_bounds_are_what_they_were(entry: dict[str, Any], share: int) -> None:
    rules = rules_of(entry)
    problems = [Problem(rules, tuple(board)) for board in entry["boards"]]
    for name, values in entry["bounds"].items():
        assert [BOUNDS[name].value(problem) for problem in problems] == values
    for problem, length in list(zip(problems, entry["lengths"], strict=True))[::share]:
        plan = solve(problem, optimal=True).plan
        assert plan is not None
        assert len(plan) == length
