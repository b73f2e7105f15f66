"""Alike pieces told apart: a problem of different pieces, whose plans are plans of the problem.

No move asks for more than a blank, so each piece may be given a goal cell of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN

__all__ = ["labelled", "labelled_problems"]


def labelled_problems(problem: Problem) -> Iterator[Problem]:
    """Two problems in which each piece has the nearest goal cell that is left, or the blank's.

    In the second one two pieces that are alike, or end in open cells, have changed places, so that
    the parities of the two differ. There is one where no two are so.
    """
    homes = _nearest_homes(problem)
    yield labelled(problem, homes)
    goal, start = problem.goal, problem.start
    places: dict[int, list[int]] = {}
    for cell, home in homes.items():
        kind = OPEN if goal[home] == OPEN else start[cell]
        if start[cell] != BLANK:
            places.setdefault(kind, []).append(cell)
    for alike in places.values():
        if len(alike) > 1:
            first, second, *_ = alike
            homes[first], homes[second] = homes[second], homes[first]
            yield labelled(problem, homes)
            return


def _nearest_homes(problem: Problem) -> dict[int, int]:
    """For each cell, the goal cell of its content, given out one after the other."""
    structure, homes = problem.structure, dict[int, int]()
    left = {kind: set[int]() for kind in problem.puzzle.kinds}
    for cell, kind in enumerate(problem.start):
        left[kind].add(cell)
    # Open cells come last, when each fixed one has its piece.
    for home in sorted(range(problem.puzzle.cells), key=lambda home: problem.goal[home] == OPEN):
        kind, distances = problem.goal[home], structure.tile_distances_to(home)
        some = set().union(*left.values()) if kind == OPEN else left[kind]
        cell = min(some, key=lambda cell: (distances[cell], cell))
        left[problem.start[cell]].remove(cell)
        homes[cell] = home
    return homes


def labelled(problem: Problem, homes: Mapping[int, int]) -> Problem:
    """The problem in which the content of each cell goes to a goal cell of its own."""
    puzzle, cells = problem.puzzle, problem.puzzle.cells
    blank = homes[problem.start.index(BLANK)] if puzzle.has_blank else None
    goal = [0] * cells
    tiles = (home for home in range(cells) if home != blank)
    for label, home in enumerate(tiles, start=1):
        goal[home] = label
    rules = replace(puzzle, goal=tuple(goal), labels=tuple(map(str, range(cells + 1))), pieces=())
    return Problem(rules, tuple(goal[homes[cell]] for cell in range(cells)))
