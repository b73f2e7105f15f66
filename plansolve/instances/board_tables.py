"""Boards in a table of comma-separated values: one a row, or as blocks of rows.

With a heading the columns `name` and `board` are taken, or else a row's cells in the other columns.
Without one a row is the cells of a square board, perhaps after its name, or one cell that holds the
whole board; where the rows are those of boards, blank lines stand between these.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

from plansolve.errors import BoardError

__all__ = ["TableBoard", "boards_in_table"]

_SEPARATORS = ",;\t"
_SNIFFED = 4096
_MOST_DIGITS = 4


@dataclass(frozen=True)
class TableBoard:
    """The text of a board, its place among all, the line on which it begins, and its name.

    `error` says what is wrong with a row that cannot be read.
    """

    number: int
    line: int
    text: str
    name: str = ""
    error: str = ""


def boards_in_table(text: str) -> Iterator[TableBoard]:
    """Yield the boards of a table; raise `BoardError` for one without boards, or whose heading
    names none.
    """
    board = None
    for board in _boards(_rows(text)):
        yield board
    if board is None:
        raise BoardError("the table has no boards")


def _rows(text: str) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """Yield each row with the line on which it ends, or what is wrong with it."""
    reader = csv.reader(io.StringIO(text), delimiter=_separator(text))
    while True:
        try:
            row = [cell.strip() for cell in next(reader)]
            yield reader.line_num, row
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, error


def _separator(text: str) -> str:
    begin = text[:_SNIFFED]
    return max(_SEPARATORS, key=begin.count)


def _boards(rows: Iterator[tuple[int, list[str] | csv.Error]]) -> Iterator[TableBoard]:
    columns: _Columns | None = None
    block, begin, number = list[str](), 0, 0
    is_first = True
    for line, row in rows:
        if isinstance(row, csv.Error):
            number += 1
            yield TableBoard(number, line, "", error=str(row))
            continue
        if is_first and any(row):
            is_first = False
            if _is_heading(row):
                columns = _Columns.of(row)
                continue
        if columns is not None:
            if any(row):
                number += 1
                yield TableBoard(number, line, columns.board(row), columns.name_in(row))
        elif not any(row):
            if block:
                number += 1
                yield TableBoard(number, begin, "\n".join(block))
            block = []
        elif _is_whole(row) and not block:
            number += 1
            yield TableBoard(number, line, _whole(row))
        elif _is_whole(row[1:]) and not block:
            number += 1
            yield TableBoard(number, line, _whole(row[1:]), row[0])
        else:
            begin = begin if block else line
            block.append(" ".join(row))
    if block:
        yield TableBoard(number + 1, begin, "\n".join(block))


@dataclass(frozen=True)
class _Columns:
    """Where a table has its names and boards."""

    name: int | None
    board_at: int | None
    cells: tuple[int, ...]

    @classmethod
    def of(cls, heading: list[str]) -> "_Columns":
        places = {title.lower(): place for place, title in enumerate(heading)}
        name, board = places.get("name"), places.get("board")
        cells = tuple(place for place in range(len(heading)) if place != name)
        if board is None and len(cells) < 4:
            raise BoardError(
                f"line 1: no column is called 'board': the heading is {', '.join(heading)}"
            )
        return cls(name, board, cells)

    def board(self, row: list[str]) -> str:
        if self.board_at is None:
            return _whole([row[place] for place in self.cells if place < len(row)])
        return row[self.board_at] if self.board_at < len(row) else ""

    def name_in(self, row: list[str]) -> str:
        return row[self.name] if self.name is not None and self.name < len(row) else ""


def _is_heading(row: list[str]) -> bool:
    return "board" in (title := [cell.lower() for cell in row]) or "name" in title


def _is_whole(row: list[str]) -> bool:
    """Whether a row is a board by itself: one text, or each tile of a square once."""
    if len(row) == 1:
        return True
    side = isqrt(len(row))
    if side < 2 or side * side != len(row) or max(map(len, row)) > _MOST_DIGITS:
        return False
    tiles = sorted(int(cell) if cell.isdecimal() else 0 for cell in row)
    return tiles in ([*range(len(row))], [*range(1, len(row) + 1)])


def _whole(row: list[str]) -> str:
    if len(row) == 1:
        return row[0]
    side = isqrt(len(row))
    if side * side != len(row):
        return " ".join(row)
    return "\n".join(" ".join(row[i : i + side]) for i in range(0, len(row), side))
