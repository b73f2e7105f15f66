"""Writes boards as an instance set: a folder with a file for each board and a manifest."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from plansolve.errors import BoardError, OptionError
from plansolve.formats import common_texts, read_problem, write_problem
from plansolve.formats.json_document import puzzle_entry
from plansolve.instances.instance_set import MANIFEST, SCHEMA, load_instance_set
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle
from plansolve.puzzles.registry import goals_of
from plansolve.storage.new_folder import new_folder, require_new
from plansolve.text import one_line

__all__ = ["Entry", "names_of", "natural_format", "write_instance_set"]


@dataclass(frozen=True)
class Entry:
    """One board and what is proved of it; `note` is one line about it, or empty."""

    problem: Problem
    optimal_length: int | None = None
    solvable: bool = True
    note: str = ""


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
    folder: Path, entries: Sequence[Entry], *, title: str, source: str, format_: str | None = None
) -> None:
    """Write a new `folder` with a file for each board and a manifest, or nothing at all.

    `title` and `source` are one line each. The boards, at least one and all of one puzzle, are
    written in the named format, by default the one in which people write such boards. Raises
    `OptionError` for a folder that is not empty or cannot be written, `BoardError` for a format
    that cannot hold the boards.
    """
    require_new(folder)
    specification, goal = names_of(entries[0].problem.puzzle)
    format_ = format_ or natural_format(entries[0].problem)
    digits = len(str(len(entries)))
    names = [f"{number:0{digits}}" for number in range(1, len(entries) + 1)]
    files = {
        f"{name}.{format_}": write_problem(entry.problem, format_)
        for name, entry in zip(names, entries, strict=True)
    }
    lines = ",\n".join(
        f"    {json.dumps(_fields(name, file, entry))}"
        for name, file, entry in zip(names, files, entries, strict=True)
    )
    head = {
        "schema": SCHEMA,
        "name": one_line(folder.resolve().name),
        "title": title,
        "puzzle": specification,
        "goal": goal,
        "source": source,
    }
    top = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    files[MANIFEST] = f'{{\n{top},\n  "instances": [\n{lines}\n  ]\n}}\n'
    try:
        _write_folder(folder, files, [entry.problem for entry in entries])
    except OSError as error:
        raise OptionError(f"{folder}: {error.strerror}") from None


def _fields(name: str, file: str, entry: Entry) -> dict[str, object]:
    fields: dict[str, object] = {"name": name, "file": file, "optimal_length": entry.optimal_length}
    if not entry.solvable:
        fields["solvable"] = False
    if entry.note:
        fields["note"] = entry.note
    return fields


def _write_folder(folder: Path, files: dict[str, str], problems: list[Problem]) -> None:
    """Write all files, read them back, and keep the folder if they hold the problems."""
    with new_folder(folder) as made:
        for name, text in files.items():
            (made.part / name).write_text(text, encoding="utf-8", newline="\n")
        read = [instance.problem for instance in load_instance_set(made.part).instances]
        if [(p.start, p.goal) for p in read] != [(p.start, p.goal) for p in problems]:
            raise BoardError("the files would be read as other boards: choose another format")
        made.keep()
