"""Read thousands of boards, one by one: folders, sets, files of several boards, tables.

An error names its place, and reading continues with the next board.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from plansolve.analysis.solvability import hint_at_goal
from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import BoardDocument, decode, make, numbered, parse_all, reading, specify
from plansolve.formats.parse import at_line
from plansolve.instances.instance_set import MANIFEST, load_instance_set
from plansolve.model.problem import Problem
from plansolve.records.board import Board
from plansolve.text import one_line, quote

_MOST_BYTES = 256 << 20
"""The largest file of many boards."""
_LONGEST_NAME = 200

_Found: TypeAlias = tuple[str, str, Board | BoardError]
"""The names of a set and of a board, and the board or its error."""


@dataclass(frozen=True)
class BoardReader:
    """Reads boards; `puzzle`, `goal` and `format` are those of `read_problem`, for all of them.

    `hints` maps each note of `reading` and `hint_at_goal` to a line that names its first board.
    """

    puzzle: str | None = None
    goal: str | BoardDocument | None = None
    format: str | None = None
    hints: dict[str, str] = field(default_factory=dict)

    def boards(self, paths: Iterable[str]) -> Iterator[Board | BoardError]:
        """Return an iterator over all boards of some paths; "-" is standard input.

        Errors take the places of invalid boards. A name that a set has twice ends with "~2" the
        second time. Raise `OptionError` at once for a missing path, and `BoardError` for a manifest
        that cannot be used.
        """
        sources = [source for name in list(paths) for source in self._sources(name)]
        return _with_own_names(board for source in sources for board in source)

    def _sources(self, name: str) -> Iterator[Iterator[_Found]]:
        """Yield the sources that a path names: its boards, or each set of a folder of sets."""
        path = Path(name)
        file, number = numbered(name)
        if name == "-":
            yield self._in_stream()
        elif number is not None and os.path.isfile(file):
            yield self._numbered(Path(file), number)
        elif not os.path.exists(path):
            raise OptionError(f"{one_line(name)}: there is no such file or folder")
        elif not path.is_dir():
            yield self._in_file(path, one_line(path.stem))
        elif sets := sorted(manifest.parent for manifest in path.rglob(MANIFEST)):
            # Files beside sets are about them, such as a README.
            yield from map(self._in_set, sets)
        elif any(_files_below(path)):
            yield self._in_folder(path)
        else:
            raise OptionError(
                f"{one_line(name)}: a folder without board files and without {MANIFEST}"
            )

    def _in_stream(self) -> Iterator[_Found]:
        if sys.stdin is None:
            raise OptionError("standard input is closed: give a file")
        yield from self._in_bytes(sys.stdin.buffer.read(_MOST_BYTES + 1), "standard input", "stdin")

    def _in_set(self, folder: Path) -> Iterator[_Found]:
        if self.puzzle or self.goal or self.format:
            raise OptionError(
                f"{one_line(str(folder))}: an instance set states its puzzle and goal: leave "
                "--puzzle, --goal and --format out"
            )
        found = load_instance_set(folder)
        return ((found.name, board.name, board) for board in found.instances)

    def _in_folder(self, folder: Path) -> Iterator[_Found]:
        for path in _files_below(folder):
            yield from self._in_file(path, one_line(folder.name or folder.resolve().name))

    def _numbered(self, path: Path, number: int) -> Iterator[_Found]:
        found = [*self._in_file(path, one_line(path.stem))]
        if not 1 <= number <= len(found):
            place = one_line(str(path))
            raise BoardError(f"{place}: there is no board {number}: the file holds {len(found)}")
        yield found[number - 1]

    def _in_file(self, path: Path, set_name: str) -> Iterator[_Found]:
        place = one_line(str(path))
        try:
            with path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except OSError as error:
            yield set_name, one_line(path.stem), BoardError(f"{place}: {error.strerror}")
            return
        yield from self._in_bytes(data, place, set_name, one_line(path.stem))

    def _in_bytes(
        self, data: bytes, place: str, set_name: str, stem: str = "board"
    ) -> Iterator[_Found]:
        """Yield the boards of a text, named in the text, after its file, or by their numbers."""
        try:
            boards = parse_all(
                decode(data, most=_MOST_BYTES), format=self.format, puzzle=self.puzzle
            )
            ahead = [*islice(boards, 2)]
            for number, (part, found) in enumerate(chain(ahead, boards), start=1):
                name = stem if len(ahead) == 1 else f"{stem}#{number}"
                try:
                    name = _checked_name(part.name) or name
                    problem = self._bound(found, f"{set_name}/{name}")
                except InputError as error:
                    where = at_line(str(error), part.line)
                    yield set_name, name, BoardError(f"{place}: {where}")
                else:
                    yield set_name, name, Board(problem, name, set_name)
        except InputError as error:
            yield set_name, stem, BoardError(f"{place}: {error}")

    def _bound(self, found: BoardDocument | BoardError, name: str) -> Problem:
        if isinstance(found, BoardError):
            raise found
        problem = make(specify(found, self.puzzle, self.goal))
        hint = "" if self.goal is not None else hint_at_goal(problem, found)
        said = reading(found, problem, self.puzzle) or hint
        if said:
            self.hints.setdefault(said, f"{one_line(name)}: {said}")
        return problem


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder that are not hidden; 10 follows 9."""
    for path in sorted(folder.rglob("*"), key=_in_order):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _in_order(path: Path) -> list[list[tuple[int, str]]]:
    """Return the key that sorts board-10 after board-9."""
    pieces = (re.findall(r"\d{1,18}|\D+", part) for part in path.parts)
    return [[(int(p), "") if p.isdecimal() else (-1, p) for p in part] for part in pieces]


def _checked_name(name: str) -> str:
    """Return the name of a board in a table; raise `BoardError` if it is not a name."""
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise BoardError(
            f"the name of a board is one line of at most {_LONGEST_NAME} characters, not "
            f"{quote(name)}"
        )
    return name


def _with_own_names(found: Iterator[_Found]) -> Iterator[Board | BoardError]:
    """Give each board of a set a unique name, the same one each time.

    There may be many numbered names, so only the last is kept: x#3 follows x#2.
    """
    times, last = Counter[tuple[str, str]](), dict[tuple[str, str], int]()
    for set_name, name, board in found:
        stem, mark, digits = name.rpartition("#")
        run, number = (set_name, stem), int(digits) if digits.isdecimal() else 0
        is_numbered = mark != "" and digits == str(number)
        before = times[set_name, name] + (is_numbered and 1 <= number <= last.get(run, 0))
        if is_numbered and number == last.get(run, 0) + 1 and not before:
            last[run] = number
        else:
            times[set_name, name] += 1
        if before and isinstance(board, Board):
            board = replace(board, name=f"{name}~{before + 1}")
        yield board
