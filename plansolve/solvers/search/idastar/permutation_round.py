"""One round of IDA* over permutations: the tree of one bound, searched by one thread or several.

The tree is cut after the first moves that the automaton lets pass, and the subtrees are handed out
a few at a time (root splitting). The kernel runs without the interpreter's lock.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import Plan
from plansolve.model.structure import permutation_parity
from plansolve.patterns.permutation import LANE_BLOCK, PermutationLanes
from plansolve.patterns.permutation_rules import Arrangement, PermutationRules
from plansolve.solvers.search.automaton import PruningAutomaton
from plansolve.solvers.search.idastar import permutation_kernel as kernel

__all__ = ["PermutationRound", "PermutationTree"]

_SLICE = 2_000_000
_WAIT = 0.3  # seconds
_SUBTREES = 300
"""How many subtrees there should be: those of one depth differ much in size."""
_HANDED_OUT = 4
_NEVER = 1 << 20
_HALF = np.uint64(32)


@dataclass(frozen=True)
class PermutationTree:
    """What does not change from round to round: the moves, which follow which, and the lanes."""

    rules: PermutationRules
    automaton: PruningAutomaton
    lanes: PermutationLanes
    start: Arrangement

    @property
    def blocks(self) -> int:
        """The number of blocks of lanes."""
        return self.lanes.width // LANE_BLOCK

    @cached_property
    def slots(self) -> int:
        """The most moves that may follow one another move."""
        return int(np.diff(self.automaton.offset.astype(np.int64)).max())

    @cached_property
    def tables(self) -> kernel.SearchTables:
        """The tables as the kernel takes them."""
        moves = [[(c, s) for c, s in enumerate(source) if c != s] for source in self.rules.sources]
        groups: dict[tuple[tuple[int, ...], bool], int] = {}
        group = [
            groups.setdefault((tuple(cell for cell, _ in move), odd), len(groups))
            for move, odd in zip(moves, self.rules.is_odd, strict=True)
        ]
        cells = self.lanes.cells
        columns = self.lanes.contribution.reshape(cells, cells, self.blocks, LANE_BLOCK)
        parity = _paired(self.lanes.parity.reshape(self.blocks, LANE_BLOCK))
        closed = self.rules.is_inverse_closed
        return kernel.SearchTables(
            offset=self.automaton.offset,
            move=self.automaton.move.astype(np.uint32),
            next=self.automaton.next,
            first=_starts(moves),
            cell=_numbers(cell for move in moves for cell, _ in move),
            source=_numbers(source for move in moves for _, source in move),
            group=_numbers(group),
            group_first=_starts([cells for cells, _ in groups]),
            group_cell=_numbers(cell for cells, _ in groups for cell in cells),
            group_odd=_numbers(odd for _, odd in groups),
            contribution=_paired(columns.transpose(2, 0, 1, 3)).reshape(-1),
            flip=np.stack([parity, np.uint64(0) - parity], axis=1).reshape(-1),
            table=self.lanes.table,
            lanes=_numbers(
                min(LANE_BLOCK, self.lanes.lanes - begin)
                for begin in range(0, self.lanes.width, LANE_BLOCK)
            ),
            limits=np.array([2, 1] if closed else [_NEVER, _NEVER], np.uint64),
        )

    def jobs(self, length: int) -> NDArray[np.uint32]:
        """The sequences of first moves of that length, one after another."""
        words: list[tuple[tuple[int, ...], int]] = [((), int(self.automaton.roots[0]))]
        for _ in range(length):
            words = [
                ((*word, int(self.automaton.move[edge])), int(self.automaton.next[edge]))
                for word, node in words
                for edge in range(self.automaton.offset[node], self.automaton.offset[node + 1])
            ]
        return _numbers(move for word, _ in words for move in word)

    def state(self, levels: int) -> kernel.SearchState:
        """A fresh state of the search, for plans of fewer than `levels` moves."""
        cells, slots, blocks = self.lanes.cells, self.slots, self.blocks
        rows = levels * slots
        state = kernel.SearchState(
            board=np.zeros(levels * cells, np.uint32),
            odd=np.zeros(levels, np.uint32),
            count=np.zeros(levels, np.uint32),
            taken=np.zeros(levels, np.uint32),
            operator=np.zeros(rows, np.uint32),
            node=np.zeros(rows, np.uint32),
            index=np.zeros(rows * blocks * LANE_BLOCK // 2, np.uint64),
            value=np.zeros(rows * blocks * LANE_BLOCK, np.uint8),
            alive=np.zeros(rows, np.uint32),
            order=np.zeros(LANE_BLOCK, np.uint32),
            place=np.zeros(5, np.int64),
        )
        state.board[:cells] = np.array(self.start) * cells * (LANE_BLOCK // 2)
        state.odd[0] = permutation_parity(self.start, tuple(range(cells)))
        indices = self.lanes.indices(self.start)
        state.index[: indices.size // 2] = _paired(indices)
        state.value[: indices.size] = self.lanes.table[indices]
        state.node[0] = self.automaton.roots[0]
        return state

    def plan(self, state: kernel.SearchState, length: int) -> Plan:
        """The names of the moves that have led to where the search stands."""
        plan = []
        for level in range(1, length + 1):
            row = level * self.slots
            slot = state.alive[row + state.taken[level] - 1]
            plan.append(self.rules.names[state.operator[row + slot]])
        return tuple(plan)


class PermutationRound:
    """The plans of exactly `bound` moves, at least one.

    `found` holds the plans found, for the caller to take away; `children` counts the boards that
    were generated, `expanded` those whose children were. `is_exhausted` tells whether nothing is
    left of the tree.
    """

    def __init__(self, tree: PermutationTree, bound: int, slice_children: int = _SLICE) -> None:
        self._tree, self._bound, self._slice = tree, bound, slice_children
        self._length = 1
        self._jobs = tree.jobs(1)
        while self._length < bound and len(self._jobs) < _SUBTREES * self._length:
            self._length += 1
            self._jobs = tree.jobs(self._length)
            if not self._jobs.size:
                break
        self._total = len(self._jobs) // self._length
        self._given = self._finished = 0
        self._workers: list[_Worker] = []
        self._lock = Lock()
        self.found: deque[Plan] = deque()

    @property
    def jobs(self) -> list[tuple[int, ...]]:
        """The first moves of the subtrees, in the order in which they are searched."""
        words = self._jobs.reshape(-1, self._length).tolist()
        return list(map(tuple, words))

    @property
    def children(self) -> int:
        """The boards that were generated."""
        return sum(int(worker.state.place[kernel.CHILDREN]) for worker in self._workers)

    @property
    def expanded(self) -> int:
        """The boards whose children were generated."""
        return sum(int(worker.state.place[kernel.EXPANDED]) for worker in self._workers)

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left of the tree."""
        return self._finished == self._total

    def run(self, threads: int) -> Iterator[None]:
        """Searches; yields several times a second and when plans were found, until all is done."""
        self._workers = [_Worker(self._tree.state(self._bound + 1)) for _ in range(threads)]
        if threads == 1:
            while self._step(self._workers[0]):
                yield
            return
        with ThreadPoolExecutor(threads) as pool:
            running = {pool.submit(self._step, worker): worker for worker in self._workers}
            try:
                while running:
                    for future in wait(running, _WAIT, FIRST_COMPLETED).done:
                        worker = running.pop(future)
                        if future.result():
                            running[pool.submit(self._step, worker)] = worker
                    yield
            finally:
                for worker in self._workers:
                    worker.state.place[kernel.HALT] = 1

    def _step(self, worker: "_Worker") -> bool:
        """Goes on for a slice of the work, or to the next plan; False where nothing is left."""
        begin = int(worker.state.place[kernel.CHILDREN])
        while True:
            if worker.is_idle and not self._hand_out(worker):
                return False
            used = int(worker.state.place[kernel.CHILDREN]) - begin
            status = kernel.search_jobs(
                self._tree.tables,
                worker.state,
                self._jobs,
                self._length,
                worker.end,
                self._bound,
                self._tree.lanes.cells,
                self._tree.slots,
                self._tree.blocks,
                self._slice - used,
            )
            if status == kernel.FOUND:
                self.found.append(self._tree.plan(worker.state, self._bound))
            if status != kernel.DONE:
                return True
            with self._lock:
                self._finished += worker.end - worker.begin
            worker.is_idle = True

    def _hand_out(self, worker: "_Worker") -> bool:
        """Gives a worker its next jobs; False where there are none."""
        with self._lock:
            worker.begin = self._given
            worker.end = self._given = min(self._total, self._given + _HANDED_OUT)
        worker.state.place[kernel.JOB] = worker.begin
        worker.is_idle = worker.begin == worker.end
        return not worker.is_idle


@dataclass
class _Worker:
    """The state of one thread's search, and the jobs that it has been given."""

    state: kernel.SearchState
    begin: int = 0
    end: int = 0
    is_idle: bool = True


def _paired(lanes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Two lanes to a word, along the last axis; the first of them in the lower half."""
    wide = lanes.astype(np.uint64)
    result: NDArray[np.uint64] = wide[..., 0::2] + (wide[..., 1::2] << _HALF)
    return result


def _numbers(values: Iterable[int]) -> NDArray[np.uint32]:
    return np.array(list(values), np.uint32)


def _starts(runs: Sequence[Sequence[Any]]) -> NDArray[np.uint32]:
    """Where each of some runs begins that stand one after another, and where the last ends."""
    return np.cumsum([0, *map(len, runs)], dtype=np.uint32)
