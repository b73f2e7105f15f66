"""Boards in a table of comma-separated values, one a row, below a heading.

The columns `name` and `board` are taken, or else a row's cells in the other columns. A column of
boards in quotation marks needs no heading.
"""

import csv
import io
from collections.abc import Iterator
from math import isqrt
from typing import NamedTuple

from plansolve.errors import BoardError

SEPARATORS = ",;\t"

_FEWEST_CELLS = 4


class BoardText(NamedTuple):
    """The text of a board in a file, the line on which it begins, and the name that it has there.

    `wrong` says why a row of a table cannot be read.
    """

    line: int
    text: str
    name: str = ""
    wrong: str = ""


def rows_of_table(text: str) -> Iterator[BoardText] | None:
    """Return the boards of a table; None for a text that is none.

    Raise `BoardError` for a heading that names no board, and at the end of a table without boards.
    """
    lines = text.split("\n")
    begin = next((i for i, line in enumerate(lines) if line.partition("#")[0].strip()), None)
    if begin is None:
        return None
    separator = max(SEPARATORS, key=lines[begin].count)
    heading = next(_rows(lines[begin:], separator, begin))[1]
    if isinstance(heading, csv.Error):
        return None
    if len(heading) == 1 and lines[begin].lstrip()[0] == '"':
        return _boards(_rows(lines[begin:], separator, begin), None, (0,))
    titles = {title.lower(): place for place, title in enumerate(heading)}
    name, board = titles.get("name"), titles.get("board")
    # The first row of a square of letters may be such a word, and none of them has digits.
    is_word = len(heading) == 1 and not any(map(str.isdigit, text))
    if (name is None and board is None) or is_word:
        return None
    cells = tuple(place for place in range(len(heading)) if place != name)
    if board is None and len(cells) < _FEWEST_CELLS:
        raise BoardError(
            f"line {begin + 1}: no column is called 'board': the heading is {', '.join(heading)}"
        )
    rows = _rows(lines[begin + 1 :], separator, begin + 1)
    return _boards(rows, name, cells if board is None else (board,))


def _rows(
    lines: list[str], separator: str, before: int
) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Yield each row with the line on which it begins, or what is wrong with it."""
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
    rows: Iterator[tuple[int, list[str] | csv.Error]], name: int | None, places: tuple[int, ...]
) -> Iterator[BoardText]:
    is_empty = True
    for line, row in rows:
        if isinstance(row, csv.Error):
            yield BoardText(line, "", wrong=str(row))
        elif any(row):
            cells = [row[place] for place in places if place < len(row)]
            called = row[name] if name is not None and name < len(row) else ""
            yield BoardText(line, _in_rows(cells), called)
        else:
            continue
        is_empty = False
    if is_empty:
        raise BoardError("the table has no boards")


def _in_rows(cells: list[str]) -> str:
    """Return the text of a board whose cells stand in columns of their own, or all in one."""
    side = isqrt(len(cells))
    side = side if side * side == len(cells) else len(cells)
    return "\n".join(" ".join(cells[i : i + side]) for i in range(0, len(cells), side or 1))
