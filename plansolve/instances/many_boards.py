"""Boards by the thousand: folders, instance sets, files with several boards, tables, a stream.

Boards are read one by one when they are asked for. What is wrong with one is told with its place,
and the others go on.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from plansolve.errors import BoardError, InputError, OptionError
from plansolve.formats import BoardDocument, bind, decode_text, read_board
from plansolve.formats.registry import read_boards
from plansolve.formats.several import at_line
from plansolve.instances.board_tables import TableBoard, boards_in_table
from plansolve.instances.instance_set import MANIFEST, load_instance_set
from plansolve.solvers.engine.batch import BadBoard, GivenBoard, NamedBoard
from plansolve.text import one_line, quote

__all__ = ["BoardReader"]

_MOST_BYTES = 256 << 20
"""The largest file of many boards."""
_TABLES = (".csv", ".tsv")
_LONGEST_NAME = 200


@dataclass(frozen=True)
class BoardReader:
    """Reads boards; `puzzle`, `goal` and `format` are those of `read_problem`, for all of them."""

    puzzle: str | None = None
    goal: str | BoardDocument | None = None
    format: str | None = None

    def boards(self, paths: Iterable[str]) -> Iterator[GivenBoard]:
        """Return an iterator over all boards of some paths; "-" is standard input.

        A name that a set has twice ends with "~2" the second time. Raise `OptionError` at once for
        a path that is not there, and `BoardError` for a manifest that cannot be used.
        """
        sources = [source for name in list(paths) for source in self._sources(name)]
        return _with_own_names(board for source in sources for board in source)

    def _sources(self, name: str) -> Iterator[Iterator[GivenBoard]]:
        """Yield what a path stands for: boards, or each set of a folder of sets."""
        path = Path(name)
        if name == "-":
            yield self._in_stream()
        elif not os.path.exists(path):
            raise OptionError(f"{one_line(name)}: there is no such file or folder")
        elif not path.is_dir():
            yield self._in_file(path, one_line(path.stem))
        elif sets := sorted(manifest.parent for manifest in path.rglob(MANIFEST)):
            # Beside sets, files are about them: a README and the like.
            yield from map(self._in_set, sets)
        elif any(_files_below(path)):
            yield self._in_folder(path)
        else:
            raise OptionError(
                f"{one_line(name)}: a folder without board files and without {MANIFEST}"
            )

    def _in_stream(self) -> Iterator[GivenBoard]:
        if sys.stdin is None:
            raise OptionError("standard input is closed: give a file")
        yield from self._in_bytes(sys.stdin.buffer.read(_MOST_BYTES + 1), "standard input", "stdin")

    def _in_set(self, folder: Path) -> Iterator[GivenBoard]:
        if self.puzzle or self.goal or self.format:
            raise OptionError(
                f"{one_line(str(folder))}: an instance set says what its boards are, so --puzzle, "
                "--goal and --format do not go with it"
            )
        found = load_instance_set(folder)
        return (
            NamedBoard(found.name, one.name, one.problem, one.optimal_length)
            for one in found.instances
        )

    def _in_folder(self, folder: Path) -> Iterator[GivenBoard]:
        for path in _files_below(folder):
            yield from self._in_file(path, one_line(folder.name or folder.resolve().name))

    def _in_file(self, path: Path, set_name: str) -> Iterator[GivenBoard]:
        place = one_line(str(path))
        try:
            with path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except OSError as error:
            yield BadBoard(set_name, one_line(path.stem), f"{place}: {error.strerror}")
            return
        read = self._in_table if path.suffix.lower() in _TABLES else self._in_bytes
        yield from read(data, place, set_name, one_line(path.stem))

    def _in_bytes(
        self, data: bytes, place: str, set_name: str, stem: str = "board"
    ) -> Iterator[GivenBoard]:
        """Yield the boards of a text, called after it, or by their numbers where there are more."""
        try:
            boards = read_boards(decode_text(data, most=_MOST_BYTES), format=self.format)
            first: tuple[int, BoardDocument | BoardError] | None = next(boards)
        except InputError as error:
            yield BadBoard(set_name, stem, f"{place}: {error}")
            return
        for number, found in enumerate(boards, start=2):
            if first is not None:
                yield self._bound(first, place, set_name, f"{stem}#1")
                first = None
            yield self._bound(found, place, set_name, f"{stem}#{number}")
        if first is not None:
            yield self._bound(first, place, set_name, stem)

    def _in_table(self, data: bytes, place: str, set_name: str, stem: str) -> Iterator[GivenBoard]:
        try:
            for row in boards_in_table(decode_text(data, most=_MOST_BYTES)):
                name = f"{stem}#{row.number}"
                found: BoardDocument | BoardError
                try:
                    name = _own_name(row) or name
                    found = read_board(row.text, format=self.format)
                except BoardError as error:
                    found = BoardError(at_line(str(error), row.line))
                yield self._bound((row.line, found), place, set_name, name)
        except InputError as error:
            yield BadBoard(set_name, stem, f"{place}: {error}")

    def _bound(
        self, read: tuple[int, BoardDocument | BoardError], place: str, set_name: str, name: str
    ) -> GivenBoard:
        line, found = read
        if isinstance(found, BoardError):
            return BadBoard(set_name, name, f"{place}, {found}")
        try:
            return NamedBoard(set_name, name, bind(found, self.puzzle, self.goal))
        except InputError as error:
            return BadBoard(set_name, name, f"{place}, {at_line(str(error), line)}")


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, but for what is hidden."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            yield path


def _own_name(row: TableBoard) -> str:
    """Return the name that a table gives a board; raise `BoardError` for what is none."""
    if row.error:
        raise BoardError(row.error)
    if len(row.name) > _LONGEST_NAME or not row.name.isprintable():
        raise BoardError(
            f"the name of a board is one line of at most {_LONGEST_NAME} characters, not "
            f"{quote(row.name)}"
        )
    return row.name


def _with_own_names(boards: Iterator[GivenBoard]) -> Iterator[GivenBoard]:
    """Give each board of a set a name of its own, the same one each time.

    Of numbered names, of which there may be very many, only the last is kept: x#3 follows x#2.
    """
    times, last = dict[tuple[str, str], int](), dict[tuple[str, str], int]()
    for board in boards:
        key = board.set_name, board.name
        stem, mark, digits = board.name.rpartition("#")
        run, number = (board.set_name, stem), int(digits) if digits.isdecimal() else 0
        is_numbered = mark != "" and digits == str(number)
        before = times.get(key, 0) + (is_numbered and 1 <= number <= last.get(run, 0))
        if is_numbered and number == last.get(run, 0) + 1 and not before:
            last[run] = number
        else:
            times[key] = times.get(key, 0) + 1
        yield replace(board, name=f"{board.name}~{before + 1}") if before else board
