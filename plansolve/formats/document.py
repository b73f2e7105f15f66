"""A board's document before its puzzle is known, and the interface of a format."""

from collections.abc import Callable
from dataclasses import dataclass

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Puzzle, State


@dataclass(frozen=True)
class BoardDocument:
    """A board as written, with what its file states about the puzzle and the goal.

    A cell that is missing is `HOLE`. Where the file calls pieces by letters, those of kind k are
    `labels[k]`, and `specify` finds out what numbers they have in the puzzle. `lines` holds the
    line number of each cell, and is empty where a cell has none. `puzzle` is a specification such
    as "torus-ring:rings=none", and `has_gap` is set by forms of boards with a gap. `goal` is the
    name of a goal, its cells, or its board, `rules` a whole puzzle that the file defines. Where it
    defines nothing else, `cells` is the goal, and `no_start` says what has to be added to make it a
    board. `often` is the name of a goal that boards written like this often have, though this one
    does not say so. A board that `is_line` is written in one row or column, and may be a square.
    `note` says what else has to be known of how the file was read.
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
        """Return where a cell stands in the file: "line 2", or "row 2" of the board."""
        if self.lines:
            return f"line {self.lines[cell]}"
        return f"row {cell // self.columns + 1}"


@dataclass(frozen=True)
class BoardFormat:
    """One way to write a board.

    `recognises` returns True if a text is meant to be of this format, so that `read` can say what
    is wrong with it (`BoardError`). `write` raises `BoardError` where the format has no way to
    write the board. `is_common` marks the format in which people write their boards of a family;
    such formats are preferred where none is named. `suffix` ends the names of its files. Where it
    `has_shape`, files tell the rows of a board and what its pieces are called.
    """

    name: str
    summary: str
    recognises: Callable[[str], bool]
    read: Callable[[str], BoardDocument]
    write: Callable[[Problem], str]
    is_common: bool = False
    suffix: str = "txt"
    has_shape: bool = True
