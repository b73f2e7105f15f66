"""A problem, which is to bring a start board to a puzzle's goal, and its plans."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import accumulate

from plansolve.errors import BoardError, InternalError, PlanError
from plansolve.model.names import describe_mismatch
from plansolve.model.puzzle import BLANK, Operator, Plan, Puzzle, State, as_cells
from plansolve.model.structure import BlankGraph, Structure

_SHOWN = 120
"""The characters of a board that a `repr` shows: a 24-puzzle and more."""

_SHOWN_PLAN = 60
"""The characters of a plan that a `repr` shows."""


@dataclass(frozen=True, repr=False)
class Problem:
    """A puzzle and a start board; `str` gives the board in rows.

    >>> import plansolve
    >>> puzzle = plansolve.make_puzzle("sliding", 2, 2)
    >>> problem = plansolve.Problem(puzzle, (1, 2, 0, 3))
    >>> print(problem)
    1 2
    0 3
    >>> problem
    <Problem sliding 2x2: 1 2 / 0 3>

    Raises `BoardError` if the start does not hold the puzzle's pieces, or a piece is not in its
    fixed cell.
    """

    puzzle: Puzzle
    start: State

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", as_cells(self.start))
        if len(self.start) != self.puzzle.cells:
            raise BoardError(
                f"the goal has {self.puzzle.cells} cells, the board has {len(self.start)}"
            )
        pieces = self.puzzle.pieces
        if mismatch := describe_mismatch(self.start, pieces, self.puzzle.labels):
            raise BoardError(f"not a board of this puzzle: {mismatch}")
        self.puzzle.check_board(self.start)

    def __str__(self) -> str:
        return self.puzzle.board_text(self.start)

    def __repr__(self) -> str:
        rows = " / ".join(" ".join(row.split()) for row in str(self).split("\n"))
        shown = rows if len(rows) <= _SHOWN else f"{rows[:_SHOWN]}..."
        return f"<Problem {self.puzzle.title}: {shown}>"

    def _repr_svg_(self) -> str:
        # Notebooks call this; the import is late because pictures are a layer above the model.
        picture: str = import_module("plansolve.replay.svg").board_svg(self.puzzle, self.start)
        return picture

    def __reduce__(self) -> tuple[Callable[[bytes, State], "Problem"], tuple[bytes, State]]:
        # A process that receives many boards of one puzzle builds and analyses the puzzle once.
        return _unpickled, (self.puzzle.pickled, self.start)

    @property
    def goal(self) -> State:
        """The puzzle's goal board."""
        return self.puzzle.goal

    @property
    def is_solved(self) -> bool:
        """True if the start is the goal, or one of those that an open goal allows."""
        return self.puzzle.is_goal(self.start)

    @property
    def home(self) -> dict[int, int]:
        """The goal cell of each tile, and of the blank, if all pieces can be told apart."""
        return self.puzzle.home

    @property
    def blank_graph(self) -> BlankGraph:
        """The puzzle's blank graph, for algorithms that need one.

        Raises `InternalError` if `structure.blank_graph` is None.
        """
        graph = self.structure.blank_graph
        if graph is None:
            raise InternalError(
                f"{self.puzzle.name} has no blank graph: some move does not exchange the blank "
                f"with one tile"
            )
        return graph

    @property
    def structure(self) -> Structure:
        """The structure, derived from the rules once for all problems of a puzzle."""
        derived: Structure = self.puzzle.derived.setdefault("structure", Structure(self.puzzle))
        return derived


def _unpickled(rules: bytes, start: State) -> Problem:
    return Problem(_puzzle(rules), start)


@lru_cache(maxsize=16)
def _puzzle(rules: bytes) -> Puzzle:
    puzzle: Puzzle = pickle.loads(rules)
    return puzzle


def operators_of(problem: Problem, plan: Plan) -> list[Operator]:
    """Return the ground operators that the names of a legal plan stand for, in order.

    Raises `PlanError` for a plan that is not legal.
    """
    puzzle, board = problem.puzzle, list(problem.start)
    blank = board.index(BLANK) if puzzle.has_blank else None
    operators = []
    for step, name in enumerate(plan, start=1):
        operator = puzzle.operator(name, blank, board)
        if operator is None or not operator.applies_to(board):
            raise PlanError(f"step {step}: {name!r} cannot be made here")
        operator.apply_to(board)
        blank = next((cell for cell, _ in operator.moves if board[cell] == BLANK), blank)
        operators.append(operator)
    return operators


def boards_of(problem: Problem, plan: Plan) -> Iterator[State]:
    """Return the boards that a legal plan passes, the start first: one more than its moves.

    Raises `PlanError`, before the first board, for a plan that is not legal.
    """

    def after(board: State, operator: Operator) -> State:
        return operator.apply(board)

    return accumulate(operators_of(problem, plan), after, initial=problem.start)


def penalty(problem: Problem, plan: Plan) -> int:
    """Return the sum of the penalties of a legal plan's operators."""
    if not any(operator.penalty for operator in problem.puzzle.operators):
        return 0
    return sum(operator.penalty for operator in operators_of(problem, plan))


class MoveNames(tuple[str, ...]):
    """The names of a plan's moves as a tuple; `read_plan` reads its `str`.

    >>> import plansolve
    >>> plan = plansolve.solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]]).plan
    >>> print(plan)
    DLLUU
    >>> plan
    <Plan of 5 moves: DLLUU>
    >>> plan == ("D", "L", "L", "U", "U")
    True
    """

    separator = " "

    @classmethod
    def of(cls, plan: Iterable[str], puzzle: Puzzle) -> "MoveNames":
        """Return the plan; its `str` has no spaces if each name of the puzzle is one character."""
        moves = cls(plan)
        if all(len(name) == 1 for name in puzzle.move_names):
            moves.separator = ""
        return moves

    def __str__(self) -> str:
        return self.separator.join(self)

    def __repr__(self) -> str:
        text = str(self)
        shown = text if len(text) <= _SHOWN_PLAN else f"{text[:_SHOWN_PLAN]}..."
        return f"<Plan of {len(self)} move{'s' * (len(self) != 1)}: {shown}>"


def lightest_plan(problem: Problem, plan: Plan) -> Plan:
    """Return the plan with each operator replaced by the one of least penalty with its effect.

    So plans of the same moves become equal. If pieces are alike, a move of another effect may still
    lead to the same board.
    """
    cells, names = problem.puzzle.cells, []
    for board, operator in zip(boards_of(problem, plan), operators_of(problem, plan), strict=False):
        goes = operator.destinations(cells)
        choices = problem.puzzle.applicable(board).values()
        same = [choice for choice in choices if choice.destinations(cells) == goes]
        names.append(min(same, key=lambda choice: choice.penalty).name)
    return tuple(names)
