"""The structure that engines may exploit, derived from operators and never from a name."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from plansolve.model.puzzle import BLANK, OPEN, Operator, Plan, Puzzle, State

UNREACHABLE = 1 << 30
"""An infinite distance; larger than any horizon."""

Adjacency: TypeAlias = Sequence[Sequence[int]]


def breadth_first(adjacency: Adjacency, *sources: int) -> list[int]:
    """Return the number of arcs from a source to each vertex, `UNREACHABLE` without a path."""
    distance = [UNREACHABLE] * len(adjacency)
    for source in sources:
        distance[source] = 0
    queue = deque(sources)
    while queue:
        vertex = queue.popleft()
        for neighbour in adjacency[vertex]:
            if distance[neighbour] == UNREACHABLE:
                distance[neighbour] = distance[vertex] + 1
                queue.append(neighbour)
    return distance


def reverse(adjacency: Adjacency) -> list[list[int]]:
    """Return the graph with every arc reversed."""
    turned: list[list[int]] = [[] for _ in adjacency]
    for vertex, neighbours in enumerate(adjacency):
        for neighbour in neighbours:
            turned[neighbour].append(vertex)
    return turned


def tile_blank_distances(arcs: Adjacency, tile: int, blank: int) -> list[int]:
    """Return breadth-first distances from a pair (cell of one tile, cell of the blank).

    The index is tile * cells + blank. `arcs` are the blank's. Given reversed arcs, return the
    distances to the pair: a step is the same in both directions of time, since the blank goes to a
    neighbour, and a tile that is there takes the blank's place.
    """
    cells = len(arcs)
    distance = [UNREACHABLE] * (cells * cells)
    distance[tile * cells + blank] = 0
    queue = deque([(tile, blank, 0)])
    while queue:
        p, b, steps = queue.popleft()
        steps += 1
        for d in arcs[b]:
            q = b if d == p else p
            if distance[q * cells + d] == UNREACHABLE:
                distance[q * cells + d] = steps
                queue.append((q, d, steps))
    return distance


def exchanges(source: State, target: State) -> int:
    """Return the least number of swaps that turn `source` into `target`."""
    place = {content: cell for cell, content in enumerate(target)}
    seen: set[int] = set()
    cycles = 0
    for cell in range(len(source)):
        cycles += cell not in seen
        while cell not in seen:
            seen.add(cell)
            cell = place[source[cell]]
    return len(source) - cycles


def permutation_parity(source: State, target: State) -> int:
    """Return 0 if an even number of swaps turns `source` into `target`, otherwise 1."""
    return exchanges(source, target) & 1


def raised_to_parity(bound: int, parity: int | None) -> int:
    """Return the least number from `bound` on that has this parity; any parity for None."""
    return bound if parity is None else bound + ((bound ^ parity) & 1)


class PuzzleKind(StrEnum):
    """The kinds of puzzles that engines tell apart; each has a search space of its own."""

    BLANK_GRAPH = "blank graph"
    """Each move exchanges the blank with one tile: a plan is a walk of the blank."""

    PERMUTATIONS = "permutations"
    """No move depends on the blank: a plan is a product of permutations."""

    NEEDS = "needs of kinds"
    """A move needs more than a gap in one cell: pieces in their places, or several gaps."""

    ANY = "any puzzle"
    """None of these. If an engine names it as its kind, any kind but `NEEDS`."""


@dataclass(frozen=True)
class BlankGraph:
    """The cells as vertices, with an arc from b to d for each move of the blank from b to d.

    It exists only if each move exchanges the blank with one tile, so that a plan is a walk of the
    blank. `names[b][d]` is the name of the move; if several have the same effect, the first of
    those with the least penalty, which is `penalties[b][d]`.
    """

    names: tuple[dict[int, str], ...]
    penalties: tuple[dict[int, int], ...]

    def plan(self, walk: Sequence[int]) -> Plan:
        """Return the plan that takes the blank through the cells of `walk`, from the first on."""
        return tuple(self.names[b][d] for b, d in pairwise(walk))

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """The cells to which the blank can go from each cell."""
        return tuple(tuple(arcs) for arcs in self.names)

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """The cells from which the blank can have come to each cell."""
        return tuple(tuple(cells) for cells in reverse(self.successors))

    @cached_property
    def is_symmetric(self) -> bool:
        """True if one move can undo each move of the blank."""
        return all(b in self.names[d] for b, arcs in enumerate(self.names) for d in arcs)

    @cached_property
    def colouring(self) -> tuple[int, ...] | None:
        """Colours 0 and 1 such that each move takes the blank to the other colour, or None."""
        both = [[*out, *into] for out, into in zip(self.successors, self.predecessors, strict=True)]
        colour = [-1] * len(both)
        for first in range(len(both)):
            if colour[first] >= 0:
                continue
            distance = breadth_first(both, first)
            for cell, steps in enumerate(distance):
                if steps != UNREACHABLE:
                    colour[cell] = steps & 1
        if any(colour[b] == colour[d] for b, arcs in enumerate(self.names) for d in arcs):
            return None
        return tuple(colour)


class Structure:
    """The derived facts of one puzzle, each computed on first use."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._distances: dict[tuple[int, ...], list[int]] = {}

    @cached_property
    def blank_graph(self) -> BlankGraph | None:
        """The blank graph, or None if a move does anything but exchange the blank and a tile.

        It is None also if pieces are alike, since algorithms for blank graphs tell all tiles apart.
        """
        puzzle = self._puzzle
        if not puzzle.has_blank or not puzzle.is_distinct or puzzle.needs_kinds:
            return None
        names: list[dict[int, str]] = [{} for _ in range(self._puzzle.cells)]
        penalties: list[dict[int, int]] = [{} for _ in names]
        for operator in self._puzzle.operators:
            blank = operator.blank
            targets = [cell for cell, source in operator.moves if source == blank != cell]
            if blank is None or len(operator.moves) != 2 or not targets:
                return None
            (target,) = targets
            if operator.penalty < penalties[blank].get(target, UNREACHABLE):
                names[blank][target] = operator.name
                penalties[blank][target] = operator.penalty
        return BlankGraph(tuple(names), tuple(penalties))

    @cached_property
    def is_free(self) -> bool:
        """True if no move depends on the blank, so that plans are products of permutations.

        All pieces must be distinct, too.
        """
        is_free = not any(operator.needs for operator in self._puzzle.operators)
        return is_free and self._puzzle.is_distinct

    @property
    def kind(self) -> PuzzleKind:
        if self._puzzle.needs_kinds:
            return PuzzleKind.NEEDS
        if self.blank_graph is not None:
            return PuzzleKind.BLANK_GRAPH
        return PuzzleKind.PERMUTATIONS if self.is_free else PuzzleKind.ANY

    @cached_property
    def tile_arcs(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the cells to which one move can take a tile that stands in it."""
        targets: list[set[int]] = [set() for _ in range(self._puzzle.cells)]
        for operator in self._puzzle.operators:
            for cell, source in operator.tile_moves:
                targets[source].add(cell)
        return tuple(tuple(sorted(cells)) for cells in targets)

    @cached_property
    def reverse_tile_arcs(self) -> tuple[tuple[int, ...], ...]:
        """For each cell, the cells from which one move can bring a tile to it."""
        return tuple(tuple(cells) for cells in reverse(self.tile_arcs))

    def tile_distances_to(self, *cells: int) -> list[int]:
        """Return, for each cell, the least number of moves from there to one of `cells`.

        Other tiles are ignored. On a grid of sliding tiles this is the Manhattan distance.
        """
        if cells not in self._distances:
            self._distances[cells] = breadth_first(self.reverse_tile_arcs, *cells)
        return self._distances[cells]

    @cached_property
    def goal_distances(self) -> dict[int, list[int]]:
        """For each kind of tile and cell, the distance from there to the nearest goal cell.

        If the goal leaves cells open, tiles that it does not place may end there.
        """
        cells: dict[int, list[int]] = {}
        for cell, kind in enumerate(self._puzzle.goal):
            cells.setdefault(kind, []).append(cell)
        distances = {}
        for kind, copies in Counter(self._puzzle.pieces).items():
            own = cells.get(kind, [])
            homes = own if len(own) == copies else own + cells.get(OPEN, [])
            if kind != BLANK:
                distances[kind] = self.tile_distances_to(*homes)
        return distances

    @cached_property
    def most_tiles_moved(self) -> int:
        """The most tiles that one move can move, at least 1."""
        return max((1, *(len(operator.tile_moves) for operator in self._puzzle.operators)))

    @cached_property
    def operator_parity(self) -> int | None:
        """1 if every operator is an odd permutation, 0 if every one is even, else None."""
        # Fixed points do not change the parity.
        parities = {
            permutation_parity(tuple(cell for cell, _ in op.moves), tuple(s for _, s in op.moves))
            for op in self._puzzle.operators
        }
        return parities.pop() if len(parities) == 1 else None

    @cached_property
    def inverses(self) -> tuple[int | None, ...]:
        """For each operator, the index of the one that takes it back, or None."""
        index = {_key(op): i for i, op in reversed(list(enumerate(self._puzzle.operators)))}
        return tuple(index.get(_inverse_key(op)) for op in self._puzzle.operators)

    @property
    def is_inverse_closed(self) -> bool:
        """True if each operator has an operator that undoes it."""
        return None not in self.inverses

    def plan_parity(self, start: State) -> int | None:
        """Return the length of every plan modulo 2 if the rules fix it, otherwise None.

        They fix it if each operator is an odd permutation, or if each move changes the colour of
        the blank's cell. If both hold and contradict each other, there is no plan.
        """
        goal = self._puzzle.goal
        if not self._puzzle.is_distinct:
            return None
        if self.operator_parity == 1:
            return permutation_parity(start, goal)
        colouring = self.blank_graph.colouring if self.blank_graph else None
        if colouring:
            return colouring[start.index(BLANK)] ^ colouring[goal.index(BLANK)]
        return None


_Pairs: TypeAlias = tuple[tuple[int, int], ...]


def _key(operator: Operator) -> tuple[_Pairs, _Pairs]:
    return operator.needs, tuple(sorted(operator.moves))


def _inverse_key(operator: Operator) -> tuple[_Pairs, _Pairs]:
    goes = {source: cell for cell, source in operator.moves}
    needs = tuple(sorted((goes.get(cell, cell), kind) for cell, kind in operator.needs))
    return needs, tuple(sorted((source, cell) for cell, source in operator.moves))
