"""Alike pieces told apart: a problem of different pieces, whose plans are plans of the problem.

No move asks for more than a blank, so each piece may be given a goal cell of its own. Of several
gaps one stays the blank, and the others become tiles: moves that need the blank find a gap there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Plan


def labelled_soon(problem: Problem) -> Iterator[tuple[Plan, Problem]]:
    """Return the labelled problems after no moves, and, of several gaps, after each first move.

    The moves that remain are those of one gap, so that parity may ask for a move of another one.
    """
    for twin in labelled_problems(problem):
        yield (), twin
    if problem.puzzle.gaps > 1:
        for name, operator in problem.puzzle.applicable(problem.start).items():
            for twin in labelled_problems(Problem(problem.puzzle, operator.apply(problem.start))):
                yield (name,), twin


def labelled_problems(problem: Problem) -> Iterator[Problem]:
    """Yield problems in which each piece has the nearest goal cell that is left, or the blank's.

    There are two for each gap that can be the blank. In the second one two pieces that are alike,
    or end in open cells, have changed places, so that the parities of the two differ. There is one
    if no two are so.
    """
    homes, goal, start = _nearest_homes(problem), problem.goal, problem.start
    gaps = (cell for cell, kind in enumerate(start) if kind == BLANK)
    # With a third gap, two can change places.
    for blank in islice(gaps, 2) if problem.puzzle.has_blank else (None,):
        yield labelled(problem, homes, blank)
        places: dict[int, list[int]] = {}
        for cell, home in homes.items():
            kind = OPEN if goal[home] == OPEN else start[cell]
            if cell != blank:
                places.setdefault(kind, []).append(cell)
        for alike in places.values():
            if len(alike) > 1:
                first, second, *_ = alike
                swapped = {**homes, first: homes[second], second: homes[first]}
                yield labelled(problem, swapped, blank)
                break


def _nearest_homes(problem: Problem) -> dict[int, int]:
    """Return a goal cell for the content of each cell, given out one after the other."""
    structure, homes = problem.structure, dict[int, int]()
    left = {kind: set[int]() for kind in problem.puzzle.kinds}
    for cell, kind in enumerate(problem.start):
        left[kind].add(cell)
    # Open cells come last, when each fixed one has its piece.
    for home in sorted(range(problem.puzzle.cells), key=lambda home: problem.goal[home] == OPEN):
        kind = problem.goal[home]
        some = set().union(*left.values()) if kind == OPEN else left[kind]
        cell = next(iter(some))
        if len(some) > 1:
            distances = structure.tile_distances_to(home)
            cell = min(some, key=lambda cell: (distances[cell], cell))
        left[problem.start[cell]].remove(cell)
        homes[cell] = home
    return homes


def labelled(problem: Problem, homes: Mapping[int, int], blank: int | None) -> Problem:
    """Return the problem in which the content of each cell goes to a goal cell of its own.

    `blank` is the cell of the gap that stays the blank, None if there is none.
    """
    puzzle, cells = problem.puzzle, problem.puzzle.cells
    blank_home = None if blank is None else homes[blank]
    goal = [0] * cells
    tiles = (home for home in range(cells) if home != blank_home)
    for label, home in enumerate(tiles, start=1):
        goal[home] = label
    rules = replace(puzzle, goal=tuple(goal), labels=tuple(map(str, range(cells + 1))), pieces=())
    return Problem(rules, tuple(goal[homes[cell]] for cell in range(cells)))
