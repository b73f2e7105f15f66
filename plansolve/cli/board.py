"""The input of a command: a board, the rules of a puzzle, a plan."""

import os
import re
from collections.abc import Callable
from typing import NamedTuple, Self, TypeVar

import click

from plansolve.analysis.solvability import hint_at_goal
from plansolve.cli.files import keep_input, read_input, shown_name
from plansolve.errors import BoardError, GoalError, InputError, OptionError, PlanError
from plansolve.formats import (
    MAX_BYTES,
    BoardDocument,
    decode,
    make,
    make_rules,
    numbered,
    parse,
    puzzle_name,
    specify,
)
from plansolve.formats.json_document import JSON, without_plans
from plansolve.formats.notation import MAX_PLAN, read_plan
from plansolve.formats.specify import PuzzleSpec
from plansolve.json_text import JsonError, begins_object, json_object
from plansolve.model.problem import Problem, boards_of
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import (
    DEFAULT_PUZZLE,
    default_size_of,
    family_of,
    goal_names,
    make_puzzle,
)

T = TypeVar("T")
_Made = TypeVar("_Made", Problem, Puzzle)


class GivenBoard(NamedTuple):
    """A board as `options.board` takes it: its file, and how that is to be read.

    `file` is "-" for standard input; its name may end with the number of one of its boards:
    "boards.txt#2". `goal` is the name of a goal or of a file that holds its board. What is wrong
    raises an `InputError` that begins with the name of the file.
    """

    file: str
    puzzle: str | None = None
    goal: str | None = None
    format: str | None = None

    def problem(self) -> Problem:
        """Read the problem."""
        return self._made(make)[0]

    def posed(self) -> tuple[Problem, str]:
        """Read the problem, and a hint at another goal where none is named, or ""."""
        problem, document = self._made(make)
        return problem, "" if self.goal is not None else hint_at_goal(problem, document)

    def rules(self) -> Puzzle:
        """Read the rules and the goal of a file that may have no board."""
        return self._made(make_rules)[0]

    def scrambled(self, moves: str) -> Problem:
        """Read the rules, and take the board that some moves make of their goal.

        Raise `PlanError` naming a move that cannot be read or made.
        """
        rules = self.rules()
        solved = Problem(rules, rules.goal_board)
        plan = read_plan(moves, rules, powers=True)
        try:
            *_, board = boards_of(solved, plan)
        except PlanError as error:
            raise PlanError(f"--scramble, {error}") from None
        return Problem(rules, board)

    def holds_plan(self) -> bool:
        """Return True if the file is a document that holds a plan.

        Raise `BoardError` for a document that cannot be read.
        """
        if self.format not in (None, JSON.name):
            return False
        try:
            keep_input(self.file)
            data = read_input(self.file, MAX_PLAN)
        except (OSError, InputError):
            return False  # the board's reader says what is wrong, and knows names like `boards#2`
        if not begins_object(data):
            return False
        try:
            document = json_object(_plan_text(data))
        except (PlanError, JsonError) as error:
            raise BoardError(f"{shown_name(self.file)}: {error}") from None
        return isinstance(document.get("plan"), list)

    def _made(self, make_: Callable[[PuzzleSpec], _Made]) -> tuple[_Made, BoardDocument]:
        document = _read_document(self.file, self.format)
        named = self.puzzle or (None if document.rules else puzzle_name(document))
        wanted = goal_of(self.goal, named)
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
            raise click.UsageError("give the plan either as a file or with --plan")
        if board.file == self.plan_file == "-":
            raise OptionError("the board and the plan cannot both come from standard input")
        return self

    def or_that_of(self, board: GivenBoard) -> Self:
        """Return the plan for a board, which may be in the file of the board."""
        plan = self.checked_for(board)
        return plan if plan or not board.holds_plan() else self._replace(plan_file=board.file)

    def read_by(self, read: Callable[[str], T]) -> T:
        """Return what `read` makes of the text; a `PlanError` begins with where that is from."""
        where = "--plan" if self.plan_file is None else shown_name(self.plan_file)
        try:
            if self.plan_file is None:
                return read(self.plan or "")
            hint = "moves themselves are given with --plan"
            return read(_plan_text(read_input(self.plan_file, MAX_PLAN, hint)))
        except PlanError as error:
            raise PlanError(f"{where}: {error}") from None


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
        return make_rules(specify(board, puzzle, wanted))
    except BoardError as error:
        raise _about(goal or "", error) from None


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


def _read_document(file: str, format_: str | None) -> BoardDocument:
    name, number = numbered(file)
    data = read_input(name, MAX_BYTES)
    try:
        if len(data) > MAX_BYTES and len(whole := read_input(name, MAX_PLAN)) <= MAX_PLAN:
            data = without_plans(whole)
        return parse(decode(data), format=format_, number=number)
    except OptionError:
        raise
    except InputError as error:
        raise _about(file, error) from None


def _plan_text(data: bytes) -> str:
    # Most commands take no plan.
    from plansolve.formats.extract import decode_plan

    return decode_plan(data)


def _about(file: str, error: InputError) -> InputError:
    return type(error)(f"{shown_name(file)}: {error}")
