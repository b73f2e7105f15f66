"""The document of a board whose puzzle is not known yet, and the interface of a format."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeGuard

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle, State
from plansolve.puzzles.blocks import is_place


def is_goal_name(goal: object) -> TypeGuard[str]:
    """Return True if a goal is a name or places of pieces; False if it is the text of a board."""
    return isinstance(goal, str) and (goal.replace("-", "").isalpha() or is_place(goal))


@dataclass(frozen=True)
class BoardDocument:
    """A board as written, with what its file states about the puzzle and the goal.

    A missing cell is `HOLE`. If the file names pieces by letters, `labels[k]` is the letter of kind
    k, and `specify` finds the number that it has in the puzzle. `lines` holds the line number of
    each cell; it is empty if cells have none. `puzzle` is a specification such as
    "torus-ring:rings=none". A format whose boards always have a gap sets `has_gap`. `goal` is the
    name of a goal, its cells, or its board; `rules` is a puzzle that the file defines. If the file
    defines rules but no start, `cells` is the goal, and `no_start` says what to add. `often` names
    a goal that boards in this form often have, although the text does not say so. If
    `is_line`, the board is written as one row or column, but may be meant as a square. `note` tells
    the user how the file was read.
    """

    rows: int
    columns: int
    cells: State
    lines: tuple[int, ...] = ()
    puzzle: str | None = None
    has_gap: bool = False
    goal: "str | State | BoardDocument | None" = None
    rules: Puzzle | None = None
    no_start: str = ""
    labels: tuple[str, ...] = ()
    often: str = ""
    is_line: bool = False
    note: str = ""

    def place(self, cell: int) -> str:
        """Return the place of a cell in the file: "line 2", or "row 2" of the board."""
        if self.lines:
            return f"line {self.lines[cell]}"
        return f"row {cell // self.columns + 1}"


@dataclass(frozen=True)
class BoardFormat:
    """One way to write a board.

    `recognises` returns True if a text seems to be in this format; `read` then raises `BoardError`
    if the text is wrong. `write` raises `BoardError` if the format cannot hold the board.
    `is_common` marks the usual format of a family, the default for new files. `suffix` is that of
    the format's files. If `has_shape`, the files show the rows of a board and the labels of its
    pieces.
    """

    name: str
    summary: str
    recognises: Callable[[str], bool]
    read: Callable[[str], BoardDocument]
    write: Callable[[Problem], str]
    is_common: bool = False
    suffix: str = "txt"
    has_shape: bool = True
