"""A plan from group theory: the board is an element of a group, the plan a product of generators.

The group is that of the operators where none depends on the blank; elsewhere it is that of the
blank's closed walks at its goal cell. Up to `MOST_CELLS` cells this finds a plan wherever there is
one, if the pieces can be told apart and the blank can return from each cell that it can reach.
Where pieces are alike, or the goal leaves cells open, many elements will do, and some are tried.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from random import Random
from time import monotonic

from plansolve.analysis.group import Permutation, PermutationGroup
from plansolve.model.problem import Problem
from plansolve.model.puzzle import OPEN, Plan, Puzzle, State
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.constructive.factorization import (
    Element,
    StabilizerChain,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.generators import ProblemGroup, problem_groups
from plansolve.solvers.search.constructive.level_beam import LevelBeam, begun
from plansolve.solvers.search.constructive.level_products import LevelProducts, level_products
from plansolve.solvers.search.constructive.short_products import ShortProducts
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
_FIRST_WIDTH, _WIDENING = 100, 10
_LAST_WIDTH, _WIDEST = 1000, 100_000
"""Of beams where there is no deadline, and where there is one."""
_FEW_CELLS = 36
"""Up to here a beam over boards finds shorter plans than one wider than the first, and sooner."""
_BEGINNINGS = 4
"""Products that are tried as the plan's beginning, for each remainder of a beam."""
# How much longer a remainder may take in a wider beam, and how much wider one has to be.
_SLOWDOWN, _WORTH_WHILE = 1.3, 1.5
# Elements among which the shortest is taken where several will do, and the search for them.
_ELEMENTS = 20
_STEPS, _SEARCHES = 3000, 30
# Cells up to which a group is soon proved to be complete.
_MOST_PROVED = 40


def group_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """A plan of the whole board, or none where there is none or the rules make no group.

    The first plan comes as soon as the stabilizer chain is complete, better ones as its products
    become shorter, then by beams of rising width down the chain, and at last one without detours.
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
    for plan in _plans(problem, source, group, images, budget):
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
    budget: Budget,
) -> Iterator[Plan | None]:
    """Yield plans as they are found, and None now and then."""
    supply = source.supply()
    few = [*islice(supply, _FILLING)]
    # The first plan is to come soon; more products tell a better order of the points.
    for more, rounds in ((), 0), (supply, _ROUNDS):
        products = ShortProducts(source, chain(few, more), problem.puzzle.cells)
        stabilizers = StabilizerChain(source, group.order, products.base(source.base))
        improvements = (stabilizers.improve() for _ in range(rounds))
        for work in chain([stabilizers.fill(few)], improvements):
            for _ in work:
                yield None
            factors = stabilizers.shortest(_heads(images))
            if factors is None:
                return
            yield _plan(problem, source, factors)
            if stabilizers.is_settled:
                break
    levels = list[LevelProducts]()
    for level in level_products(source, products, stabilizers.transversals):
        levels.append(level)
        yield None
    board, goal = _numbered(problem.puzzle, source.contents)
    beam = LevelBeam(source, levels, goal, is_distinct=problem.puzzle.is_distinct)
    for factors in _wider_beams(beam, products, board, budget):
        yield None if factors is None else _plan(problem, source, factors)


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


def _numbered(puzzle: Puzzle, contents: State) -> tuple[Sequence[int], Sequence[int]]:
    """The board and the goal of a beam: by goal cells, or by kinds from 0 on."""
    if puzzle.is_distinct:
        return puzzle.arrangement(contents), range(puzzle.cells)
    number = {kind: index for index, kind in enumerate(puzzle.kinds)} | {OPEN: OPEN}
    return [number[kind] for kind in contents], [number[kind] for kind in puzzle.goal]


def _wider_beams(
    beam: LevelBeam, products: ShortProducts, board: Sequence[int], budget: Budget
) -> Iterator[bytes | None]:
    """The products that beams of rising width find, and None now and then."""
    width = _FIRST_WIDTH
    while width:
        began = monotonic()
        yield from beam.shortest(begun(board, products, _BEGINNINGS * width), width)
        most = _LAST_WIDTH
        if len(board) <= _FEW_CELLS:
            most = width
        elif budget.deadline is not None:
            left, seconds = budget.deadline - monotonic(), monotonic() - began
            most = min(_WIDEST, int(left / (_SLOWDOWN * seconds) * width))
        wider = 0 if beam.is_whole else min(_WIDENING * width, most)
        width = wider if wider >= _WORTH_WHILE * width else 0


def _heads(images: Sequence[Permutation]) -> list[Element]:
    return [Element(permutation_bytes(image), b"") for image in images]


def _plan(problem: Problem, source: ProblemGroup, factors: bytes) -> Plan:
    return without_detours(problem, source.plan(factors), 0)
