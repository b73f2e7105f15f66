"""Reads boards and other input for the commands, from files or standard input."""

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import click

from plansolve.analysis.solvability import hint_at_goal
from plansolve.errors import BoardError, GoalError, InputError, OptionError, PlanError
from plansolve.formats import MAX_BYTES, BoardDocument, bind, bind_rules, decode_text, read_board
from plansolve.formats.json_document import without_plans
from plansolve.formats.notation import MAX_PLAN, read_plan
from plansolve.formats.several import numbered
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import (
    DEFAULT_PUZZLE,
    default_size_of,
    family_of,
    goal_names,
    make_puzzle,
)
from plansolve.text import one_line


def load_problem(file: str, puzzle: str | None, goal: str | None, format_: str | None) -> Problem:
    """Read the problem from a file, or from standard input where it is called "-".

    The name of a file may end with the number of one of its boards: "boards.txt#2". `goal` is the
    name of a goal or of a file that holds its board. Raise an `InputError` that begins with the
    name of the file that is wrong.
    """
    return _bound(bind, file, puzzle, goal, format_)[0]


def load_posed(
    file: str, puzzle: str | None, goal: str | None, format_: str | None
) -> tuple[Problem, str]:
    """Return what `load_problem` does, and a hint at another goal where `goal` is None, or ""."""
    problem, document = _bound(bind, file, puzzle, goal, format_)
    return problem, "" if goal is not None else hint_at_goal(problem, document)


def load_scrambled(
    file: str, puzzle: str | None, goal: str | None, format_: str | None, moves: str
) -> Problem:
    """Read the rules of a file, and take the board that some moves make of their goal.

    Raise what `load_problem` raises, and `PlanError` naming a move that cannot be read or made.
    """
    rules, _ = _bound(bind_rules, file, puzzle, goal, format_)
    solved = Problem(rules, rules.goal_board)
    plan = read_plan(moves, rules, powers=True)
    try:
        *_, board = boards_of(solved, plan)
    except PlanError as error:
        raise PlanError(f"--scramble, {error}") from None
    return Problem(rules, board)


def load_rules(file: str, puzzle: str | None, goal: str | None) -> Puzzle:
    """Read the rules and the goal of a file, which may have no board; errors as `load_problem`."""
    return _bound(bind_rules, file, puzzle, goal, None)[0]


def puzzle_of(puzzle: str | None, size: str | None, goal: str | None) -> Puzzle:
    """Return the puzzle that the options --puzzle, --size and --goal name, with their defaults.

    A goal from a file also tells the size. Raise `OptionError` for a size, name or goal that does
    not exist, `BoardError` for a size that the puzzle does not have, and `GoalError` for a file
    whose board is no goal of it.
    """
    puzzle = puzzle or DEFAULT_PUZZLE
    wanted = goal_of(goal, puzzle)
    if size:
        match = re.fullmatch(r"(\d{1,3})x(\d{1,3})", size.lower())
        if not match:
            raise OptionError(f"{size!r} is not a size: write it like 5x5 or 4x4, rows x columns")
        rows, columns = int(match[1]), int(match[2])
    elif isinstance(wanted, BoardDocument):
        rows, columns = wanted.rows, wanted.columns
    else:
        rows, columns = default_size_of(puzzle)
    rules = make_puzzle(puzzle, rows, columns)
    # Where the goal's board is given it tells the pieces.
    board = BoardDocument(rows, columns, rules.goal)
    if isinstance(wanted, BoardDocument) and (wanted.rows, wanted.columns) == (rows, columns):
        board = wanted
    try:
        return bind_rules(board, puzzle, wanted)
    except BoardError as error:
        raise _about(goal or "", error) from None


def read_input(file: str, limit: int, hint: str = "") -> bytes:
    """At most `limit` + 1 bytes of a file or of standard input; else raises `OptionError`.

    `hint` says what could be done where there is no such file.
    """
    if kept := _kept().get(file):
        return kept.beginning(limit)
    try:
        with _opened(file) as stream:
            return stream.read(limit + 1)
    except OSError as error:
        what = f"{shown_name(file)}: {error.strerror}"
        is_missing = error.errno in (errno.ENOENT, errno.ENAMETOOLONG)
        raise OptionError(f"{what}; {hint}" if hint and is_missing else what) from None


def keep_input(file: str) -> None:
    """Have the command read the same again from what can be read once only.

    That is standard input, or a pipe such as `<(...)` of a shell; raise `OSError` where there is
    none.
    """
    if file == "-" or not stat.S_ISREG(os.stat(file).st_mode):
        stream = click.get_current_context().with_resource(_opened(file))
        _kept()[file] = _Once(stream)


@dataclass
class _Once:
    """A stream, and what was read from it.

    Where the end was met it is not looked for again: a terminal would ask for more.
    """

    stream: BinaryIO
    data: bytes = b""
    has_ended: bool = False

    def beginning(self, limit: int) -> bytes:
        """Return at most `limit` + 1 bytes from the beginning."""
        wanted = limit + 1 - len(self.data)
        if wanted > 0 and not self.has_ended:
            more = self.stream.read(wanted)
            self.data += more
            self.has_ended = len(more) < wanted
        return self.data[: limit + 1]


def _kept() -> dict[str, _Once]:
    """What the command has kept of its input, by the names of files."""
    context = click.get_current_context(silent=True)
    return {} if context is None else context.meta.setdefault(__name__, {})


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file != "-":
        with Path(file).open("rb") as stream:
            yield stream
    elif sys.stdin is None:
        raise OptionError("standard input is closed: give a file")
    else:
        yield sys.stdin.buffer


def shown_name(file: str) -> str:
    """Return the name of a file for a message: always visible, and on one line."""
    if file == "-":
        return "standard input"
    return one_line(file)


_Bound = TypeVar("_Bound", Problem, Puzzle)


def _bound(
    bind_: Callable[[BoardDocument, str | None, str | BoardDocument | None], _Bound],
    file: str,
    puzzle: str | None,
    goal: str | None,
    format_: str | None,
) -> tuple[_Bound, BoardDocument]:
    document = _read_document(file, format_)
    wanted = goal_of(goal, puzzle or document.puzzle)
    try:
        return bind_(document, puzzle, wanted), document
    except OptionError:
        raise
    except InputError as error:
        about_goal = isinstance(error, GoalError) and isinstance(wanted, BoardDocument)
        raise _about(goal if goal and about_goal else file, error) from None


def _read_document(file: str, format_: str | None) -> BoardDocument:
    name, number = numbered(file)
    data = read_input(name, MAX_BYTES)
    try:
        if len(data) > MAX_BYTES and len(whole := read_input(name, MAX_PLAN)) <= MAX_PLAN:
            data = without_plans(whole)
        return read_board(decode_text(data), format=format_, number=number)
    except OptionError:
        raise
    except InputError as error:
        raise _about(file, error) from None


def _about(file: str, error: InputError) -> InputError:
    return type(error)(f"{shown_name(file)}: {error}")


def goal_of(goal: str | None, specification: str | None) -> str | BoardDocument | None:
    """Return the name of a goal, or the board in the file of that name."""
    if goal is None or goal in goal_names():
        return goal
    names = family_of(specification).goals if specification else goal_names()
    if not os.path.exists(numbered(goal)[0]):
        raise OptionError(
            f"unknown goal {goal!r}: choose {', '.join(sorted(names))}, or give a file that "
            "holds the goal board"
        )
    return _read_document(goal, None)
