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
from plansolve.model.puzzle import Plan
from plansolve.patterns.placement_build import table_length
from plansolve.patterns.placement_rules import placement_rules
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.beam.pattern_beam import blank_beam
from plansolve.solvers.search.beam.permutation_beam import permutation_beam
from plansolve.solvers.search.beam.placement_beam import placement_beam
from plansolve.solvers.search.constructive.labelled import labelled, labelled_soon
from plansolve.solvers.search.constructive.shortcuts import without_detours

__all__ = ["any_beam"]

_MOST_BYTES = 8_000_000
"""Tables of single kinds that are built in a second or two."""
_STEPS = 3000
_FEW_CELLS = 16
"""With several gaps, tables find shorter plans than the moves of one of them up to here."""


def any_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end where the next does not fit."""
    is_large = problem.puzzle.gaps > 1 and problem.puzzle.cells > _FEW_CELLS
    if problem.is_solved or (_has_small_tables(problem) and not is_large):
        yield from placement_beam(problem, incumbent, budget)
        return
    told_apart = _told_apart(problem)
    if told_apart is None:
        yield from placement_beam(problem, incumbent, budget)
        return
    first, twin = told_apart
    beam = blank_beam if twin.structure.blank_graph is not None else permutation_beam
    # Bounds hold for pieces that have to go to cells of their own, and not for the problem.
    own = Incumbent(upper_bound=incumbent.upper_bound - len(first))
    for report in beam(twin, own, budget):
        plan = report.plan
        if plan is not None and problem.puzzle.gaps > 1:
            # Gaps have changed places with each other.
            plan = without_detours(problem, (*first, *plan), 0)
            incumbent.lower_upper_bound(len(plan))
        yield replace(report, plan=plan, lower_bound=0)
        if incumbent.is_closed:
            return
        own.lower_upper_bound(incumbent.upper_bound - len(first))


def _has_small_tables(problem: Problem) -> bool:
    """Whether small tables look at all pieces that the goal places."""
    rules = placement_rules(problem.puzzle)
    if rules is None or sum(len(own.homes) for own in rules.classes.values()) < (
        problem.puzzle.goal_tiles
    ):
        return False
    return sum(table_length(rules, (kind,)) for kind in rules.classes) <= _MOST_BYTES


def _told_apart(problem: Problem) -> tuple[Plan, Problem] | None:
    """First moves, and a problem of different pieces that has a beam after them, and a plan as far
    as is known.
    """
    if problem.puzzle.is_distinct:
        return None
    for first, twin in labelled_soon(problem):
        if twin.structure.blank_graph is not None and why_unsolvable(twin) is None:
            return first, twin
        if twin.structure.is_free:
            by_group = _told_apart_by_group(problem)
            return None if by_group is None else ((), by_group)
    return None


def _told_apart_by_group(problem: Problem) -> Problem | None:
    """Each piece goes where an element of the group takes it; None where none is found."""
    puzzle = problem.puzzle
    moves = [operator.destinations(puzzle.cells) for operator in puzzle.operators]
    group = PermutationGroup(moves, puzzle.cells, is_likely=True)
    for seed in range(10):
        found = group.bringing_home(problem.start, problem.goal, Random(seed), _STEPS)
        for goes in islice(found, 1):
            return labelled(problem, dict(enumerate(goes)), None)
    return None
