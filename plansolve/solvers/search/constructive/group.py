"""A plan from group theory: the board is an element of a group, the plan a product of generators.

The group is that of the operators where none depends on the blank; where the blank walks on a
graph it is that of its closed walks at its goal cell. Up to `MOST_CELLS` cells this finds a plan
wherever there is one, if the blank can return from each cell that it can reach.
"""

from collections.abc import Iterator
from itertools import chain, islice

from plansolve.analysis.group import PermutationGroup
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.constructive.factorization import (
    Element,
    StabilizerChain,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.generators import ProblemGroup, problem_group
from plansolve.solvers.search.constructive.shortcuts import without_detours

__all__ = ["MOST_CELLS", "group_constructive"]

BY = "group theory"

MOST_CELLS = 144
"""Beyond this the stabilizer chain takes too long."""

# Rounds in which products are shortened, short ones that are tried as the plan's beginning, and
# boards around all boards of the plan that are looked at for shorter ways.
_ROUNDS = 12
_BEGINNINGS = 300
_BOARDS_NEAR = 60_000


def group_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """A plan of the whole board, or none where there is none or the rules make no group.

    The first plan comes as soon as the stabilizer chain is complete, better ones as its products
    become shorter, and then one without its detours.
    """
    cells = problem.puzzle.cells
    source = problem_group(problem) if cells <= MOST_CELLS else None
    if source is None or incumbent.is_closed:
        return
    generators = [tuple(element.image[:cells]) for element in source.elements]
    group = yield from run_in_background(lambda tell: PermutationGroup(generators, cells), BY)
    if source.image not in group:
        return
    stabilizers = StabilizerChain(source, group.order)
    best: Plan | None = None
    rounds = (stabilizers.improve() for _ in range(_ROUNDS))
    for work in chain([stabilizers.fill(source.supply())], rounds):
        for _ in work:
            yield Report(BY)
            if incumbent.is_closed:
                return
        plan = _plan(problem, source, stabilizers)
        if best is None or len(plan) < len(best):
            best = plan
            yield Report(BY, best)
        if stabilizers.is_settled:
            break
    if best:
        plan = without_detours(problem, best, _BOARDS_NEAR // len(best))
        if len(plan) < len(best):
            yield Report(BY, plan)


def _plan(problem: Problem, source: ProblemGroup, stabilizers: StabilizerChain) -> Plan:
    image = permutation_bytes(source.image)
    beginnings = islice(source.supply(), _BEGINNINGS)
    heads = [
        Element(bytes.maketrans(first.image, bytes(range(256))).translate(image), first.factors)
        for first in chain([Element(permutation_bytes(()), b"")], beginnings)
    ]
    factors = stabilizers.shortest(heads)
    assert factors is not None, "an element of the group is a product of generators"
    return without_detours(problem, source.plan(factors), 0)
