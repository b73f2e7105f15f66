"""`.puz`: rows of white-space separated numbers with a gap (Univ. of Puget Sound, CS431)."""

from plansolve.formats import grid
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import SLIDING

__all__ = ["PUZ"]


def _recognises(text: str) -> bool:
    return grid.looks_like_tiles(grid.content_lines(text))


def _read(text: str) -> BoardDocument:
    return grid.read_rows(grid.board_lines(text), puzzle=SLIDING.name)


def _write(problem: Problem) -> str:
    return grid.write_rows(problem, gap=".")


PUZ = BoardFormat(
    "puz",
    "rows of numbers, gap . _ x or 0",
    _recognises,
    _read,
    _write,
    is_common=True,
    suffix="puz",
)
