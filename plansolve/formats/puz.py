"""`.puz`: rows of white-space separated numbers with a gap (Univ. of Puget Sound, CS431)."""

from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import (
    board_lines,
    content_lines,
    looks_like_tiles,
    read_rows,
    write_rows,
)
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import SLIDING

__all__ = ["PUZ"]


def _recognises(text: str) -> bool:
    return looks_like_tiles(content_lines(text))


def _read(text: str) -> BoardDocument:
    lines = board_lines(text)
    return read_rows(lines, puzzle=SLIDING.name)


def _write(problem: Problem) -> str:
    return write_rows(problem, gap=".")


PUZ = BoardFormat(
    "puz",
    "rows of numbers, gap . _ x or 0",
    _recognises,
    _read,
    _write,
    is_common=True,
    suffix="puz",
)
