"""Nested lists or tuples as Python and JSON write them, or one flat list of a square board."""

import re

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, read_rows, read_square, without_comments
from plansolve.text import quote

__all__ = ["NESTED"]

_TOKEN = re.compile(r"[\[\]()\n]|[^\s\[\](),]+")
_CLOSING = {"[": "]", "(": ")"}
_ROW_DEPTH = 2


def _read(text: str) -> BoardDocument:
    flat, rows = _scan(without_comments(text))
    if flat.tokens and rows:
        raise BoardError(f"line {flat.number}: {quote(flat.tokens[0])} stands outside the rows")
    if not flat.tokens and not (rows and rows[0].tokens):
        raise BoardError("the list is empty: rows of numbers are expected")
    return read_rows(rows) if rows else read_square([flat])


def _scan(text: str) -> tuple[Line, list[Line]]:
    """Return the entries outside rows, and the rows.

    Written by hand, for it cannot nest deeper than it should, and keeps the line numbers.
    """
    flat, rows, opened, number = Line(1, []), list[Line](), list[str](), 1
    ended = False
    for part in _TOKEN.findall(text):
        if part == "\n":
            number += 1
        elif ended:
            raise BoardError(f"line {number}: {quote(part)} follows the end of the list")
        elif part in _CLOSING:
            if len(opened) == _ROW_DEPTH:
                raise BoardError(f"line {number}: a list inside a row: rows hold numbers")
            if opened:
                rows.append(Line(number, []))
            opened.append(part)
        elif part in _CLOSING.values():
            if not opened or _CLOSING[opened.pop()] != part:
                raise BoardError(f"line {number}: {part} closes nothing that is open")
            ended = not opened
        elif not opened:
            raise BoardError(f"line {number}: {quote(part)} stands before the list: [ is expected")
        else:
            (rows[-1] if len(opened) == _ROW_DEPTH else flat).tokens.append(part)
    if not ended:
        raise BoardError(f"line {number}: the text ends before its list: ] is expected")
    return flat, rows


NESTED = BoardFormat(
    "nested",
    "nested lists: [[1, 2], [3, 0]], or one flat list",
    recognises=lambda text: without_comments(text).lstrip()[:1] in ("[", "("),
    read=_read,
    write=lambda problem: f"{[list(row) for row in problem.puzzle.in_rows(problem.start)]}\n",
)
