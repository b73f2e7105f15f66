"""The checker, which replays a plan move by move; it knows the rules as data and no engine."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Puzzle, State


@dataclass(frozen=True)
class IllegalStep:
    """The first move of a plan that the rules do not allow.

    `step` counts from 1, `board` is the state before the move.
    """

    step: int
    move: str
    board: State
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The outcome of a replay.

    >>> import plansolve
    >>> verdict = plansolve.check_plan([[4, 1, 2], [0, 5, 3], [7, 8, 6]], "DLL")
    >>> verdict.legal, verdict.reaches_goal, verdict.placed
    (True, False, 6)

    `board` is the state after the last legal move, `applied` the number of legal moves, `placed`
    the number of tiles of `board` that stand in their goal cells.
    """

    legal: bool
    reaches_goal: bool
    length: int
    applied: int
    placed: int
    board: State
    illegal: IllegalStep | None = None

    @property
    def solves(self) -> bool:
        """True if every move is legal and the last board is the goal."""
        return self.legal and self.reaches_goal


def check_plan(problem: Problem, plan: Iterable[str]) -> Verdict:
    """Replay `plan` from the problem's start until its end or its first illegal move."""
    puzzle, board = problem.puzzle, list(problem.start)
    moves = tuple(plan)
    illegal = None
    applied = 0
    blank = board.index(BLANK) if puzzle.has_blank else None
    for step, name in enumerate(moves, start=1):
        operator = puzzle.operator(name, blank, board)
        if operator is None or not operator.applies_to(board):
            illegal = IllegalStep(step, name, tuple(board), why_illegal(puzzle, board, name))
            break
        operator.apply_to(board)
        # The blank is where it was, or in a cell whose content has changed.
        blank = next((cell for cell, _ in operator.moves if board[cell] == BLANK), blank)
        applied = step
    state = tuple(board)
    placed = sum(
        tile == goal and tile != BLANK for tile, goal in zip(state, puzzle.goal, strict=True)
    )
    return Verdict(
        legal=illegal is None,
        reaches_goal=illegal is None and puzzle.is_goal(state),
        length=len(moves),
        applied=applied,
        placed=placed,
        board=state,
        illegal=illegal,
    )


def why_illegal(
    puzzle: Puzzle, board: Sequence[int], name: str, told: Callable[[str], str] = str
) -> str:
    """Return why a move is illegal on a board; `told` maps a move to its name in the message."""
    is_known = name in puzzle.move_names
    if not is_known and not puzzle.has_blank:
        return f"there is no move {name!r} in this puzzle"
    what = f"{told(name)} cannot be made" if is_known else f"there is no move {name!r}"
    possible = " ".join(map(told, puzzle.applicable(tuple(board)))) or "none"
    return f"{what} while {puzzle.place_of_blank(board)}; possible there: {possible}"
