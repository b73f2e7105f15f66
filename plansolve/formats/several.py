"""Texts that hold several boards, and the numbers by which they are named: boards.txt#2."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from plansolve.errors import BoardError, InputError
from plansolve.formats.document import BoardDocument
from plansolve.formats.grid import content_lines
from plansolve.formats.text import MAX_BYTES
from plansolve.model.puzzle import BLANK

__all__ = ["at_line", "boards_in", "many_boards", "numbered", "only_board"]

_NUMBERED = re.compile(r"(.+)#(\d{1,6})", re.DOTALL)
_LINE = re.compile(r"\bline (\d{1,9})\b")
_FEWEST_CELLS = 4
_SHOWN = 5
_SAMPLE = 4096


def numbered(name: str) -> tuple[str, int | None]:
    """Return the file and the number of the board in it: ("a.txt", 2) for "a.txt#2".

    A file that is there under the whole name is meant as a whole.
    """
    match = _NUMBERED.fullmatch(name)
    if match is None or os.path.exists(name):
        return name, None
    return match[1], int(match[2])


def boards_in(text: str, read: Callable[[str], BoardDocument]) -> list[tuple[int, str]]:
    """Return the line on which each board of a text begins, and its own text.

    There are several boards where each line is a whole board, or each part between blank lines, or
    where these parts are squares of one size and one of them is whole, so that a slip in one board
    hides no other; else all of it is one. `read` reads the text of one. Raise `BoardError` for too
    many lines.
    """
    if text.lstrip()[:1] == "{":
        return [(1, text)]
    for divide, may_differ in ((_each_line, False), (_between_blank_lines, True)):
        parts = divide(text)
        if len(parts) < 2:
            continue
        documents = [_read(part, read) for _, part in parts]
        if all(map(_is_whole, documents)):
            return parts
        if may_differ and any(map(_is_whole, documents)) and _are_like_squares(documents):
            return parts
    return [(1, text)]


def many_boards(text: str, read: Callable[[str], BoardDocument]) -> Iterable[tuple[int, str]]:
    """Return what `boards_in` does, of texts of any length, where a slip in one board is no harm.

    Where most of the first lines are boards each line is one; the parts of a long text between
    blank lines are.
    """
    begin = text[:_SAMPLE].rpartition("\n")[0] if len(text) > _SAMPLE else text
    lines = [_is_whole(_read(part, read)) for _, part in _each_line(begin)]
    if len(lines) > 1 and 2 * sum(lines) > len(lines):
        return _lines(text)
    if len(text) <= MAX_BYTES:
        return boards_in(text, read)
    return ((first, part) for first, part in _blocks(text) if content_lines(part))


def at_line(message: str, line: int) -> str:
    """Return what is said of a board that begins on a line of a file, with the file's lines."""
    told, count = _LINE.subn(lambda match: f"line {int(match[1]) + line - 1}", message, count=1)
    return told if count else f"line {line}: {message}"


def only_board(parts: Sequence[tuple[int, str]], number: int | None) -> str:
    """Return the text of the board with that number, or of the only one, on its lines of the file.

    Raise `BoardError` for a number that there is not, and where several have none.
    """
    if number is None:
        if len(parts) > 1:
            lines = ", ".join(str(line) for line, _ in parts[:_SHOWN])
            more = ", ..." if len(parts) > _SHOWN else ""
            raise BoardError(
                f"the file holds {len(parts)} boards, on lines {lines}{more}: name one by its "
                "number, FILE#2 for the second"
            )
        return _at_line(*parts[0])
    if not 1 <= number <= len(parts):
        raise BoardError(
            f"there is no board {number}: the file holds {len(parts)}, #1 is the first"
        )
    return _at_line(*parts[number - 1])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.partition("#")[0].split():
            yield number, line


def _each_line(text: str) -> list[tuple[int, str]]:
    lines = text.split("\n")
    return [(line.number, lines[line.number - 1]) for line in content_lines(text)]


def _between_blank_lines(text: str) -> list[tuple[int, str]]:
    return [(first, part) for first, part in _blocks(text) if content_lines(part)]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    first, block = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            first = first if block else number
            block.append(line)
        elif block:
            yield first, "\n".join(block)
            block = []


def _at_line(number: int, part: str) -> str:
    return "\n" * (number - 1) + part


def _read(part: str, read: Callable[[str], BoardDocument]) -> BoardDocument | None:
    try:
        return read(part)
    except InputError:
        return None


def _is_whole(document: BoardDocument | None) -> bool:
    """Whether a board has each tile once, besides its gaps; of letters one never knows."""
    if document is None or document.labels or len(document.cells) < _FEWEST_CELLS:
        return False
    gaps = document.cells.count(BLANK)
    tiles = [*range(1, len(document.cells) - gaps + 1)]
    return bool(tiles) and sorted(document.cells)[gaps:] == tiles


def _are_like_squares(documents: Sequence[BoardDocument | None]) -> bool:
    """Whether all that can be read are squares of one size; a line is no square here."""
    shapes = {(d.rows, d.columns) for d in documents if d is not None and len(set(d.lines)) > 1}
    return len(shapes) == 1 and len({*shapes.pop()}) == 1 and None not in documents
