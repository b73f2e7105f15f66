"""Sequences of moves that have the effect of a smaller one, enumerated by length.

Sequences with the same beginning are ordered by length, then by total penalty, then alphabetically.
A sequence is *forbidden* if a smaller one has the same effect from the same beginning (with
keep="every plan" a shorter one, with "same length" one as long and no shorter one); that is decided
by comparing whole boards, and a hash only proposes the pairs. Of the forbidden sequences only those
are listed that contain no shorter one.

Why a shortest plan without them is left, for every start and goal: the order is compatible with
concatenation, if v < w then xvy < xwy. Of all plans from one board to another take the smallest.
If it contained a forbidden sequence w, there would be a v < w with the effect of w from the same
cell, and v in the place of w would make a smaller plan. So the smallest plan, which is a shortest
one and among these one of least penalty, contains none. With keep="every plan" no shortest plan
contains a forbidden sequence at all.

If there are several gaps, a sequence needs some of the cells in which it begins to hold gaps. It
is forbidden only by one that needs no others, and therefore applies wherever it does itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import Puzzle

Keep: TypeAlias = Literal["one plan", "every plan", "same length"]
ONE_PLAN: Keep = "one plan"
EVERY_PLAN: Keep = "every plan"
SAME_LENGTH: Keep = "same length"

Numbers: TypeAlias = NDArray[np.int64]
_Boards: TypeAlias = NDArray[Any]
_Needs: TypeAlias = NDArray[np.bool_]

MIXER = np.uint64(0x9E3779B97F4A7C15)
"""The factor of the hash; any other gives no wrong sequences, but fewer."""

_HALF = np.uint64(32)


@dataclass(frozen=True)
class MoveGraph:
    """Vertices, and the moves from each: those of vertex v are the arcs first[v] .. first[v+1]-1.

    An arc leads to the vertex `target[arc]`, is called `label[arc]`, costs the penalty
    `price[arc]` and permutes the cells' contents: a cell's new one is that of cell
    `source[arc, cell]`, or the contents of the two cells of `exchange` change places. Sequences
    begin in any vertex. If `need` is there, an arc may be taken while one of the `gaps` is in
    the cell `need[arc]`, or anywhere if that is -1.
    """

    first: Numbers
    target: Numbers
    label: Numbers
    price: Numbers
    source: Numbers | None
    exchange: tuple[Numbers, Numbers] | None = None
    need: Numbers | None = None
    gaps: int = 0

    @classmethod
    def of_blank(
        cls, successors: Sequence[Sequence[int]], penalty: Sequence[Sequence[int]] | None = None
    ) -> "MoveGraph":
        """Return the walks of a blank; vertices and labels are its cells.

        `penalty[b][i]` is the penalty of the i-th move from b; none stands for zeros.
        """
        degrees = [len(targets) for targets in successors]
        target = np.array([d for targets in successors for d in targets], np.int64)
        prices = [p for row in penalty for p in row] if penalty else [0] * len(target)
        return cls(
            first=np.concatenate(([0], np.cumsum(degrees))),
            target=target,
            label=target,
            price=np.array(prices, np.int64),
            source=None,
            exchange=(np.repeat(np.arange(len(degrees)), degrees), target),
        )

    @classmethod
    def of_operators(cls, destinations: Sequence[Sequence[int]] | Numbers) -> "MoveGraph":
        """Return the graph of operators that can always be applied; it has one vertex.

        Each is given by its destinations: for each cell, the cell that its content goes to.
        """
        count = len(destinations)
        return cls(
            first=np.array([0, count]),
            target=np.zeros(count, np.int64),
            label=np.arange(count),
            price=np.zeros(count, np.int64),
            source=np.argsort(np.asarray(destinations, np.int64), axis=1),
        )

    @classmethod
    def of_puzzle(cls, puzzle: Puzzle) -> "MoveGraph":
        """Return the operators of any puzzle, by their numbers; vertices are the blank's cells.

        There is one vertex if there is no blank, or several gaps.
        """
        operators, cells = puzzle.operators, puzzle.cells
        # The shape is told because there may be no operators.
        destinations = np.array([op.destinations(cells) for op in operators], np.int64)
        destinations = destinations.reshape(len(operators), cells)
        if puzzle.gaps > 1:
            needs = [-1 if operator.blank is None else operator.blank for operator in operators]
            graph = cls.of_operators(destinations)
            return replace(graph, need=np.array(needs, np.int64), gaps=puzzle.gaps)
        arcs = [
            [i for i, operator in enumerate(operators) if operator.blank in (None, blank)]
            for blank in range(cells if puzzle.has_blank else 1)
        ]
        label = np.array([i for numbers in arcs for i in numbers], np.int64)
        places = np.repeat(np.arange(len(arcs)), list(map(len, arcs)))
        return cls(
            first=np.cumsum([0, *map(len, arcs)]),
            target=destinations[label, places] if puzzle.has_blank else np.zeros_like(label),
            label=label,
            price=np.zeros_like(label),
            source=np.argsort(destinations, axis=1)[label],
        )

    @property
    def vertices(self) -> int:
        return len(self.first) - 1

    @property
    def cells(self) -> int:
        return self.vertices if self.source is None else self.source.shape[1]

    def needed(self, effects: "_Effects", before: Numbers, arcs: Numbers) -> _Needs | None:
        """Return the needs of the sequences `before` of some, and one arc more each."""
        if self.need is None or effects.needs is None:
            return None
        needs, cell = effects.needs[before], self.need[arcs]
        rows = np.flatnonzero(cell >= 0)
        needs[rows, effects.boards[before[rows], cell[rows]]] = True
        return needs

    def moved(self, boards: _Boards, arcs: Numbers) -> _Boards:
        if self.source is not None:
            width = boards.shape[1]
            padding = np.broadcast_to(
                np.arange(self.cells, width), (len(self.source), width - self.cells)
            )
            source = np.hstack((self.source, padding))
            return np.take_along_axis(boards, source[arcs], axis=1)
        assert self.exchange is not None
        rows, here, there = np.arange(len(arcs)), *(ends[arcs] for ends in self.exchange)
        after = boards.copy()
        after[rows, here] = boards[rows, there]
        after[rows, there] = boards[rows, here]
        return after


class SequenceLevel:
    """The sequences of one length that contain no forbidden one, in alphabetical order.

    `link` is the number of each sequence's tail (without its first move) on the level before. Each
    has a slot for each arc of its last vertex, the first one at `slot`; a slot's `child` is the
    number of the longer sequence on the next level, or -1 if it contains a forbidden one;
    `forbidden` tells that it is forbidden itself and no shorter part of it is.
    """

    def __init__(self, graph: MoveGraph, vertex: Numbers, link: Numbers) -> None:
        self.vertex, self.link = vertex, link
        degree = np.diff(graph.first)[vertex]
        self.slot = np.cumsum(degree) - degree
        self.parent = np.repeat(np.arange(len(vertex)), degree)
        position = np.arange(len(self.parent)) - self.slot[self.parent]
        self.arc = graph.first[vertex][self.parent] + position
        self.position = position
        self.child = np.full(len(self.parent), -1, np.int64)
        self.forbidden = np.zeros(len(self.parent), np.bool_)

    @property
    def count(self) -> int:
        return len(self.vertex)


@dataclass(frozen=True)
class _Effects:
    """The effects of sequences: where they begin, the labelled boards they end with, their cost.

    `boards` are padded to whole 64-bit words. A row of `needs` tells of each cell whether a gap
    must be in it when the sequence begins. `order` sorts by `code` (a hash of beginning and board),
    within equal codes by penalty, and then alphabetically.
    """

    begin: Numbers
    boards: _Boards
    needs: _Needs | None
    penalty: Numbers
    code: NDArray[np.uint64]
    order: Numbers

    @classmethod
    def of(
        cls, begin: Numbers, boards: _Boards, needs: _Needs | None, penalty: Numbers
    ) -> "_Effects":
        code = begin.astype(np.uint64)
        for column in boards.view(np.uint64).T:
            code = (code ^ column) * MIXER
            code ^= code >> _HALF
        priced = penalty.any()
        order = np.lexsort((penalty, code)) if priced else np.argsort(code, kind="stable")
        return cls(begin, boards, needs, penalty, code, order)

    def chosen(self, chosen: Numbers) -> "_Effects":
        """Return some of the sequences, given in ascending order."""
        needs = None if self.needs is None else self.needs[chosen]
        return _Effects.of(self.begin[chosen], self.boards[chosen], needs, self.penalty[chosen])

    def replaced_by(self, mine: Numbers, other: "_Effects", others: Numbers) -> NDArray[np.bool_]:
        """Return, for each pair of sequences, whether the other can stand for mine.

        Beginnings and whole boards agree, and the other needs no more gaps.
        """
        equal = self.boards[mine] == other.boards[others]
        same = np.asarray((self.begin[mine] == other.begin[others]) & equal.all(axis=1))
        if self.needs is None or other.needs is None:
            return same
        return np.asarray(same & ~(other.needs[others] & ~self.needs[mine]).any(axis=1))

    def found_in(self, other: "_Effects") -> Numbers:
        """Return the sequences for which one of `other` can stand."""
        first = np.searchsorted(other.code[other.order], self.code[self.order])
        return self._replaceable(first, np.full_like(first, len(other.order)), other)

    def later_duplicates(self) -> Numbers:
        """Return the sequences for which a smaller one of the same length can stand."""
        codes = self.code[self.order]
        is_head = np.concatenate(([True], codes[1:] != codes[:-1]))
        places = np.arange(len(codes))
        head = np.maximum.accumulate(np.where(is_head, places, 0))
        return self._replaceable(head, places, self)

    def _replaceable(self, first: Numbers, end: Numbers, other: "_Effects") -> Numbers:
        """Return the sequences that one of `other` at the places first .. end - 1 can replace.

        Mine and the other's are looked at in their orders, and of the other's those whose codes
        are the same and follow each other: more than one only if they differ in what they need.
        """
        theirs, wanted = other.code[other.order], self.code[self.order]
        mine, found = np.arange(len(wanted)), [np.zeros(0, np.int64)]
        while mine.size:
            rest = np.flatnonzero(first < end)
            rest = rest[theirs[first[rest]] == wanted[mine[rest]]]
            mine, first, end = mine[rest], first[rest], end[rest]
            is_found = self.replaced_by(self.order[mine], other, other.order[first])
            found.append(self.order[mine[is_found]])
            if self.needs is None:
                break
            mine, first, end = mine[~is_found], first[~is_found] + 1, end[~is_found]
        return np.concatenate(found)


def sequence_levels(
    graph: MoveGraph, length: int, keep: Keep, most_sequences: int, most_bytes: int
) -> list[SequenceLevel]:
    """Return the sequences of 0, 1, 2, ... up to `length` moves; at least those of one move.

    The enumeration ends earlier if there are more than `most_sequences`, or their boards take
    more than `most_bytes`. `keep` says whether only shorter sequences forbid others, or only those
    of the same length.
    """
    vertices = np.arange(graph.vertices)
    levels = [SequenceLevel(graph, vertices, np.zeros_like(vertices))]
    kind = np.dtype(np.uint8 if graph.cells <= 1 << 8 else np.uint16)
    width = -(-graph.cells * kind.itemsize // 8) * 8 // kind.itemsize
    boards = np.repeat(np.arange(width).astype(kind)[None], graph.vertices, axis=0)
    needs = None if graph.need is None else np.zeros((graph.vertices, graph.cells), np.bool_)
    effects = [_Effects.of(vertices, boards, needs, np.zeros_like(vertices))]
    count = 0
    for number in range(1, length + 1):
        level = levels[-1]
        count += len(level.parent)
        if count > most_sequences or count * width * kind.itemsize > most_bytes:
            break
        slots, link = candidates(graph, levels)
        needs = graph.needed(effects[-1], level.parent[slots], level.arc[slots])
        if needs is not None:
            # No plan has a sequence that needs more gaps than there are.
            are_enough = needs.sum(axis=1) <= graph.gaps
            slots, link, needs = slots[are_enough], link[are_enough], needs[are_enough]
        parents, arcs = level.parent[slots], level.arc[slots]
        fresh = _Effects.of(
            effects[-1].begin[parents],
            graph.moved(effects[-1].boards[parents], arcs),
            needs,
            effects[-1].penalty[parents] + graph.price[arcs],
        )
        allowed = np.ones(len(slots), np.bool_)
        if keep != EVERY_PLAN:
            allowed[fresh.later_duplicates()] = False
        for shorter in effects:
            allowed[fresh.found_in(shorter)] = keep == SAME_LENGTH
        level.forbidden[slots[~allowed]] = True
        level.child[slots[allowed]] = np.arange(np.count_nonzero(allowed))
        levels.append(SequenceLevel(graph, graph.target[arcs[allowed]], link[allowed]))
        if not allowed.any():
            break
        if number < length:
            effects.append(fresh.chosen(np.flatnonzero(allowed)))
    if len(levels) == 1:
        # None of one move is forbidden.
        slots, link = candidates(graph, levels)
        levels[0].child[slots] = slots
        levels.append(SequenceLevel(graph, graph.target, link))
    return levels


def forbidden_sequences(
    graph: MoveGraph, length: int, keep: Keep, most_sequences: int, most_bytes: int
) -> list[Numbers]:
    """Return the forbidden sequences of 1, 2, ... moves, for each length that has some an array.

    A row is the vertex where the sequence begins and the labels of its moves. The arguments are
    those of `sequence_levels`.
    """
    sequences = np.arange(graph.vertices)[:, None]
    found = []
    for level in sequence_levels(graph, length, keep, most_sequences, most_bytes)[:-1]:
        longer = np.hstack((sequences[level.parent], graph.label[level.arc][:, None]))
        if level.forbidden.any():
            found.append(longer[level.forbidden])
        sequences = longer[level.child >= 0]
    return found


def candidates(graph: MoveGraph, levels: Sequence[SequenceLevel]) -> tuple[Numbers, Numbers]:
    """Return the last level's slots whose tails hold nothing forbidden, and the tails' numbers."""
    level = levels[-1]
    if len(levels) == 1:
        return np.arange(len(level.parent)), graph.target[level.arc]
    before = levels[-2]
    tails = before.child[before.slot[level.link][level.parent] + level.position]
    slots = np.flatnonzero(tails >= 0)
    return slots, tails[slots]
