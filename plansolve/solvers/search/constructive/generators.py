"""The generators of a problem's group: its operators, or closed walks of its blank."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from math import lcm
from typing import Protocol

from plansolve.analysis.closed_walks import Walk, carried, edge_walks, walked, ways_from, ways_to
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.model.structure import BlankGraph, breadth_first
from plansolve.solvers.search.constructive.factorization import (
    MOST_POINTS,
    Element,
    Generators,
    inverse_bytes,
    permutation_bytes,
)
from plansolve.solvers.search.constructive.operator_ways import operator_ways

__all__ = ["ProblemGroup", "problem_groups"]

# Short products: of operators and of closed walks, and boards looked at for the closed walks of one
# cell.
_PRODUCTS, _WALKS = 60_000, 12_000
_BOARDS_OF_A_CELL = 1500


class ProblemGroup(Generators, Protocol):
    """The generators of the group of which an element solves a problem, and the way back.

    `contents` is the board that the element makes a goal of; its factors are a plan. `base` holds
    the cells to solve.
    """

    contents: State
    base: Sequence[int]

    def supply(self) -> Iterator[Element]:
        """Short products, shortest first as far as that is cheap."""

    def plan(self, factors: bytes) -> Plan:
        """The plan that a product of generators stands for."""


def problem_groups(problem: Problem) -> Iterator[ProblemGroup]:
    """Yield the groups of the problem; none where its moves make none, or are too many for a byte.

    They make one where no move depends on the blank; else the blank must be able to get from its
    cell to a goal cell, and the ways count that can be left again for it. There are several where
    the goal leaves open where the blank ends.
    """
    puzzle, graph = problem.puzzle, problem.structure.blank_graph
    if puzzle.cells > MOST_POINTS:
        return
    if all(operator.blank is None for operator in puzzle.operators):
        if len(puzzle.operators) + problem.structure.inverses.count(None) <= MOST_POINTS:
            yield _Operators(problem)
    elif graph is None:
        if len(puzzle.operators) <= MOST_POINTS:
            yield from operator_ways(problem)
    else:
        home = problem.goal.index(BLANK)
        if problem.start.index(BLANK) in ways_from(graph.successors, home):
            yield _ClosedWalks(problem, graph, home)


def _order(image: bytes) -> int:
    """The least power of a permutation that is the identity."""
    lengths = set()
    for point in range(256):
        length, other = 1, image[point]
        while other != point:
            length, other = length + 1, image[other]
        lengths.add(length)
    return lcm(*lengths)


class _Operators:
    """Generators are the operators, by index, and then the inverses that are no operators.

    Such an inverse stands for the operator as often as it takes to come round to it. Written out
    at once, these powers would grow from level to level of a table.
    """

    def __init__(self, problem: Problem) -> None:
        puzzle, count = problem.puzzle, len(problem.puzzle.operators)
        self.contents = problem.start
        self.base: Sequence[int] = range(puzzle.cells)
        images = [
            permutation_bytes(operator.destinations(puzzle.cells)) for operator in puzzle.operators
        ]
        self._meaning: list[Plan] = [(operator.name,) for operator in puzzle.operators]
        turned = [index if index is not None else -1 for index in problem.structure.inverses]
        for index in range(count):
            if turned[index] < 0:
                turned[index] = len(images)
                turned.append(index)
                self._meaning.append(self._meaning[index] * (_order(images[index]) - 1))
                images.append(inverse_bytes(images[index]))
        self.elements: Sequence[Element] = [
            Element(image, bytes([index])) for index, image in enumerate(images)
        ]
        self._turned = bytes(turned).ljust(256)

    def join(self, first: bytes, second: bytes) -> bytes:
        begin, end = 0, len(first)
        while begin < len(second) and end and self._turned[first[end - 1]] == second[begin]:
            begin, end = begin + 1, end - 1
        return first[:end] + second[begin:]

    def inverse(self, factors: bytes) -> bytes | None:
        return factors[::-1].translate(self._turned)

    def supply(self) -> Iterator[Element]:
        return islice(self._distinct(), _PRODUCTS)

    def _distinct(self) -> Iterator[Element]:
        """The elements of the group, the shortest products first."""
        element = Element(permutation_bytes(()), b"")
        seen, queue = {element.image}, [element]
        for element in queue:
            for generator in self.elements:
                image = element.image.translate(generator.image)
                if image not in seen:
                    seen.add(image)
                    queue.append(Element(image, element.factors + generator.factors))
                    yield queue[-1]

    def plan(self, factors: bytes) -> Plan:
        return tuple(name for factor in factors for name in self._meaning[factor])


class _ClosedWalks:
    """Factors are the cells that the blank goes to; a product begins and ends in its goal cell."""

    def __init__(self, problem: Problem, graph: BlankGraph, home: int) -> None:
        self._cells = problem.puzzle.cells
        self._graph, self._home = graph, home
        self._out = ways_from(graph.successors, home)
        self._back = ways_to(graph.successors, home)
        self._way = self._back[problem.start.index(BLANK)]
        self.contents = walked(problem.start, self._way)
        self.elements: Sequence[Element] = [self._element(walk) for walk in edge_walks(graph, home)]

        distance = breadth_first(graph.successors, home)
        cells = (cell for cell in self._out if cell != home)
        self.base: Sequence[int] = sorted(cells, key=lambda cell: -distance[cell])

    def _element(self, walk: Walk) -> Element:
        image = permutation_bytes(carried(self._cells, walk))
        factors = b""
        for cell in walk[1:]:
            factors = self.join(factors, bytes([cell]))
        return Element(image, factors)

    def join(self, first: bytes, second: bytes) -> bytes:
        # Going back to the cell before the last one undoes the last step.
        begin, end = 0, len(first)
        while (
            begin < len(second)
            and end
            and second[begin] == (first[end - 2] if end > 1 else self._home)
        ):
            begin, end = begin + 1, end - 1
        return first[:end] + second[begin:]

    def inverse(self, factors: bytes) -> bytes | None:
        turned = bytes([self._home, *factors])[::-1]
        if all(d in self._graph.names[b] for b, d in pairwise(turned)):
            return turned[1:]
        return None

    def supply(self) -> Iterator[Element]:
        walks = [
            (*self._out[cell], *loop, *self._back[cell][1:])
            for cell in self._out
            if cell in self._back
            for loop in self._loops(cell)
        ]
        yield from map(self._element, sorted(walks, key=len)[:_WALKS])

    def _loops(self, cell: int) -> Iterator[Walk]:
        """Short closed walks at a cell, without the cell at their beginning, shortest first."""
        board = tuple(range(self._cells))
        seen = {board}
        queue: list[tuple[State, Walk]] = [(board, (cell,))]
        for board, walk in queue:
            for neighbour in self._graph.successors[walk[-1]]:
                after = walked(board, (walk[-1], neighbour))
                if after not in seen:
                    seen.add(after)
                    queue.append((after, (*walk, neighbour)))
                    if neighbour == cell:
                        yield queue[-1][1][1:]
            if len(seen) > _BOARDS_OF_A_CELL:
                return

    def plan(self, factors: bytes) -> Plan:
        return self._graph.plan((*self._way, *factors))
