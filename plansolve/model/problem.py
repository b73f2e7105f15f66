"""A problem: bring a start board to a puzzle's goal."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from plansolve.errors import BoardError, InternalError, PlanError
from plansolve.model.puzzle import BLANK, Operator, Plan, Puzzle, State, describe_mismatch
from plansolve.model.structure import BlankGraph, Structure, structure_of

__all__ = ["Problem", "boards_of", "operators_of", "penalty"]

_SHOWN = 120
"""The characters of a board that a `repr` shows: a 24-puzzle and more."""


@dataclass(frozen=True, repr=False)
class Problem:
    """A puzzle and the board to start from; `str` gives the board as people read it.

    >>> import plansolve
    >>> puzzle = plansolve.make_puzzle("sliding", 2, 2)
    >>> problem = plansolve.Problem(puzzle, (1, 2, 0, 3))
    >>> print(problem)
    1 2
    0 3
    >>> problem
    <Problem sliding 2x2: 1 2 / 0 3>

    Raises `BoardError` where the start does not hold the puzzle's pieces.
    """

    puzzle: Puzzle
    start: State

    def __post_init__(self) -> None:
        if len(self.start) != self.puzzle.cells:
            raise BoardError(
                f"the board has {len(self.start)} cells, the goal has {self.puzzle.cells}"
            )
        pieces = self.puzzle.pieces
        if mismatch := describe_mismatch(self.start, pieces, self.puzzle.labels):
            raise BoardError(f"not a board of this puzzle: {mismatch}")

    def __str__(self) -> str:
        return self.puzzle.board_text(self.start)

    def __repr__(self) -> str:
        rows = " / ".join(" ".join(row.split()) for row in str(self).split("\n"))
        shown = rows if len(rows) <= _SHOWN else f"{rows[:_SHOWN]}..."
        return f"<Problem {self.puzzle.title}: {shown}>"

    def __reduce__(self) -> tuple[Callable[[bytes, State], "Problem"], tuple[bytes, State]]:
        # Processes get many boards of one puzzle, which is put together and looked into once.
        return _unpickled, (self.puzzle.pickled, self.start)

    @property
    def goal(self) -> State:
        """The puzzle's goal board."""
        return self.puzzle.goal

    @property
    def is_solved(self) -> bool:
        """Whether the start is the goal, or one of those that an open goal allows."""
        return self.puzzle.is_goal(self.start)

    @property
    def home(self) -> dict[int, int]:
        """The goal cell of each tile, and of the blank, where all pieces can be told apart."""
        return self.puzzle.home

    @property
    def blank_graph(self) -> BlankGraph:
        """The puzzle's blank graph, for algorithms that are made for one.

        Raises `InternalError` where there is none: `structure.blank_graph` tells beforehand.
        """
        graph = self.structure.blank_graph
        if graph is None:
            raise InternalError(f"{self.puzzle.name} has no blank graph: a move is no exchange")
        return graph

    @property
    def structure(self) -> Structure:
        """What can be derived from the rules alone."""
        return structure_of(self.puzzle)


def _unpickled(rules: bytes, start: State) -> Problem:
    return Problem(_puzzle(rules), start)


@lru_cache(maxsize=16)
def _puzzle(rules: bytes) -> Puzzle:
    puzzle: Puzzle = pickle.loads(rules)
    return puzzle


def operators_of(problem: Problem, plan: Plan) -> list[Operator]:
    """The ground operators that a legal plan's names call, one after the other.

    Raises `PlanError` for a plan that is not legal.
    """
    puzzle, board = problem.puzzle, list(problem.start)
    blank = board.index(BLANK) if puzzle.has_blank else None
    operators = []
    for step, name in enumerate(plan, start=1):
        operator = puzzle.operator(name, blank)
        if operator is None or not operator.applies_to(board):
            raise PlanError(f"step {step}: {name!r} cannot be made here")
        operator.apply_to(board)
        blank = next((cell for cell, _ in operator.moves if board[cell] == BLANK), blank)
        operators.append(operator)
    return operators


def boards_of(problem: Problem, plan: Plan) -> Iterator[State]:
    """The boards that a legal plan passes, which are one more than its moves: the start first.

    Raises `PlanError`, before the first board, for a plan that is not legal.
    """

    def after(board: State, operator: Operator) -> State:
        return operator.apply(board)

    return accumulate(operators_of(problem, plan), after, initial=problem.start)


def penalty(problem: Problem, plan: Plan) -> int:
    """The sum of the penalties of a legal plan's operators."""
    if not any(operator.penalty for operator in problem.puzzle.operators):
        return 0
    return sum(operator.penalty for operator in operators_of(problem, plan))
