"""The common part of formats whose tiles have spaces between them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isqrt
from typing import NamedTuple

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument
from plansolve.model.names import HOLE_SIGN
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, OPEN_SIGN
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.obstacles import HOLE
from plansolve.text import counted, quote

GAP = "."
GAPS = frozenset({"0", GAP, "_", "x", "X"})
"""The signs for the gap; other signs are replaced by `GAP`."""

ROW_END = "\x1e"
"""Ends a row within a line; no file holds it."""

SIGNS = {**dict.fromkeys(GAPS, BLANK), OPEN_SIGN: OPEN, HOLE_SIGN: HOLE}
"""The signs of a cell without a tile, and their contents."""

COURSE_CELLS = 25
"""The cells of boards of the course (CSCI B551), whose files may begin with a limit of moves."""

GOAL = "goal:"
"""The line between a board and its goal."""

_COMMENT = re.compile(r"#[^\n]*")
_TILE_DIGITS = 4
_MOST_LINES = 10_000


class Line(NamedTuple):
    """A line that is not blank: its number in the file, from 1, and its tokens.

    `row` is the row of the board, from 1, if several rows share a line; otherwise 0.
    """

    number: int
    tokens: list[str]
    row: int = 0

    @property
    def place(self) -> str:
        """Return its place, as errors name it."""
        return f"row {self.row}" if self.row else f"line {self.number}"


def without_comments(text: str) -> str:
    """Return the text without comments: # and the rest of its line."""
    return _COMMENT.sub("", text)


class Row(NamedTuple):
    """A row of a text: the number of its line, and its text."""

    number: int
    text: str

    @property
    def tokens(self) -> list[str]:
        """Return the words between spaces."""
        return self.text.split()


def rows_of(text: str) -> list[Row]:
    """Return the rows that are not empty, without comments.

    Lines beyond the first ten thousand are left out: no board has so many.
    """
    return [
        Row(number, row)
        for number, line in enumerate(text.split("\n", _MOST_LINES)[:_MOST_LINES], start=1)
        for row in line.partition("#")[0].split(ROW_END)
        if row.strip()
    ]


def content_lines(text: str) -> list[Line]:
    """Return the tokens of each of the `rows_of` a text."""
    lines = [Line(row.number, row.tokens) for row in rows_of(text)]
    if len({line.number for line in lines}) == len(lines):
        return lines
    return [line._replace(row=row) for row, line in enumerate(lines, start=1)]


def board_lines(text: str) -> list[Line]:
    """Return all `content_lines` of a text; raise `BoardError` for none, and for too many."""
    if text.count("\n") > _MOST_LINES:
        raise BoardError(f"the input has more than {_MOST_LINES} lines, too many for a board")
    lines = content_lines(text)
    if not lines:
        only = "there is no board: the input has only comments"
        raise BoardError(only if "#" in text else "the input is empty: a board is expected")
    return lines


def looks_like_tiles(lines: Sequence[Line]) -> bool:
    """Return True if at least half of the first line's tokens are numbers, gaps or holes."""
    if not lines:
        return False
    tokens, signs = lines[0].tokens, {*GAPS, HOLE_SIGN}
    return 2 * sum(is_number(token) or token in signs for token in tokens) >= len(tokens)


def looks_sized(lines: Sequence[Line]) -> bool:
    """Return True if a number on a line precedes a row of tiles, or a column of its square."""
    if not looks_like_tiles(lines) or len(lines[0].tokens) > 1:
        return False
    return any(len(line.tokens) > 1 for line in lines[1:2]) or (
        is_column(lines[1:]) and lines[0].tokens == [str(square_side(len(lines) - 1))]
    )


def is_column(lines: Sequence[Line]) -> bool:
    """Return True if each of several lines holds one entry."""
    return len(lines) > 1 and all(len(line.tokens) == 1 for line in lines)


def shows_gap(lines: Iterable[Line]) -> bool:
    """Return True if one of the tokens is a gap."""
    return any(token in GAPS for line in lines for token in line.tokens)


def follows_allowed_length(lines: Sequence[Line]) -> bool:
    """Return True if a line with a single number precedes the cells of a course's board."""
    return len(lines[0].tokens) == 1 and sum(len(line.tokens) for line in lines) == COURSE_CELLS + 1


def square_side(cells: int) -> int | None:
    """Return the side of a square board with so many cells; None if no board has so many."""
    side = isqrt(cells)
    return side if side >= 2 and side * side == cells else None


def read_tile(token: str, place: str) -> int:
    """Return the tile that a token stands for, 0 for a gap; raise `BoardError` for others."""
    if token in SIGNS:
        return SIGNS[token]
    if not is_number(token):
        raise BoardError(
            f"{place}: {quote(token)} is not a tile: a number or a gap (0 . _ x) is expected"
        )
    if len(token) > _TILE_DIGITS:
        raise BoardError(f"{place}: {quote(token)} is too large for a tile")
    return int(token)


def read_rows(
    lines: Sequence[Line], *, has_gap: bool = False, puzzle: str | None = None
) -> BoardDocument:
    """Return the board with one row per line; raise `BoardError` as `check_rows` does."""
    check_rows(lines)
    board = _document(lines, len(lines), len(lines[0].tokens))
    return replace(board, has_gap=has_gap, puzzle=puzzle)


def check_rows(lines: Sequence[Line], *, of_letters: bool = False) -> None:
    """Raise `BoardError` if the rows differ in length, or are too many or too long."""
    columns = len(lines[0].tokens)
    if len(lines) > LARGEST_SIDE or columns > LARGEST_SIDE:
        raise BoardError(
            f"the board would be {len(lines)}x{columns}: a side is at most {LARGEST_SIDE} long"
        )
    for line in lines:
        if len(line.tokens) != columns:
            for token in () if of_letters else lines[0].tokens:
                # If the row holds a word, as a title does, that is the mistake, and not its length.
                read_tile(token, lines[0].place)
            lacks_gap = not (of_letters or shows_gap(lines))
            raise BoardError(
                f"{line.place}: {_entries(line.tokens)}, the first row has {columns}"
                + "; write the gap as . or 0" * lacks_gap
            )


def read_square(
    lines: Sequence[Line], *, has_gap: bool = False, goal: str | None = None
) -> BoardDocument:
    """Return the square board of tiles in a row; raise `BoardError` for other numbers of tiles."""
    count = sum(len(line.tokens) for line in lines)
    side = square_side(count)
    if side is None or side > LARGEST_SIDE:
        raise BoardError(
            f"{lines[0].place}: {counted(count, 'cell')} cannot make a square board "
            f"(4, 9, 16, 25 ... up to {LARGEST_SIDE**2})"
        )
    return replace(_document(lines, side, side), has_gap=has_gap, goal=goal)


def read_sized(lines: Sequence[Line], goal: str | None = None) -> BoardDocument:
    """Return the sliding board below its side; raise `BoardError` if they disagree.

    Maps of 42 school look like this, and often lack the comment that names their goal.
    """
    (number, tokens, _), rows = lines[0], lines[1:]
    if len(tokens) != 1 or not is_number(tokens[0]):
        raise BoardError(f"line {number}: {quote(' '.join(tokens[:8]))} is not the size of a board")
    side = int(tokens[0]) if len(tokens[0]) <= _TILE_DIGITS else LARGEST_SIDE + 1
    if not 2 <= side <= LARGEST_SIDE:
        raise BoardError(
            f"line {number}: the size {quote(tokens[0])} is out of range: 2 to {LARGEST_SIDE}"
        )
    if is_column(rows) and len(rows) == side * side:
        return replace(_document(rows, side, side), has_gap=True, goal=goal, often="snail")
    for row in rows:
        if len(row.tokens) != side:
            raise BoardError(f"{row.place}: {_entries(row.tokens)}, but the size is {side}")
    if len(rows) != side:
        follow = f"{counted(len(rows), 'row')} follow{'s' * (len(rows) == 1)}"
        raise BoardError(f"line {number}: the size is {side}, but {follow}")
    return replace(_document(rows, side, side), has_gap=True, goal=goal, often="snail")


def write_rows(problem: Problem, gap: str = "0") -> str:
    """Return the start board, one row per line, with `gap` for the gap."""
    labels = problem.puzzle.labels
    tokens = tuple(
        gap if tile == BLANK else HOLE_SIGN if labels[tile] == HOLE_SIGN else str(tile)
        for tile in problem.start
    )
    return "".join(" ".join(row) + "\n" for row in problem.puzzle.in_rows(tokens))


def write_sized(problem: Problem) -> str:
    """Return the start board below its size; raise `BoardError` if it is not square."""
    if problem.puzzle.rows != problem.puzzle.columns:
        raise BoardError(
            f"the board is {problem.puzzle.rows}x{problem.puzzle.columns}, but this format is for "
            "square boards"
        )
    return f"{problem.puzzle.rows}\n{write_rows(problem)}"


def _document(lines: Iterable[Line], rows: int, columns: int) -> BoardDocument:
    cells = tuple(read_tile(token, line.place) for line in lines for token in line.tokens)
    return BoardDocument(rows, columns, cells, cell_lines(lines))


def cell_lines(lines: Iterable[Line]) -> tuple[int, ...]:
    """Return the line of each cell; an empty tuple if several rows share a line."""
    return tuple(line.number for line in lines for _ in line.tokens if not line.row)


def is_number(token: str) -> bool:
    """Return True if a token consists of the digits 0 to 9."""
    return token.isascii() and token.isdigit()


def _entries(tokens: Sequence[str]) -> str:
    return f"{len(tokens)} {'entry' if len(tokens) == 1 else 'entries'}"
