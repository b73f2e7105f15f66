"""Breadth-first search over boards from both ends of a problem: walks that no shortest plan needs.

A search from the start, and a backward search from the goal, prune a walk if the bound of its last
board exceeds the moves that are left, or if the board is known. A walk of which each continuation
is pruned is a dead end, and pruned as well. If the walk of no moves is a dead end there is no plan
of this length.

Why one shortest plan is left. Of the shortest plans take the one that is first in the order of the
moves. For no part of it is there a shorter walk, or an earlier one of the same length, between the
same two boards. The boards are therefore searched in this order: from the start, a layer holds its
walks in order, so the first walk to a board is the earliest one. From the goal, of two walks from
one board the one with the earlier first move comes first, and a layer is made move by move.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import factorial

import numpy as np
from numpy.typing import NDArray

from plansolve.encoders.builder import Builder
from plansolve.encoders.lemmas import board_search_kernel as kernel
from plansolve.encoders.lemmas.duplicate_sequences import forbidden_operators
from plansolve.encoders.lemmas.lemma import Layers
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK
from plansolve.model.structure import permutation_parity
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.choose import permutation_chooser
from plansolve.patterns.goal_tables import goal_sets, goal_tables, start_sets
from plansolve.patterns.partition import default_size
from plansolve.patterns.rules import permutation_rules
from plansolve.storage.notices import making
from plansolve.storage.store import Store

# The most boards: at first, in a deep search, and in the last search.
ROOM, DEEP_ROOM, LAST_ROOM = 8_000_000, 4_000_000, 32_000_000
# The most steps for which clauses are added; more take longer to read than they save.
MOST_TOLD = 6_000_000
FIRST_SLOTS = 1 << 16
# Tiles of the first patterns, and the most entries of their tables, of those that are built for
# each start, and of deep searches. Beyond 20 cells larger ones take minutes to build.
FIRST_PATTERN = 5
_MOST_ENTRIES, _MOST_FROM_START, _MOST_DEEP, _MOST_DEEP_CELLS = 1 << 24, 1 << 20, 1 << 28, 20


@dataclass(frozen=True)
class BothEnds:
    """The ends of one problem, and its moves by number.

    The first of each pair is for the start, the second for the goal. Move m fills `cell` from
    source[m, cell]. Move n may follow it if follows[m, n], and it may be the first move if
    `begins`. The literal of move m is in the column columns[m] of a step. `to_goal` yields bounds
    and the room for boards, then larger ones for deep searches.
    """

    boards: tuple[Sequence[int], Sequence[int]]
    source: NDArray[np.uint8]
    follows: NDArray[np.bool_]
    begins: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    columns: tuple[NDArray[np.int64], NDArray[np.int64]]
    to_goal: Callable[[], Iterator[tuple[kernel.BoardBounds, int]]]
    to_start: Callable[[], kernel.BoardBounds | None]

    def add(self, builder: Builder, layers: Layers, *, is_deep: bool) -> None:
        """Forbid what the searches prune; deep searches count only if they refute the length."""
        deeper = self.to_goal()
        search = kept = self._search(builder, layers, 0, *next(deeper))
        while is_deep and not (search.is_whole or search.leaves_no_walk):
            if (more := next(deeper, None)) is None:
                break
            search = self._search(builder, layers, 0, *more)
        self._forbid(builder, layers, search if search.leaves_no_walk else kept)
        if not builder.is_contradiction and (bounds := self.to_start()) is not None:
            self._forbid(builder, layers, self._search(builder, layers, 1, bounds, ROOM))

    def _search(
        self, builder: Builder, layers: Layers, end: int, bounds: kernel.BoardBounds, room: int
    ) -> "BoardSearch":
        search = BoardSearch(self, end, bounds, room, layers.horizon)
        builder.boards_searched += search.boards
        return search

    def _forbid(self, builder: Builder, layers: Layers, search: "BoardSearch") -> None:
        """Add a clause for each walk that a search has pruned, or the empty one."""
        if search.leaves_no_walk:
            builder.refute_by_search()
            return
        steps = layers.steps(len(self.boards[0]))[:, self.columns[search.end]]
        literals = steps[::-1] if search.end else steps
        for walks in search.pruned():
            builder.clauses_from(-literals[np.arange(walks.shape[1]), walks])


def blank_ends(problem: Problem) -> BothEnds:
    """Return the ends for a blank graph, whose moves are its arcs, in the order of the cells."""
    successors, cells = problem.blank_graph.successors, problem.puzzle.cells
    arcs = np.array([(cell, there) for cell in range(cells) for there in sorted(successors[cell])])
    leaves, enters = arcs.T
    source = np.tile(np.arange(cells, dtype=np.uint8), (len(arcs), 1))
    np.put_along_axis(source, arcs, arcs[:, ::-1], axis=1)
    return BothEnds(
        (problem.start, problem.goal),
        source,
        # A step straight back is left to `no-undo`.
        (enters[:, None] == leaves) & (leaves[:, None] != enters),
        (leaves == problem.start.index(BLANK), enters == problem.goal.index(BLANK)),
        (cells + enters, leaves),
        partial(_sums_to_goal, problem),
        partial(_sums_to_start, problem),
    )


def _sums_to_goal(problem: Problem) -> Iterator[tuple[kernel.BoardBounds, int]]:
    cells, first = problem.puzzle.cells, _size(problem, _MOST_ENTRIES)
    yield _sums(goal_sets(problem, size=first, store=Store(), tell=_notify), cells), ROOM
    if not problem.blank_graph.is_symmetric or cells > _MOST_DEEP_CELLS:
        return
    larger = range(first + 1, min(default_size(cells) + 2, cells))
    sizes = [size for size in larger if cells**size <= _MOST_DEEP]
    for size in sizes:
        # More threads would take more memory.
        sets = goal_tables(problem, _notify, size=size, threads=1)
        yield _sums(sets, cells), LAST_ROOM if size == sizes[-1] else DEEP_ROOM


def _sums_to_start(problem: Problem) -> kernel.BoardBounds:
    size = _size(problem, _MOST_FROM_START)
    sets = start_sets(problem, size=size, tell=lambda line: None)
    return _sums(sets, problem.puzzle.cells)


def _size(problem: Problem, entries: int) -> int:
    """Return how many tiles a pattern has at first, whose table has at most so many entries."""
    cells = problem.puzzle.cells
    sizes = range(1, min(FIRST_PATTERN, cells - 1) + 1)
    return max(size for size in sizes if cells**size <= entries)


def _sums(sets: AdditiveSets, cells: int) -> kernel.BoardBounds:
    weight, groups = sets.weight.reshape(-1, cells, cells), len(sets.base)
    contribution = np.zeros((cells, cells, groups), np.uint32)
    for s, group in enumerate(sets.group.reshape(-1, cells)):
        for tile in range(1, cells):
            contribution[tile, :, group[tile]] = weight[s, tile]
    flat, odd = contribution.reshape(-1, groups), np.zeros(groups, np.uint32)
    return kernel.BoardBounds(sets.table, flat, sets.base, odd, sets.first.astype(np.int64))


def operator_ends(problem: Problem) -> BothEnds:
    """Return the ends for operators that need no blank; a board holds the homes of its contents.

    If each move can be undone, the distance between the start and a board is the same in both
    directions: then the same databases, with the start in place of the goal, serve the search from
    the goal.
    """
    puzzle, start, goal = problem.puzzle, problem.start, problem.goal
    rules = permutation_rules(puzzle)
    assert rules is not None
    source = np.array([op.apply(tuple(range(puzzle.cells))) for op in puzzle.operators], np.uint8)
    numbers = np.arange(len(source))
    follows = np.ones((len(source), len(source)), np.bool_)
    for sequence in forbidden_operators(puzzle, shorter=True, earlier=True):
        if len(sequence) == 2:
            follows[sequence] = False
    # The usual size, whatever the store holds: the formula depends on the problem alone.
    chooser = permutation_chooser(puzzle)
    found = chooser.lookups(chooser.usual, store=Store(), tell=_notify)
    columns = found.contribution.reshape(-1, found.width)
    contribution, base, odd = (
        np.ascontiguousarray(part[..., : found.count]).astype(np.uint32)
        for part in (columns, found.base, found.parity)
    )
    bounds = kernel.BoardBounds(found.table, contribution, base, odd, np.arange(found.count + 1))
    return BothEnds(
        ([*map(goal.index, start)], [*map(start.index, goal)]),
        source,
        follows,
        (numbers >= 0, numbers >= 0),
        (numbers, numbers),
        lambda: iter([(bounds, ROOM)]),
        lambda: bounds if rules.is_inverse_closed else None,
    )


class BoardSearch:
    """A search from the start, or from the goal if `end` is 1, of at most `horizon` moves."""

    def __init__(
        self, ends: BothEnds, end: int, bounds: kernel.BoardBounds, room: int, horizon: int
    ) -> None:
        board, source, follows = ends.boards[end], ends.source, ends.follows
        if end:
            source, follows = np.argsort(source, axis=1).astype(np.uint8), follows.T
        odd = np.array([_parity(row) for row in source], np.uint8)
        self._moves = kernel.BoardMoves(source, odd, np.vstack((follows, ends.begins[end])))
        self._bounds, self.end, self._room = bounds, end, min(room, factorial(len(board)))
        # Pages without boards take no memory.
        self._known = known = kernel.KnownBoards(
            board=np.empty((self._room, len(board)), np.uint8),
            odd=np.empty(self._room, np.uint8),
            last=np.empty(self._room, np.int16),
            parent=np.zeros(self._room, np.int32),
            ways=np.zeros(self._room, np.uint8),
            slots=np.empty(0, np.int32),
        )
        known.board[0], known.odd[0], known.last[0] = board, _parity(board), len(source)
        self._widths = np.count_nonzero(self._moves.follows, axis=1)
        self._steps = 0
        # The first board of each layer, and the number of the next board.
        self._layers = [0, 1]
        # By depth: the pruned steps, as the number of the board before and the move.
        self._pruned: list[NDArray[np.int64]] = []
        self.is_whole = all(self._expand(horizon - depth) for depth in range(1, horizon + 1))
        # Boards of the last layer were not expanded, and may lead to the goal.
        kernel.fold(self._layers[-2], self._known)
        self.leaves_no_walk = len(self._layers) > 2 and not known.ways[0]
        self.boards = self._layers[-1]

    def _expand(self, left: int) -> bool:
        """Add a layer, after which `left` moves are left; return False without room."""
        begin, count = self._layers[-2:]
        children = int(self._widths[self._known.last[begin:count]].sum())
        # At most half of the slots are taken.
        slots = max(FIRST_SLOTS, 1 << (2 * min(count + children, self._room) - 1).bit_length())
        if slots > len(self._known.slots):
            self._known = self._known._replace(slots=np.full(slots, -1, np.int32))
            kernel.fill_slots(count, self._known)
        self._steps += children
        is_told = self._steps <= MOST_TOLD
        pruned = np.empty((children if is_told else 0, 2), np.int64)
        count, number = kernel.expand(
            begin, count, left, self.end == 1, self._moves, self._known, self._bounds, pruned
        )
        if count < 0:
            return False
        self._layers.append(count)
        if is_told:
            self._pruned.append(pruned[:number].copy())
        return True

    def pruned(self) -> Iterator[NDArray[np.int64]]:
        """Yield the pruned walks that extend unpruned ones, as rows of moves."""
        known, layers = self._known, self._layers
        for depth, pruned in enumerate(self._pruned, start=1):
            # Dead ends; there are none in the last layer.
            layer = np.arange(layers[depth], layers[depth + 1] if depth < len(layers) - 2 else 0)
            dead = layer[(known.ways[layer] == 0) & (known.ways[known.parent[layer]] > 0)]
            steps = pruned[known.ways[pruned[:, 0]] > 0]
            yield self._walks(dead, depth)
            yield np.column_stack((self._walks(steps[:, 0], depth - 1), steps[:, 1]))

    def _walks(self, boards: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
        """Return the walks to boards of one layer."""
        walks = np.empty((len(boards), depth), np.int64)
        for place in range(depth - 1, -1, -1):
            walks[:, place] = self._known.last[boards]
            boards = self._known.parent[boards].astype(np.int64)
        return walks


def _parity(board: Sequence[int]) -> int:
    return permutation_parity(tuple(board), tuple(range(len(board))))


def _notify(line: str) -> None:
    """Announce the tables of lemmas, in place of messages of the store about single ones."""
    with making("making the tables of lemmas"):
        pass
