"""Finds the boards that a command line names: files, folders and instance sets."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from plansolve.cli.board import GivenBoard
from plansolve.cli.files import shown_name
from plansolve.errors import OptionError
from plansolve.formats import numbered
from plansolve.instances.instance_set import MANIFEST, load_instance_set
from plansolve.records.board import Board


def load_instances(
    names: Iterable[str], puzzle: str | None, goal: str | None, format_: str | None
) -> list[Board]:
    """Return the boards of files, folders of files, instance sets and folders of sets.

    Their names tell them apart. `puzzle`, `goal` and `format_` are for the files, as for
    `GivenBoard`. Raise `OptionError` for what is not there or is given twice, and what reading
    boards and sets raises.
    """
    found: list[tuple[str, Board]] = []
    for path in (path for name in names for path in _sets_and_files(Path(name))):
        if not path.is_dir():
            problem = GivenBoard(str(path), puzzle, goal, format_).problem()
            instance = Board(problem, path.name)
            found.append((str(path), instance))
            continue
        if puzzle or goal or format_:
            raise OptionError(
                f"{shown_name(str(path))}: an instance set says its puzzle and goal itself: leave "
                "--puzzle, --goal and --format out"
            )
        instances = load_instance_set(path).instances
        found += [(f"{path.resolve().name}/{one.name}", one) for one in instances]
    return list(_with_own_names(found))


def _sets_and_files(path: Path) -> Iterator[Path]:
    """Yield the folders with a manifest, or else the board files, that a path stands for."""
    if numbered(str(path))[1] is not None and os.path.isfile(numbered(str(path))[0]):
        yield path  # one of several boards in a file
        return
    if not os.path.exists(path):
        raise OptionError(f"{shown_name(str(path))}: there is no such file or folder")
    if not path.is_dir() or (path / MANIFEST).is_file():
        yield path
        return
    try:
        entries = sorted((e for e in path.iterdir() if e.name[0] != "."), key=_natural)
    except OSError as error:
        raise OptionError(f"{shown_name(str(path))}: {error.strerror}") from None
    sets = [entry for entry in entries if (entry / MANIFEST).is_file()]
    files = [entry for entry in entries if entry.is_file()]
    if not sets and not files:
        raise OptionError(
            f"{shown_name(str(path))}: a folder without board files and without {MANIFEST}"
        )
    # Beside sets, files are about them: a README and the like.
    yield from sets or files


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort board-10 after board-9."""
    parts = re.findall(r"\d{1,18}|\D+", path.name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _with_own_names(found: list[tuple[str, Board]]) -> Iterator[Board]:
    short = Counter(instance.name for _, instance in found)
    seen = Counter[str]()
    for long_name, instance in found:
        name = instance.name if short[instance.name] == 1 else long_name
        seen[name] += 1
        if seen[name] > 1:
            raise OptionError(f"{shown_name(name)} is given twice")
        yield replace(instance, name=name)
