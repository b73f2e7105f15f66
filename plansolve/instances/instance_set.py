"""Instance sets: boards with their proved optimal lengths, as a folder's manifest lists them.

`instances/README.md` describes the fields of `manifest.json`. A manifest is data from anywhere:
everything in it is checked, and what is wrong is told with the manifest and the entry.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from reprlib import repr as brief
from typing import Any, TypeAlias

from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import (
    MAX_BYTES,
    common_texts,
    decode,
    read_problem,
    write_problem,
)
from plansolve.formats.json_document import puzzle_entry
from plansolve.json_text import JsonError, json_object, json_word
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import goals_of, make_puzzle, named_goal
from plansolve.records.board import Board
from plansolve.storage.files import new_folder, require_new
from plansolve.text import one_line

MANIFEST = "manifest.json"
SCHEMA = "plansolve.instances/1"

_MOST_BYTES = 32 << 20

_Fields: TypeAlias = dict[str, Any]
_Kind: TypeAlias = tuple[Callable[[Any], bool], str]
"""A test of a value, and what to write instead of one that fails."""


def _is_line(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and value.strip() != ""


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_file_name(value: object) -> bool:
    return _is_line(value) and not {*"/\\:"} & {*str(value)}


_LINE: _Kind = (_is_line, "one line of text")
_RULE: _Kind = (lambda value: value is None or _is_line(value), "one line of text or null")
_SIDE: _Kind = (_is_integer, "an integer")
_COUNT: _Kind = (
    lambda value: value is None or (_is_integer(value) and value >= 0),
    "null or at least 0",
)
_SET: Mapping[str, _Kind] = {
    "schema": (lambda value: value == SCHEMA, repr(SCHEMA)),
    "name": _LINE,
    "title": _LINE,
    "puzzle": _RULE,
    "goal": _RULE,
    "source": _LINE,
    "instances": (lambda v: isinstance(v, list) and v != [], "a list of at least one entry"),
}
_BOARD: Mapping[str, _Kind] = {
    "name": _LINE,
    "optimal_length": _COUNT,
    "file": (_is_file_name, "the name of a file beside the manifest"),
    "rows": _SIDE,
    "columns": _SIDE,
    "board": (lambda v: isinstance(v, list) and all(map(_is_integer, v)), "a list of integers"),
    "solvable": (lambda value: isinstance(value, bool), "true or false"),
    "optimal_plans": (lambda v: v is None or (_is_integer(v) and v >= 1), "null or at least 1"),
    "nodes": _COUNT,
    "note": _LINE,
    "puzzle": _RULE,
    "goal": _RULE,
}
_NEEDED_BY_FILES = ("name", "optimal_length", "file")
_NEEDED_BY_BOARDS = ("name", "optimal_length", "rows", "columns", "board")


@dataclass(frozen=True)
class InstanceSet:
    """Boards under one name; `source` tells where they and their lengths come from."""

    name: str
    title: str
    source: str
    instances: tuple[Board, ...]


def load_instance_set(folder: Path) -> InstanceSet:
    """Return the set that `folder/manifest.json` describes, its boards in the manifest's order.

    Raise `BoardError`, which names the manifest and the entry, for a manifest that cannot be
    read, a key that is missing, unknown or of the wrong type, a name that appears twice, a file
    outside the folder, and a board that is none of its puzzle.
    """
    place = str(folder / MANIFEST)
    fields = _parse(folder / MANIFEST)
    _check(fields, _SET, _SET.keys(), place)
    rules = {key: fields[key] for key in ("puzzle", "goal")}
    boards: dict[str, Board] = {}
    for number, entry in enumerate(fields["instances"], start=1):
        where = f"{place}: instance {number}"
        if not isinstance(entry, dict):
            raise BoardError(f"{where} should be an object, not {json_word(entry)}")
        board = _board(rules | entry, fields["name"], folder, where)
        if board.name in boards:
            raise BoardError(f"{where}: the name {brief(board.name)} appears a second time")
        boards[board.name] = board
    return InstanceSet(fields["name"], fields["title"], fields["source"], tuple(boards.values()))


def _parse(manifest: Path) -> _Fields:
    try:
        with manifest.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise BoardError(f"{manifest}: is larger than {_MOST_BYTES >> 20} MiB")
        return json_object(data)
    except OSError as error:
        raise BoardError(f"{manifest}: cannot be read: {error.strerror}") from error
    except JsonError as error:
        raise BoardError(f"{manifest}: {error}") from error


def _check(
    fields: _Fields, kinds: Mapping[str, _Kind], needed: Collection[str], where: str
) -> None:
    """Raise `BoardError` for a key that is missing or unknown, or a value of another kind."""
    if missing := sorted({*needed} - fields.keys()):
        raise BoardError(f"{where}: without {', '.join(missing)}")
    for key, value in fields.items():
        if key not in kinds:
            raise BoardError(f"{where}: unknown key {brief(key)}")
        is_fit, wanted = kinds[key]
        if not is_fit(value):
            raise BoardError(f"{where}: {key} should be {wanted}, not {json_word(value)}")


def _board(fields: _Fields, set_name: str, folder: Path, where: str) -> Board:
    if _is_line(fields.get("name")):
        where = f"{where} ({brief(fields['name'])})"
    has_file = "file" in fields
    apart = {"rows", "columns", "board"} if has_file else {"file"}
    kinds = {key: kind for key, kind in _BOARD.items() if key not in apart}
    _check(fields, kinds, _NEEDED_BY_FILES if has_file else _NEEDED_BY_BOARDS, where)
    length, plans = fields["optimal_length"], fields.get("optimal_plans")
    solvable = fields.get("solvable", True)
    if not solvable and length is not None:
        raise BoardError(f"{where}: optimal_length should be null where solvable is false")
    if length is None and plans is not None:
        raise BoardError(f"{where}: optimal_plans is given without an optimal_length")
    puzzle, goal = fields["puzzle"], fields["goal"]
    try:
        if has_file:
            text = decode(_bytes_beside(folder, fields["file"]))
            problem = read_problem(text, puzzle=puzzle, goal=goal)
        elif puzzle is None or goal is None:
            raise BoardError("puzzle or goal is null: only the board of a file tells its own rules")
        else:
            rules = _puzzle(puzzle, goal, fields["rows"], fields["columns"])
            problem = Problem(rules, tuple(fields["board"]))
    except InputError as error:
        raise BoardError(f"{where}: {error}") from error
    return Board(problem, fields["name"], set_name, length, solvable, plans, fields.get("note", ""))


def _bytes_beside(folder: Path, name: str) -> bytes:
    try:
        path = (folder / name).resolve()
        # A link may lead out of the folder though its name does not.
        if path.parent != folder.resolve() or not path.is_file():
            raise BoardError(f"there is no file {brief(name)} beside the manifest")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # decode refuses more than MAX_BYTES
    except OSError as error:
        raise BoardError(f"file {brief(name)} cannot be read: {error.strerror}") from error
    except RuntimeError as error:  # links in a circle
        raise BoardError(
            f"file {brief(name)} cannot be read: its links lead in a circle"
        ) from error


@lru_cache(maxsize=16)
def _puzzle(specification: str, goal: str, rows: int, columns: int) -> Puzzle:
    puzzle = make_puzzle(specification, rows, columns)
    return puzzle.with_goal(named_goal(specification, goal, rows, columns))


def natural_format(problem: Problem) -> str:
    """Return the common format that is read back without its name; `json` where there is none."""
    name = ""
    for name, text in common_texts(problem):
        with suppress(BoardError):
            # One row of four, say, would be read as a square where nobody names the format.
            if read_problem(text) == problem:
                return name
    return name


def names_of(puzzle: Puzzle) -> tuple[str, str] | tuple[None, None]:
    """Return the specification and the goal's name; None twice where one of them has no name.

    The files of the boards tell rules and goals that have no names.
    """
    specification = puzzle_entry(puzzle)
    if isinstance(specification, str):
        for goal, board in goals_of(puzzle).items():
            if board == puzzle.goal:
                return specification, goal
    return None, None


def write_instance_set(
    folder: Path, boards: Sequence[Board], *, title: str, source: str, format_: str | None = None
) -> None:
    """Write a new `folder` with a file for each board and a manifest, or nothing at all.

    `title` and `source` are one line each. The boards, at least one and all of one puzzle, are
    numbered, and written in the named format, by default the one in which people write such boards.
    Raise `OptionError` for a folder that is not empty or cannot be written, `BoardError` for a
    format that cannot hold the boards.
    """
    require_new(folder)
    specification, goal = names_of(boards[0].problem.puzzle)
    format_ = format_ or natural_format(boards[0].problem)
    digits = len(str(len(boards)))
    files, entries = dict[str, str](), list[str]()
    for number, board in enumerate(boards, start=1):
        name = f"{number:0{digits}}"
        files[f"{name}.{format_}"] = write_problem(board.problem, format_)
        entry = {"name": name, "file": f"{name}.{format_}", "optimal_length": board.optimal_length}
        entry |= {} if board.solvable else {"solvable": False}
        entry |= {"note": board.note} if board.note else {}
        entries.append(f"    {json.dumps(entry)}")
    head = {
        "schema": SCHEMA,
        "name": one_line(folder.resolve().name),
        "title": title,
        "puzzle": specification,
        "goal": goal,
        "source": source,
    }
    # An entry a line.
    top = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    listed = ",\n".join(entries)
    files[MANIFEST] = f'{{\n{top},\n  "instances": [\n{listed}\n  ]\n}}\n'
    try:
        with new_folder(folder) as made:
            for name, text in files.items():
                (made.part / name).write_text(text, encoding="utf-8", newline="\n")
            read = [board.problem for board in load_instance_set(made.part).instances]
            if [(p.start, p.goal) for p in read] != [
                (b.problem.start, b.problem.goal) for b in boards
            ]:
                raise BoardError("the files would be read as other boards: choose another format")
            made.keep()
    except OSError as error:
        raise OptionError(f"{folder}: {error.strerror}") from None
