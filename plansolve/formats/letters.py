"""Boards of letters, of which several may be alike, and their goal: ABA / C.B, goal:, AAB / BC.

A piece is one letter, a gap `.` or `_`, a hole `-`. Letters may have spaces between them; where
they have none there is a gap, so that nothing else is taken for such a board. After a line `goal:`
comes the goal, in which a cell may be open, `*`.
"""

from collections.abc import Sequence

from plansolve.errors import BoardError
from plansolve.formats.document import BoardDocument, BoardFormat
from plansolve.formats.grid import Line, board_lines, check_rows, content_lines
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, OPEN_SIGN, Puzzle, State
from plansolve.puzzles.obstacles import HOLE, HOLE_SIGN
from plansolve.text import quote

__all__ = ["LETTERS"]

_GAP = "."
_GAPS = (_GAP, "_")
_SIGNS = {**dict.fromkeys(_GAPS, BLANK), OPEN_SIGN: OPEN, HOLE_SIGN: HOLE}
_GOAL = "goal:"


def _recognises(text: str) -> bool:
    lines, goal = _parts(content_lines(text))
    lines = [*lines, *goal]
    rows = ["".join(line.tokens) for line in lines]
    signs = {sign for row in rows for sign in row}
    return (
        all(len(row) == len(rows[0]) for row in rows)
        and all(sign.isalpha() or sign in _SIGNS for sign in signs)
        and any(map(str.isalpha, signs))
        and all(len(line.tokens) in (1, len(row)) for line, row in zip(lines, rows, strict=True))
        and (len(lines[0].tokens) > 1 or not signs.isdisjoint(_GAPS))
    )


def _parts(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Return the lines of the board and of the goal."""
    at = next((i for i, line in enumerate(lines) if line.tokens == [_GOAL]), len(lines))
    return lines[:at], lines[at + 1 :]


def _read(text: str) -> BoardDocument:
    lines = board_lines(text)
    board, goal = _parts(lines)
    if not board or (not goal and len(board) < len(lines)):
        where = f"line {lines[len(board)].number}: "
        raise BoardError(f"{where}the board stands before {_GOAL} and the goal after it")
    return _document(board, _document(goal) if goal else None)


def _document(lines: Sequence[Line], goal: BoardDocument | None = None) -> BoardDocument:
    rows = [Line(line.number, list("".join(line.tokens))) for line in lines]
    check_rows(rows)
    kinds: dict[str, int] = {}
    cells, numbers = [], []
    for number, signs in rows:
        for sign in signs:
            if not (sign.isalpha() or sign in _SIGNS):
                raise BoardError(
                    f"line {number}: {quote(sign)} is no letter, nor a gap (. _) or a hole (-)"
                )
            cells.append(_SIGNS[sign] if sign in _SIGNS else kinds.setdefault(sign, len(kinds) + 1))
            numbers.append(number)
    return BoardDocument(
        len(rows),
        len(rows[0].tokens),
        tuple(cells),
        tuple(numbers),
        goal=goal,
        labels=(_GAP, *kinds),
    )


def _write(problem: Problem) -> str:
    puzzle = problem.puzzle
    return f"{_rows(puzzle, problem.start)}{_GOAL}\n{_rows(puzzle, puzzle.goal)}"


def _rows(puzzle: Puzzle, cells: State) -> str:
    signs = tuple(_GAP if kind == BLANK else puzzle.label(kind) for kind in cells)
    for sign in signs:
        if sign not in _SIGNS and not (len(sign) == 1 and sign.isalpha()):
            raise BoardError(f"this format is for letters: the piece {sign} is none")
    return "".join(" ".join(row) + "\n" for row in puzzle.in_rows(signs))


LETTERS = BoardFormat(
    "letters",
    "rows of letters that may be alike, gap . or _, then goal: and the goal",
    _recognises,
    _read,
    _write,
    is_common=True,
)
