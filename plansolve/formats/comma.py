"""Numbers with commas or semicolons between: spreadsheets' rows, or a square board on one line.

An empty cell of the rows is the gap. Lines are what R. Clausecker's 24puzzle takes, whose own goal
has the gap first: the goal is no matter of separators, so that has to be said.
"""

import re
from dataclasses import replace

from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat

_SEPARATOR = re.compile("[,;]")


def _read(text: str) -> BoardDocument:
    lines = grid.board_lines(_spaced(text))
    if len(lines) > 1:
        return grid.read_rows(_cells(text))
    return replace(grid.read_square(lines), often="blank-first")


def _spaced(text: str) -> str:
    return _SEPARATOR.sub(" ", text.replace('"', " "))


def _cells(text: str) -> list[grid.Line]:
    """Return the cells between the separators of each row."""
    source = grid.without_comments(text).split("\n")
    rows = [
        grid.Line(line.number, [cell.strip().strip('"') for cell in _SEPARATOR.split(row)])
        for line in grid.board_lines(_spaced(text))
        for row in [source[line.number - 1]]
    ]
    if all(len(row.tokens) > 1 and not row.tokens[-1] for row in rows):
        # Each row ends with a separator.
        rows = [grid.Line(row.number, row.tokens[:-1]) for row in rows]
    return [grid.Line(row.number, [cell or "." for cell in row.tokens]) for row in rows]


def _recognises(text: str) -> bool:
    is_separated = _SEPARATOR.search(grid.without_comments(text)) is not None
    return is_separated and grid.looks_like_tiles(grid.content_lines(_spaced(text)))


COMMA = BoardFormat(
    "comma",
    "CSV: rows of numbers with commas or semicolons between them; or all on one line",
    _recognises,
    read=_read,
    write=lambda problem: f"{','.join(map(str, problem.start))}\n",
)
