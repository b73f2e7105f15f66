"""The forward side of bidirectional search: depth first, divided into tasks for threads."""

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import TypeAlias

import numpy as np

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.solvers.search.automaton import blank_automaton
from plansolve.solvers.search.bidirectional.backward import BackwardSide
from plansolve.solvers.search.bidirectional.bounds import TwoWayBounds
from plansolve.solvers.search.bidirectional.depth_first_kernel import search_depth_first
from plansolve.solvers.search.packed_board_kernel import WORDS, pack, places

__all__ = ["ForwardSide"]

Walk: TypeAlias = tuple[int, ...]
"""Cells of the blank, its first one included."""

_NODES_A_CALL = 1 << 21
_BATCH = 64
_TASKS_A_THREAD = 64
_MOST_TASKS = 1 << 12
_SECONDS_A_YIELD = 0.25


class ForwardSide:
    """Searches from the start for boards that the backward side knows.

    `nodes` and `questions` count the children made and the boards looked up, over all searches.
    """

    def __init__(self, problem: Problem, bounds: TwoWayBounds, threads: int) -> None:
        self.nodes = self.questions = 0
        self.problem, self.bounds = problem, bounds
        self.automaton = blank_automaton(problem.blank_graph.successors)
        self.places = places(problem.puzzle.cells)
        self._threads, self._lock = threads, Lock()

    def search(
        self, horizon: int, threshold: int, backward: BackwardSide
    ) -> Generator[None, None, Walk | None]:
        """The blank's walk of a plan of at most `horizon` moves; None proves that there is none.

        The backward side must hold every board with b <= its threshold, and both thresholds
        together must be at least 2 * horizon - 1. Yields several times a second.
        """
        start = self.problem.start
        job = _Job(self, horizon, threshold, backward)
        if self.bounds.forward(start, 0) > threshold:
            depth = backward.depth(start)
            known = depth is not None and depth <= horizon
            return _way_on(job, (start.index(BLANK),)) if known else None
        tasks = yield from self._divide(job)
        if job.met is None and tasks:
            yield from self._work_off(job, iter(tasks))
        if job.met is None:
            return None
        # The search was ahead of its questions: once more, asking each at once.
        walk, levels = job.met
        again = _DepthFirst(job, walk, 1, levels)
        while again.run():
            self._count(again)
            yield
        return _way_on(job, again.met_walk)

    def _divide(self, job: "_Job") -> Generator[None, None, list[Walk]]:
        """Searches the first levels; what is to be searched below them, if there is no meeting."""
        root = (self.problem.start.index(BLANK),)
        tasks: list[Walk] = []
        for levels in range(1, job.horizon + 1):
            top = _DepthFirst(job, root, _BATCH, levels)
            while top.run():
                self._count(top)
                yield
            self._count(top)
            if top.has_met:
                job.met = root, levels
                return []
            if top.emissions > _MOST_TASKS:
                break
            tasks = top.emitted_walks()
            if not tasks or len(tasks) >= _TASKS_A_THREAD * self._threads:
                break
        return tasks

    def _work_off(self, job: "_Job", tasks: Iterator[Walk]) -> Generator[None, None, None]:
        def work() -> Generator[None, None, None]:
            while not job.is_over:
                with self._lock:
                    walk = next(tasks, None)
                if walk is None:
                    return
                search = _DepthFirst(job, walk, _BATCH, 0)
                while search.run() and not job.is_over:
                    self._count(search)
                    yield
                self._count(search)
                if search.has_met:
                    job.met = walk, 0
                    job.is_over = True

        if self._threads == 1:
            yield from work()
            return
        with ThreadPoolExecutor(self._threads) as pool:
            working = [pool.submit(deque, work(), 0) for _ in range(self._threads)]
            try:
                while wait(working, _SECONDS_A_YIELD).not_done:
                    yield
            finally:
                job.is_over = True
        for one in working:
            one.result()

    def _count(self, search: "_DepthFirst") -> None:
        with self._lock:
            self.nodes += search.nodes
            self.questions += search.questions
        search.nodes = search.questions = 0


@dataclass
class _Job:
    """What one search is for; `met` is the task in which there was a meeting, with its levels."""

    side: ForwardSide
    horizon: int
    threshold: int
    backward: BackwardSide
    met: tuple[Walk, int] | None = None
    is_over: bool = False


class _DepthFirst:
    """A depth-first search below the end of a walk, as the kernel wants it.

    With `levels` other than 0 it ends that many levels further down, and collects the walks there.
    """

    def __init__(self, job: _Job, walk: Walk, batch: int, levels: int) -> None:
        side = job.side
        automaton, sets = side.automaton, side.bounds.sets
        self._job, self._walk, self._levels = job, walk, levels
        deepest, sets_count = job.horizon + 2, len(sets.first) - 1
        board = _walked(side.problem.start, walk)
        self._board = np.array(board, np.uint8)
        self._index, self._value = side.bounds.entries(board)
        self._sums = side.bounds.sums(board)
        self._words = np.zeros(WORDS * deepest, np.uint64)
        self._words[:WORDS] = pack(board)
        self._blank = np.zeros(deepest, np.uint8)
        self._blank[0] = walk[-1]
        state = int(automaton.roots[walk[0]])
        for cell in walk[1:]:
            edges = range(int(automaton.offset[state]), int(automaton.offset[state + 1]))
            state = next(int(automaton.next[e]) for e in edges if automaton.move[e] == cell)
        self._edge = np.zeros(deepest, np.uint32)
        self._edge_end = np.zeros(deepest, np.uint32)
        self._edge[0], self._edge_end[0] = automaton.offset[state : state + 2]
        self._before = np.zeros(sets_count * deepest, np.uint8)
        self._waiting = np.zeros(4 * batch, np.uint64)
        self._meeting = np.zeros(5, np.int64)
        self._control = np.zeros(2, np.int64)
        self._emitted = np.zeros(levels * _MOST_TASKS, np.uint8)
        self.nodes = self.questions = self.emissions = 0

    def run(self) -> bool:
        """Goes on for a fraction of a second; whether there is more to do."""
        job, side, backward = self._job, self._job.side, self._job.backward
        automaton, bounds = side.automaton, side.bounds
        sets = bounds.sets
        nodes, questions, self.emissions = search_depth_first(
            _NODES_A_CALL,
            len(self._walk) - 1,
            self._levels,
            self.emissions,
            job.horizon,
            job.threshold,
            bounds.goal_sets,
            *(automaton.offset, automaton.move, automaton.next),
            side.places,
            *(sets.table, sets.group, sets.weight, sets.first),
            backward.slots,
            backward.key_words,
            backward.parts,
            backward.capacity,
            *(self._control, self._board, self._index, self._value, self._sums),
            *(self._words, self._blank, self._edge, self._edge_end, self._before),
            *(self._waiting, self._meeting, self._emitted),
        )
        self.nodes += nodes
        self.questions += questions
        return self._control[0] >= 0 and not self.has_met

    @property
    def has_met(self) -> bool:
        """Whether the backward side knows a board, or the goal was reached."""
        return bool(self._meeting[0])

    @property
    def met_walk(self) -> Walk:
        """The walk to the meeting; known only where questions are asked one at a time."""
        path = self._blank[1 : int(self._control[0]) + 1]
        return (*self._walk, *map(int, path), int(self._meeting[3]))

    def emitted_walks(self) -> list[Walk]:
        """The walks to the boards at the last level."""
        used = self._emitted[: self.emissions * self._levels].reshape(-1, self._levels)
        return [(*self._walk, *map(int, cells)) for cells in used]


def _walked(board: State, walk: Walk) -> State:
    """The board after the blank has gone along the walk."""
    after = list(board)
    for b, d in pairwise(walk):
        after[b], after[d] = after[d], after[b]
    return tuple(after)


def _way_on(job: _Job, walk: Walk) -> Walk:
    """The walk continued to the goal, by boards of falling depth on the backward side."""
    side, backward = job.side, job.backward
    successors = side.problem.blank_graph.successors
    board = _walked(side.problem.start, walk)
    depth = 0 if board == side.problem.goal else backward.depth(board)
    assert depth is not None
    for left in range(depth - 1, -1, -1):
        blank = board.index(BLANK)
        steps = [(blank, cell) for cell in successors[blank]]
        step = next(s for s in steps if backward.depth(_walked(board, s)) == left)
        board, walk = _walked(board, step), (*walk, step[1])
    return walk
