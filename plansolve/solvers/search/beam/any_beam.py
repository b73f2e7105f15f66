"""The beam that suits a puzzle of any kind: guided by tables of its kinds of pieces, where they are
small, else by what is known of a problem in which alike pieces are told apart.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from plansolve.analysis.group import PermutationGroup
from plansolve.analysis.solvability import why_unsolvable
from plansolve.model.problem import Problem
from plansolve.patterns.placement_build import table_length
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.beam.pattern_beam import blank_beam
from plansolve.solvers.search.beam.permutation_beam import permutation_beam
from plansolve.solvers.search.beam.placement_beam import placement_beam
from plansolve.solvers.search.constructive.labelled import labelled, labelled_problems

__all__ = ["any_beam"]

_MOST_BYTES = 8_000_000
"""Tables of single kinds that are built in a second or two."""
_STEPS = 3000


def any_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end where the next does not fit."""
    if _has_small_tables(problem) or problem.is_solved:
        yield from placement_beam(problem, incumbent, budget)
        return
    told_apart = _told_apart(problem)
    if told_apart is None:
        yield from placement_beam(problem, incumbent, budget)
        return
    beam = blank_beam if told_apart.structure.blank_graph is not None else permutation_beam
    # Bounds hold for pieces that have to go to cells of their own, and not for the problem.
    for report in beam(told_apart, incumbent, budget):
        yield replace(report, lower_bound=0)


def _has_small_tables(problem: Problem) -> bool:
    """Whether small tables look at all pieces that the goal places."""
    rules = placement_rules(problem.puzzle)
    if rules is None or sum(len(own.homes) for own in rules.classes.values()) < (
        problem.puzzle.goal_tiles
    ):
        return False
    return sum(table_length(rules, (kind,)) for kind in rules.classes) <= _MOST_BYTES


def _told_apart(problem: Problem) -> Problem | None:
    """A problem of different pieces that has a beam, and is not known to have no plan."""
    if problem.puzzle.is_distinct:
        return None
    for twin in labelled_problems(problem):
        if twin.structure.blank_graph is not None and why_unsolvable(twin) is None:
            return twin
        if twin.structure.is_free:
            return _told_apart_by_group(problem)
    return None


def _told_apart_by_group(problem: Problem) -> Problem | None:
    """Each piece goes where an element of the group takes it; None where none is found."""
    puzzle = problem.puzzle
    moves = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    group = PermutationGroup(moves, puzzle.cells, is_likely=True)
    for seed in range(10):
        found = group.bringing_home(problem.start, problem.goal, Random(seed), _STEPS)
        for goes in islice(found, 1):
            return labelled(problem, dict(enumerate(goes)))
    return None
