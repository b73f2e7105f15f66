"""Read the problem of a board that is a text, a file or rows of numbers."""

import os
import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from itertools import islice
from operator import index
from pathlib import Path
from reprlib import repr as brief
from typing import Any, TypeAlias

from plansolve.errors import BoardError, InputError, OptionError, WrongTypeError
from plansolve.formats.document import BoardDocument, is_goal_name
from plansolve.formats.grid import GAP, GAPS, square_side
from plansolve.formats.json_document import labels_of, puzzle_entry
from plansolve.formats.letters import is_letter
from plansolve.formats.parse import MAX_BYTES, decode, numbered, parse
from plansolve.formats.specify import make, specify
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, OPEN_SIGN, State
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.rules import Labels, read_cells
from plansolve.text import counted, quote

BoardLike: TypeAlias = Problem | str | bytes | os.PathLike[str] | Iterable[Any]
"""The ways to give a board: a problem, its text, the path of its file, or its rows of tiles.

A text is never taken for the name of a file, since it may be untrusted. A row is a list, tuple or
array of numbers and labels, with 0 for the gap, or a text; a square board may be one flat list.
"""

_FILE_NAME = re.compile(r"\S*(?:[/\\]\S+|\w\.[A-Za-z]\w{0,9})")
_LONGEST_NAME = 255
_WANTED = "text, a pathlib.Path, or a list of rows such as [[1, 2], [3, 0]]"


def read_problem(
    board: BoardLike,
    *,
    format: str | None = None,  # noqa: A002
    puzzle: str | None = None,
    goal: BoardLike | None = None,
) -> Problem:
    r"""Return the problem that a board states: a text, the path of a file, or rows of tiles.

    `format` names the format of a text or file (default: detected), `puzzle` is a specification
    such as "torus-ring:rings=none", `goal` the name of a goal or a board; `puzzle` and `goal`
    override the text. A problem is returned as it is, or with another goal.

    Raise `BoardError` for a board, a goal or rules that cannot be used, `OptionError` for a format,
    puzzle or goal that does not exist, `OSError` for a file that cannot be read, and
    `WrongTypeError` for anything else.

    >>> import plansolve
    >>> problem = plansolve.read_problem([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
    >>> problem == plansolve.read_problem("4 1 2/. 5 3/7 8 6".replace("/", "\n"))
    True
    >>> problem
    <Problem sliding 3x3: 4 1 2 / 0 5 3 / 7 8 6>
    >>> print(plansolve.read_problem("867254301", goal="blank-first"))
    8 6 7
    2 5 4
    3 0 1
    """
    for name, value in (("format", format), ("puzzle", puzzle)):
        if not isinstance(value, str | None):
            raise WrongTypeError(f"{name}: a name is expected, not {_kind(value)}")
    if isinstance(board, Problem):
        if format is not None or puzzle is not None:
            raise OptionError("a problem already has a puzzle: give only a goal")
        if goal is None:
            return board
    labels = labels_of(board.puzzle if isinstance(board, Problem) else puzzle)
    try:
        document = _document(board, format, puzzle, labels, goal)
        return make(specify(document, puzzle, _goal(goal, format, puzzle, labels)))
    except InputError as error:
        if isinstance(error, OptionError) or not isinstance(board, os.PathLike):
            raise
        raise type(error)(f"{os.fspath(board)!r}: {error}") from None


def path_of(value: object, name: str) -> Path:
    """Return a path or text as a path; raise `WrongTypeError` for other types.

    Raise `OptionError` for a path that no file can have.
    """
    if not isinstance(value, str | os.PathLike):
        raise WrongTypeError(f"{name}: a path is expected, not {_kind(value)}")
    if "\0" in str(value):
        raise OptionError(f"{name}: no path has a NUL character")
    return Path(value)


def _document(
    board: object, format_: str | None, puzzle: str | None, labels: Labels, goal: object
) -> BoardDocument:
    if isinstance(board, Problem):
        return _of_problem(board, goal)
    if isinstance(board, os.PathLike):
        return _in_file(board, format_, puzzle)
    if isinstance(board, bytes):
        board = decode(board)
    if isinstance(board, str):
        return _in_text(board, format_, puzzle)
    if format_ is not None:
        raise OptionError("format is for texts and files, not for rows")
    return _in_rows(board, puzzle, labels)


def _of_problem(problem: Problem, goal: object) -> BoardDocument:
    rules = problem.puzzle
    document = BoardDocument(rules.rows, rules.columns, problem.start, rules=rules)
    if is_goal_name(goal) and isinstance(family := puzzle_entry(rules), str):
        # The family resolves the names of goals.
        return replace(document, puzzle=family, rules=None)
    return document


def _in_text(text: str, format_: str | None, puzzle: str | None) -> BoardDocument:
    try:
        return parse(text, format=format_, puzzle=puzzle)
    except BoardError as error:
        # The time of the pattern is quadratic in the length of the text.
        if len(text) > _LONGEST_NAME or not _FILE_NAME.fullmatch(text):
            raise
        raise BoardError(
            f"{error}; is {quote(text)} the name of a file? Give it as a pathlib.Path"
        ) from None


def _in_file(path: "os.PathLike[str]", format_: str | None, puzzle: str | None) -> BoardDocument:
    name, number = numbered(os.fspath(path))
    with Path(name).open("rb") as stream:
        text = decode(stream.read(MAX_BYTES + 1))
    return parse(text, format=format_, number=number, puzzle=puzzle)


def _in_rows(board: object, puzzle: str | None, labels: Labels) -> BoardDocument:
    items = _items(board, LARGEST_SIDE**2, f"a board: {_WANTED}")
    if items and all(isinstance(item, str) and " " in item.strip() for item in items):
        return _in_text("\n".join(items), None, puzzle)
    if items and all(map(_is_tile, items)):
        side = square_side(len(items))
        if side is None:
            raise BoardError(
                f"no square board has {counted(len(items), 'cell')}: give a list of rows"
            )
        items = [items[i : i + side] for i in range(0, len(items), side)]
    rows = [
        [_tile(tile) for tile in _items(row, LARGEST_SIDE, f"row {number} of the board: a list")]
        for number, row in enumerate(items, start=1)
    ]
    is_untold = labels.keys() - {OPEN_SIGN} == labels_of(None).keys()
    if is_untold and any(is_letter(tile) for row in rows for tile in row if tile not in GAPS):
        # Letters decide the puzzle, as they do in a file.
        return _in_text("\n".join("".join(map(str, row)) for row in rows), None, puzzle)
    (count, columns), cells = read_cells(rows, "the board", labels)
    return BoardDocument(count, columns, cells)


def _goal(
    goal: object, format_: str | None, puzzle: str | None, labels: Labels
) -> str | State | BoardDocument | None:
    """Return the name of a goal, its cells in a flat list, or a whole board."""
    if goal is None or is_goal_name(goal):
        return goal
    if isinstance(goal, Problem):
        return goal.start
    labels = {**labels, OPEN_SIGN: OPEN}
    if not isinstance(goal, str | bytes | os.PathLike):
        goal = _items(goal, LARGEST_SIDE**2, "a goal: its name or a board")
        if goal and all(map(_is_tile, goal)) and not any(" " in str(item) for item in goal):
            return read_cells([[*map(_tile, goal)]], "the goal", labels)[1]
    is_text = isinstance(goal, str | bytes | os.PathLike)
    return _document(goal, format_ if is_text else None, puzzle, labels, None)


def _items(value: object, most: int, wanted: str) -> list[Any]:
    """Return the items of a list, tuple or array; raise `WrongTypeError` for anything else."""
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        raise WrongTypeError(f"{wanted} is expected, not {_kind(value)}")
    items = list(islice(value, most + 1))
    if len(items) > most:
        place = wanted.partition(":")[0]
        raise BoardError(f"{place}: more than {most} entries; a side is at most {LARGEST_SIDE}")
    return items


def _is_tile(item: object) -> bool:
    return isinstance(item, str) or not isinstance(item, Iterable)


def _tile(tile: Any) -> int | str:
    if tile is None or isinstance(tile, str):
        return tile or GAP
    try:
        if not isinstance(tile, bool):
            return index(tile)
    except TypeError:
        pass
    raise WrongTypeError(f"a tile: a whole number or a label is expected, not {_kind(tile)}")


def _kind(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__} ({brief(value)})"
