"""The state of a game: the board, and the moves that led to it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan, State

__all__ = ["Game"]


@dataclass
class Game:
    """A problem being played; `moves` are those made so far, `boards` the boards before each."""

    problem: Problem
    board: State = field(init=False)
    moves: list[str] = field(init=False, default_factory=list)
    changed: frozenset[int] = field(init=False, default=frozenset())
    _boards: list[State] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.board = self.problem.start

    @property
    def is_solved(self) -> bool:
        """Whether the board is the goal."""
        return self.problem.puzzle.is_goal(self.board)

    @property
    def position(self) -> Problem:
        """The problem from where the game stands."""
        return Problem(self.problem.puzzle, self.board)

    @property
    def possible(self) -> Plan:
        """The names of the moves that can be made now and change the board."""
        moves = self.problem.puzzle.applicable(self.board).items()
        return tuple(name for name, operator in moves if operator.apply(self.board) != self.board)

    def play(self, moves: Iterable[str]) -> int:
        """Make moves until one of them cannot be made or the goal is reached; how many it made."""
        made = 0
        for name in moves:
            operator = self.problem.puzzle.applicable(self.board).get(name)
            if operator is None or self.is_solved:
                break
            self._boards.append(self.board)
            self.moves.append(name)
            self.board = operator.apply(self.board)
            self.changed = frozenset(cell for cell, _ in operator.moves)
            made += 1
        return made

    def undo(self) -> str | None:
        """Take the last move back and tell its name; None where there is none."""
        if not self.moves:
            return None
        self.board = self._boards.pop()
        self.changed = frozenset()
        return self.moves.pop()

    def reset(self) -> None:
        """Go back to the start."""
        self.board = self.problem.start
        self.changed = frozenset()
        self.moves.clear()
        self._boards.clear()
