"""Boards of letters: Lloyd's square, and other letters, which may be alike, with their goal.

ABA / C.B, goal:, AAB / BC.: a piece is one letter, a gap is `.` or `_`, a hole `-`. Letters without
spaces between them need a gap or a goal, so that other texts are not taken for boards. The goal
comes after a line `goal:`; a cell of it may be open, `*`.

If the cells of one letter are one piece, `o` is also a gap, and `x` or `#` a wall. The database of
all Rush Hour boards (Michael Fogleman, 2018) writes the 36 cells on one line, between numbers.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import (
    GAP,
    GAPS,
    GOAL,
    Line,
    board_lines,
    cell_lines,
    check_rows,
    content_lines,
    read_rows,
    without_comments,
)
from plansolve.json_text import json_word
from plansolve.model.names import HOLE_SIGN
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, OPEN_SIGN, Puzzle, State
from plansolve.puzzles.blocks import RUSH_HOUR, letters_of
from plansolve.puzzles.lloyd import LLOYD as FAMILY
from plansolve.puzzles.obstacles import HOLE
from plansolve.puzzles.rules import read_cells, row_cells
from plansolve.text import quote

_GAPS = (GAP, "_")
_ROW_ENDS = re.compile(r"[\n/]")
_WALLED = re.compile(r"[A-Z.#ox_*-]+")
_SIGNS = {**dict.fromkeys(_GAPS, BLANK), OPEN_SIGN: OPEN, HOLE_SIGN: HOLE}


def are_letters(text: str) -> bool:
    """Return True for rows of letters, gaps and holes of one length, with or without spaces."""
    lines = content_lines(text)
    rows = ["".join(line.tokens) for line in lines]
    signs = {sign for row in rows for sign in row}
    return (
        any(map(str.isalpha, signs))
        and all(sign.isalpha() or sign in _SIGNS for sign in signs)
        and all(len(row) == len(rows[0]) for row in rows)
        and all(len(line.tokens) in (1, len(row)) for line, row in zip(lines, rows, strict=True))
    )


def with_plain_signs(text: str) -> str:
    """Return the text with x for each # that is a wall of a board of letters, and not a comment.

    If no other sign is a gap, - is one.
    """
    rows = [row.strip() for row in _ROW_ENDS.split(text) if row.strip()]
    cells = [row for row in rows if row.lower() != GOAL]
    is_walled = len({*map(len, cells)}) == 1 < len(cells) and all(map(_WALLED.fullmatch, cells))
    if not (is_walled and any(map(str.isupper, text))):
        return text
    gap = HOLE_SIGN if any(sign in text for sign in ".o_") else GAP
    return text.replace("#", "x").replace(HOLE_SIGN, gap)


def _recognises(text: str) -> bool:
    """Return True for letters that are clearly a board: with spaces between, or with a gap.

    Among capital letters o is a gap.
    """
    if not are_letters(text):
        return False
    tokens = content_lines(text)[0].tokens
    said = without_comments(text)
    small = {*filter(str.islower, said)}
    return len(tokens) > 1 or any(gap in said for gap in _GAPS) or small in ({"o"}, {"o", "x"})


def read_letter_rows(value: object, what: str) -> BoardDocument | None:
    """Return the board of a document's rows of letters; None if its first piece is not a letter.

    Raise `BoardError` naming the row in which there is anything else.
    """
    rows = [row_cells(row) for row in value] if isinstance(value, list) else []
    cells = [cell for row in rows if isinstance(row, list) for cell in row]
    # The first piece decides; a letter among numbers is a mistake.
    if not is_letter(next((cell for cell in cells if cell not in (*_SIGNS, *GAPS)), None)):
        return None
    letters = dict.fromkeys(cell for cell in cells if isinstance(cell, str) and cell.isalpha())
    kinds = {letter: kind for kind, letter in enumerate(letters, start=1)}
    for number, row in enumerate(rows, start=1):
        for sign in row if isinstance(row, list) else ():
            if not isinstance(sign, str) or (len(sign) > 1 or sign not in {*kinds, *_SIGNS}):
                raise BoardError(f"{what}: row {number}: {_no_letter(json_word(sign))}")
    (count, columns), found = read_cells(value, what, {**_SIGNS, **kinds})
    return BoardDocument(count, columns, found, labels=(GAP, *kinds))


def is_letter(cell: object) -> bool:
    """Return True for a text of one letter."""
    return isinstance(cell, str) and len(cell) == 1 and cell.isalpha()


def _no_letter(shown: str) -> str:
    return f"{shown} is not a letter, a gap (. _) or a hole (-)"


def _document(lines: Sequence[Line]) -> BoardDocument:
    rows = [line._replace(tokens=[*"".join(line.tokens)]) for line in lines]
    check_rows(rows, of_letters=True)
    kinds: dict[str, int] = {}
    cells = []
    for row in rows:
        for sign in row.tokens:
            if not (sign.isalpha() or sign in _SIGNS):
                raise BoardError(f"{row.place}: {_no_letter(quote(sign))}")
            cells.append(_SIGNS[sign] if sign in _SIGNS else kinds.setdefault(sign, len(kinds) + 1))
    size, labels = (len(rows), len(rows[0].tokens)), (GAP, *kinds)
    return BoardDocument(*size, tuple(cells), cell_lines(rows), labels=labels, is_line=size[0] == 1)


def _write(problem: Problem) -> str:
    puzzle = problem.puzzle
    if puzzle.needs_kinds:
        rows = _block_rows(problem)
        goal = puzzle.in_rows(tuple(puzzle.label(kind)[0] for kind in puzzle.goal))
        # A row of - would look like a line of a drawing.
        return "\n".join((*rows, GOAL, *map("".join, goal), "")).replace(HOLE_SIGN, "x")
    return f"{_rows(puzzle, problem.start)}{GOAL}\n{_rows(puzzle, puzzle.goal)}"


def _block_rows(problem: Problem) -> list[str]:
    """Return rows with a letter for each piece; raise `BoardError` if there are none."""
    rows = letters_of(problem.puzzle, problem.start) if problem.puzzle.needs_kinds else None
    if rows is None:
        raise BoardError("this format is for pieces that have letters")
    return rows


def _rows(puzzle: Puzzle, cells: State) -> str:
    signs = tuple(GAP if kind == BLANK else puzzle.label(kind) for kind in cells)
    for sign in signs:
        if sign not in _SIGNS and not (len(sign) == 1 and sign.isalpha()):
            raise BoardError(f"this format is for letters: the piece {sign} is not a letter")
    return "".join(" ".join(row) + "\n" for row in puzzle.in_rows(signs))


LETTERS = BoardFormat(
    "letters",
    "rows of letters that may be alike, gap . or _, then a line 'goal:' and the goal",
    _recognises,
    read=lambda text: _document(board_lines(text)),
    write=_write,
    is_common=True,
)


_JAM_CELLS, _JAM_SIDE = 36, 6
_JAM_SIGNS = str.maketrans({".": "o", HOLE_SIGN: "x"})


def _is_jam(text: str) -> bool:
    """Return True for the 36 cells of a Rush Hour board on one line."""
    lines = content_lines(text)
    words = [token for line in lines for token in line.tokens if not token.isdigit()]
    return (
        len(lines) == len(words) == 1
        and len(words[0]) == _JAM_CELLS
        and all(sign in ".ox" or (sign.isascii() and sign.isupper()) for sign in words[0])
    )


def _read_jam(text: str) -> BoardDocument:
    line = board_lines(text)[0]
    word = next((word for word in line.tokens if not word.isdigit()), "")
    if not _is_jam(text):
        raise BoardError(
            f"line {line.number}: {quote(word)} is not a board of {_JAM_CELLS} cells: capital "
            "letters, o or . for a gap, x for a wall"
        )
    cells = [word[i : i + _JAM_SIDE] for i in range(0, _JAM_CELLS, _JAM_SIDE)]
    rows = [Line(line.number, [row], number) for number, row in enumerate(cells, start=1)]
    return replace(_document(rows), puzzle=RUSH_HOUR.name)


def _write_jam(problem: Problem) -> str:
    return "".join(_block_rows(problem)).translate(_JAM_SIGNS) + "\n"


JAM = BoardFormat(
    RUSH_HOUR.name,
    "the 36 cells of a Rush Hour board on one line, o for a gap, x for a wall",
    _is_jam,
    _read_jam,
    _write_jam,
    is_common=True,
)

_TILES = {letter: tile for tile, letter in enumerate(FAMILY.labels)}
"""The tile that each character stands for."""

_FEWEST_LINES = 3


def _reads_as_lloyd(text: str) -> bool:
    lines = content_lines(text)
    if not lines:
        return False
    first = lines[0].tokens[0]
    return (
        all(len(line.tokens) == 1 for line in lines)
        and first.isascii()
        and first not in GAPS
        and first.replace("+", "A").isalpha()
        and (len(lines) >= _FEWEST_LINES or "+" in first)
    )


def _read_lloyd(text: str) -> BoardDocument:
    lines = board_lines(text)
    cells = sum(len(line.tokens[0]) for line in lines)
    largest = FAMILY.labels[max(1, min(cells, len(FAMILY.labels)) - 1)]
    rows = [line._replace(tokens=_tiles(line, largest)) for line in lines]
    return read_rows(rows, puzzle=FAMILY.name)


def _tiles(line: Line, largest: str) -> list[str]:
    if len(line.tokens) > 1:
        raise BoardError(f"{line.place}: there is white space between the letters")
    for character in line.tokens[0]:
        if character not in _TILES or character > largest:
            raise BoardError(
                f"{line.place}: {quote(character)} is not a tile: A to {largest} "
                "and + for the gap are expected"
            )
    return [str(_TILES[character]) for character in line.tokens[0]]


def _write_lloyd(problem: Problem) -> str:
    if problem.puzzle.cells > len(_TILES):
        raise BoardError(f"{problem.puzzle.cells - 1} tiles are more than there are letters")
    letters = tuple(FAMILY.labels[tile] for tile in problem.start)
    return "".join("".join(row) + "\n" for row in problem.puzzle.in_rows(letters))


LLOYD = BoardFormat(
    FAMILY.name,
    "lines of upper case letters and +",
    _reads_as_lloyd,
    _read_lloyd,
    _write_lloyd,
    is_common=True,
)
"""Lloyd's Dilemma (AT&T Programmer of the Month, April 1995)."""
