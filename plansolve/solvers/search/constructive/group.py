"""A plan from group theory: the board is an element of a group, the plan a word for it.

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
    WordTable,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.generators import WordSource, word_source
from plansolve.solvers.search.constructive.shortcuts import without_detours

__all__ = ["MOST_CELLS", "group_constructive"]

BY = "group theory"

MOST_CELLS = 144
"""Beyond this the table of words takes too long."""

# Rounds in which words are shortened, short words that are tried as the plan's beginning, and
# boards around all boards of the plan that are looked at for shorter ways.
_ROUNDS = 12
_BEGINNINGS = 300
_BOARDS_NEAR = 60_000


def group_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """A plan of the whole board, or none where there is none or the rules make no group.

    The first plan comes as soon as the table of words is complete, better ones as its words
    become shorter, and then one without its detours.
    """
    cells = problem.puzzle.cells
    source = word_source(problem) if cells <= MOST_CELLS else None
    if source is None or incumbent.is_closed:
        return
    generators = [tuple(element.image[:cells]) for element in source.generators]
    group = yield from run_in_background(lambda tell: PermutationGroup(generators, cells), BY)
    if source.image not in group:
        return
    table = WordTable(source, source.generators, source.base, group.order)
    best: Plan | None = None
    for work in chain([table.fill(source.supply())], (table.improve() for _ in range(_ROUNDS))):
        for _ in work:
            yield Report(BY)
            if incumbent.is_closed:
                return
        plan = _plan(problem, source, table)
        if best is None or len(plan) < len(best):
            best = plan
            yield Report(BY, best)
        if table.is_settled:
            break
    if best:
        plan = without_detours(problem, best, _BOARDS_NEAR // len(best))
        if len(plan) < len(best):
            yield Report(BY, plan)


def _plan(problem: Problem, source: WordSource, table: WordTable) -> Plan:
    image = permutation_bytes(source.image)
    beginnings = islice(source.supply(), _BEGINNINGS)
    heads = [
        Element(bytes.maketrans(first.image, bytes(range(256))).translate(image), first.word)
        for first in chain([Element(permutation_bytes(()), b"")], beginnings)
    ]
    word = table.shortest(heads)
    assert word is not None, "an element of the group has a word"
    return without_detours(problem, source.plan(word), 0)
