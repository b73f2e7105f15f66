"""Boards of numbers, in rows or on one line, with and without their size."""

import re
from dataclasses import replace

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import (
    COURSE_CELLS,
    GAPS,
    Line,
    board_lines,
    content_lines,
    follows_allowed_length,
    is_column,
    is_number,
    looks_like_tiles,
    looks_sized,
    read_rows,
    read_sized,
    read_square,
    shows_gap,
    square_side,
    without_comments,
    write_rows,
    write_sized,
)
from plansolve.formats.listed import list_in
from plansolve.formats.plain import DIGITS, values_of
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import permutation_parity
from plansolve.puzzles.sliding import snail
from plansolve.text import counted, quote

PUZ = BoardFormat(
    "puz",
    "rows of numbers, gap . _ x or 0",
    recognises=lambda text: looks_like_tiles(content_lines(text)),
    # Univ. of Puget Sound, CS431.
    read=lambda text: read_rows(board_lines(text), has_gap=True),
    write=lambda problem: write_rows(problem, gap="."),
    is_common=True,
    suffix="puz",
)


def _reads_as_torus(text: str) -> bool:
    lines = content_lines(text)
    return looks_like_tiles(lines) and not shows_gap(lines)


def _read_torus(text: str) -> BoardDocument:
    lines = board_lines(text)
    for line in lines:
        if shows_gap([line]):
            raise BoardError(f"{line.place}: a gap: these boards hold 1 to n without a gap")
    if follows_allowed_length(lines):
        lines = lines[1:]
    if sum(len(line.tokens) for line in lines) == COURSE_CELLS:
        return read_square(lines)
    if is_column(lines) or len(lines) == 1:
        return replace(read_rows(lines), is_line=True)
    return read_rows(lines)


TORUS = BoardFormat(
    "torus",
    "rows of the numbers 1 to n, no gap",
    _reads_as_torus,
    _read_torus,
    write_rows,
    is_common=True,
)
"""The 2023 puzzle's boards (Indiana University, CSCI B551).

25 numbers may be on any number of lines, after a line with the number of moves that the course
allows; other boards have one row per line.
"""


def _reads_as_line(text: str) -> bool:
    lines = content_lines(text)
    if len(lines) == 1 and len(lines[0].tokens) == 1:
        token = _without_mark(lines[0].tokens[0])
        return (
            len(token) >= 4
            and token.isascii()
            and any(map(str.isdigit, token))
            and sum(not sign.isalnum() for sign in token) <= any(sign in GAPS for sign in token)
            and (token.isalnum() or square_side(len(token)) is not None)
        )
    return (
        (len(lines) == 1 or is_column(lines))
        and square_side(sum(len(line.tokens) for line in lines)) is not None
        and all(looks_like_tiles([line]) for line in lines)
        and shows_gap(lines)
    )


def _read_line(text: str) -> BoardDocument:
    lines = board_lines(text)
    if len(lines) > 1 and not is_column(lines):
        raise BoardError(
            f"line {lines[1].number}: the board continues: write it on one line, or a tile per line"
        )
    if is_column(lines):
        return replace(read_rows(lines, has_gap=True), is_line=True)
    if len(lines[0].tokens) == 1:
        lines = [_digit_values(lines[0])]
    return read_square(lines, has_gap=True)


def _digit_values(line: Line) -> Line:
    """Return the line with each digit of its only token as a separate token."""
    token = _without_mark(line.tokens[0].lower())
    values, cells = values_of(token), len(token)
    for character in token:
        if values.get(character, cells) >= cells:
            raise BoardError(
                f"{line.place}: {quote(character)} is not a digit of a board with "
                f"{counted(cells, 'cell')}: 0 to {DIGITS[min(cells, len(DIGITS)) - 1]}"
            )
    return Line(line.number, [str(values[character]) for character in token])


def _without_mark(token: str) -> str:
    """Return the digits without a leading 0x."""
    is_marked = token[:2] in ("0x", "0X") and square_side(len(token) - 2) is not None
    return token[2:] if is_marked else token


def _write_line(problem: Problem) -> str:
    if problem.puzzle.cells > len(DIGITS):
        return f"{' '.join(map(str, problem.start))}\n"
    return "".join(DIGITS[tile] for tile in problem.start) + "\n"


LINE = BoardFormat(
    "line",
    "a square board on one line: fe169b4c0a73d852 or 2 3 4 1 5 x 7 6 8",
    _reads_as_line,
    _read_line,
    _write_line,
)
"""Digits run together (Rosetta Code), 0-9 and a-z in either case, or entries (UVa, POJ)."""


_SEPARATOR = re.compile("[,;]")


def _reads_as_comma(text: str) -> bool:
    is_separated = _SEPARATOR.search(without_comments(text)) is not None
    return is_separated and looks_like_tiles(content_lines(_spaced(text)))


def _read_comma(text: str) -> BoardDocument:
    lines = board_lines(_spaced(text))
    if len(lines) == 1:
        return replace(read_square(lines), often="blank-first")
    return read_rows(lines)


def _spaced(text: str) -> str:
    return _SEPARATOR.sub(" ", text)


COMMA = BoardFormat(
    "comma",
    "a square board on one line, with commas or semicolons between its numbers",
    _reads_as_comma,
    _read_comma,
    write=lambda problem: f"{','.join(map(str, problem.start))}\n",
)
"""The input of R. Clausecker's 24puzzle, whose own goal has the gap first.

Commas do not imply that goal, so a note names it.
"""


def _reads_as_algs4(text: str) -> bool:
    lines = content_lines(text)
    return looks_sized(lines) and (shows_gap(lines[1:]) or not follows_allowed_length(lines))


ALGS4 = BoardFormat(
    "algs4",
    "the size n, then n rows of n numbers",
    _reads_as_algs4,
    # Princeton's 8-puzzle files.
    read=lambda text: read_sized(board_lines(text)),
    write=write_sized,
)


_SOLVABLE = re.compile(r"^\s*#\s*this puzzle is (?:un)?solvable\s*$", re.IGNORECASE | re.MULTILINE)


def _write_npuzzle42(problem: Problem) -> str:
    puzzle, start = problem.puzzle, problem.start
    word = "solvable"
    if problem.goal == snail(puzzle.rows, puzzle.columns):
        # Each move exchanges two pieces and moves the gap by one cell.
        gaps = (cells.index(BLANK) for cells in (start, problem.goal))
        way = sum(sum(divmod(gap, puzzle.columns)) for gap in gaps)
        if (way ^ permutation_parity(start, problem.goal)) & 1:
            word = "unsolvable"
    return f"# This puzzle is {word}\n{write_sized(problem)}"


NPUZZLE42 = BoardFormat(
    "npuzzle42",
    "'# This puzzle is solvable', the size n, n rows of n numbers",
    recognises=lambda text: bool(_SOLVABLE.search(text)) and looks_sized(content_lines(text)),
    read=lambda text: read_sized(board_lines(text), goal="snail"),
    write=_write_npuzzle42,
)
"""Maps of 42 school's generator, whose comment distinguishes them from other sized boards."""


_KORF_CELLS = (9, 16, 25)
_KORF_EXTRAS = 2


def _korf_board(line: Line) -> Line | None:
    """Return the cells of a line without the numbers around them; None for any other line."""
    for cells in _KORF_CELLS:
        if cells < len(line.tokens) <= cells + 1 + _KORF_EXTRAS:
            others = (line.tokens[0], *line.tokens[cells + 1 :])
            board = Line(line.number, line.tokens[1 : cells + 1])
            return board if all(map(is_number, others)) else None
    return None


def _is_korf(line: Line) -> bool:
    board = _korf_board(line)
    return board is not None and "0" in board.tokens and all(map(is_number, board.tokens))


def _reads_as_korf(text: str) -> bool:
    lines = content_lines(text.replace(",", " "))
    if len(lines) == 1 and set(lines[0].tokens) == set(map(str, range(len(lines[0].tokens)))):
        return False
    return bool(lines) and all(map(_is_korf, lines))


def _read_korf(text: str) -> BoardDocument:
    line, *others = board_lines(text.replace(",", " "))
    if others:
        raise BoardError(f"line {others[0].number}: more text: a board in this format is one line")
    board = _korf_board(line)
    if board is None:
        raise BoardError(
            f"line {line.number}: a number, then 9, 16 or 25 cells, then at most a length and a "
            "count of nodes are expected"
        )
    return read_square([board], has_gap=True, goal="blank-first")


KORF = BoardFormat(
    "korf",
    "one line: a number, then 9, 16 or 25 cells, optionally the optimal length and a node count",
    _reads_as_korf,
    _read_korf,
    write=lambda problem: f"1 {' '.join(map(str, problem.start))}\n",
)
"""Korf's instances: the cells, and perhaps the optimal length and a number of nodes.

The goal has the gap first, as in R. E. Korf, Depth-First Iterative-Deepening (Artificial
Intelligence 27, 1985), for which the published lengths hold.
"""


def _read_nested(text: str) -> BoardDocument:
    found = list_in(without_comments(text))
    rows = [Line(row.line, row.tokens) for row in found.lists]
    if deep := [inner for row in found.lists for inner in row.lists]:
        raise BoardError(f"line {deep[0].line}: a list inside a row: rows hold numbers")
    if found.tokens and rows:
        raise BoardError(f"line {found.line}: {quote(found.tokens[0])} stands outside the rows")
    if not found.tokens and not (rows and rows[0].tokens):
        raise BoardError("the list is empty: rows of numbers are expected")
    return read_rows(rows) if rows else read_square([Line(found.line, found.tokens)])


NESTED = BoardFormat(
    "nested",
    "nested lists: [[1, 2], [3, 0]], or one flat list",
    recognises=lambda text: without_comments(text).lstrip()[:1] in ("[", "("),
    read=_read_nested,
    write=lambda problem: f"{[list(row) for row in problem.puzzle.in_rows(problem.start)]}\n",
)
"""Lists or tuples as Python and JSON write them."""
