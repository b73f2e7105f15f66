"""Instance sets: boards with their proved optimal lengths, listed in a folder's manifest.

`instances/README.md` describes the fields. A manifest is untrusted: errors name it and the entry.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from reprlib import repr as brief
from typing import Annotated, Any, Literal

from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import MAX_BYTES, common_texts, decode, read_problem, write_problem
from plansolve.formats.document import BoardDocument
from plansolve.formats.json_document import puzzle_entry
from plansolve.formats.parse import numbered, parse, parse_all
from plansolve.formats.specify import make, specify
from plansolve.json_reader import Line, Rule, Whole, read
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import goal_name, make_puzzle
from plansolve.records.board import Board
from plansolve.storage.files import new_folder, require_new
from plansolve.text import one_line

MANIFEST = "manifest.json"
SCHEMA = "plansolve.instances/1"

_MOST_BYTES = 32 << 20

_FileName = Annotated[
    str,
    Rule(
        "the name of a file beside the manifest",
        lambda name: name.isprintable() and not {*"/\\:"} & {*name},
    ),
]
_AtLeastOne = Annotated[int, Rule("a whole number >= 1", lambda count: count >= 1)]
_Entries = Annotated[
    tuple[Mapping[str, Any], ...], Rule("a list of at least one entry", lambda entries: entries)
]


@dataclass(frozen=True)
class _Manifest:
    schema: Literal["plansolve.instances/1"]
    name: Line
    title: Line
    puzzle: Line | None
    goal: Line | None
    source: Line
    instances: _Entries


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A board; `puzzle` and `goal` are the manifest's where it gives no others."""

    name: Line
    optimal_length: Whole | None
    solvable: bool = True
    optimal_plans: _AtLeastOne | None = None
    nodes: Whole | None = None
    note: Line = ""
    puzzle: Line | None
    goal: Line | None


@dataclass(frozen=True, kw_only=True)
class _BoardInFile(_Entry):
    file: _FileName


@dataclass(frozen=True, kw_only=True)
class _BoardHere(_Entry):
    rows: int
    columns: int
    board: tuple[int, ...]


@dataclass(frozen=True)
class InstanceSet:
    """Boards under one name; `source` tells where they and their lengths come from."""

    name: str
    title: str
    source: str
    instances: tuple[Board, ...]


def load_instance_set(folder: Path) -> InstanceSet:
    """Return the set that `folder/manifest.json` describes, its boards in the manifest's order.

    Raise `BoardError`, which names the manifest and the entry, for an unreadable manifest, a key
    that is missing, unknown or of the wrong type, a repeated name, a file outside the folder, and a
    wrong board.
    """
    place = str(folder / MANIFEST)
    with _errors_at(place):
        manifest = read(_Manifest, _object_of(folder / MANIFEST))
    rules = {"puzzle": manifest.puzzle, "goal": manifest.goal}
    boards: dict[str, Board] = {}
    for number, entry in enumerate(manifest.instances, start=1):
        name = f" ({brief(entry['name'])})" if isinstance(entry.get("name"), str) else ""
        where = f"{place}: instance {number}{name}"
        with _errors_at(where):
            board = _board({**rules, **entry}, manifest.name, folder)
        if board.name in boards:
            raise BoardError(f"{where}: the name {brief(board.name)} appears a second time")
        boards[board.name] = board
    return InstanceSet(manifest.name, manifest.title, manifest.source, tuple(boards.values()))


@contextmanager
def _errors_at(place: str) -> Iterator[None]:
    try:
        yield
    except (InputError, JsonError) as error:
        raise BoardError(f"{place}: {error}") from error


def _object_of(manifest: Path) -> dict[str, Any]:
    try:
        with manifest.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BoardError(f"cannot be read: {error.strerror}") from error
    if len(data) > _MOST_BYTES:
        raise BoardError(f"is larger than {_MOST_BYTES >> 20} MiB")
    return json_object(data)


def _board(fields: dict[str, Any], set_name: str, folder: Path) -> Board:
    kind: type[_BoardInFile | _BoardHere] = _BoardInFile if "file" in fields else _BoardHere
    entry = read(kind, fields)
    length, plans = entry.optimal_length, entry.optimal_plans
    if not entry.solvable and length is not None:
        raise BoardError("optimal_length should be null if solvable is false")
    if length is None and plans is not None:
        raise BoardError("optimal_plans is given without an optimal_length")
    if isinstance(entry, _BoardInFile):
        path, number = numbered(str(folder / entry.file))
        text = decode(_bytes_beside(folder, Path(path).name))
        boards = {} if number is None else _documents(text, entry.puzzle)
        document = boards.get(number) or parse(text, number=number, puzzle=entry.puzzle)
        problem = make(specify(document, entry.puzzle, entry.goal))
    elif entry.puzzle is None or entry.goal is None:
        raise BoardError("puzzle or goal is null: only a board in a file has rules of its own")
    else:
        rules = make_puzzle(entry.puzzle, entry.rows, entry.columns, entry.goal)
        problem = Problem(rules, entry.board)
    return Board(problem, entry.name, set_name, length, entry.solvable, plans, entry.note)


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
        raise BoardError(f"file {brief(name)} cannot be read: its links form a loop") from error


@lru_cache(maxsize=4)
def _documents(text: str, puzzle: str | None) -> dict[int | None, BoardDocument]:
    """Return the boards of a file by their numbers, without those that cannot be read."""
    documents = enumerate((found for _, found in parse_all(text, puzzle=puzzle)), start=1)
    return {n: document for n, document in documents if isinstance(document, BoardDocument)}


def natural_format(problem: Problem) -> str:
    """Return the common format that is read back without its name; `json` if there is none."""
    name = ""
    for name, text in common_texts(problem):
        with suppress(BoardError):
            # One row of four, say, would be read as a square where nobody names the format.
            if read_problem(text) == problem:
                return name
    return name


def names_of(puzzle: Puzzle) -> tuple[str, str] | tuple[None, None]:
    """Return the specification and the goal's name, or None twice if one of them has no name."""
    specification, goal = puzzle_entry(puzzle), goal_name(puzzle)
    if goal is None or not isinstance(specification, str):
        return None, None
    return specification, goal


def write_instance_set(
    folder: Path, boards: Sequence[Board], *, title: str, source: str, format_: str | None = None
) -> None:
    """Write a new `folder` with a file for each board and a manifest, or nothing at all.

    `title` and `source` are one line each. The boards are of one puzzle and get numbers as names;
    the default format is the one in which people write them. Raise `OptionError` for a folder that
    is not empty or cannot be written, `BoardError` for a format that cannot hold the boards.
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
