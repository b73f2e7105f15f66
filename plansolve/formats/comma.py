"""Numbers with commas between them: spreadsheets' rows, or a board on one line.

One line is what R. Clausecker's 24puzzle takes; its goal has the gap first. Rows, with commas or
semicolons, are CSV as spreadsheets write it; an empty cell is the gap.
"""

import re

from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat

__all__ = ["COMMA"]

_SEPARATOR = re.compile("[,;]")


def _read(text: str) -> BoardDocument:
    lines = _spaced(text)
    if len(lines) > 1:
        return grid.read_rows(_cells(text))
    return grid.read_square(lines, goal="blank-first" if grid.has_gap(lines) else None)


def _spaced(text: str) -> list[grid.Line]:
    return grid.board_lines(_SEPARATOR.sub(" ", text))


def _cells(text: str) -> list[grid.Line]:
    """Return the cells between the separators of each row."""
    source = grid.without_comments(text).split("\n")
    rows = [
        grid.Line(line.number, [cell.strip().strip('"') for cell in _SEPARATOR.split(row)])
        for line in _spaced(text)
        for row in [source[line.number - 1]]
    ]
    if all(len(row.tokens) > 1 and not row.tokens[-1] for row in rows):
        # Each row ends with a separator.
        rows = [grid.Line(row.number, row.tokens[:-1]) for row in rows]
    return [grid.Line(row.number, [cell or "." for cell in row.tokens]) for row in rows]


def _recognises(text: str) -> bool:
    lines = grid.content_lines(_SEPARATOR.sub(" ", text.replace('"', " ")))
    separated = _SEPARATOR.search(grid.without_comments(text))
    # One line with semicolons says not where its rows end.
    return (
        separated is not None
        and (len(lines) > 1 or separated[0] == ",")
        and grid.looks_like_tiles(lines)
    )


COMMA = BoardFormat(
    "comma",
    "CSV: rows of numbers with commas or semicolons between them; or all on one line",
    _recognises,
    read=_read,
    write=lambda problem: f"{','.join(map(str, problem.start))}\n",
)
