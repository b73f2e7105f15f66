"""solver2023: the "2023 puzzle" of Indiana University's CSCI B551, 5x5 without a gap.

    python -m plansolve.compat.solver2023 BOARD_FILE

Moves: R1..R5 and L1..L5 slide a row, U1..U5 and D1..D5 a column, with wrap-around; Oc, Occ, Ic and
Icc turn the outer or the inner ring clockwise or counterclockwise.
"""

import sys
from collections.abc import Sequence
from typing import TypeAlias, cast

from plansolve.compat.shared import Rows, problem_of, read_text, run_program, say
from plansolve.errors import BoardError, EngineError, OptionError
from plansolve.model.problem import Problem
from plansolve.solvers.engine.solve import solve as solve_problem
from plansolve.solvers.result import StopReason
from plansolve.text import quote

__all__ = ["COLS", "ROWS", "is_goal", "main", "printable_board", "solve", "successors"]

ROWS = 5
COLS = 5

Board: TypeAlias = Sequence[int] | Rows
"""25 numbers in a row, as the course's program has them, or 5 rows of 5."""

_PUZZLE = "torus-ring"
# Shallow boards are proved optimal well before; on others the plans hardly get shorter after it.
_SECONDS = 5.0
_MOST_DIGITS = 4


def printable_board(board: Board) -> list[str]:
    """Return the rows as text, each number in four columns.

    >>> printable_board(range(1, 26))[0]
    '  1   2   3   4   5 '
    """
    return [("%3d " * COLS) % tuple(row) for row in _rows(board)]


def successors(state: Board) -> list[tuple[int, ...]]:
    """Return the boards after a move: R1 L1 .. R5 L5, D1 U1 .. D5 U5, Oc Occ Ic Icc."""
    problem = _problem(state)
    return [operator.apply(problem.start) for operator in problem.puzzle.operators]


def is_goal(state: Board) -> bool:
    """Return True if the numbers 1 to 25 are in order.

    >>> is_goal(range(1, 26))
    True
    """
    problem = _problem(state)
    return problem.start == problem.goal


def solve(initial_board: Board, seconds: float = _SECONDS) -> list[str]:
    """Return a short list of moves that restores the canonical order.

    Take about `seconds`, less if the plan is proved optimal, as for boards of up to about 13
    moves. The first run on a machine compiles the kernels first. Raise `BoardError` for anything
    but a board of the puzzle, `EngineError` if the engines give up, and `KeyboardInterrupt` if they
    are interrupted.

    >>> len(solve((2,23,4,5,10, 1,13,7,3,11, 6,17,8,9,20, 12,14,19,15,25, 16,21,22,18,24)))
    4
    """
    problem = _problem(initial_board)
    result = solve_problem(problem, optimal=False, time_limit=seconds, setup_counts=False)
    result.unless_interrupted()
    if result.plan is None and result.stop_reason == StopReason.TIME:
        # The machine is very busy: take any plan.
        result = solve_problem(problem, optimal=False, engine="constructive")
    if result.plan is None:
        raise EngineError(f"gave up: {result.explanation}")
    return list(result.plan)


def _rows(board: Board) -> Rows:
    entries = list(board)
    if len(entries) != ROWS * COLS:
        return cast(Rows, entries)
    return cast(Rows, [entries[i : i + COLS] for i in range(0, ROWS * COLS, COLS)])


def _problem(board: Board) -> Problem:
    problem = problem_of(_rows(board), _PUZZLE)
    puzzle = problem.puzzle
    if (puzzle.rows, puzzle.columns) != (ROWS, COLS):
        raise BoardError(f"the board is {puzzle.rows}x{puzzle.columns}: {ROWS}x{COLS} is expected")
    return problem


def _read(file: str) -> tuple[int, ...]:
    """Return the numbers in a file; raise `BoardError` unless they are exactly a board."""
    numbers = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        for token in line.split():
            if not (token.isascii() and token.isdigit() and len(token) <= _MOST_DIGITS):
                raise BoardError(f"line {number}: {quote(token)} is not a number from 1 to 25")
            numbers.append(int(token))
    if len(numbers) != ROWS * COLS:
        raise BoardError(f"{ROWS * COLS} numbers are expected, not {len(numbers)}")
    return _problem(numbers).start


def main(arguments: Sequence[str]) -> None:
    """Run the course's program; raise `InputError` for wrong input."""
    if len(arguments) != 1:
        raise OptionError("expected a board filename")
    try:
        start = _read(arguments[0])
    except BoardError as error:
        raise BoardError(f"couldn't parse start state file: {error}") from None
    say("Start state: \n" + "\n".join(printable_board(start)))
    say("Solving...")
    sys.stdout.flush()
    route = solve(start)
    say(f"Solution found in {len(route)} moves:\n{' '.join(route)}")


if __name__ == "__main__":
    run_program(main, "Error: ")
