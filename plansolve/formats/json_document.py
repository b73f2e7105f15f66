"""JSON documents that name the puzzle, the board and the goal.

    {"puzzle": "torus-ring:rings=none", "board": [[2, 1], [3, 4]], "goal": [[1, 2], [3, 4]]}

`puzzle` is a specification or a whole set of rules (see `plansolve.puzzles.rules`). `goal` is a
name or a board. `start` means the same as `board`, so that plansolve's own results can be read. A
board is a list of rows, or one list of numbers beside `rows` and `columns` or for a square board.
Rows of letters are as in `plansolve.formats.letters`; several letters may be alike.
"""

import difflib
import json
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, TypeAlias

from plansolve.errors import BoardError, InputError
from plansolve.formats.document import BoardDocument, BoardFormat, is_goal_name
from plansolve.formats.grid import GAP, GAPS, square_side
from plansolve.formats.headings import named_part
from plansolve.formats.letters import read_letter_rows
from plansolve.formats.listed import as_json
from plansolve.json_text import JsonError, begins_object, json_object, json_word
from plansolve.model.names import HOLE_SIGN, LONGEST_SPECIFICATION
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, OPEN_SIGN, Puzzle
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.obstacles import HOLE
from plansolve.puzzles.registry import FAMILIES, make_puzzle
from plansolve.puzzles.rules import (
    Labels,
    puzzle_from_rules,
    read_cells,
    rules_of,
    whole_number,
    written_goal,
)
from plansolve.text import counted, quote

_KEYS = ("puzzle", "board", "start", "goal", "rows", "columns")
_BOARDS = ("board", "start", "tiles")
_PARAMETERS = {key for family in FAMILIES.values() for key in family.parameters} - {*_KEYS, "size"}
_RULES_ALONE = ("operators", "labels", "blank_names", "layout")
_SCHEMAS = ("plansolve.result/1", "plansolve.verification/1")
_PLANS = ("plan", "plans")
_MOST_UNKNOWN = 50
_LONGEST_TEXT = 200


TextReader: TypeAlias = Callable[[str, str | None], BoardDocument]
"""Reads the text of a board in a document; the second argument is the specification of the
puzzle.
"""


def _read(read_text: TextReader, text: str) -> BoardDocument:
    document = _with_own_names(_object(text))
    inner = [_with_own_names(own) for own in document.values() if isinstance(own, dict)]
    with_board = [own for own in inner if not own.keys().isdisjoint(_BOARDS)]
    if len(with_board) == 1 and document.keys().isdisjoint((*_BOARDS, "schema")):
        document = {k: v for k, v in document.items() if not isinstance(v, dict)} | with_board[0]
    _check_schema(document)
    puzzle = document.get("puzzle")
    rules = puzzle_from_rules(puzzle) if isinstance(puzzle, dict) else None
    specification = (
        None
        if rules
        else _text(puzzle, "puzzle", "a name or an object with rules", LONGEST_SPECIFICATION)
    )
    labels = labels_of(rules or specification)
    key = _board_key(document)
    if key is None:
        missing = "the JSON document has no 'board'" + (
            "" if rules is None else "; plansolve generate makes boards for its rules"
        )
        if rules is None:
            raise BoardError(missing)
        return BoardDocument(rules.rows, rules.columns, rules.goal, rules=rules, no_start=missing)
    value = document[key]
    if isinstance(value, str) and rules is None:
        board = _in_text(read_text, value, specification, key)
    else:
        rows = _with_gaps(value, GAP if GAP in labels else BLANK)
        board = _board(_in_rows(rows, _columns(document, rows)), key, labels)
    for side, length in (("rows", board.rows), ("columns", board.columns)):
        if side in document and document[side] != length:
            stated = quote(str(document[side]))
            raise BoardError(f"the document says {side} {stated}, but the board has {length}")
    goal = _goal(document.get("goal"), board.columns, labels)
    if isinstance(goal, str) and not is_goal_name(goal):
        goal = _in_text(read_text, goal, specification, "goal")
    return replace(
        board, puzzle=specification or board.puzzle, goal=goal or board.goal, rules=rules
    )


def _in_text(read: TextReader, text: str, puzzle: str | None, key: str) -> BoardDocument:
    try:
        return read(text, puzzle)
    except BoardError as error:
        raise BoardError(f"{key}: {error}") from None


def _with_gaps(value: object, gap: str | int) -> object:
    """Return rows in which null and empty texts are the gap, and a text as its rows."""
    if isinstance(value, str):
        return re.split("[\n/]", value)
    if not isinstance(value, list):
        return value
    return [
        _with_gaps(cell, gap)
        if isinstance(cell, list)
        else gap
        if cell in (None, "", " ")
        else cell
        for cell in value
    ]


def _board(value: object, what: str, labels: Labels) -> BoardDocument:
    """Return the board of a list of rows.

    Letters that are not labels of the puzzle are pieces, as in a text.
    """
    if HOLE in labels.values() and (lettered := read_letter_rows(value, what)):
        return lettered
    (rows, columns), cells = read_cells(value, what, labels)
    return BoardDocument(rows, columns, cells)


def labels_of(puzzle: Puzzle | str | None) -> Labels:
    """Return the kind of each label of a puzzle, or of the family that a specification names.

    If the tiles of a family are numbers, return the signs for gap and hole.
    """
    known = puzzle if isinstance(puzzle, Puzzle) else FAMILIES.get((puzzle or "").partition(":")[0])
    if known is None or not known.labels:
        return {**dict.fromkeys(GAPS, BLANK), HOLE_SIGN: HOLE}
    return {label: kind for kind, label in enumerate(known.labels)}


def _object(text: str) -> dict[str, Any]:
    try:
        return json_object(text, example='{"puzzle": ..., "board": ...}')
    except JsonError as error:
        with suppress(JsonError):
            return json_object(as_json(text))
        raise BoardError(str(error)) from None


def without_plans(data: bytes) -> bytes:
    """Return a document with one of `_SCHEMAS` without its plans, which may be longer than a board.

    Anything else is returned as it is; raise `BoardError` for a document that cannot be read.
    """
    if not begins_object(data):
        return data
    try:
        document = json_object(data)
    except JsonError as error:
        raise BoardError(str(error)) from None
    if document.get("schema") not in _SCHEMAS:
        return data
    return json.dumps({k: v for k, v in document.items() if k not in _PLANS}).encode()


def _with_own_names(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document whose board is under "board" instead of a key such as "initial_state"."""
    boards = [
        k for k, v in document.items() if isinstance(v, list if k == "puzzle" else list | str)
    ]
    parts = {key: named_part(key) for key in boards if key not in _KEYS[1:]}
    counts = Counter(parts.values())
    counts.update("board" if key in _BOARDS else key for key in document)
    return {
        parts[key] if parts.get(key) and counts[parts[key]] == 1 else key: value
        for key, value in document.items()
    }


def _check_schema(document: dict[str, Any]) -> None:
    """Raise `BoardError` for a document whose schema has no board."""
    if "schema" in document and document["schema"] not in _SCHEMAS:
        raise BoardError(
            f"schema: {json_word(document['schema'])} has no board: choose from "
            f"{', '.join(_SCHEMAS)}; your own documents need no schema"
        )


def _board_key(document: dict[str, Any]) -> str | None:
    """Return the key that holds the board; None if there is none.

    Raise `BoardError` for two such keys, a misspelt key, and rules outside of `puzzle`, where they
    would be ignored.
    """
    unknown = [key for key in document if key not in (*_KEYS, *_BOARDS)]
    if misplaced := [key for key in _RULES_ALONE if key in document]:
        raise BoardError(
            f"{misplaced[0]!r} stands beside the board: rules belong in the object 'puzzle', "
            '{"puzzle": {"name": ..., "rows": ..., "columns": ..., "goal": ..., '
            '"operators": ...}, "board": ...}'
        )
    # Keys of other programs are ignored, but a misspelt key of ours must not be.
    for key in unknown[:_MOST_UNKNOWN] if "schema" not in document else ():
        if close := difflib.get_close_matches(key[:_LONGEST_TEXT], _KEYS, n=1, cutoff=0.7):
            raise BoardError(f"unknown key {quote(key)}: did you mean {close[0]!r}?")
    if "schema" not in document and (given := sorted(_PARAMETERS & document.keys())):
        raise BoardError(
            f"{given[0]!r} is a parameter of the puzzle: write it as "
            f'{{"puzzle": "NAME:{given[0]}=...", "board": ...}}'
        )
    present = [key for key in _BOARDS if key in document]
    if len(present) > 1:
        both = " and ".join(map(repr, present[:2]))
        raise BoardError(f"the JSON document has both {both}: give one of them")
    return present[0] if present else None


def _columns(document: dict[str, Any], board: object) -> int:
    """Return the row length of a board that is one list; raise `BoardError` if unknown."""
    if "columns" in document:
        return whole_number(document["columns"], "columns", LARGEST_SIDE) or 1
    cells = len(board) if isinstance(board, list) else 0
    if "rows" in document:
        rows = whole_number(document["rows"], "rows", LARGEST_SIDE)
        is_flat = isinstance(board, list) and all(isinstance(item, int) for item in board)
        if is_flat and (not rows or cells % rows):
            raise BoardError(
                f"{counted(cells, 'number')} cannot be cut into {counted(rows, 'row')}"
            )
        return cells // (rows or 1) or 1
    width, height = document.get("width"), document.get("height")
    if isinstance(width, int) and isinstance(height, int) and width * height == cells:
        return width or 1
    return square_side(cells) or max(cells, 1)


def _in_rows(value: object, columns: int) -> object:
    """Return a list of numbers cut into rows; anything else as it is."""
    if not isinstance(value, list) or not all(isinstance(i, int) or str(i) in GAPS for i in value):
        return value
    return [value[i : i + columns] for i in range(0, len(value), columns)]


def _text(value: object, key: str, wanted: str, longest: int = _LONGEST_TEXT) -> str | None:
    if value is not None and not isinstance(value, str):
        raise BoardError(f"{key}: {wanted} is expected, not {json_word(value)}")
    if value is not None and len(value) > longest:
        raise BoardError(f"{key}: {quote(value)} is too long")
    return value


def _goal(value: object, columns: int, labels: Labels) -> str | BoardDocument | None:
    if not isinstance(value, list):
        return _text(value, "goal", "a name or a list of rows")
    return _board(_in_rows(value, columns), "goal", {**labels, OPEN_SIGN: OPEN})


def puzzle_entry(puzzle: Puzzle) -> str | dict[str, Any]:
    """Return the value of `puzzle` in a document: the specification, or else the whole rules.

    The board of a puzzle with pieces of several cells implies its rules only if it has letters.
    """
    with suppress(InputError):
        usual = make_puzzle(puzzle.name, puzzle.rows, puzzle.columns, puzzle.goal)
        if usual == puzzle and not puzzle.needs_kinds:
            return puzzle.name
    return rules_of(puzzle)


def document_of(problem: Problem) -> dict[str, Any]:
    """Return the document that states a problem."""
    puzzle = problem.puzzle
    return {
        "puzzle": puzzle_entry(puzzle),
        "board": puzzle.in_rows(problem.start),
        "goal": written_goal(puzzle),
    }


def problem_text(problem: Problem) -> str:
    """Return the JSON document of a problem in its one canonical spelling.

    Equal problems have the same text, and `read_problem` makes the problem of it again.
    """
    return json.dumps(document_of(problem), sort_keys=True, separators=(",", ":"))


def problem_key(problem: Problem) -> str:
    """Return the SHA-256 of the canonical text, in hexadecimal digits."""
    return sha256(problem_text(problem).encode()).hexdigest()


def json_format(read_text: TextReader) -> BoardFormat:
    """Return the format of documents, in which boards may also stand as texts."""
    return BoardFormat(
        "json",
        'a document {"puzzle": ..., "board": ..., "goal": ...}',
        recognises=lambda text: text.lstrip()[:1] == "{",
        read=partial(_read, read_text),
        write=lambda problem: f"{json.dumps(document_of(problem))}\n",
        suffix="json",
    )
