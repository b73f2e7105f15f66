"""Walks of the blank that no shortest plan need begin or end with, found by search from both ends.

A breadth-first search over boards from the start, and one from the goal against the moves, prune
a walk where the bound of its last board exceeds the moves that are left, and where the board is
known. Each such walk gives one clause: the blank does not go along it.

Why one shortest plan is left. Of the shortest plans take the one whose walk comes first in the
order of the cells. No part of its walk leads from one board to another that a shorter walk, or an
earlier one of the same length, joins as well. The boards are therefore searched in this order: from
the start, a layer holds its walks in order, so the first walk to a board is the earliest one. From
the goal, of two walks from one board the one comes first whose first step goes to the smaller cell,
and a layer is followed in the order of the blank's cells.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import FALSE, Builder
from plansolve.encoders.bulk import add_clauses, walk_literals
from plansolve.encoders.lemmas.lemma import BlankLayer
from plansolve.encoders.lemmas.partial_assignments import goal_tables, start_tables
from plansolve.encoders.lemmas.perimeter_kernel import NOWHERE, KnownBoards, expand, slot_of
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.patterns.additive import AdditiveSets

__all__ = ["PerimeterSearch"]

_DEEPEST = 24
_MOST_BOARDS = 400_000


class PerimeterSearch:
    """Searches from both ends of one problem, for any horizon."""

    def __init__(self, problem: Problem) -> None:
        graph = problem.blank_graph
        assert graph.is_symmetric
        self._start, self._goal = problem.start, problem.goal
        self._to_goal, self._to_start = goal_tables(problem), start_tables(problem)
        widest = max(map(len, graph.successors))
        rows = [sorted(targets) for targets in graph.successors]
        self._targets = np.array(
            [[*row, *[NOWHERE] * (widest - len(row))] for row in rows], np.uint8
        )

    def add(self, builder: Builder, blanks: Sequence[BlankLayer]) -> None:
        """Forbid what the searches prune; `blanks[t]` are the blank's cells after t moves."""
        literals = walk_literals(blanks, len(self._goal))
        _note(builder, "goal", self._to_goal)
        _note(builder, "start", self._to_start)
        self._add(builder, literals, self._start, self._to_goal, is_reversed=False)
        # Seen from the goal, time runs back.
        self._add(builder, literals[::-1], self._goal, self._to_start, is_reversed=True)

    def _add(
        self,
        builder: Builder,
        literals: NDArray[np.int64],
        board: State,
        tables: AdditiveSets,
        is_reversed: bool,
    ) -> None:
        """Search from one board; `literals[d]` are those of the blank's cells d moves from it."""
        horizon = len(literals) - 1
        search = _BoardSearch(board, self._targets, tables, is_reversed)
        for depth in range(1, min(_DEEPEST, horizon) + 1):
            if not search.has_room:
                break
            walks = search.step(horizon - depth, literals[depth] != FALSE)
            add_clauses(builder, -literals[np.arange(depth + 1), walks])


def _note(builder: Builder, end: str, tables: AdditiveSets) -> None:
    """Names the patterns whose sums are the bounds: their tiles, a 0 after each."""
    for row in tables.group.reshape(len(tables.first) - 1, -1)[:, 1:]:
        tiles = [[*(np.flatnonzero(row == g) + 1).tolist(), 0] for g in np.unique(row)]
        builder.note("bound", end, *chain.from_iterable(tiles))


class _BoardSearch:
    """A breadth-first search over boards."""

    def __init__(
        self, board: State, targets: NDArray[np.uint8], tables: AdditiveSets, is_reversed: bool
    ) -> None:
        self._targets, self._tables, self._is_reversed = targets, tables, is_reversed
        self._known = known = KnownBoards(
            board=np.zeros((_MOST_BOARDS, len(board)), np.uint8),
            blank=np.zeros(_MOST_BOARDS, np.uint8),
            parent=np.zeros(_MOST_BOARDS, np.int64),
            slots=np.full(1 << (2 * _MOST_BOARDS - 1).bit_length(), -1, np.int32),
        )
        known.board[0], known.blank[0] = board, board.index(BLANK)
        known.slots[slot_of(known.board[0], known)] = 0
        self._begin, self._count, self._depth = 0, 1, 0

    @property
    def has_room(self) -> bool:
        """Whether all children of the last layer's boards can be kept."""
        children = (self._count - self._begin) * self._targets.shape[1]
        return bool(self._count + children <= _MOST_BOARDS)

    def step(self, left: int, exists: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Go one layer further; return the walks pruned there, as rows of the blank's cells.

        From there on `left` moves are left; `exists` tells where the blank can be.
        """
        order = np.arange(self._begin, self._count)
        if self._is_reversed:
            order = order[np.argsort(self._known.blank[order], kind="stable")]
        dead = np.zeros((len(order) * self._targets.shape[1], 2), np.int64)
        count, pruned = expand(
            order, self._count, left, self._targets, exists, self._known, self._tables, dead
        )
        self._begin, self._count = self._count, count
        self._depth += 1
        node, last = dead[:pruned].T
        walks = np.empty((pruned, self._depth + 1), np.int64)
        walks[:, self._depth] = last
        for place in range(self._depth - 1, -1, -1):
            walks[:, place] = self._known.blank[node]
            node = self._known.parent[node]
        return walks
