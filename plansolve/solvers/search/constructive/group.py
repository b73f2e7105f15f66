"""A plan from group theory: the board is an element of a group, the plan a product of generators.

The group is that of the operators where none depends on the blank; elsewhere it is that of the
blank's closed walks at its goal cell. Up to `MOST_CELLS` cells this finds a plan wherever there is
one, if the pieces can be told apart and the blank can return from each cell that it can reach.
Where pieces are alike, or the goal leaves cells open, many elements will do, and some are tried.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random

import numpy as np

from plansolve.analysis.group import Permutation, PermutationGroup
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.constructive.factorization import (
    Element,
    StabilizerChain,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.generators import ProblemGroup, problem_groups
from plansolve.solvers.search.constructive.shortcuts import without_detours
from plansolve.storage.store import Tell

__all__ = ["MOST_CELLS", "group_constructive"]

BY = "group theory"

MOST_CELLS = 144
"""Beyond this the stabilizer chain takes too long."""

# Short products that fill transversals, and rounds in which these become shorter.
_FILLING, _ROUNDS = 12_000, 12
_BOARDS_NEAR = 60_000
"""Boards around all boards of the plan that are looked at for shorter ways."""
# Elements among which the shortest is taken where several will do, and the search for them.
_ELEMENTS = 20
_STEPS, _SEARCHES = 3000, 30
# Cells up to which a group is soon proved to be complete.
_MOST_PROVED = 40


def group_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """A plan of the whole board, or none where there is none or the rules make no group.

    The first plan comes as soon as the stabilizer chain is complete, better ones as its products
    become shorter, and at last one without detours.
    """
    cells = problem.puzzle.cells
    if cells > MOST_CELLS or incumbent.is_closed:
        return
    for source in problem_groups(problem):
        group = yield from run_in_background(partial(_chain, source, cells), BY)
        if images := _elements(problem, source, group):
            break
    else:
        return
    best: Plan | None = None
    for plan in _plans(problem, source, group, images):
        if incumbent.is_closed:
            return
        if plan is not None and (best is None or len(plan) < len(best)):
            best = plan
            yield Report(BY, best)
        else:
            yield Report(BY)
    if best:
        plan = without_detours(problem, best, _BOARDS_NEAR // len(best))
        if len(plan) < len(best):
            yield Report(BY, plan)


def _plans(
    problem: Problem,
    source: ProblemGroup,
    group: PermutationGroup,
    images: Sequence[Permutation],
) -> Iterator[Plan | None]:
    """Yield plans as they are found, and None now and then."""
    few = [*islice(source.supply(), _FILLING)]
    stabilizers = StabilizerChain(source, group.order, _base(source, few))
    heads = [Element(permutation_bytes(image), "") for image in images]
    for number in range(_ROUNDS + 1):
        for _ in stabilizers.improve() if number else stabilizers.fill(few):
            yield None
        factors = stabilizers.shortest(heads)
        if factors is None:
            return
        yield without_detours(problem, source.plan(factors), 0)
        if stabilizers.is_settled:
            return


def _base(source: ProblemGroup, products: Sequence[Element]) -> list[int]:
    """Return the points in an order in which those come first that most short products leave.

    So the last ones are moved by the same few generators, and have the most short products to
    themselves. A point that goes nowhere without those before it follows them at once.
    """
    order, left = list[int](), np.array(source.base, np.intp)
    elements = [*source.elements, *products]
    whole = np.frombuffer(b"".join(element.image for element in elements), np.uint8)
    images = whole.reshape(-1, 256)
    while left.size:
        stays = (images[:, left] == left).sum(0)
        bound = stays == stays.max()
        if stays.max() < len(images):
            bound &= bound.cumsum() == 1
        order += left[bound].tolist()
        images = images[(images[:, left[bound]] == left[bound]).all(1)]
        left = left[~bound]
    return order


def _chain(source: ProblemGroup, cells: int, tell: Tell) -> PermutationGroup:
    generators = [tuple(element.image[:cells]) for element in source.elements]
    # In the unlikely case that it is not the whole group there may be no plan.
    return PermutationGroup(generators, cells, is_likely=cells > _MOST_PROVED)


def _elements(problem: Problem, source: ProblemGroup, group: PermutationGroup) -> list[Permutation]:
    """Some elements that solve the problem; searches begin anew, since one may go astray."""
    found: dict[Permutation, None] = {}
    for seed in range(_SEARCHES):
        ways = group.bringing_home(source.contents, problem.goal, Random(seed), _STEPS)
        found |= dict.fromkeys(islice(ways, 1))
        if problem.puzzle.is_distinct or len(found) == _ELEMENTS:
            break
    return [*found]
