"""The input of a command: a board, the rules of a puzzle, or a plan."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Self, TypeVar

import click

from plansolve.analysis.solvability import hint_at_goal
from plansolve.cli.files import keep_input, read_input, shown_name
from plansolve.errors import BoardError, GoalError, InputError, OptionError, PlanError
from plansolve.formats import (
    MAX_BYTES,
    BoardDocument,
    decode,
    is_windows,
    make,
    make_rules,
    numbered,
    parse,
    puzzle_name,
    reading,
    specify,
)
from plansolve.formats.json_document import without_plans
from plansolve.formats.notation import MAX_PLAN
from plansolve.formats.parse import decode_plan
from plansolve.formats.plans import read_plan
from plansolve.formats.registry import JSON
from plansolve.formats.specify import PuzzleSpec
from plansolve.json_text import JsonError, begins_object, json_object
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.blocks import is_place
from plansolve.puzzles.registry import (
    DEFAULT_PUZZLE,
    default_size_of,
    family_of,
    goal_names,
    make_puzzle,
)
from plansolve.text import quote

_OF_PATHS = ("/", "./", "../", "~")
"""Beginnings of file names, with which no board begins."""
_LETTER = re.compile(r"[^\W\d_xX]")
_IS_NAME = re.compile(r"^[^\W_]+$|\.[a-z]{2,5}$")
_OF_NAMES = re.compile(r"^\S*[._]\S*$")
"""Words without spaces that are not boards if they have letters."""

T = TypeVar("T")
_SHOWN = 60
_Made = TypeVar("_Made", Problem, Puzzle)


WINDOWS = "the file is not in UTF-8: read as Windows-1252 (Latin-1)"


class GivenBoard(NamedTuple):
    """A board as `options.board` takes it: its file or text, and how to read it.

    `file` is "-" for standard input, the name of a file, perhaps with the number of one of its
    boards ("boards.txt#2"), or the board itself. `goal` is a goal as `goal_of` takes it. Each
    `InputError` begins with `file`.
    """

    file: str
    puzzle: str | None = None
    goal: str | None = None
    format: str | None = None

    def problem(self) -> Problem:
        """Read the problem."""
        return self._made(make)[0]

    def posed(self) -> tuple[Problem, str, str]:
        """Return the problem, how it was read, and a hint at another goal if no goal is named."""
        problem, document = self._made(make)
        hint = "" if self.goal is not None else hint_at_goal(problem, document)
        return problem, reading(document, problem, self.puzzle), hint

    def rules(self) -> Puzzle:
        """Read the rules and the goal of a file that may have no board."""
        return self._made(make_rules)[0]

    def scrambled(self, moves: str) -> tuple[Problem, str]:
        """Return the goal after some moves, and how the rules were read."""
        rules, document = self._made(make_rules)
        solved = Problem(rules, rules.goal_board)
        plan = read_plan(moves, rules)
        try:
            *_, board = boards_of(solved, plan)
        except PlanError as error:
            raise PlanError(f"--scramble, {error}") from None
        return Problem(rules, board), document.note

    def holds_plan(self) -> bool:
        """Return True for a document with a plan; raise `BoardError` for an unreadable document."""
        if self.format not in (None, JSON.name):
            return False
        try:
            keep_input(self.file)
            data = read_input(self.file, MAX_PLAN)
        except (OSError, InputError):
            return False  # the board's reader reports the error, and knows names like `boards#2`
        if not begins_object(data):
            return False
        try:
            document = json_object(decode_plan(data))
        except (PlanError, JsonError) as error:
            raise BoardError(f"{shown_name(self.file)}: {error}") from None
        return isinstance(document.get("plan"), list)

    def _made(self, make_: Callable[[PuzzleSpec], _Made]) -> tuple[_Made, BoardDocument]:
        document = _read_document(self.file, self.format, self.puzzle)
        named = self.puzzle or (None if document.rules else puzzle_name(document))
        wanted = goal_of(self.goal, named, self.format)
        try:
            return make_(specify(document, self.puzzle, wanted)), document
        except OptionError:
            raise
        except InputError as error:
            about_goal = isinstance(error, GoalError) and isinstance(wanted, BoardDocument)
            raise _about(self.goal if self.goal and about_goal else self.file, error) from None


class WantedPuzzle(NamedTuple):
    """A puzzle as `options.wanted_puzzle` takes it: that of a board's file, or by its name."""

    file: str | None
    puzzle: str | None
    size: str | None
    goal: str | None

    def rules(self) -> Puzzle:
        """Return the puzzle; raise what `GivenBoard.rules` and `puzzle_of` raise."""
        if self.file is None:
            return puzzle_of(self.puzzle, self.size, self.goal)
        if self.size is not None:
            raise click.UsageError("FILE has its own size: leave --size out")
        return GivenBoard(self.file, self.puzzle, self.goal).rules()


class GivenPlan(NamedTuple):
    """A plan as `options.given_plan` takes it: the name of its file, or its moves."""

    plan_file: str | None
    plan: str | None

    def __bool__(self) -> bool:
        """Return True if there is one."""
        return self.plan_file is not None or self.plan is not None

    def checked_for(self, board: GivenBoard) -> Self:
        """Return the plan for a board; raise an error for two plans, or one source of both."""
        if self.plan_file is not None and self.plan is not None:
            raise click.UsageError("give the plan as a file or with --plan, not both")
        if board.file == self.plan_file == "-":
            raise OptionError("the board and the plan cannot both come from standard input")
        return self

    def or_that_of(self, board: GivenBoard) -> Self:
        """Return the plan for a board, which may be in the file of the board."""
        plan = self.checked_for(board)
        return plan if plan or not board.holds_plan() else self._replace(plan_file=board.file)

    @property
    def place(self) -> str:
        """The name of the plan in messages."""
        file = self.plan_file
        if file is None:
            return "--plan"
        return shown_name(file if os.path.lexists(file) else file[:_SHOWN])

    def read_by(self, read: Callable[[str], T]) -> T:
        """Return `read` of the plan's text; a `PlanError` begins with its place."""
        file, text, where = self.plan_file, self.plan or "", self.place
        if file is not None and file != "-" and not os.path.lexists(file):
            where += ": neither a file nor a plan"
            text, file = file, None
        try:
            return read(text if file is None else decode_plan(read_input(file, MAX_PLAN)))
        except PlanError as error:
            raise PlanError(f"{where}: {error}") from None


def puzzle_of(puzzle: str | None, size: str | None, goal: str | None) -> Puzzle:
    """Return the puzzle that the options --puzzle, --size and --goal name, with their defaults.

    A goal from a file also gives the size. Raise `OptionError` for an unknown size, name or goal,
    `BoardError` for a size that the puzzle does not have, and `GoalError` for a wrong goal in a
    file.
    """
    puzzle = puzzle or DEFAULT_PUZZLE
    wanted = goal_of(goal, puzzle)
    if size:
        match = re.fullmatch(r"(\d{1,3})(?:x(\d{1,3}))?", size.lower())
        if not match:
            raise OptionError(f"{size!r} is not a size: write it like 4x5, rows x columns, or 4")
        rows, columns = int(match[1]), int(match[2] or match[1])
    elif isinstance(wanted, BoardDocument):
        rows, columns = wanted.rows, wanted.columns
    else:
        rows, columns = default_size_of(puzzle)
    rules = make_puzzle(puzzle, rows, columns)
    # If the goal's board is given, it determines the pieces.
    board = BoardDocument(rows, columns, rules.goal)
    if isinstance(wanted, BoardDocument) and (wanted.rows, wanted.columns) == (rows, columns):
        board = wanted
    try:
        return make_rules(specify(board, puzzle, wanted))
    except BoardError as error:
        raise _about(goal or "", error) from None


def goal_of(
    goal: str | None, specification: str | None, format_: str | None = None
) -> str | BoardDocument | None:
    """Return the name of a goal, or the board in a file of that name, or the board in the text."""
    if goal is None or goal in goal_names() or is_place(goal):
        return goal
    if os.path.exists(numbered(goal)[0]):
        return _read_document(goal, format_, specification)
    if not goal.isalpha() and (board := _board_itself(goal, format_, specification)):
        return board
    names = family_of(specification).goals if specification else goal_names()
    raise OptionError(
        f"unknown goal {goal!r}: choose {', '.join(sorted(names))}, or give the goal's board or a "
        "file that holds it"
    )


def _read_document(file: str, format_: str | None, puzzle: str | None = None) -> BoardDocument:
    name, number = numbered(file)
    if name != "-" and not os.path.exists(name) and (board := _board_itself(file, format_, puzzle)):
        return board
    data = read_input(name, MAX_BYTES)
    try:
        if len(data) > MAX_BYTES and len(whole := read_input(name, MAX_PLAN)) <= MAX_PLAN:
            data = without_plans(whole)
        document = parse(decode(data), format=format_, number=number, puzzle=puzzle)
        return replace(document, note=WINDOWS) if is_windows(data) else document
    except OptionError:
        raise
    except InputError as error:
        raise _about(file, error) from None


def _board_itself(word: str, format_: str | None, puzzle: str | None) -> BoardDocument | None:
    """Return the board in a word; None for the name of a file.

    Raise `BoardError` for a word that is not a board, if it has no letters, or the puzzle's boards
    have some.
    """
    is_json = word.lstrip()[:1] in ("[", "{")
    of_letters = puzzle is not None and family_of(puzzle).pose is not None
    has_letters = not is_json and not of_letters and _LETTER.search(word) is not None
    is_name = has_letters and _OF_NAMES.search(word) and not _are_rows(word.split("/"))
    if not word.strip() or word.startswith(_OF_PATHS) or is_name:
        return None
    try:
        return parse(decode(os.fsencode(word)), format=format_, puzzle=puzzle)
    except OptionError:
        raise
    except InputError as error:
        if has_letters:
            return None
        raise _about(word, error) from None


def _are_rows(parts: Sequence[str]) -> bool:
    """Return True for at least three rows of equal length, a shape that few paths have."""
    return len(parts) > 2 and len({*map(len, parts)}) == 1


def _about(file: str, error: InputError) -> InputError:
    """Return the error, preceded by the name of the file or the board itself."""
    name = shown_name(file)
    if file != "-" and not os.path.exists(numbered(file)[0]):
        name = quote(file) + ": no such file; as a board" * bool(_IS_NAME.search(file))
    return type(error)(f"{name}: {error}")
