"""Pruning automata: which sequences of moves a search may leave out without losing a shortest plan.

Many short sequences of moves have the same effect, and a depth-first search that follows all of
them visits the same boards again and again. `analysis.duplicate_sequences` enumerates the sequences
by length and forbids each that has the effect of a smaller one; it gives the argument why a
shortest plan is left. Here the forbidden sequences become a finite automaton that the search runs
along its path (Taylor & Korf: Pruning duplicate nodes in depth-first search, AAAI 1993; the
automaton is that of Aho & Corasick, 1975).

If there is a blank the sequences are walks of it, the cell where they begin included, so that
each can be applied; elsewhere they are sequences of operators. Of these a search has to see for
itself which apply, if there are several gaps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import (
    ONE_PLAN,
    Keep,
    MoveGraph,
    Numbers,
    SequenceLevel,
    sequence_levels,
)
from plansolve.model.puzzle import BLANK, Puzzle, State

MOST_SEQUENCES = 500_000
# Fewer than walks of a blank: operators are many, and permute more than two cells.
_MOST_OPERATOR_SEQUENCES = 60_000
# Most sequences need more gaps than there are. On 16 cells with two, so many times the number make
# the longest four moves, not two, which saves a quarter of the nodes of plans of 29 moves.
_UNFIT = 8
MOST_BYTES = 64 << 20
"""The enumeration ends early at so many sequences, or bytes of their boards."""


@dataclass(frozen=True)
class PruningAutomaton:
    """The edges of state s are offset[s] .. offset[s+1]-1; what has no edge is not searched.

    `move[edge]` is the cell the blank goes to, or the number of the operator, and `next[edge]` the
    state after it. `roots[cell]` is the state of a blank that starts in that cell; without a blank
    there is one root. `length` is that of the longest sequences that were looked at. The arrays are
    read-only: uint32, but `move`, which is uint8 if that is enough and else uint16.
    """

    offset: NDArray[np.uint32]
    move: NDArray[Any]
    next: NDArray[np.uint32]
    roots: NDArray[np.uint32]
    length: int

    @property
    def states(self) -> int:
        return len(self.offset) - 1

    def follow(self, vertex: int, moves: Sequence[int]) -> tuple[int, list[int]]:
        """Return the state after a path that begins in a vertex, and the path's edges."""
        state, edges = int(self.roots[vertex]), []
        for move in moves:
            first, end = map(int, self.offset[state : state + 2])
            edges.append(first + self.move[first:end].tolist().index(move))
            state = int(self.next[edges[-1]])
        return state, edges


@lru_cache(maxsize=8)
def blank_automaton(
    successors: tuple[tuple[int, ...], ...],
    *,
    length: int = 10,
    keep: Keep = ONE_PLAN,
    penalty: tuple[tuple[int, ...], ...] | None = None,
    most_sequences: int = MOST_SEQUENCES,
    most_bytes: int = MOST_BYTES,
) -> PruningAutomaton:
    """Return the automaton of a blank that goes along `successors`, from walks up to `length`.

    `penalty[b][i]` is the penalty of the i-th move from b; none stands for zeros. Large boards get
    shorter walks than asked for, such that there are at most `most_sequences` of them. The
    automaton is kept for the next call with the same arguments.
    """
    graph = MoveGraph.of_blank(successors, penalty)
    return _automaton(graph, length, keep, most_sequences, most_bytes)


def operator_automaton(
    operators: Sequence[Sequence[int]], *, length: int = 4, keep: Keep = ONE_PLAN
) -> PruningAutomaton:
    """Return the automaton of operators that need nothing, from sequences of at most `length`.

    Each operator is given by its destinations: for each cell, the cell that its content goes to.
    Longer sequences than asked for are never looked at, shorter ones if there are too many.
    """
    graph = MoveGraph.of_operators(operators)
    return _automaton(graph, length, keep, MOST_SEQUENCES, MOST_BYTES)


def puzzle_automaton(
    puzzle: Puzzle, *, length: int, keep: Keep, most_bytes: int = MOST_BYTES
) -> PruningAutomaton:
    """Return the automaton of a puzzle's operator numbers; vertices are the blank's cells.

    There is one vertex if there is no blank, or several gaps; see `vertex_of`. Of operators that
    do the same in a vertex it has the first. The other arguments are those of `blank_automaton`.
    """
    graph = MoveGraph.of_puzzle(puzzle)
    assert graph.source is not None
    begin = np.repeat(np.arange(graph.vertices), np.diff(graph.first))
    needs = begin if graph.need is None else graph.need
    effects = np.column_stack((begin, needs, graph.source))
    chosen = np.sort(np.unique(effects, axis=0, return_index=True)[1])
    distinct = replace(
        graph,
        first=np.searchsorted(chosen, graph.first),
        target=graph.target[chosen],
        label=graph.label[chosen],
        price=graph.price[chosen],
        source=graph.source[chosen],
        need=None if graph.need is None else graph.need[chosen],
    )
    most = _MOST_OPERATOR_SEQUENCES * (1 if graph.need is None else _UNFIT)
    return _automaton(distinct, length, keep, most, most_bytes)


def vertex_of(puzzle: Puzzle, board: State) -> int:
    """Return the vertex of `puzzle_automaton` in which a path from a board begins."""
    return board.index(BLANK) if puzzle.has_one_blank else 0


def _automaton(
    graph: MoveGraph, length: int, keep: Keep, most_sequences: int, most_bytes: int
) -> PruningAutomaton:
    levels = sequence_levels(graph, length, keep, most_sequences, most_bytes)
    state, vertex, table = _states(graph, levels)
    final = _merged(vertex, table)
    return _compact(graph, vertex, table, final, state, len(levels) - 1)


def _states(graph: MoveGraph, levels: list[SequenceLevel]) -> tuple[Numbers, Numbers, Numbers]:
    """Return the unmerged automaton: its roots, each state's vertex, and the transitions.

    The states are the sequences that begin a forbidden one, and the empty ones. The state after a
    path is the longest such sequence that the path ends with. Row s of the transitions holds the
    state after each arc of the state's vertex, or -1.
    """
    is_state = [np.zeros(level.count, np.bool_) for level in levels]
    for number in range(len(levels) - 2, -1, -1):
        level = levels[number]
        useful = level.forbidden.copy()
        useful[level.child >= 0] |= is_state[number + 1][level.child[level.child >= 0]]
        is_state[number][level.parent[useful]] = True
    is_state[0][:] = True
    state_of: list[Numbers] = []
    known = 0
    for level, chosen in zip(levels, is_state, strict=True):
        own = known - 1 + np.cumsum(chosen)
        state_of.append(np.where(chosen, own, state_of[-1][level.link] if state_of else own))
        known += int(np.count_nonzero(chosen))
    vertex = np.concatenate(
        [level.vertex[chosen] for level, chosen in zip(levels, is_state, strict=True)]
    )
    table = np.full((known, max(1, int(np.diff(graph.first).max()))), -1, np.int64)
    for number, level in enumerate(levels[:-1]):
        slots = np.flatnonzero(is_state[number][level.parent] & (level.child >= 0))
        rows = state_of[number][level.parent[slots]]
        table[rows, level.position[slots]] = state_of[number + 1][level.child[slots]]
    return state_of[0], vertex, table


def _merged(vertex: Numbers, table: Numbers) -> Numbers:
    """Return the class of each state: equal if the same paths may follow (Moore)."""
    count, classes = int(vertex.max()) + 1, vertex
    while True:
        # Class -1 is that of "no edge"; all is shifted by one.
        following = np.concatenate((classes + 1, [0]))[table]
        refined = classes
        for column in following.T:
            pairs = refined * (len(vertex) + 1) + column
            refined = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        if (now := int(refined.max()) + 1) == count:
            return refined
        count, classes = now, refined


def _compact(
    graph: MoveGraph, vertex: Numbers, table: Numbers, final: Numbers, roots: Numbers, length: int
) -> PruningAutomaton:
    """Return the merged automaton, its states in the order of the shortest sequences to them."""
    _, representative, inverse = np.unique(final, return_index=True, return_inverse=True)
    rank = np.empty_like(representative)
    rank[np.argsort(representative)] = np.arange(len(representative))
    number = rank[inverse.reshape(-1)]
    chosen = np.sort(representative)
    rows, positions = np.nonzero(table[chosen] >= 0)
    offset = np.searchsorted(rows, np.arange(len(chosen) + 1))
    labels = graph.label[graph.first[vertex[chosen[rows]]] + positions]
    small = graph.label.size == 0 or int(graph.label.max()) < 1 << 8
    arrays = (
        offset.astype(np.uint32),
        labels.astype(np.uint8 if small else np.uint16),
        number[table[chosen[rows], positions]].astype(np.uint32),
        number[roots].astype(np.uint32),
    )
    for array in arrays:
        array.flags.writeable = False
    return PruningAutomaton(*arrays, length)
