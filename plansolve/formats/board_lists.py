"""Find the boards in a text, and the moves between them, if a plan is given as its boards.

A line holds a row, a board or several boards; bars, brackets, commas and frames may stand between
tiles. If the gap is not written at all, its column shows where it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from plansolve.formats.grid import GAPS
from plansolve.formats.plain import DRAWN, GAP_WORD, QUOTED_GAP, by_columns
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Puzzle, State

_FILLER = re.compile(
    r"(?:[\W\d_]|\b(?:step|board|state|move|start|initial|goal|final|end|path|solution|v)\b)*",
    re.IGNORECASE,
)
_BETWEEN = r",;/\[](){}<>=+-→'" + '"' + "".join(map(chr, range(0x2500, 0x2580)))
_LONGEST_LINE = 1 << 20
_FEWEST_FOR_A_GAP = 3


@dataclass(frozen=True)
class FoundBoards:
    """The boards in a text, their lines (from 0), and True if the text holds nothing else."""

    boards: tuple[State, ...]
    lines: tuple[int, ...]
    is_all: bool


def boards_in(lines: Sequence[str], puzzle: Puzzle) -> FoundBoards:
    """Return the boards of `puzzle` in some lines."""
    text = "\n".join(lines).lower()
    if not all(puzzle.label(kind).lower() in text for kind in puzzle.kinds if kind != BLANK):
        # A shortcut: most plans name too few tiles, and reading each line of a long text is slow.
        return FoundBoards((), (), is_all=False)
    reader, height, width, size = _BoardReader(puzzle), puzzle.rows, puzzle.columns, puzzle.cells
    sizes = re.compile(rf"\s*(?:{height}(?:\s+{width})?|{size - 1})\s*")
    boards, used = list[State](), set[int]()
    block: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(lines):
        text = reader.shown(line)
        if not (cells := reader.cells(text)):
            continue
        parts = [cells[i : i + size] for i in range(0, len(cells), size)]
        if len(whole := [*filter(None, map(reader.board, parts))]) == len(parts):
            boards += whole
            used.add(number)
            block = []
        elif width - len(cells) in (0, 1):
            block = [*block, (number, text, cells)][-height:]
            rows = [(text, cells) for _, text, cells in block]
            if len(rows) == height and (board := reader.board_of_rows(rows)):
                boards.append(board)
                used |= {at for at, *_ in block}
                if sizes.fullmatch(lines[max(block[0][0] - 1, 0)]):
                    used.add(block[0][0] - 1)
                block = []
        else:
            block = []
    others = (line for number, line in enumerate(lines) if number not in used)
    is_all = bool(boards) and all(map(_FILLER.fullmatch, others))
    return FoundBoards(tuple(boards), tuple(sorted(used)), is_all)


class _BoardReader:
    """Reads lines as rows of one puzzle's boards."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._tiles = {puzzle.label(kind): kind for kind in puzzle.kinds}
        if puzzle.has_blank:
            self._tiles = dict.fromkeys((*GAPS, "*", "#"), BLANK) | self._tiles
        signs = "".join(label for label in self._tiles if label not in GAPS)
        between = dict.fromkeys((sign for sign in _BETWEEN if sign not in signs), " ")
        self._between = str.maketrans(between) | DRAWN
        # Cached, because a text repeats a few labels many times.
        self._kind = lru_cache(1024)(self._kind_of)
        self._are_signs = all(len(puzzle.label(kind)) == 1 for kind in puzzle.kinds)

    def shown(self, line: str) -> str:
        """Return a line with spaces between tiles, bars kept; "" for a line that is too long."""
        if len(line) > _LONGEST_LINE:
            return ""
        return QUOTED_GAP.sub(" . ", line).translate(self._between)

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line; an empty list for a drawing."""
        if "|" in line:
            line = line.strip()
            inner = line[1:-1] if line[0] == line[-1] == "|" else line
            found = [cell for part in inner.split("|") for cell in part.split() or ["."]]
            return found if any(map(str.isalnum, "".join(found))) else []
        found, sizes = line.split(), (self._puzzle.columns, self._puzzle.cells)
        if self._are_signs and any(len(t) in sizes and self._kind(t) is None for t in found):
            return [*"".join(found)]
        return found

    def _kind_of(self, label: str) -> int | None:
        names = (label, label.lstrip("0"), label.lower(), "." if GAP_WORD.fullmatch(label) else "")
        return next((self._tiles[name] for name in names if name in self._tiles), None)

    def board(self, cells: Sequence[str]) -> State | None:
        """Return the board with these cells; None if they are not a board."""
        if len(cells) != self._puzzle.cells:
            return None
        board = tuple(kind for kind in map(self._kind, cells) if kind is not None)
        return board if tuple(sorted(board)) == self._puzzle.pieces else None

    def board_of_rows(self, rows: Sequence[tuple[str, list[str]]]) -> State | None:
        """Return the board of some rows; if no gap is written, it is where a column has no tile."""
        cells = [cell for _, own in rows for cell in own]
        if self._puzzle.columns >= _FEWEST_FOR_A_GAP and len(cells) == self._puzzle.cells - 1:
            cells = " ".join(by_columns([text for text, _ in rows], is_open=True) or ()).split()
        return self.board(cells)


def moves_between(problem: Problem, boards: Sequence[State]) -> list[str]:
    """Return the moves that lead from the start through `boards`.

    Boards up to the last one that is the start are skipped. If no move leads to a board, the board
    stands in its place.
    """
    later = list(boards)
    if problem.start in later:
        # A program may print boards, such as the goal, before it begins.
        later = later[len(later) - later[::-1].index(problem.start) :]
    before, names = problem.start, []
    for board in later:
        moves = problem.puzzle.applicable(before).values()
        ways = [operator for operator in moves if operator.apply(before) == board]
        least = min(ways, key=lambda operator: operator.penalty, default=None)
        names.append(f"to {problem.puzzle.line_text(board)}" if least is None else least.name)
        before = board
    return names
