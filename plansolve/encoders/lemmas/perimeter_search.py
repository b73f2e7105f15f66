"""Walks of the blank that no shortest plan need begin or end with, found by search from both ends.

A breadth-first search over boards from the start, and one from the goal against the moves, prune
a walk where the bound of its last board exceeds the moves that are left, and where the board is
known. A walk of which each continuation is pruned is a dead end, and pruned as well. Each walk that
is pruned, while what it goes on from is not, gives one clause: the blank does not go along it.
Where the walk of no moves is a dead end there is no plan of this length.

Written down as a *tree* it is a refutation that any checker of proofs can follow. All walks that
are pruned at once give clauses, and the dead ends are steps that follow from these, from the
longest to the walk of no moves.

Where the search from the start runs out of room, *deep* searches may follow, with larger pattern
databases and room for more boards. One that leaves no walk refutes the length. Nothing else is
taken from them, so where none does the formula is the one without them.

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
from plansolve.encoders.lemmas.partial_assignments import (
    goal_tables,
    pattern_size,
    start_tables,
)
from plansolve.encoders.lemmas.perimeter_kernel import NOWHERE, expand
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.patterns import additive
from plansolve.patterns.additive import AdditiveSets
from plansolve.patterns.partition import default_size
from plansolve.storage.notices import notify_tables

__all__ = ["PerimeterSearch"]

# Walks to more boards than these are longer to read than they save.
_MOST_TOLD = 3_000_000

# For how many boards there is room in a deep search, and in the last one.
_DEEP_ROOM, _LAST_ROOM = 4_000_000, 32_000_000
# On more cells larger patterns take minutes to build, and a length that needs them takes more
# boards than there is room for.
_MOST_CELLS = 20
_MOST_ENTRIES = 1 << 28


class PerimeterSearch:
    """Searches from both ends of one problem, for any horizon.

    With `as_tree` one that leaves no walk is written down as a tree. If it `is_deep`, deep searches
    from the start follow.
    """

    def __init__(self, problem: Problem, *, as_tree: bool = False, is_deep: bool = False) -> None:
        graph = problem.blank_graph
        self._as_tree, self._is_deep = as_tree, is_deep
        self._problem = problem
        self._to_goal = goal_tables(problem)
        self._targets, self._origins = _rows(graph.successors), _rows(graph.predecessors)

    @cached_property
    def _to_start(self) -> AdditiveSets:
        # Where the search from the start leaves no walk nothing needs them.
        return start_tables(self._problem)

    def add(self, builder: Builder, blanks: Sequence[BlankLayer]) -> None:
        """Forbid what the searches prune; `blanks[t]` are the blank's cells after t moves."""
        problem, exists = self._problem, self._possible(len(blanks) - 1)
        literals = walk_literals(blanks, len(problem.goal))
        search = self._search(problem.start, self._targets, self._to_goal, MOST_BOARDS)
        is_whole = search.run(exists)
        builder.boards_searched += search.boards
        if self._is_deep and not is_whole:
            search = self._refutation(builder, exists) or search
        self._write(builder, "goal", literals, search)
        if not builder.is_contradiction:
            search = self._search(
                problem.goal, self._origins, self._to_start, MOST_BOARDS, is_reversed=True
            )
            # Seen from the goal, time runs back.
            search.run(exists[::-1])
            builder.boards_searched += search.boards
            self._write(builder, "start", literals[::-1], search)

    def _refutation(self, builder: Builder, exists: NDArray[np.bool_]) -> "_BlankSearch | None":
        """Return the deep search that leaves no walk, if there is one."""
        sizes = self._larger_sizes()
        for size in sizes:
            # More threads would take more memory.
            tables = additive.goal_tables(self._problem, notify_tables, size=size, threads=1)
            room = _LAST_ROOM if size == sizes[-1] else _DEEP_ROOM
            search = self._search(self._problem.start, self._targets, tables, room)
            search.run(exists)
            builder.boards_searched += search.boards
            if search.leaves_no_walk:
                return search
        return None

    def _larger_sizes(self) -> Sequence[int]:
        """Return how many tiles the patterns of deep searches have, more than the first ones."""
        cells = self._problem.puzzle.cells
        if not self._problem.blank_graph.is_symmetric or cells > _MOST_CELLS:
            return ()
        usual, least, most = default_size(cells), pattern_size(cells) + 1, cells - 1
        return [
            size
            for size in (usual, usual + 1)
            if least <= size <= most and cells**size <= _MOST_ENTRIES
        ]

    def _search(
        self,
        board: State,
        targets: NDArray[np.uint8],
        tables: AdditiveSets,
        room: int,
        *,
        is_reversed: bool = False,
    ) -> "_BlankSearch":
        room = min(room, (targets.shape[1] + 1) * factorial(len(board)))
        return _BlankSearch(
            board, targets, tables, room, is_reversed=is_reversed, keeps_leaves=self._as_tree
        )

    def _write(
        self, builder: Builder, end: str, literals: NDArray[np.int64], search: "_BlankSearch"
    ) -> None:
        """Write what a search has pruned, with the distances to one end as its bound.

        `literals[d]` are those of the blank's cells d moves from the other end.
        """
        _note(builder, end, search.tables)
        builder.note("depth", end, search.depth)
        is_tree = self._as_tree and search.leaves_no_walk
        for walks in search.leaves() if is_tree else search.pruned():
            add_clauses(builder, -literals[np.arange(walks.shape[1]), walks])
        for walks in search.dead_ends() if is_tree else ():
            add_clauses(builder, -literals[np.arange(walks.shape[1]), walks], are_derived=True)

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
        self,
        board: State,
        targets: NDArray[np.uint8],
        tables: AdditiveSets,
        room: int,
        *,
        is_reversed: bool,
        keeps_leaves: bool,
    ) -> None:
        super().__init__(board, board.index(BLANK), room, _MOST_TOLD)
        self.tables = tables
        self._targets, self._is_reversed = targets, is_reversed
        self._keeps_leaves = keeps_leaves
        self._ways = np.count_nonzero(targets != NOWHERE, axis=1)

    def run(self, exists: NDArray[np.bool_]) -> bool:
        """Go on to the last move, and fold; return whether there was room for that.

        `exists[d]` tells where the blank can be after d moves.
        """
        horizon = len(exists) - 1
        depths = range(1, horizon + 1)
        is_whole = all(self._step(horizon - depth, exists[depth]) for depth in depths)
        self.propagate_dead_ends()
        return is_whole

    def _step(self, left: int, exists: NDArray[np.bool_]) -> bool:
        """Go one layer further, to where `left` moves are left; return False without room."""
        begin, count = self._layers[-2:]
        # There must be room for all children of a layer, pruned ones too.
        children = int(self._ways[self._known.last[begin:count]].sum())
        if count + children > self._most:
            return False
        self._reserve(count + children)
        order = np.arange(begin, count)
        if self._is_reversed:
            order = order[np.argsort(self._known.last[order], kind="stable")]
        is_kept = self._keeps_leaves or count <= self._told
        pruned = np.empty((children if is_kept else 0, 2), np.int64)
        count, number = expand(
            order, count, left, self._targets, exists, self._known, self.tables, pruned
        )
        self._layers.append(count)
        self._pruned.append(pruned[:number].copy())
        return True
