"""Walks of the blank that no shortest plan need begin or end with, found by search from both ends.

A breadth-first search over boards from the start, and one from the goal against the moves, prune
a walk where the bound of its last board exceeds the moves that are left, and where the board is
known. A walk of which each continuation is pruned is a dead end, and pruned as well. Each walk that
is pruned, while what it goes on from is not, gives one clause: the blank does not go along it.
Where the walk of no moves is a dead end there is no plan of this length.

Written down as a *tree* it is a refutation that any checker of proofs can follow. All walks that
are pruned at once give clauses, and the dead ends are steps that follow from these, from the
longest to the walk of no moves.

Why one shortest plan is left. Of the shortest plans take the one whose walk comes first in the
order of the cells. No part of its walk leads from one board to another that a shorter walk, or an
earlier one of the same length, joins as well. The boards are therefore searched in this order: from
the start, a layer holds its walks in order, so the first walk to a board is the earliest one. From
the goal, of two walks from one board the one comes first whose first step goes to the smaller cell,
and a layer is followed in the order of the blank's cells.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import chain
from math import factorial

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import Builder
from plansolve.encoders.bulk import add_clauses, walk_literals
from plansolve.encoders.lemmas.board_search import MOST_BOARDS, BoardSearch
from plansolve.encoders.lemmas.lemma import BlankLayer
from plansolve.encoders.lemmas.partial_assignments import goal_tables, start_tables
from plansolve.encoders.lemmas.perimeter_kernel import NOWHERE, expand
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.patterns.additive import AdditiveSets

__all__ = ["PerimeterSearch"]

_DEEPEST = 60
# Walks to more boards than these are longer to read than they save.
_MOST_TOLD = 3_000_000


class PerimeterSearch:
    """Searches from both ends of one problem, for any horizon.

    With `as_tree` one that leaves no walk is written down as a tree.
    """

    def __init__(self, problem: Problem, *, as_tree: bool = False) -> None:
        graph = problem.blank_graph
        self._as_tree = as_tree
        self._problem = problem
        self._to_goal = goal_tables(problem)
        self._targets, self._origins = _rows(graph.successors), _rows(graph.predecessors)

    @cached_property
    def _to_start(self) -> AdditiveSets:
        # Where the search from the start leaves no walk nothing needs them.
        return start_tables(self._problem)

    def add(self, builder: Builder, blanks: Sequence[BlankLayer]) -> None:
        """Forbid what the searches prune; `blanks[t]` are the blank's cells after t moves."""
        start, goal = self._problem.start, self._problem.goal
        literals = walk_literals(blanks, len(goal))
        exists = self._possible(len(blanks) - 1)
        _note(builder, "goal", self._to_goal)
        self._add(builder, literals, exists, start, self._to_goal, is_reversed=False)
        if not builder.is_contradiction:
            _note(builder, "start", self._to_start)
            # Seen from the goal, time runs back.
            self._add(builder, literals[::-1], exists[::-1], goal, self._to_start, is_reversed=True)

    def _possible(self, horizon: int) -> NDArray[np.bool_]:
        """For each time and cell, whether a walk of just `horizon` moves has the blank there."""
        problem = self._problem
        can_go = np.zeros((problem.puzzle.cells,) * 2, np.bool_)
        for cell, targets in enumerate(problem.blank_graph.successors):
            can_go[cell, list(targets)] = True
        begun = np.zeros((horizon + 1, len(can_go)), np.bool_)
        ended = np.zeros_like(begun)
        begun[0, problem.start.index(BLANK)] = ended[horizon, problem.goal.index(BLANK)] = True
        for t in range(horizon):
            begun[t + 1] = can_go[begun[t]].any(axis=0)
            ended[horizon - t - 1] = can_go[:, ended[horizon - t]].any(axis=1)
        return begun & ended

    def _add(
        self,
        builder: Builder,
        literals: NDArray[np.int64],
        exists: NDArray[np.bool_],
        board: State,
        tables: AdditiveSets,
        is_reversed: bool,
    ) -> None:
        """Search from one board; `literals[d]` are those of the blank's cells d moves from it.

        `exists[d]` tells in which the blank can be then.
        """
        horizon = len(literals) - 1
        ways = self._origins if is_reversed else self._targets
        search = _BlankSearch(board, ways, tables, is_reversed)
        for depth in range(1, min(_DEEPEST, horizon) + 1):
            if not search.step(horizon - depth, exists[depth]):
                break
        search.propagate_dead_ends()
        builder.boards_searched += search.boards
        builder.note("depth", "start" if is_reversed else "goal", search.depth)
        is_tree = self._as_tree and search.leaves_no_walk
        for walks in search.leaves() if is_tree else search.pruned():
            add_clauses(builder, -literals[np.arange(walks.shape[1]), walks])
        for walks in search.dead_ends() if is_tree else ():
            add_clauses(builder, -literals[np.arange(walks.shape[1]), walks], are_derived=True)


def _rows(cells: Sequence[Collection[int]]) -> NDArray[np.uint8]:
    """Return the cells next to each one in their order, rows filled up with `NOWHERE`."""
    widest = max(map(len, cells))
    return np.array([[*sorted(row), *[NOWHERE] * (widest - len(row))] for row in cells], np.uint8)


def _note(builder: Builder, end: str, tables: AdditiveSets) -> None:
    """Names the patterns whose sums are the bounds: their tiles, a 0 after each."""
    for row in tables.group.reshape(len(tables.first) - 1, -1)[:, 1:]:
        tiles = [[*(np.flatnonzero(row == g) + 1).tolist(), 0] for g in np.unique(row)]
        builder.note("bound", end, *chain.from_iterable(tiles))


class _BlankSearch(BoardSearch):
    """One along walks of the blank; what a move adds is the blank's cell."""

    def __init__(
        self, board: State, targets: NDArray[np.uint8], tables: AdditiveSets, is_reversed: bool
    ) -> None:
        most = min(MOST_BOARDS, (targets.shape[1] + 1) * factorial(len(board)))
        super().__init__(board, board.index(BLANK), most, _MOST_TOLD)
        self._targets, self._tables, self._is_reversed = targets, tables, is_reversed
        self._ways = np.count_nonzero(targets != NOWHERE, axis=1)

    def step(self, left: int, exists: NDArray[np.bool_]) -> bool:
        """Go one layer further, from where `left` moves are left; return False without room for it.

        `exists` tells where the blank can be.
        """
        known, (begin, count) = self._known, self._layers[-2:]
        # There must be room for all children of a layer, pruned ones too.
        children = int(self._ways[known.last[begin:count]].sum())
        if count + children > self._most:
            return False
        order = np.arange(begin, count)
        if self._is_reversed:
            order = order[np.argsort(known.last[order], kind="stable")]
        pruned = np.empty((children, 2), np.int64)
        count, number = expand(
            order, count, left, self._targets, exists, known, self._tables, pruned
        )
        self._layers.append(count)
        self._pruned.append(pruned[:number].copy())
        return True
