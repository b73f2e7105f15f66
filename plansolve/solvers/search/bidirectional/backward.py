"""The backward side of bidirectional search: all boards near the goal, by breadth-first search."""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, State
from plansolve.solvers.search.bidirectional.bounds import TwoWayBounds
from plansolve.solvers.search.bidirectional.layer_kernel import BLANK_BIT, CAME_BIT, expand_layer
from plansolve.solvers.search.bidirectional.table_kernel import DEEPEST, MOST_CAPACITY, enter, find
from plansolve.solvers.search.packed_board_kernel import WORDS, arcs_back, key_words, pack

__all__ = ["BackwardSide"]

_Records: TypeAlias = NDArray[np.uint64]
_End: TypeAlias = Literal["complete", "the table is full", "too many boards"]

_ROOM = 1 << 14
_FULLEST = 0.8
_LEAST_CAPACITY = 1 << 10
_SMALLEST_CAPACITY = 16
_SHARE_OF_TABLE = 0.75
"""The part of the memory that the table may take; the rest is for two layers of records."""


class BackwardSide:
    """The boards from which g moves lead to the goal and b <= threshold, each with its least g.

    `states` counts them, `children` what was made on the way. `is_exhaustive` tells that no board
    from which the goal can be reached is missing.
    """

    def __init__(self, problem: Problem, bounds: TwoWayBounds, memory: int, threads: int) -> None:
        self.threshold = -1
        self.states = self.children = 0
        self.is_exhaustive = False
        self.key_words = key_words(problem.puzzle.cells)
        self.parts = threads
        slot_bytes = 8 * self.key_words * self.parts
        self._largest = max(
            _SMALLEST_CAPACITY, min(int(memory * _SHARE_OF_TABLE) // slot_bytes, MOST_CAPACITY)
        )
        self._most_record_bytes = int(memory * (1 - _SHARE_OF_TABLE))
        self._goal, self._bounds, self._arcs = problem.goal, bounds, arcs_back(problem.blank_graph)
        self._length = WORDS + -(-len(bounds.sets.base) // 8)
        self._clear(2)

    @property
    def most_states(self) -> int:
        """How many boards there is memory for."""
        return int(_FULLEST * self._largest * self.parts)

    def depth(self, state: State) -> int | None:
        """The least number of moves to the goal of a board that is stored; else None."""
        w0, w1, w2 = pack(state)
        depth, _ = find(w0, w1, w2, self.slots, self.key_words, self.parts, self.capacity)
        return None if depth < 0 else int(depth)

    def build(self, threshold: int, expected: int) -> Generator[None, None, bool]:
        """Finds all boards with b <= threshold, about `expected` of them; False if too many.

        Then nothing is stored. Yields many times a second.
        """
        self.threshold = threshold
        capacity = max(_LEAST_CAPACITY, 2 * expected // self.parts)
        while True:
            self._clear(min(capacity, self._largest))
            end = yield from self._layers()
            if end != "the table is full" or capacity >= self._largest:
                break
            capacity *= 4
        if end != "complete":
            self._clear(2)
        return end == "complete"

    def _clear(self, capacity: int) -> None:
        self.capacity = capacity
        self.slots = np.zeros(self.parts * capacity * self.key_words, np.uint64)
        self.states, self.is_exhaustive = 0, False
        self._filled = np.zeros(self.parts, np.int64)

    def _layers(self) -> Generator[None, None, _End]:
        if self._bounds.backward(self._goal, 0) > self.threshold:
            return "complete"
        buffers = _Buffers(self.parts, self._length)
        here = [self._root(buffers)]
        depth = 0
        with ThreadPoolExecutor(self.parts) as pool:
            while here:
                if depth == DEEPEST:
                    return "too many boards"
                following: list[_Records] = []
                end = yield from self._layer(pool, buffers, depth, here, following)
                if end != "complete":
                    return end
                here, depth = following, depth + 1
        self.is_exhaustive = not buffers.beyond
        return "complete"

    def _root(self, buffers: "_Buffers") -> _Records:
        """The record of the goal, entered into the table."""
        blank = self._goal.index(BLANK)
        record = np.zeros(self._length, np.uint64)
        record[:WORDS] = pack(self._goal)
        record[2] |= np.uint64(blank << BLANK_BIT | blank << CAME_BIT)
        _, entries = self._bounds.entries(self._goal)
        record[WORDS:].view(np.uint8)[: len(entries)] = entries
        self._enter_records(0, record, 1, buffers.fresh[0])
        # Which part it is in does not matter to a limit that leaves a fifth of each empty.
        self._filled += 1
        self.states = 1
        return record

    def _layer(
        self,
        pool: ThreadPoolExecutor,
        buffers: "_Buffers",
        depth: int,
        here: list[_Records],
        following: list[_Records],
    ) -> Generator[None, None, _End]:
        """Fills `following` with what follows on the records of one depth."""
        todo = [(chunk, 0) for chunk in here]
        layer_bytes = sum(chunk.nbytes for chunk in here)
        while todo:
            batch, todo = todo[-self.parts :], todo[: -self.parts]
            buffers.counts[:] = 0
            expand = partial(self._expand, buffers, depth)
            reached = list(self._map(pool)(expand, range(len(batch)), batch))
            todo += [
                (chunk, state)
                for (chunk, _), state in zip(batch, reached, strict=True)
                if state * self._length < len(chunk)
            ]
            self.children += int(buffers.counts[:, -2].sum())
            buffers.beyond += int(buffers.counts[:, -1].sum())
            incoming = buffers.counts[:, : self.parts].sum(axis=0)
            if (self._filled + incoming > _FULLEST * self.capacity).any():
                return "the table is full"
            enter_part = partial(self._enter, buffers, depth + 1)
            fresh = list(self._map(pool)(enter_part, range(self.parts)))
            following += [chunk for chunk in fresh if len(chunk)]
            layer_bytes += sum(chunk.nbytes for chunk in fresh)
            self.states += sum(len(chunk) for chunk in fresh) // self._length
            if layer_bytes > self._most_record_bytes:
                return "too many boards"
            yield
        return "complete"

    def _map(self, pool: ThreadPoolExecutor) -> Callable[..., Iterator[Any]]:
        """Maps over the threads; with one, without the detour, which is slow on a busy machine."""
        return pool.map if self.parts > 1 else map

    def _expand(
        self, buffers: "_Buffers", depth: int, worker: int, work: tuple[_Records, int]
    ) -> int:
        records, begin = work
        bounds, sets = self._bounds, self._bounds.sets
        reached = expand_layer(
            begin,
            len(records) // self._length,
            depth,
            self.threshold,
            bounds.goal_sets,
            self.parts,
            self._length,
            *(self._arcs.offset, self._arcs.cell, self._arcs.swing),
            *(sets.table, sets.base, sets.group, sets.weight, sets.first),
            records,
            buffers.children[worker],
            buffers.counts[worker],
        )
        return int(reached)

    def _enter(self, buffers: "_Buffers", depth: int, part: int) -> _Records:
        """Enters the children of one part; the records of the new ones."""
        fresh = []
        for worker in range(self.parts):
            begin = part * buffers.room * self._length
            count = int(buffers.counts[worker, part])
            records = buffers.children[worker][begin:]
            entered = self._enter_records(depth, records, count, buffers.fresh[part])
            fresh.append(buffers.fresh[part][: entered * self._length].copy())
            self._filled[part] += entered
        return np.concatenate(fresh)

    def _enter_records(self, depth: int, records: _Records, count: int, fresh: _Records) -> int:
        entered, _ = enter(
            depth,
            count,
            self._length,
            records,
            self.slots,
            self.key_words,
            self.parts,
            self.capacity,
            fresh,
        )
        return int(entered)


class _Buffers:
    """Room for the children that each thread makes, apart for each part of the table."""

    def __init__(self, parts: int, length: int) -> None:
        self.room = _ROOM
        self.children = [np.empty(parts * _ROOM * length, np.uint64) for _ in range(parts)]
        self.fresh = [np.empty(_ROOM * length, np.uint64) for _ in range(parts)]
        self.counts = np.zeros((parts, parts + 2), np.int64)
        self.beyond = 0
