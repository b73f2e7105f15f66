"""42 school's n-puzzle: # comments, the size n, n rows of n numbers; the goal is the snail."""

from plansolve.formats import grid
from plansolve.formats.document import BoardFormat

__all__ = ["NPUZZLE42"]

NPUZZLE42 = BoardFormat(
    "npuzzle42",
    "# comments, the size n, n rows of n numbers",
    recognises=lambda text: "#" in text and grid.looks_sized(grid.content_lines(text)),
    read=lambda text: grid.read_sized(grid.board_lines(text), goal="snail"),
    # The comment tells these files from Princeton's, whose goal is another.
    write=lambda problem: f"# the goal is the snail\n{grid.write_sized(problem)}",
)
