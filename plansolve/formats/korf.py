"""Korf's instances: a number, the cells, then perhaps the optimal length and a count of nodes.

The goal has the gap first, as in R. E. Korf, Depth-First Iterative-Deepening (Artificial
Intelligence 27, 1985), for which the published lengths hold. Lines with # are comments.
"""

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, board_lines, content_lines, read_square
from plansolve.puzzles.sliding import SLIDING
from plansolve.text import quote

_SIDES = (3, 4, 5)
_EXTRAS = 2


def _cells(line: Line) -> int | None:
    """Return the number of cells that the line's length tells."""
    for side in _SIDES:
        if side * side < len(line.tokens) <= side * side + 1 + _EXTRAS:
            return side * side
    return None


def _is_instance(line: Line) -> bool:
    cells = _cells(line)
    return (
        cells is not None
        and "0" in line.tokens[1 : cells + 1]
        and all(token.isascii() and token.isdigit() for token in line.tokens)
    )


def _recognises(text: str) -> bool:
    lines = content_lines(text.replace(",", " "))
    if len(lines) == 1 and set(lines[0].tokens) == set(map(str, range(len(lines[0].tokens)))):
        return False  # one row of a board
    return bool(lines) and all(map(_is_instance, lines))


def _read(text: str) -> BoardDocument:
    lines = board_lines(text.replace(",", " "))
    line = lines[0]
    if len(lines) > 1:
        raise BoardError(f"line {lines[1].number}: a second board: it must be on one line")
    cells = _cells(line)
    if cells is None:
        raise BoardError(
            f"line {line.number}: {len(line.tokens)} entries; a number, then 9, 16 or 25 cells, "
            "then at most a length and a count of nodes are expected"
        )
    for token in (line.tokens[0], *line.tokens[cells + 1 :]):
        if not (token.isascii() and token.isdigit()):
            raise BoardError(f"line {line.number}: {quote(token)} is not a number")
    board = Line(line.number, line.tokens[1 : cells + 1])
    return read_square([board], puzzle=SLIDING.name, goal="blank-first")


KORF = BoardFormat(
    "korf",
    "one line: a number, 9, 16 or 25 cells, and what is known",
    _recognises,
    _read,
    write=lambda problem: f"1 {' '.join(map(str, problem.start))}\n",
)
