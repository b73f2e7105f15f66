"""Instance sets: boards with their proved optimal lengths, as a folder's manifest lists them.

`instances/README.md` describes the fields of `manifest.json`. A manifest is data from anywhere:
everything in it is checked, and what is wrong is told with the manifest and the entry.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from reprlib import repr as brief
from typing import Any, TypeAlias

from plansolve.errors import BoardError, InputError
from plansolve.formats import MAX_BYTES, decode_text, read_problem
from plansolve.formats.rules import json_word
from plansolve.json_text import JsonError, json_object
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import make_puzzle, named_goal

__all__ = ["MANIFEST", "SCHEMA", "Instance", "InstanceSet", "load_instance_set"]

MANIFEST = "manifest.json"
SCHEMA = "plansolve.instances/1"

Fields: TypeAlias = dict[str, Any]

_MOST_BYTES = 32 << 20

_SET_KEYS = frozenset({"schema", "name", "title", "puzzle", "goal", "source", "instances"})
_BOARD_KEYS = frozenset({"rows", "columns", "board"})
_ENTRY_KEYS = frozenset({"name", "optimal_length"})
_FREE_KEYS = frozenset({"solvable", "optimal_plans", "nodes", "note", "puzzle", "goal"})


@dataclass(frozen=True)
class Instance:
    """One problem and what is known about it.

    `optimal_length` is None where it is unknown or, with `solvable` False, where there is no
    plan. `optimal_plans` counts the plans of that length that pass through different boards;
    None where nobody has counted.
    """

    name: str
    problem: Problem
    optimal_length: int | None
    solvable: bool
    optimal_plans: int | None


@dataclass(frozen=True)
class InstanceSet:
    """Instances under one name; `source` tells where boards and lengths come from."""

    name: str
    title: str
    source: str
    instances: tuple[Instance, ...]


def load_instance_set(folder: Path) -> InstanceSet:
    """Return the set that `folder/manifest.json` describes, its instances in the manifest's order.

    Raise `BoardError`, which names the manifest and the entry, for a manifest that cannot be
    read, a key that is missing, unknown or of the wrong type, a name that appears twice, a file
    outside the folder, and a board that is none of its puzzle.
    """
    place = str(folder / MANIFEST)
    fields = _parse(folder / MANIFEST)
    _check_keys(fields, _SET_KEYS, frozenset(), place)
    if fields["schema"] != SCHEMA:
        raise BoardError(
            f"{place}: schema is {json_word(fields['schema'])}, it should be {SCHEMA!r}"
        )
    name, title, source = (_text(fields, key, place) for key in ("name", "title", "source"))
    rules = _rules(fields, place)
    entries = fields["instances"]
    if not isinstance(entries, list) or not entries:
        raise BoardError(f"{place}: instances should be a list of at least one entry")
    instances: dict[str, Instance] = {}
    for number, entry in enumerate(entries, start=1):
        where = f"{place}: instance {number}"
        if not isinstance(entry, dict):
            raise BoardError(f"{where} should be an object, not {json_word(entry)}")
        instance = _instance(rules | entry, folder, where)
        if instance.name in instances:
            raise BoardError(f"{where}: the name {brief(instance.name)} appears a second time")
        instances[instance.name] = instance
    return InstanceSet(name, title, source, tuple(instances.values()))


def _parse(manifest: Path) -> Fields:
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


def _instance(fields: Fields, folder: Path, where: str) -> Instance:
    own = frozenset({"file"}) if "file" in fields else _BOARD_KEYS
    _check_keys(fields, _ENTRY_KEYS | own, _FREE_KEYS, where)
    name = _text(fields, "name", where)
    where = f"{where} ({brief(name)})"
    length = _count(fields, "optimal_length", where, least=0)
    plans = _count(fields, "optimal_plans", where, least=1)
    _count(fields, "nodes", where, least=0)
    if "note" in fields:
        _text(fields, "note", where)
    solvable = fields.get("solvable", True)
    if not isinstance(solvable, bool):
        raise BoardError(f"{where}: solvable should be true or false, not {json_word(solvable)}")
    if not solvable and length is not None:
        raise BoardError(f"{where}: optimal_length should be null where solvable is false")
    if length is None and plans is not None:
        raise BoardError(f"{where}: optimal_plans is given without an optimal_length")
    try:
        problem = _from_file(fields, folder) if "file" in fields else _from_board(fields)
    except InputError as error:
        raise BoardError(f"{where}: {error}") from error
    return Instance(name, problem, length, solvable, plans)


def _from_board(fields: Fields) -> Problem:
    rows, columns, board = fields["rows"], fields["columns"], fields["board"]
    if not (_is_integer(rows) and _is_integer(columns)):
        raise BoardError(
            f"rows and columns should be integers: {json_word(rows)}, {json_word(columns)}"
        )
    if not (isinstance(board, list) and all(map(_is_integer, board))):
        raise BoardError(f"board should be a list of integers, not {json_word(board)}")
    puzzle, goal = _rules(fields, "its rules").values()
    if puzzle is None or goal is None:
        raise BoardError("puzzle or goal is null: only the board of a file tells its own rules")
    return Problem(_puzzle(puzzle, goal, rows, columns), tuple(board))


def _from_file(fields: Fields, folder: Path) -> Problem:
    rules = _rules(fields, "its rules")
    name = fields["file"]
    if not isinstance(name, str):
        raise BoardError(f"file should be a text, not {json_word(name)}")
    if not name or any(sign in "/\\:" or not sign.isprintable() for sign in name):
        raise BoardError(f"file should be the name of a file beside the manifest: {brief(name)}")
    return read_problem(decode_text(_bytes_beside(folder, name)), **rules)


def _bytes_beside(folder: Path, name: str) -> bytes:
    try:
        path = (folder / name).resolve()
        # A link may lead out of the folder though its name does not.
        if path.parent != folder.resolve() or not path.is_file():
            raise BoardError(f"there is no file {brief(name)} beside the manifest")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # decode_text refuses more than MAX_BYTES
    except OSError as error:
        raise BoardError(f"file {brief(name)} cannot be read: {error.strerror}") from error
    except RuntimeError as error:  # links in a circle
        raise BoardError(
            f"file {brief(name)} cannot be read: its links lead in a circle"
        ) from error


def _rules(fields: Fields, where: str) -> dict[str, str | None]:
    """Return the puzzle and the name of the goal; None for those that a board's file tells."""
    return {
        key: None if fields[key] is None else _text(fields, key, where)
        for key in ("puzzle", "goal")
    }


@lru_cache(maxsize=16)
def _puzzle(specification: str, goal: str, rows: int, columns: int) -> Puzzle:
    puzzle = make_puzzle(specification, rows, columns)
    return puzzle.with_goal(named_goal(specification, goal, rows, columns))


def _check_keys(
    fields: Fields, needed: frozenset[str], allowed: frozenset[str], where: str
) -> None:
    if missing := sorted(needed - fields.keys()):
        raise BoardError(f"{where}: without {', '.join(missing)}")
    if strange := sorted(fields.keys() - needed - allowed):
        raise BoardError(f"{where}: unknown key {brief(strange[0])}")


def _text(fields: Fields, key: str, where: str) -> str:
    value = fields[key]
    if not (isinstance(value, str) and value.strip() and value.isprintable()):
        raise BoardError(f"{where}: {key} should be one line of text, not {json_word(value)}")
    return value


def _count(fields: Fields, key: str, where: str, least: int) -> int | None:
    value = fields.get(key)
    if value is None:
        return None
    if not _is_integer(value) or value < least:
        raise BoardError(
            f"{where}: {key} should be null or at least {least}, not {json_word(value)}"
        )
    return int(value)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
