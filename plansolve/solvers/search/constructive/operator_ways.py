"""Generators where moves of any kind need the blank somewhere: closed ways of the blank.

An operator takes the blank from one cell to another. A way is a sequence of operators that can be
applied one after the other; those that begin and end with the blank in one cell make a group.
"""

from collections.abc import Iterator, Mapping, Sequence

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, OPEN, Plan, State
from plansolve.solvers.search.constructive.factorization import Element, permutation_bytes

__all__ = ["OperatorWays", "operator_ways"]

# Short products that fill transversals: in all, and boards looked at for the closed ways of one
# cell.
_PRODUCTS = 12000
_BOARDS_OF_A_CELL = 1500

_NO_OPERATOR = 255

_Arcs = Mapping[int, Sequence[tuple[int, int]]]
"""By the blank's cell: operators, and the cells to which they take it."""


def operator_ways(problem: Problem) -> "Iterator[OperatorWays]":
    """Yield the closed ways at each cell that the goal has for the blank, or leaves open for it.

    Those that the blank can reach, the nearest first.
    """
    arcs = _arcs_of(problem)
    out = _ways(arcs, problem.start.index(BLANK))
    homes = [cell for cell, kind in enumerate(problem.goal) if kind == BLANK]
    homes = homes or [cell for cell, kind in enumerate(problem.goal) if kind == OPEN]
    for cell in out:
        if cell in homes:
            yield OperatorWays(problem, arcs, cell, out[cell])


class OperatorWays:
    """Factors are operators, by number; a product begins and ends with the blank in `home`."""

    def __init__(self, problem: Problem, arcs: _Arcs, home: int, way: bytes) -> None:
        puzzle = problem.puzzle
        self._operators, self._arcs, self._way = puzzle.operators, arcs, way
        self._goes = [permutation_bytes(op.destinations(puzzle.cells)) for op in puzzle.operators]
        turned = [_NO_OPERATOR if i is None else i for i in problem.structure.inverses]
        self._turned = bytes(turned).ljust(256, bytes([_NO_OPERATOR]))
        self._out, self._back = _ways(arcs, home), _ways_back(arcs, home)
        board = list(problem.start)
        for operator in way:
            puzzle.operators[operator].apply_to(board)
        self.contents: State = tuple(board)
        self.base: Sequence[int] = [cell for cell in range(puzzle.cells) if cell != home]
        ways = [
            self._out[cell] + bytes([operator]) + self._back[after]
            for cell in self._out
            for operator, after in arcs[cell]
            if after in self._back
        ]
        ways += [self._out[cell] + self._back[cell] for cell in self._out if cell in self._back]
        effects = {
            element.image: element for element in map(self._element, sorted(ways, key=len)[::-1])
        }
        effects.pop(permutation_bytes(()), None)
        self.elements: Sequence[Element] = [*effects.values()]

    def join(self, first: bytes, second: bytes) -> bytes:
        """The factors of a product, without those that the next one takes back."""
        begin, end = 0, len(first)
        while begin < len(second) and end and self._turned[first[end - 1]] == second[begin]:
            begin, end = begin + 1, end - 1
        return first[:end] + second[begin:]

    def inverse(self, factors: bytes) -> bytes | None:
        """The operators that take back a way; None where some cannot be taken back by one."""
        turned = factors[::-1].translate(self._turned)
        return None if _NO_OPERATOR in turned else turned

    def supply(self) -> Iterator[Element]:
        """Short closed ways, shortest first."""
        ways = [
            self._out[cell] + loop + self._back[cell]
            for cell in self._out
            if cell in self._back
            for loop in self._loops(cell)
        ]
        yield from map(self._element, sorted(ways, key=len)[:_PRODUCTS])

    def plan(self, factors: bytes) -> Plan:
        """The plan that a product stands for."""
        return tuple(self._operators[number].name for number in self._way + factors)

    def _element(self, way: bytes) -> Element:
        image, factors = permutation_bytes(()), b""
        for operator in way:
            image = image.translate(self._goes[operator])
            factors = self.join(factors, bytes([operator]))
        return Element(image, factors)

    def _loops(self, cell: int) -> Iterator[bytes]:
        """Short ways from a cell back to it."""
        start = permutation_bytes(())
        seen = {start}
        queue = [(start, cell, b"")]
        for image, blank, way in queue:
            for operator, after in self._arcs[blank]:
                changed = image.translate(self._goes[operator])
                if changed not in seen:
                    seen.add(changed)
                    queue.append((changed, after, way + bytes([operator])))
                    if after == cell:
                        yield queue[-1][2]
            if len(seen) > _BOARDS_OF_A_CELL:
                return


def _arcs_of(problem: Problem) -> _Arcs:
    """Operators with one effect in one place count once."""
    puzzle, cells = problem.puzzle, problem.puzzle.cells
    arcs: dict[int, dict[State, tuple[int, int]]] = {cell: {} for cell in range(cells)}
    for number, operator in enumerate(puzzle.operators):
        goes = operator.destinations(cells)
        for blank in range(cells) if operator.blank is None else (operator.blank,):
            arcs[blank].setdefault(goes, (number, goes[blank]))
    return {cell: [*own.values()] for cell, own in arcs.items()}


def _ways(arcs: _Arcs, first: int) -> dict[int, bytes]:
    """A shortest way from a cell to each one that the blank can reach, the nearest first."""
    ways, queue = {first: b""}, [first]
    for cell in queue:
        for operator, after in arcs[cell]:
            if after not in ways:
                ways[after] = ways[cell] + bytes([operator])
                queue.append(after)
    return ways


def _ways_back(arcs: _Arcs, last: int) -> dict[int, bytes]:
    """A shortest way to a cell from each one from which the blank can reach it."""
    into: dict[int, list[tuple[int, int]]] = {cell: [] for cell in arcs}
    for cell, own in arcs.items():
        for operator, after in own:
            into[after].append((operator, cell))
    return {cell: way[::-1] for cell, way in _ways(into, last).items()}
