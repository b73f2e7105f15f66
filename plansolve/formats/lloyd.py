"""Lloyd's Dilemma: lines of upper case letters and + (AT&T Programmer of the Month, April 1995)."""

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, board_lines, content_lines, read_rows
from plansolve.model.problem import Problem
from plansolve.puzzles.lloyd import LLOYD as FAMILY
from plansolve.text import quote

__all__ = ["LLOYD"]

_TILES = {letter: tile for tile, letter in enumerate(FAMILY.labels)}
"""The tile that each character stands for."""

_FEWEST_LINES = 3


def _recognises(text: str) -> bool:
    lines = content_lines(text)
    if not lines:
        return False
    first = lines[0].tokens[0]
    return (
        all(len(line.tokens) == 1 for line in lines)
        and first.isascii()
        and first.replace("+", "A").isalpha()
        and (len(lines) >= _FEWEST_LINES or "+" in first)
    )


def _read(text: str) -> BoardDocument:
    lines = board_lines(text)
    cells = sum(len(line.tokens[0]) for line in lines)
    largest = FAMILY.labels[max(1, min(cells, len(FAMILY.labels)) - 1)]
    rows = [Line(line.number, _tiles(line, largest)) for line in lines]
    return read_rows(rows, puzzle=FAMILY.name)


def _tiles(line: Line, largest: str) -> list[str]:
    if len(line.tokens) > 1:
        raise BoardError(f"line {line.number}: there is white space between the letters")
    for character in line.tokens[0]:
        if character not in _TILES or character > largest:
            raise BoardError(
                f"line {line.number}: {quote(character)} is not a tile: A to {largest} "
                "and + for the gap are expected"
            )
    return [str(_TILES[character]) for character in line.tokens[0]]


def _write(problem: Problem) -> str:
    if problem.puzzle.cells > len(_TILES):
        raise BoardError(f"{problem.puzzle.cells - 1} tiles are more than there are letters")
    letters = tuple(FAMILY.labels[tile] for tile in problem.start)
    return "".join("".join(row) + "\n" for row in problem.puzzle.in_rows(letters))


LLOYD = BoardFormat(
    "lloyd", "lines of upper case letters and +", _recognises, _read, _write, is_common=True
)
