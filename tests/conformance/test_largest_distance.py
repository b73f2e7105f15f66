"""The counts of `tools/largest_distance.py`, against layers and known largest distances."""

import importlib.util
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from support.fixtures import cases
from support.reference.layers import layers

from plansolve.errors import OptionError
from plansolve.puzzles.registry import default_size_of

PROGRAM = Path(__file__).parents[2] / "tools" / "largest_distance.py"


@pytest.fixture(scope="module")
def tool():
    specification = importlib.util.spec_from_file_location("largest_distance", PROGRAM)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "size", "largest"),
    [
        ("top-spin:9,4", None, 8),
        ("loopover", (2, 3), 7),
        ("loopover", (2, 4), 10),
        ("loopover:metric=any-distance", (2, 4), None),
        ("pancake:7", None, 8),
        ("torus-ring:rings=outer", (2, 3), None),
    ],
)
def test_counts_are_exact_up_to_the_length_and_bounds_beyond(tool, name, size, largest):
    puzzle = cases.make(name, *(size or default_size_of(name)))
    exact = [len(layer) for layer in layers(puzzle)]
    assert largest in (None, len(exact) - 1)
    for length in (2, 3, 4):
        counts = list(islice(tool.boards_at_distance(puzzle, length), len(exact)))
        assert counts[: length + 1] == exact[: length + 1]
        assert all(count >= number for count, number in zip(counts, exact, strict=True))
        # One move less than the farthest board needs has not met all boards.
        assert len(list(tool.shares(puzzle, length))) <= len(exact)


def test_boards_are_sorted_in_parts(tool, monkeypatch):
    puzzle = cases.make("torus-ring", 5, 5)
    monkeypatch.setattr(tool, "AT_A_TIME", 1_000)
    assert list(islice(tool.boards_at_distance(puzzle, 4), 5)) == [1, 24, 452, 8252, 148295]


def test_some_boards_of_the_2023_puzzle_are_20_moves_from_the_goal(tool):
    shares = [share for _, share in tool.shares(cases.make("torus-ring", 5, 5), 4)]
    assert len(shares) == 21 and shares[19] < 0.07 and shares[20] > 1


@pytest.mark.parametrize("name", ["sliding", "hungarian-rings:colours=3", "sliding-gaps:2"])
def test_other_puzzles_are_refused(tool, name):
    with pytest.raises(OptionError, match="without a blank"):
        next(tool.boards_at_distance(cases.make(name, *default_size_of(name)), 3))


def test_the_program_says_what_follows():
    command = [sys.executable, PROGRAM, "loopover", "--size", "2x3", "--length", "4"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nSome boards are 5 moves from the goal, or more.\n")
    wrong = subprocess.run([*command[:2], "sliding"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.endswith("with pieces that differ\n")
