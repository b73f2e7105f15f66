"""Find boards in a text and follow them: a plan told by the boards that it passes.

Rows stand on lines of their own, or a board or several on one line; bars, brackets, commas and
frames may stand between tiles. Where the gap is not written at all, its column tells it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Puzzle, State

_GAPS = ("0", "00", ".", "_", "__", "x", "X", "*", "#", "none", "null", "blank", "empty", "gap")
_EMPTY = re.compile(r"""(["'])\s*\1""")
_BARS = str.maketrans("│┃║¦", "||||")
_FILLER = re.compile(
    r"(?:[\W\d_]|\b(?:step|board|state|move|start|initial|goal|final|end|path|solution|v)\b)*",
    re.IGNORECASE,
)
_LONGEST_LINE = 1 << 20
_FEWEST_FOR_A_GAP = 3


@dataclass(frozen=True)
class FoundBoards:
    """The boards of a text, the lines (from 0) that hold them, and True if there is no more."""

    boards: tuple[State, ...]
    lines: tuple[int, ...]
    is_all: bool


def boards_in(lines: Sequence[str], puzzle: Puzzle) -> FoundBoards:
    """Return the boards of a puzzle that lines hold."""
    reader = _BoardReader(puzzle)
    sizes = re.compile(rf"\s*(?:{puzzle.rows}(?:\s+{puzzle.columns})?|{puzzle.cells - 1})\s*")
    boards: list[State] = []
    used: set[int] = set()
    block: list[tuple[int, _Row]] = []
    for number, line in enumerate(lines):
        row = reader.row(line)
        if not row:
            continue
        if whole := reader.boards([tile for tile, _ in row]):
            boards += whole
            used.add(number)
            block = []
        elif puzzle.columns - len(row) in (0, 1):
            block = [*block, (number, row)][-puzzle.rows :]
            if len(block) == puzzle.rows and (board := reader.board([row for _, row in block])):
                boards.append(board)
                used |= {number for number, _ in block}
                if sizes.fullmatch(lines[max(block[0][0] - 1, 0)]):
                    used.add(block[0][0] - 1)
                block = []
        else:
            block = []
    others = (line for number, line in enumerate(lines) if number not in used)
    is_all = bool(boards) and all(map(_FILLER.fullmatch, others))
    return FoundBoards(tuple(boards), tuple(sorted(used)), is_all)


def moves_between(problem: Problem, boards: Sequence[State]) -> list[str]:
    """Return the moves from the start through boards, which may begin with it, or with the goal.

    For a step that is no move the board itself is given. Where no board differs from the start
    there is no move.
    """
    later = list(boards)
    if problem.start in later:
        # Boards that a program prints before it begins are no steps.
        later = later[len(later) - later[::-1].index(problem.start) :]
    before, names = problem.start, []
    for board in later:
        ways = [
            operator
            for operator in problem.puzzle.applicable(before).values()
            if operator.apply(before) == board
        ]
        least = min(ways, key=lambda operator: operator.penalty, default=None)
        names.append(f"to {problem.puzzle.line_text(board)}" if least is None else least.name)
        before = board
    return names


_Row = list[tuple[str, int]]
"""The tiles of a line, and where each ends."""


class _BoardReader:
    """Reads lines as rows of one puzzle's boards."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._kinds = {puzzle.label(kind): kind for kind in puzzle.kinds}
        if puzzle.has_blank:
            self._kinds = dict.fromkeys(_GAPS, BLANK) | self._kinds
        signs = {sign for label in self._kinds for sign in label if label not in _GAPS}
        between = "".join(sign for sign in r",;/\[](){}<>=+-→'" + '"' if sign not in signs)
        self._token = re.compile(rf"[^\s\u2500-\u257f{re.escape(between)}]+")
        self._has_signs = all(len(puzzle.label(kind)) == 1 for kind in puzzle.kinds)

    def row(self, line: str) -> "_Row":
        """Return the tokens of a line; none for one that is too long, or only a drawing."""
        if len(line) > _LONGEST_LINE:
            return []
        line = _EMPTY.sub(" . ", line).translate(_BARS)
        if "|" in line:
            parts = line.strip().strip("|").split("|")
            row = [(t, 0) for part in parts for t in self._token.findall(part) or ["."]]
            return row if any(t != "." and any(map(str.isalnum, t)) for t, _ in row) else []
        found = [(match[0], match.end()) for match in self._token.finditer(line)]
        sizes = (self._puzzle.columns, self._puzzle.cells)
        if self._has_signs and any(len(t) in sizes and self._kind(t) is None for t, _ in found):
            found = [(sign, end) for token, end in found for sign in token]
        return found

    def boards(self, tiles: list[str]) -> list[State]:
        """Return the boards that tiles are one after the other; none for anything else."""
        cells = self._puzzle.cells
        if len(tiles) % cells:
            return []
        boards: list[State] = []
        for first in range(0, len(tiles), cells):
            board = self._board(tiles[first : first + cells])
            if board is None:
                return []
            boards.append(board)
        return boards

    def board(self, rows: list["_Row"]) -> State | None:
        """Return the board of some rows, the gap being where a column has no tile."""
        columns = self._puzzle.columns
        full = next((row for row in rows if len(row) == columns), None)
        if columns >= _FEWEST_FOR_A_GAP and full:
            rows = [row if len(row) == columns else _with_gap(row, full) for row in rows]
        return self._board([tile for tile, _ in chain(*rows)])

    def _kind(self, label: str) -> int | None:
        names = (label, label.lstrip("0"), label.lower())
        return next((self._kinds[name] for name in names if name in self._kinds), None)

    def _board(self, tiles: list[str]) -> State | None:
        kinds = [*map(self._kind, tiles)]
        if len(kinds) != self._puzzle.cells or None in kinds:
            return None
        board = tuple(kind for kind in kinds if kind is not None)
        return board if tuple(sorted(board)) == self._puzzle.pieces else None


def _with_gap(row: "_Row", full: "_Row") -> "_Row":
    """Return a row with a gap where its columns, compared with those of a full row, leave one."""
    ends = [end for _, end in full]

    def distance(gap: int) -> int:
        others = ends[:gap] + ends[gap + 1 :]
        return sum(abs(end - other) for (_, end), other in zip(row, others, strict=True))

    gap = min(range(len(full)), key=distance)
    return [*row[:gap], (".", 0), *row[gap:]]
