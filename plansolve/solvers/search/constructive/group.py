"""A plan from group theory: the board is an element of a group, the plan a product of generators.

The group is that of the operators if none depends on the blank; elsewhere it is that of the blank's
closed walks at its goal cell. Up to `MOST_CELLS` cells this finds a plan wherever there is one, if
the pieces can be told apart and the blank can return from each cell that it can reach. If pieces
are alike, or the goal leaves cells open, many elements will do, and some are tried.

An operator takes the blank from one cell to another. A way is a sequence of operators that can be
applied one after the other; those that begin and end with the blank in one cell make a group.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from math import lcm
from random import Random

import numpy as np

from plansolve.analysis.group import Permutation, PermutationGroup
from plansolve.analysis.ways import arcs_of
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Plan, State
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.constructive.factorization import (
    MOST_POINTS,
    Element,
    Generators,
    StabilizerChain,
    inverse_bytes,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.shortcuts import without_detours
from plansolve.storage.store import Tell

# Short products: of operators and of closed ways, and boards looked at for the closed ways of one
# cell.
_PRODUCTS, _WAYS = 60_000, 12_000
_BOARDS_OF_A_CELL = 1500


class ProblemGroup(Generators, ABC):
    """The generators of the group of which an element solves a problem, and the way back.

    `contents` is the board that the element makes a goal of; its factors are a plan. `base` holds
    the cells to solve.
    """

    contents: State
    base: Sequence[int]

    @abstractmethod
    def supply(self) -> Iterator[Element]:
        """Yield short products, shortest first as far as that is cheap."""

    @abstractmethod
    def plan(self, factors: str) -> Plan:
        """Return the plan that a product of generators stands for."""


def problem_groups(problem: Problem) -> Iterator[ProblemGroup]:
    """Yield the groups of the problem; none on more than `MOST_POINTS` cells.

    There is one if no move depends on the blank; else one for each cell that the goal has for
    the blank, or leaves open for it, and which it can reach, the nearest first. Only ways that can
    be left again for that cell count.
    """
    puzzle = problem.puzzle
    if puzzle.cells > MOST_POINTS:
        return
    if all(operator.blank is None for operator in puzzle.operators):
        yield _Operators(problem)
        return
    arcs = {
        cell: [(arc.operator, arc.head) for arc in own] for cell, own in arcs_of(puzzle).items()
    }
    out = _ways(arcs, problem.start.index(BLANK))
    homes = [cell for cell, kind in enumerate(problem.goal) if kind == BLANK]
    homes = homes or [cell for cell, kind in enumerate(problem.goal) if kind == OPEN]
    for cell in out:
        if cell in homes:
            yield _ClosedWays(problem, arcs, cell, out[cell])


def _order(image: bytes) -> int:
    """Return the least power of a permutation that is the identity."""
    lengths = set()
    for point in range(256):
        length, other = 1, image[point]
        while other != point:
            length, other = length + 1, image[other]
        lengths.add(length)
    return lcm(*lengths)


class _Operators(ProblemGroup):
    """Generators are the operators, by index, and then the inverses that are no operators.

    Such an inverse stands for the operator as often as it takes to come round to it. Written out
    at once, these powers would grow from level to level of a table.
    """

    def __init__(self, problem: Problem) -> None:
        puzzle, count = problem.puzzle, len(problem.puzzle.operators)
        self.contents = problem.start
        self.base = range(puzzle.cells)
        images = [
            permutation_bytes(operator.destinations(puzzle.cells)) for operator in puzzle.operators
        ]
        self._meaning: list[Plan] = [(operator.name,) for operator in puzzle.operators]
        turned = [*problem.structure.inverses]
        for index in range(count):
            if turned[index] is None:
                turned[index] = len(images)
                turned.append(index)
                self._meaning.append(self._meaning[index] * (_order(images[index]) - 1))
                images.append(inverse_bytes(images[index]))
        self.elements = [Element(image, chr(index)) for index, image in enumerate(images)]
        self.turned = turned

    def supply(self) -> Iterator[Element]:
        return islice(self._distinct(), _PRODUCTS)

    def _distinct(self) -> Iterator[Element]:
        """Yield the elements of the group, the shortest products first."""
        element = Element(permutation_bytes(()), "")
        seen, queue = {element.image}, [element]
        for element in queue:
            for generator in self.elements:
                image = element.image.translate(generator.image)
                if image not in seen:
                    seen.add(image)
                    queue.append(Element(image, element.factors + generator.factors))
                    yield queue[-1]

    def plan(self, factors: str) -> Plan:
        return tuple(name for factor in factors for name in self._meaning[ord(factor)])


_Arcs = Mapping[int, Sequence[tuple[int, int]]]
"""By the blank's cell: operators, and the cells to which they take it."""


class _ClosedWays(ProblemGroup):
    """Factors are operators; a product begins and ends with the blank in `home`."""

    def __init__(self, problem: Problem, arcs: _Arcs, home: int, way: str) -> None:
        puzzle = problem.puzzle
        self._operators, self._arcs, self._way = puzzle.operators, arcs, way
        self._goes = [permutation_bytes(op.destinations(puzzle.cells)) for op in puzzle.operators]
        self.turned = _turned(problem, arcs)
        self._out, self._back = _ways(arcs, home), _ways_back(arcs, home)
        board = list(problem.start)
        for operator in way:
            puzzle.operators[ord(operator)].apply_to(board)
        self.contents = tuple(board)
        others = (cell for cell in range(puzzle.cells) if cell != home)
        self.base = sorted(others, key=lambda cell: -len(self._out.get(cell, "")))
        ways = [
            self._out[cell] + chr(operator) + self._back[after]
            for cell in self._out
            for operator, after in arcs[cell]
            if after in self._back
        ]
        ways += [self._out[cell] + self._back[cell] for cell in self._out if cell in self._back]
        effects = {
            element.image: element for element in map(self._element, sorted(ways, key=len)[::-1])
        }
        effects.pop(permutation_bytes(()), None)
        self.elements = [*effects.values()]

    def supply(self) -> Iterator[Element]:
        ways = [
            self._out[cell] + loop + self._back[cell]
            for cell in self._out
            if cell in self._back
            for loop in self._loops(cell)
        ]
        yield from map(self._element, sorted(ways, key=len)[:_WAYS])

    def plan(self, factors: str) -> Plan:
        return tuple(self._operators[ord(number)].name for number in self._way + factors)

    def _element(self, way: str) -> Element:
        image, factors = permutation_bytes(()), ""
        for operator in way:
            image = image.translate(self._goes[ord(operator)])
            factors = self.join(factors, operator)
        return Element(image, factors)

    def _loops(self, cell: int) -> Iterator[str]:
        """Yield short ways from a cell back to it."""
        start = permutation_bytes(())
        seen = {start}
        queue = [(start, cell, "")]
        for image, blank, way in queue:
            for operator, after in self._arcs[blank]:
                changed = image.translate(self._goes[operator])
                if changed not in seen:
                    seen.add(changed)
                    queue.append((changed, after, way + chr(operator)))
                    if after == cell:
                        yield queue[-1][2]
            if len(seen) > _BOARDS_OF_A_CELL:
                return


def _turned(problem: Problem, arcs: _Arcs) -> Sequence[int | None]:
    """Return for each operator the one that takes it back, of several that which ways have."""
    kept = {operator for own in arcs.values() for operator, _ in own}
    turned = [*problem.structure.inverses]
    goes = [operator.destinations(problem.puzzle.cells) for operator in problem.puzzle.operators]
    same = {(problem.puzzle.operators[number].blank, goes[number]): number for number in kept}
    for number, other in enumerate(turned):
        if other is not None:
            turned[number] = same.get((problem.puzzle.operators[other].blank, goes[other]), other)
    return turned


def _ways(arcs: _Arcs, first: int) -> dict[int, str]:
    """Return a shortest way from a cell to each that the blank can reach, the nearest first."""
    ways, queue = {first: ""}, [first]
    for cell in queue:
        for operator, after in arcs[cell]:
            if after not in ways:
                ways[after] = ways[cell] + chr(operator)
                queue.append(after)
    return ways


def _ways_back(arcs: _Arcs, last: int) -> dict[int, str]:
    """Return a shortest way to a cell from each from which the blank can reach it."""
    into: dict[int, list[tuple[int, int]]] = {cell: [] for cell in arcs}
    for cell, own in arcs.items():
        for operator, after in own:
            into[after].append((operator, cell))
    return {cell: way[::-1] for cell, way in _ways(into, last).items()}


BY = "group theory"

MOST_CELLS = 144
"""Beyond this the stabilizer chain takes too long."""

# Short products that fill transversals, and rounds in which these become shorter.
_FILLING, _ROUNDS = 12_000, 12
_BOARDS_NEAR = 60_000
"""Boards around all boards of the plan that are looked at for shorter ways."""
# Elements among which the shortest is taken if several will do, and the search for them.
_ELEMENTS = 20
_STEPS, _SEARCHES = 3000, 30
# Cells up to which a group is soon proved to be complete.
_MOST_PROVED = 40


def group_constructive(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Return a plan of the whole board, or none if there is none or the rules make no group.

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
    problem: Problem, source: ProblemGroup, group: PermutationGroup, images: Sequence[Permutation]
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
    """Return some elements that solve the problem; searches begin anew, since one may go astray."""
    found: dict[Permutation, None] = {}
    for seed in range(_SEARCHES):
        ways = group.bringing_home(source.contents, problem.goal, Random(seed), _STEPS)
        found |= dict.fromkeys(islice(ways, 1))
        if problem.puzzle.is_distinct or len(found) == _ELEMENTS:
            break
    return [*found]
