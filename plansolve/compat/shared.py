"""The common part of the drop-ins: boards as lists, proved answers, lines for people."""

import sys
from collections.abc import Callable, Sequence
from operator import index
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias

from plansolve.errors import BoardError, EngineError
from plansolve.formats import MAX_BYTES, BoardDocument, decode, make, specify
from plansolve.model.problem import Problem
from plansolve.program import exit_code_of
from plansolve.solvers.engine.solve import solve
from plansolve.solvers.result import Result, Status

Rows: TypeAlias = Sequence[Sequence[int]]
"""A board as rows of tiles, 0 the gap."""

# If IDA* answers at once, engines beside it would only take its cores.
_FEWEST_FOR_IDASTAR, _MOST_FOR_IDASTAR = 10, 16


def rows_of(board: Rows) -> list[list[int]]:
    """Return a copy of the board; raise `BoardError` if it is not a rectangle of numbers."""
    try:
        rows = [[index(tile) for tile in row] for row in board]
    except TypeError:
        raise BoardError(
            "the board is not rows of whole numbers, such as [[1, 2], [3, 0]]"
        ) from None
    if not rows or not rows[0]:
        raise BoardError("the board is empty: rows of numbers are expected")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise BoardError(f"row {number} has length {len(row)}, the first row {len(rows[0])}")
    return rows


def slide(board: list[list[int]], down: int, right: int) -> bool:
    """Swap number 0 with the number that many rows and columns away, if there is one.

    Return True if there is one; raise `BoardError` for a board without a 0.
    """
    row = next((row for row, numbers in enumerate(board) if 0 in numbers), None)
    if row is None:
        raise BoardError("the board has no 0, so no tile can move")
    column = board[row].index(0)
    r, c = row + down, column + right
    if not (0 <= r < len(board) and 0 <= c < len(board[0])):
        return False
    board[row][column], board[r][c] = board[r][c], 0
    return True


def problem_of(board: Rows, puzzle: str) -> Problem:
    """Return the problem that brings a board, given as rows of numbers, to the puzzle's first goal.

    Raise `BoardError` for anything that is not such a board.
    """
    rows = rows_of(board)
    cells = tuple(tile for row in rows for tile in row)
    return make(specify(BoardDocument(len(rows), len(rows[0]), cells), puzzle))


def proved(problem: Problem, plans: Literal["one", "all"] = "one") -> Result:
    """Return a result that proves a shortest plan, lists all of them, or says unsolvable.

    Raise `EngineError` if the engines give up, which is not an answer, and `KeyboardInterrupt` if
    they were interrupted.
    """
    few = _FEWEST_FOR_IDASTAR <= problem.puzzle.cells <= _MOST_FOR_IDASTAR
    result = solve(problem, engine="idastar" if few else "auto", plans=plans, optimal=True)
    result.unless_interrupted()
    is_whole = plans == "one" or result.is_every_plan
    if result.status != Status.UNSOLVABLE and not (result.status == Status.OPTIMAL and is_whole):
        raise EngineError(f"gave up without a proof: {result.explanation}")
    return result


def say(line: str = "") -> None:
    """Print a line of a program's result."""
    sys.stdout.write(f"{line}\n")


def read_file(file: str, read: Callable[[str], Problem]) -> Problem:
    """Return `read` of a file's text; a `BoardError` begins with the name of the file."""
    try:
        return read(read_text(file))
    except BoardError as error:
        raise BoardError(f"{file}: {error}") from None


def read_text(file: str) -> str:
    """Return the text of a board file; raise `BoardError` if it cannot be read."""
    try:
        with Path(file).open("rb") as stream:
            return decode(stream.read(MAX_BYTES + 1))
    except OSError as error:
        raise BoardError(error.strerror) from None


def run_program(main: Callable[[Sequence[str]], None], prefix: str) -> NoReturn:
    """Run a program on its arguments and exit; an error becomes one line on stderr."""
    sys.exit(exit_code_of(lambda: main(sys.argv[1:]), prefix))
