"""Random solvable boards of sliding puzzles with any goal."""

from plansolve.model.problem import Problem
from plansolve.puzzles.sliding import sliding
from support.oracle import parity


def random_goal(random, rows, columns):
    """Any board."""
    goal = list(range(rows * columns))
    random.shuffle(goal)
    return tuple(goal)


def random_problem(random, rows, columns, goal=None):
    """A random board that can be brought to the goal, each with the same probability."""
    puzzle = sliding(rows, columns, goal)
    start = list(puzzle.goal)
    random.shuffle(start)
    steps = sum(
        abs(a - b)
        for a, b in zip(
            divmod(start.index(0), columns), divmod(puzzle.goal.index(0), columns), strict=True
        )
    )
    if (parity(start, puzzle.goal) + steps) % 2:
        i, j = [cell for cell, tile in enumerate(start) if tile][:2]
        start[i], start[j] = start[j], start[i]
    return Problem(puzzle, tuple(start))
