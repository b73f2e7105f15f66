"""A problem: bring a start board to a puzzle's goal."""

from dataclasses import dataclass
from functools import cached_property

from plansolve.errors import BoardError
from plansolve.model.puzzle import Plan, Puzzle, State, describe_mismatch
from plansolve.model.structure import Structure

__all__ = ["Problem", "penalty"]


@dataclass(frozen=True)
class Problem:
    """A puzzle and the board to start from.

    Raises `BoardError` where the start does not hold the same tiles as the goal.
    """

    puzzle: Puzzle
    start: State

    def __post_init__(self) -> None:
        if len(self.start) != self.puzzle.cells:
            raise BoardError(
                f"the board has {len(self.start)} cells, the goal has {self.puzzle.cells}"
            )
        expected = sorted(self.puzzle.goal)
        if mismatch := describe_mismatch(self.start, expected, self.puzzle.labels):
            raise BoardError(f"not a board of this puzzle: {mismatch}")

    def __reduce__(self) -> tuple[type["Problem"], tuple[Puzzle, State]]:
        # What has been derived is larger than what it is derived from.
        return Problem, (self.puzzle, self.start)

    @property
    def goal(self) -> State:
        """The puzzle's goal board."""
        return self.puzzle.goal

    @cached_property
    def structure(self) -> Structure:
        """What can be derived from the rules alone."""
        return Structure(self.puzzle)


def penalty(problem: Problem, plan: Plan) -> int:
    """The sum of the penalties of a legal plan's operators."""
    if not any(operator.penalty for operator in problem.puzzle.operators):
        return 0
    state, total = problem.start, 0
    for name in plan:
        operator = problem.puzzle.applicable(state)[name]
        state, total = operator.apply(state), total + operator.penalty
    return total
