"""Reads boards and other input for the commands, from files or standard input."""

import sys
from pathlib import Path

from plansolve.errors import InputError, OptionError
from plansolve.formats import MAX_BYTES, decode_text, read_board, read_problem
from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.puzzles.registry import FAMILIES

__all__ = ["load_problem", "read_input"]


def load_problem(file: str, puzzle: str | None, goal: str | None, format_: str | None) -> Problem:
    """Reads the problem from a file, or from standard input where it is called "-".

    Raises an `InputError` that begins with the file's name.
    """
    text = _read_text(file)
    board = _goal(goal)
    try:
        return read_problem(text, format=format_, puzzle=puzzle, goal=board)
    except OptionError:
        raise
    except InputError as error:
        raise type(error)(f"{_shown(file)}: {error}") from None


def read_input(file: str, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a file or of standard input; else raises `OptionError`."""
    try:
        if file == "-":
            return sys.stdin.buffer.read(limit + 1)
        with Path(file).open("rb") as stream:
            return stream.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{file}: {reason}") from None


def _read_text(file: str) -> str:
    data = read_input(file, MAX_BYTES)
    try:
        return decode_text(data)
    except InputError as error:
        raise type(error)(f"{_shown(file)}: {error}") from None


def _shown(file: str) -> str:
    return "standard input" if file == "-" else file


def _goal(goal: str | None) -> str | State | None:
    names = {name for family in FAMILIES.values() for name in family.goals}
    if goal is None or goal in names:
        return goal
    if not Path(goal).exists():
        raise OptionError(
            f"unknown goal {goal!r}: choose {', '.join(sorted(names))}, or give a file that "
            "holds the goal board"
        )
    text = _read_text(goal)
    try:
        return read_board(text).cells
    except InputError as error:
        raise type(error)(f"{goal}: {error}") from None
