"""The interface of a reader of files, and the contract of its errors and problems."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from plansolve.errors import InputError
from plansolve.formats import read_problem, write_problem
from plansolve.model.problem import Problem
from plansolve.puzzles.obstacles import HOLE_SIGN

LONGEST_MESSAGE = 500


@dataclass(frozen=True)
class Reader:
    """`read` takes a file's bytes; `check` asserts what holds for everything that it returns.

    `samples` are valid files. `most` is how many bytes the largest inputs have: the reader's own
    limit, where it has one that is not too large for a test.
    """

    read: Callable[[bytes], object]
    check: Callable[[object], None]
    samples: tuple[bytes, ...]
    most: int = 1 << 20


def outcome(reader: Reader, data: bytes) -> object:
    """Return what was read, or the `InputError`, after asserting all facts about it."""
    try:
        found = reader.read(data)
    except InputError as error:
        message = str(error)
        assert message.strip(), "an error without a message"
        assert message.isprintable(), f"more than a printable line: {message!r}"
        assert len(message) < LONGEST_MESSAGE, f"{len(message)} characters: {message[:200]}..."
        return error
    reader.check(found)
    return found


def check_problem(problem: object) -> None:
    """Assert what holds for every problem that was read."""
    assert isinstance(problem, Problem)
    puzzle = problem.puzzle
    assert puzzle.cells == puzzle.rows * puzzle.columns
    assert tuple(sorted(problem.start)) == puzzle.pieces
    labels = [label for label in puzzle.labels if label != HOLE_SIGN]
    assert len(set(labels)) == len(labels) and len(puzzle.labels) > max(puzzle.pieces)
    for operator in puzzle.applicable(problem.start).values():
        assert tuple(sorted(operator.apply(problem.start))) == puzzle.pieces
    again = read_problem(write_problem(problem, "json"), format="json")
    assert (again.start, again.goal) == (problem.start, problem.goal)
    assert again.puzzle.move_names == puzzle.move_names


@cache
def _scratch() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="fuzz-")


def folder_of(name: str) -> Path:
    """A folder of that name, which goes with the process."""
    folder = Path(_scratch().name) / name
    folder.mkdir(exist_ok=True)
    return folder
