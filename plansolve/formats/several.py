"""Texts that hold several boards, and the numbers by which they are named: boards.txt#2."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from plansolve.errors import BoardError, InputError
from plansolve.formats.document import BoardDocument
from plansolve.formats.grid import content_lines
from plansolve.formats.tables import SEPARATORS, BoardText, rows_of_table
from plansolve.formats.text import MAX_BYTES
from plansolve.model.puzzle import BLANK

_NUMBERED = re.compile(r"(.+)#(\d{1,6})", re.DOTALL)
_SEPARATOR = re.compile(f"[{SEPARATORS}]")
_LINE = re.compile(r"\bline (\d{1,9})\b")
_FEWEST_CELLS = 4
_SHOWN = 5
_SAMPLE = 64
"""The lines that tell how a file divides."""
_LONGEST_LINE = 8192


def numbered(name: str) -> tuple[str, int | None]:
    """Return the file and the number of the board in it: ("a.txt", 2) for "a.txt#2".

    A file that is there under the whole name is meant as a whole.
    """
    match = _NUMBERED.fullmatch(name)
    if match is None or os.path.exists(name):
        return name, None
    return match[1], int(match[2])


def boards_in(text: str, read: Callable[[str], BoardDocument]) -> Iterable[BoardText]:
    """Return the text of each board of a file; `read` reads the text of one.

    They are the rows of a table with a heading; or the lines, perhaps after a name each, where
    most of the first lines are whole boards; or the parts between blank lines, where each is whole,
    or all are squares of one size and one is whole, so that a slip in one board hides no other; and
    in a text that is too long for one board. Else all of it is one board.

    Raise `BoardError` for a table whose heading names no board, and at the end for one without any.
    """
    if text.lstrip()[:1] == "{":
        return [BoardText(1, text)]
    if (rows := rows_of_table(text)) is not None:
        return rows
    begin = "\n".join(text.split("\n", _SAMPLE)[:_SAMPLE])
    lines = [part for _, part in _each_line(begin)]
    if _are_mostly_whole(lines, read):
        if len(lines) > 1:
            return (BoardText(*line) for line in _each_line(text))
    elif _are_mostly_whole([_after_name(line)[1] for line in lines], read):
        return (BoardText(line, *_after_name(part)[::-1]) for line, part in _each_line(text))
    blocks = (BoardText(*block) for block in _blocks(text) if content_lines(block[1]))
    if len(text) > MAX_BYTES:
        return blocks
    parts = [*blocks]
    documents = [_read(part.text, read) for part in parts]
    is_whole = [*map(_is_whole, documents)]
    are_several = all(is_whole) or (any(is_whole) and _are_like_squares(documents))
    return parts if len(parts) > 1 and are_several else [BoardText(1, text)]


def at_line(message: str, line: int) -> str:
    """Return what is said of a board that begins on a line of a file, with the file's lines."""
    told, count = _LINE.subn(lambda match: f"line {int(match[1]) + line - 1}", message, count=1)
    return told if count else f"line {line}: {message}"


def only_board(parts: Sequence[BoardText], number: int | None) -> BoardText:
    """Return the board with that number, or the only one, its text on its lines of the file.

    Raise `BoardError` for a number that there is not, and where several have none.
    """
    if number is None and len(parts) > 1:
        lines = ", ".join(str(part.line) for part in parts[:_SHOWN])
        more = ", ..." if len(parts) > _SHOWN else ""
        raise BoardError(
            f"the file holds {len(parts)} boards, on lines {lines}{more}: name one by its "
            "number, FILE#2 for the second"
        )
    number = 1 if number is None else number
    if not 1 <= number <= len(parts):
        raise BoardError(
            f"there is no board {number}: the file holds {len(parts)}, #1 is the first"
        )
    part = parts[number - 1]
    return part._replace(text="\n" * (part.line - 1) + part.text)


def _each_line(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.partition("#")[0].split():
            yield number, line


def _after_name(line: str) -> tuple[str, str]:
    """Return the name before the first separator of a line, and what follows: the cells."""
    name, _, cells = _SEPARATOR.sub("\n", line, count=1).partition("\n")
    return name.strip().strip('"'), cells


def _are_mostly_whole(parts: Sequence[str], read: Callable[[str], BoardDocument]) -> bool:
    whole = sum(len(part) <= _LONGEST_LINE and _is_whole(_read(part, read)) for part in parts)
    return 2 * whole > len(parts)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    first, block = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        # Spreadsheets write an empty row as separators and nothing between.
        if line.strip(f" {SEPARATORS}"):
            first = first if block else number
            block.append(line)
        elif block:
            yield first, "\n".join(block)
            block = []


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
