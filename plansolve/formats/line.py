"""Square boards on one line: digits run together (Rosetta Code), or entries (UVa, POJ).

A digit is one of 0-9 and a-z, in either case: fe169b4c0a73d852 is a 15-puzzle.
"""

from string import ascii_lowercase, digits

from plansolve.errors import BoardError
from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import SLIDING
from plansolve.text import quote

__all__ = ["LINE"]

_DIGITS = digits + ascii_lowercase


def _recognises(text: str) -> bool:
    lines = grid.content_lines(text)
    if len(lines) != 1:
        return False
    tokens = lines[0].tokens
    if len(tokens) == 1:
        token = tokens[0]
        return (
            len(token) >= 4 and token.isascii() and token.isalnum() and any(map(str.isdigit, token))
        )
    return (
        grid.square_side(len(tokens)) is not None
        and grid.looks_like_tiles(lines)
        and grid.has_gap(lines)
    )


def _read(text: str) -> BoardDocument:
    lines = grid.board_lines(text)
    if len(lines) > 1:
        raise BoardError(f"line {lines[1].number}: the board goes on: it must be on one line")
    if len(lines[0].tokens) == 1:
        lines = [_digit_values(lines[0])]
    return grid.read_square(lines, puzzle=SLIDING.name)


def _digit_values(line: grid.Line) -> grid.Line:
    """Return the line with each digit of its only token as a token of its own."""
    token = line.tokens[0].lower()
    largest = _DIGITS[min(len(token), len(_DIGITS)) - 1]
    for character in token:
        if character not in _DIGITS or _DIGITS.index(character) >= len(token):
            raise BoardError(
                f"line {line.number}: {quote(character)} is not a digit of a board with "
                f"{len(token)} cells: 0 to {largest}"
            )
    return grid.Line(line.number, [str(_DIGITS.index(character)) for character in token])


def _write(problem: Problem) -> str:
    if problem.puzzle.cells > len(_DIGITS):
        return f"{' '.join(map(str, problem.start))}\n"
    return "".join(_DIGITS[tile] for tile in problem.start) + "\n"


LINE = BoardFormat(
    "line",
    "a square board on one line: fe169b4c0a73d852 or 2 3 4 1 5 x 7 6 8",
    _recognises,
    _read,
    _write,
)
