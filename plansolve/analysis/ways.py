"""Ways of the blank of any puzzle that has one, and the group that the closed ones generate.

An operator takes the blank from one cell to another, and so is an arc of a graph whose vertices are
the blank's cells. Ways along the arcs that begin and end in the blank's goal cell permute the other
cells' contents, and these permutations form a group. Each arc adds one generator: from the goal
cell along a spanning tree to the arc, along it, and back along the tree (the fundamental group of
a graph; Wilson 1974 for exchanges). Arcs count in both directions here. If the graph is
strongly connected each way back is a way forwards too: the boards are finitely many, so that a way
that is repeated comes back to where it began.
"""

from collections import deque
from dataclasses import dataclass
from functools import cached_property

from plansolve.analysis.group import Permutation, inverse, then
from plansolve.model.puzzle import BLANK, Puzzle, State
from plansolve.model.structure import UNREACHABLE, breadth_first, reverse


@dataclass(frozen=True)
class Arc:
    """An operator takes the blank from a cell to a cell, and contents to their destinations."""

    operator: int
    tail: int
    head: int
    goes: Permutation


def arcs_of(puzzle: Puzzle) -> dict[int, list[Arc]]:
    """Return the arcs from each cell; of operators with one effect there the least penalty."""
    arcs: dict[int, dict[Permutation, Arc]] = {cell: {} for cell in range(puzzle.cells)}
    for number in sorted(range(len(puzzle.operators)), key=lambda n: puzzle.operators[n].penalty):
        operator = puzzle.operators[number]
        goes = operator.destinations(puzzle.cells)
        for blank in arcs if operator.blank is None else (operator.blank,):
            arcs[blank].setdefault(goes, Arc(number, blank, goes[blank], goes))
    return {cell: [*own.values()] for cell, own in arcs.items()}


class OperatorWalks:
    """The ways of the blank of a puzzle that has one, and what they do to the board."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self._home = puzzle.home[BLANK]
        self._arcs = [arc for own in arcs_of(puzzle).values() for arc in own]

    @cached_property
    def is_strongly_connected(self) -> bool:
        """Return True if the blank can get from each of the `cells` to each other."""
        arcs = [[arc.head for arc in self._arcs if arc.tail == b] for b in range(self.puzzle.cells)]
        return all(
            breadth_first(graph, self._home)[cell] != UNREACHABLE
            for graph in (arcs, reverse(arcs))
            for cell in self.cells
        )

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The cells that ways of the blank join to its goal cell."""
        return joined_cells(self.puzzle, self._home)

    @cached_property
    def generators(self) -> tuple[Permutation, ...]:
        """Return the cells to which closed ways from the blank's goal cell take each content."""
        closed = {
            then(then(self._ways[arc.tail], arc.goes), inverse(self._ways[arc.head]))
            for arc in self._arcs
            if arc.tail in self._ways
        }
        return tuple(sorted(closed - {tuple(range(self.puzzle.cells))}))

    def taken_away(self, board: State, cell: int) -> State:
        """Return the board after the way that takes the blank from its goal cell to another one."""
        return tuple(board[source] for source in inverse(self._ways[cell]))

    def brought_home(self, board: State) -> State | None:
        """Return the board after some way, either direction counting, that brings the blank home.

        None if no such way joins the two cells.
        """
        way = self._ways.get(board.index(BLANK))
        return None if way is None else tuple(board[cell] for cell in way)

    @cached_property
    def _ways(self) -> dict[int, Permutation]:
        """For each cell of the blank, where a way from its goal cell takes each cell's content."""
        ways = {self._home: tuple(range(self.puzzle.cells))}
        steps: dict[int, list[tuple[int, Permutation]]] = {}
        for arc in sorted(self._arcs, key=lambda arc: (arc.tail, arc.head, arc.goes)):
            steps.setdefault(arc.tail, []).append((arc.head, arc.goes))
            steps.setdefault(arc.head, []).append((arc.tail, inverse(arc.goes)))
        queue = deque([self._home])
        while queue:
            cell = queue.popleft()
            for head, goes in steps.get(cell, ()):
                if head not in ways:
                    ways[head] = then(ways[cell], goes)
                    queue.append(head)
        return ways


def joined_cells(puzzle: Puzzle, cell: int) -> tuple[int, ...]:
    """Return the cells that ways of the blank, either direction counting, join to one, sorted."""
    joined: list[list[int]] = [[] for _ in range(puzzle.cells)]
    for operator in puzzle.operators:
        for head, tail in operator.moves:
            if operator.blank in (None, tail):
                joined[tail].append(head)
                joined[head].append(tail)
    distance = breadth_first(joined, cell)
    return tuple(other for other, steps in enumerate(distance) if steps != UNREACHABLE)


def walks_of(puzzle: Puzzle) -> OperatorWalks:
    """Return the ways of a puzzle's blank, worked out once for all who hold the same object."""
    if "walks" not in puzzle.derived:
        puzzle.derived["walks"] = OperatorWalks(puzzle)
    walks: OperatorWalks = puzzle.derived["walks"]
    return walks
