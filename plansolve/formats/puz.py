"""`.puz`: rows of white-space separated numbers with a gap (Univ. of Puget Sound, CS431)."""

from plansolve.formats import grid
from plansolve.formats.document import BoardFormat
from plansolve.puzzles.sliding import SLIDING

__all__ = ["PUZ"]

PUZ = BoardFormat(
    "puz",
    "rows of numbers, gap . _ x or 0",
    recognises=lambda text: grid.looks_like_tiles(grid.content_lines(text)),
    read=lambda text: grid.read_rows(grid.board_lines(text), puzzle=SLIDING.name),
    write=lambda problem: grid.write_rows(problem, gap="."),
    is_common=True,
    suffix="puz",
)
