"""TilePuzzle: the class that the informed-search homework of UPenn's CIS 521 asks for.

A file that says `from plansolve.compat.tile_puzzle import *` is the module (`homework3`,
`informed_search` ...) that the course's GUI drives. Directions name the motion of the empty space:
"up" exchanges it with the tile above it.

>>> p = create_tile_puzzle(3, 3)
>>> p.perform_move("up"), p.get_board()
(True, [[1, 2, 3], [4, 5, 0], [7, 8, 6]])
"""

import random
from collections.abc import Iterator
from operator import index

from plansolve.compat.shared import Rows, problem_of, proved, rows_of, slide
from plansolve.errors import BoardError
from plansolve.formats import format_plan
from plansolve.model.names import describe_mismatch
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, Plan
from plansolve.puzzles.family import LARGEST_SIDE
from plansolve.puzzles.sliding import blank_last

__all__ = ["TilePuzzle", "create_tile_puzzle"]

_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def create_tile_puzzle(rows: int, cols: int) -> "TilePuzzle":
    """Return the solved puzzle of that size.

    >>> create_tile_puzzle(2, 4).get_board()
    [[1, 2, 3, 4], [5, 6, 7, 0]]

    Raise `BoardError` for a size below 1 or above 30.
    """
    if not (1 <= index(rows) <= LARGEST_SIDE and 1 <= index(cols) <= LARGEST_SIDE):
        raise BoardError(f"a board of {rows}x{cols} is out of range: 1 to {LARGEST_SIDE} a side")
    goal = blank_last(rows, cols)
    return TilePuzzle([goal[first : first + cols] for first in range(0, rows * cols, cols)])


class TilePuzzle:
    """A board of sliding tiles; 0 is the empty space, which belongs in the lower right corner.

    >>> TilePuzzle([[1, 2], [3, 0]]).is_solved()
    True
    >>> TilePuzzle([[0, 1], [3, 2]]).is_solved()
    False
    """

    def __init__(self, board: Rows) -> None:
        """Keep a copy of the rows; raise `BoardError` if they are not such a board."""
        self._board = rows_of(board)
        cells = self._cells()
        if mismatch := describe_mismatch(cells, range(len(cells))):
            raise BoardError(f"not a board of sliding tiles: {mismatch}")

    def get_board(self) -> list[list[int]]:
        """Return the rows themselves, which change with the puzzle."""
        return self._board

    def perform_move(self, direction: str) -> bool:
        """Move the empty space; return True if that was possible. If not, nothing changes.

        >>> create_tile_puzzle(3, 3).perform_move("down")
        False
        """
        return direction in tuple(_STEPS) and slide(self._board, *_STEPS[direction])

    def scramble(self, num_moves: int) -> None:
        """Try so many random moves; those that cannot be made change nothing."""
        for _ in range(num_moves):
            # The course's own random source, so that `random.seed` repeats a game.
            self.perform_move(random.choice(tuple(_STEPS)))

    def is_solved(self) -> bool:
        """Return True if the tiles are in order and the empty space is last."""
        return self._cells() == blank_last(len(self._board), len(self._board[0]))

    def copy(self) -> "TilePuzzle":
        """Return another puzzle with the same board.

        >>> p = create_tile_puzzle(3, 3)
        >>> p2 = p.copy()
        >>> p.get_board() == p2.get_board()
        True
        >>> p.perform_move("left")
        True
        >>> p.get_board() == p2.get_board()
        False
        """
        return TilePuzzle(self._board)

    def successors(self) -> Iterator[tuple[str, "TilePuzzle"]]:
        """Yield each possible move with the puzzle after it: up, down, left, right.

        >>> for move, new_p in create_tile_puzzle(3, 3).successors():
        ...     print(move, new_p.get_board())
        up [[1, 2, 3], [4, 5, 0], [7, 8, 6]]
        left [[1, 2, 3], [4, 5, 6], [7, 0, 8]]
        """
        for direction in _STEPS:
            after = self.copy()
            if after.perform_move(direction):
                yield direction, after

    def find_solutions_iddfs(self) -> Iterator[list[str]]:
        """Yield all optimal solutions, each once; none if the board is unsolvable.

        >>> p = TilePuzzle([[1, 2, 3], [4, 0, 8], [7, 6, 5]])
        >>> for solution in p.find_solutions_iddfs():
        ...     print(*solution)
        down right up left down right
        right down left up right down

        The name is the course's. Plansolve's engines find the solutions; on up to nine cells they
        come in the order of a depth-first search that tries up, down, left and right. On larger
        boards the first one comes as soon as it is proved optimal, and the others, in that order,
        when all are known.
        """
        if self.is_solved():
            yield []
            return
        problem = self._problem()
        first: Plan | None = None
        # On few cells all solutions are known as soon as one.
        if problem.puzzle.cells > FEW_CELLS:
            first = proved(problem).plan
            if first is None:
                return
            yield _directions(problem, first)
        others = [plan for plan in proved(problem, "all").plans or () if plan != first]
        order = tuple(_STEPS).index
        plans = (_directions(problem, plan) for plan in others)
        yield from sorted(plans, key=lambda plan: [*map(order, plan)])

    def find_solution_a_star(self) -> list[str] | None:
        """Return an optimal solution, or None if the board is unsolvable.

        >>> TilePuzzle([[4, 1, 2], [0, 5, 3], [7, 8, 6]]).find_solution_a_star()
        ['up', 'right', 'right', 'down', 'down']
        """
        if self.is_solved():
            return []
        problem = self._problem()
        plan = proved(problem).plan
        return None if plan is None else _directions(problem, plan)

    def _cells(self) -> tuple[int, ...]:
        return tuple(tile for row in self._board for tile in row)

    def _problem(self) -> Problem:
        return problem_of(self._board, "sliding")


def _directions(problem: Problem, plan: Plan) -> list[str]:
    return format_plan(plan, problem.puzzle, "words", "blank").split()
