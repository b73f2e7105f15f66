"""solver: the file that the sliding-puzzle homework of Puget Sound's CS431 asks for.

`solve` is all that the course's `slidingpuzzle.py` needs. Letters name the motion of the tile.

>>> solve([[4, 1, 2], [0, 5, 3], [7, 8, 6]])
['D', 'L', 'L', 'U', 'U']
>>> solve([[2, 1, 3, 4], [5, 6, 7, 8], [9, 10, 11, 0]]) is None
True
"""

from collections.abc import Iterator
from dataclasses import dataclass

from plansolve.analysis.solvability import why_unsolvable
from plansolve.bounds.distance import tile_distance_sum
from plansolve.compat.shared import Rows, problem_of, proved, rows_of
from plansolve.model.problem import Problem

__all__ = ["State", "solve"]


def solve(puzzle: Rows) -> list[str] | None:
    """Return a solution of minimum length, each move 'U', 'D', 'L' or 'R'; None if there is none.

    `puzzle` is row-major, with 0 for the gap, which belongs in the lower right corner; it is not
    changed. Raise `BoardError` for any other board, and `EngineError` if the engines give up;
    None always means that there is no solution.
    """
    plan = proved(problem_of(puzzle, "sliding")).plan
    return None if plan is None else list(plan)


@dataclass(frozen=True, order=True)
class State:
    """A layout of all the tiles: hashable for closed lists, ordered for `heapq`.

    `rows` may be given as lists and is kept as tuples. Raises `BoardError` unless it is a board.

    >>> state = State([[6, 5, 2, 3], [0, 7, 11, 4], [9, 1, 10, 8], [15, 14, 13, 12]])
    >>> state.heuristic, state.is_solvable, state.is_goal
    (19, True, False)
    >>> state in {State(state.rows)}
    True
    """

    rows: Rows

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(map(tuple, rows_of(self.rows))))
        self._problem()

    @property
    def is_goal(self) -> bool:
        """Return True if the numbers are in order and the gap is in the lower right corner."""
        problem = self._problem()
        return problem.start == problem.goal

    @property
    def heuristic(self) -> int:
        """Return the sum of the tiles' Manhattan distances: no solution has fewer moves."""
        return tile_distance_sum(self._problem())

    @property
    def is_solvable(self) -> bool:
        """Return True if the goal can be reached, by the parity of the permutation."""
        return why_unsolvable(self._problem()) is None

    def successors(self) -> Iterator[tuple[str, "State"]]:
        """Yield each possible move with the state after it.

        >>> for move, after in State([[1, 2], [3, 0]]).successors():
        ...     print(move, after.rows)
        D ((1, 0), (3, 2))
        R ((1, 2), (0, 3))
        """
        problem = self._problem()
        for move, operator in problem.puzzle.applicable(problem.start).items():
            yield move, State(problem.puzzle.in_rows(operator.apply(problem.start)))

    def _problem(self) -> Problem:
        return problem_of(self.rows, "sliding")
