"""From the bytes of a file to the document of its board, or of one of its boards: boards.txt#2.

Boards may be the rows of a table of comma-separated values, below a heading: the board is in the
column `board`, or else each cell has a column, and the column `name` is its name. A column of
quoted boards needs no heading.
"""

import csv
import io
import os
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from plansolve.errors import BoardError, InputError, PlanError
from plansolve.formats.document import BoardDocument
from plansolve.formats.grid import content_lines, square_side
from plansolve.formats.headings import has_goal
from plansolve.formats.letters import with_plain_signs
from plansolve.formats.notation import MAX_PLAN
from plansolve.formats.registry import reader
from plansolve.model.puzzle import BLANK

MAX_BYTES = 512 * 1024
"""The largest board file that is read."""

_LAST_ASCII = 0x7F
_NUMBERED = re.compile(r"(.+)#(\d{1,6})", re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_CONTROL_OF_TERMINALS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")

_SEPARATORS = ",;\t"

_FEWEST_CELLS = 4
_SEPARATOR = re.compile(rf"[{_SEPARATORS}]|(?<=\w)[.):](?=\s)")
_ROW = re.compile(r"\s*[\w.]{1,4}(?:[\s-]+(?:\d{1,4}|[._xX]))+\s*")
_DIVIDER = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,})\s*")
_LINE = re.compile(r"\bline (\d{1,9})\b")
_SHOWN = 5
_SAMPLE = 64
"""The number of lines that decide how a file is divided."""
_LONGEST_LINE = 8192


def numbered(name: str) -> tuple[str, int | None]:
    """Return the file and the number of a board in it: ("a.txt", 2) for "a.txt#2".

    If a file with the whole name exists, return it, and no number.
    """
    match = _NUMBERED.fullmatch(name)
    if match is None or os.path.exists(name):
        return name, None
    return match[1], int(match[2])


def decode(data: bytes, *, most: int = MAX_BYTES) -> str:
    """Return the text of a board file, without a byte order mark, with newlines as line ends.

    Raise `BoardError` for empty input, for more than `most` bytes, and for anything but text in
    UTF-8, Windows-1252, Latin-1, or UTF-16 with its byte order mark.
    """
    if len(data) > most:
        raise BoardError(
            f"the input is larger than any board: more than {most // 1024} KiB; "
            "is it the right file?"
        )
    text = _text_of(data, _CONTROL)
    if not text.strip():
        raise BoardError("the input is empty: a board is expected")
    return text


def decode_plan(data: bytes) -> str:
    """Return the text of a plan file or of a program's output, which may hold colour codes.

    Raise `PlanError` for more than `MAX_PLAN` bytes and for anything that `decode` rejects.
    """
    if len(data) > MAX_PLAN:
        raise PlanError(f"the plan is longer than {MAX_PLAN} characters: is it the right file?")
    try:
        return _text_of(data, _CONTROL_OF_TERMINALS)
    except BoardError as error:
        raise PlanError(str(error)) from None


def _text_of(data: bytes, control_characters: re.Pattern[bytes]) -> str:
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise BoardError("not a text file: UTF-16 that breaks off; save it as UTF-8") from None
    body = data.removeprefix(BOM_UTF8)
    skipped = len(data) - len(body)
    if control := control_characters.search(body):
        raise _not_text(body, control.start(), skipped)
    try:
        text = body.decode("utf-8" if not is_windows(body) else "cp1252")
    except UnicodeDecodeError as error:
        raise _not_text(body, error.start, skipped) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_windows(data: bytes) -> bool:
    """Return True for bytes that are not UTF-8, which are read as Windows-1252 if possible."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    return False


def _not_text(body: bytes, offset: int, skipped: int) -> BoardError:
    message = f"not a text file: byte 0x{body[offset]:02x} at offset {offset + skipped}"
    if body[offset] > _LAST_ASCII:
        message += f", line {body.count(10, 0, offset) + 1}; save the file as UTF-8"
    elif not body[offset] and any(body[i::2].count(0) == len(body[i::2]) for i in (0, 1)):
        message += ": it looks like UTF-16; save it as UTF-8"
    return BoardError(message)


class BoardText(NamedTuple):
    """The text of a board in a file, the line on which it begins, and its name.

    `wrong` is the error if a row of a table cannot be read.
    """

    line: int
    text: str
    name: str = ""
    wrong: str = ""


def parse(
    text: str,
    *,
    format: str | None = None,  # noqa: A002
    number: int | None = None,
    puzzle: str | None = None,
) -> BoardDocument:
    """Return the board of a text, in the named format or in the first that recognises it.

    `puzzle` is the specification of the puzzle, if one is given. `number`, from 1, chooses one of
    several boards. Raise `BoardError` for a text that cannot be read, or that holds several boards
    of which none is chosen, and `OptionError` for an unknown format.
    """
    read = reader(format, puzzle)
    part = _only_board([*_boards_in(with_plain_signs(text), read)], number)
    if part.wrong:
        raise BoardError(f"line {part.line}: {part.wrong}")
    return read(part.text)


def parse_all(
    text: str,
    *,
    format: str | None = None,  # noqa: A002
    puzzle: str | None = None,
) -> Iterator[tuple[BoardText, BoardDocument | BoardError]]:
    """Yield each board of a text with its document or error.

    Its line numbers count from the board's first line.
    """
    read = reader(format, puzzle)
    for part in _boards_in(with_plain_signs(text), read):
        try:
            yield part, read(part.text) if not part.wrong else BoardError(part.wrong)
        except BoardError as error:
            yield part, error


def at_line(message: str, line: int) -> str:
    """Return the message about a board that begins on `line`, with the line numbers of the file."""
    told, count = _LINE.subn(lambda match: f"line {int(match[1]) + line - 1}", message, count=1)
    return told if count else f"line {line}: {message}"


def _boards_in(text: str, read: Callable[[str], BoardDocument]) -> Iterable[BoardText]:
    """Return the text of each board of a file; `read` reads the text of one board.

    The boards are the rows of a table with a heading; or the lines, perhaps each with a name, if
    most of the first lines are whole boards; or the parts between blank lines, if `_are_boards` or
    if the text is too long for one board. Otherwise the text is one board.

    Raise `BoardError` for a table whose heading names no board, and at its end if it had none.
    """
    if text.lstrip()[:1] == "{" or (len(text) <= MAX_BYTES and has_goal(text)):
        return [BoardText(1, text)]
    found = _read_or_none(text, read) if len(text) <= _LONGEST_LINE else None
    is_board = found is not None and len({*found.lines}) > 1 and _is_whole(found)
    if not is_board and (rows := _rows_of_table(text)) is not None:
        return rows
    begin = "\n".join(text.split("\n", _SAMPLE)[:_SAMPLE])
    lines = [part for _, part in _each_line(begin)]
    if _are_mostly_whole(lines, read):
        if len(lines) > 1:
            return (BoardText(*line) for line in _each_line(text))
    elif _are_mostly_whole([cells for name, cells in map(_after_name, lines) if name], read):
        return (BoardText(line, *_after_name(part)[::-1]) for line, part in _each_line(text))
    blocks = (BoardText(*block) for block in _blocks(text) if content_lines(block[1]))
    if len(text) > MAX_BYTES:
        return blocks
    parts = [*blocks]
    return parts if len(parts) > 1 and _are_boards(parts, read) else [BoardText(1, text)]


def _only_board(parts: Sequence[BoardText], number: int | None) -> BoardText:
    """Return the board with that number, or the only one.

    Its text keeps the line numbers of the file. Raise `BoardError` if there is no such number, or
    there are several boards and no number.
    """
    if number is None and len(parts) > 1:
        lines = ", ".join(str(part.line) for part in parts[:_SHOWN])
        more = ", ..." if len(parts) > _SHOWN else ""
        raise BoardError(
            f"there are {len(parts)} boards, on lines {lines}{more}: give one alone, or name one "
            "of a file by its number, FILE#2 for the second"
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
    """Return the name before the first separator of a line, and the cells after it.

    Text that looks like the first row of a board is not a name.
    """
    name, _, cells = _SEPARATOR.sub("\n", line, count=1).partition("\n")
    is_row = re.search(r"[\[({|]", name) or _ROW.fullmatch(name)
    return name.strip().strip('"'), "" if is_row else cells


def _are_mostly_whole(parts: Sequence[str], read: Callable[[str], BoardDocument]) -> bool:
    whole = sum(
        len(part) <= _LONGEST_LINE and _is_whole(_read_or_none(part, read)) for part in parts
    )
    return 2 * whole > len(parts)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    first, block = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        # Spreadsheets write an empty row as bare separators; people write such a line between
        # boards.
        if line.strip(f" {_SEPARATORS}") and not _DIVIDER.fullmatch(line):
            first = first if block else number
            block.append(line)
        elif block:
            yield first, "\n".join(block)
            block = []


def _read_or_none(part: str, read: Callable[[str], BoardDocument]) -> BoardDocument | None:
    try:
        return read(part)
    except InputError:
        return None


def _is_whole(document: BoardDocument | None) -> bool:
    """Return True if a board has each tile once, besides its gaps; letters do not show it.

    Several rows of letters are a whole board of a puzzle that is named.
    """
    if document is not None and document.labels and document.puzzle is not None:
        return document.rows > 1
    if document is None or document.labels or len(document.cells) < _FEWEST_CELLS:
        return False
    gaps = document.cells.count(BLANK)
    tiles = [*range(1, len(document.cells) - gaps + 1)]
    return bool(tiles) and sorted(document.cells)[gaps:] == tiles


def _are_boards(parts: Sequence[BoardText], read: Callable[[str], BoardDocument]) -> bool:
    """Return True if all parts are whole, or if all are squares of one size and one is whole."""
    shapes, whole = list[tuple[int, int]](), 0
    for part in parts:
        found = _read_or_none(part.text, read)
        is_whole = _is_whole(found)
        # Here a line is not a square, and a mistake in one board does not hide the others.
        if found is None or not (
            is_whole or len({*found.lines}) == found.rows == found.columns > 1
        ):
            return False
        shapes.append((found.rows, found.columns))
        whole += is_whole
    return whole == len(parts) or (whole > 0 and len({*shapes}) == 1)


def _rows_of_table(text: str) -> Iterator[BoardText] | None:
    """Return the boards of a table; None for a text that is not a table.

    Raise `BoardError` for a heading without a board, and at the end of a table without boards.
    """
    lines = text.split("\n")
    begin = next((i for i, line in enumerate(lines) if line.partition("#")[0].strip()), None)
    if begin is None:
        return None
    separator = max(_SEPARATORS, key=lines[begin].count)
    heading = next(_rows(lines[begin:], separator, begin))[1]
    if isinstance(heading, csv.Error):
        return None
    if len(heading) == 1 and lines[begin].lstrip()[0] == '"':
        return _boards(_rows(lines[begin:], separator, begin), None, (0,))
    titles = {title.lower(): place for place, title in enumerate(heading)}
    name, board, goal = titles.get("name"), titles.get("board"), titles.get("goal")
    # The first row of a square of letters may be such a word, but then no row has digits.
    is_word = len(heading) == 1 and not any(map(str.isdigit, text))
    if (name is None and board is None) or is_word:
        return None
    cells = tuple(place for place in range(len(heading)) if place not in (name, goal))
    if board is None and len(cells) < _FEWEST_CELLS:
        raise BoardError(
            f"line {begin + 1}: no column is called 'board': the heading is {', '.join(heading)}"
        )
    rows = _rows(lines[begin + 1 :], separator, begin + 1)
    return _boards(rows, name, cells if board is None else (board,), goal)


def _rows(
    lines: list[str], separator: str, before: int
) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Yield each row with the line on which it begins, or with its error."""
    reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)
    while True:
        line = before + reader.line_num + 1
        try:
            yield line, [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            yield line, error


def _boards(
    rows: Iterator[tuple[int, list[str] | csv.Error]],
    name: int | None,
    places: tuple[int, ...],
    goal: int | None = None,
) -> Iterator[BoardText]:
    is_empty = True
    for line, row in rows:
        if isinstance(row, csv.Error):
            yield BoardText(line, "", wrong=str(row))
        elif any(row):
            cells = [row[place] for place in places if place < len(row)]
            called = row[name] if name is not None and name < len(row) else ""
            text = _in_rows(cells)
            # A JSON document has its own goal.
            if goal is not None and goal < len(row) and row[goal] and text[:1] != "{":
                text = f"{text}\ngoal: {row[goal]}"
            yield BoardText(line, text, called)
        else:
            continue
        is_empty = False
    if is_empty:
        raise BoardError("the table has no boards")


def _in_rows(cells: list[str]) -> str:
    """Return the text of a board whose cells have a column each, or share one."""
    side = square_side(len(cells)) or len(cells) or 1
    return "\n".join(" ".join(cells[i : i + side]) for i in range(0, len(cells), side))
