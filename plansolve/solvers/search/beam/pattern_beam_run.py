"""One beam: its layers, the closed table, and the way back through the layers to a walk."""

import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plansolve.model.puzzle import BLANK, State
from plansolve.patterns.additive import AdditiveSets
from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.beam.pattern_beam_kernel import (
    BLANK_BIT,
    CAME_BIT,
    PENALTY_BIT,
    TIES,
    arrange,
    expand,
    select,
    squeeze,
)
from plansolve.solvers.search.packed_board_kernel import WORDS, Arcs, pack
from plansolve.storage.jit import Array

__all__ = ["BeamRun", "Way", "bytes_of_beam"]

Walk: TypeAlias = list[int]
_EightArrays: TypeAlias = tuple[Array, Array, Array, Array, Array, Array, Array, Array]

_STATES_A_CALL = 1 << 16
_CANDIDATES_A_STATE = 8
_CLOSED_A_STATE = 16
_RANKS = 32
_PATIENCE_A_CELL = 8
_BYTES_OF_CANDIDATE = 8 + 4 + 2 + 4 + 4
_BYTES_OF_STEP = 4 + 1
_EVERY_KEY = (1 << 32) - 1


@dataclass(frozen=True)
class Way:
    """What a beam goes along: from `source` to `target`, guided by bounds on the way to go."""

    arcs: Arcs
    sets: AdditiveSets
    source: State
    target: State


def bytes_of_beam(way: Way, width: int, layers: int) -> int:
    """About how much memory a beam takes that finds its plan in so many layers."""
    state = 8 * WORDS + 5 * len(way.sets.base)
    a_state = 2 * state + _CANDIDATES_A_STATE * _BYTES_OF_CANDIDATE + 8 * 2 * _CLOSED_A_STATE
    return width * (a_state + _BYTES_OF_STEP * (layers + 1)) + 4 * _number_of_keys(way)


class BeamRun:
    """A beam of one width; `walk` is where it takes the blank, once it has found the target.

    `states` and `children` count the work, `seconds` the time; `memory` bounds the bytes.
    """

    def __init__(self, way: Way, width: int, memory: int) -> None:
        self.walk: Walk | None = None
        self.states = self.children = 0
        self.seconds = 0.0
        self.width = width
        self._way, self._memory = way, memory
        self._here, self._next = _Layer(way, width), _Layer(way, width)
        self._candidates = _Candidates(way, width)
        buckets = 1 << (2 * width).bit_length()
        self._closed = np.zeros(buckets * 8, np.uint64)
        self._steps: list[tuple[NDArray[np.uint32], NDArray[np.uint8]]] = []

    def run(self, incumbent: Incumbent, step: int) -> Generator[None, None, None]:
        """Goes from layer to layer; yields several times a second.

        Plans that are not at least `step` moves shorter than the incumbent's are no news.
        """
        begin = time.monotonic()
        self._here.start(self._way)
        lowest, patience = _EVERY_KEY, 0
        while self._here.count and patience < _PATIENCE_A_CELL * len(self._way.source):
            yield from self._expand(incumbent, step)
            self.states += self._here.count
            self.seconds = time.monotonic() - begin
            if self._candidates.goal[0]:
                self.walk = self._way_back()
                return
            guide = self._candidates.least_guide
            lowest, patience = (guide, 0) if guide < lowest else (lowest, patience + 1)
            yield from self._select()
            if _BYTES_OF_STEP * self.width * len(self._steps) > self._memory:
                return

    def _expand(self, incumbent: Incumbent, step: int) -> Generator[None, None, None]:
        here, candidates, way = self._here, self._candidates, self._way
        candidates.empty()
        penalties = here.words[2 : WORDS * here.count : WORDS] >> np.uint64(PENALTY_BIT)
        least_penalty = int(penalties.min())
        state, cut = 0, _EVERY_KEY
        while state < here.count:
            allowed = incumbent.upper_bound - step - (len(self._steps) + 1)
            end = min(here.count, state + _STATES_A_CALL)
            before = candidates.count
            state, candidates.count = expand(
                state,
                end,
                candidates.count,
                allowed,
                cut,
                candidates.ranks,
                least_penalty,
                *_arrays_of(way),
                *here.arrays,
                candidates.target,
                *candidates.arrays,
                candidates.counts,
                candidates.goal,
            )
            self.children += candidates.count - before
            if state < end:
                candidates.count, cut = squeeze(
                    candidates.capacity // 2,
                    candidates.count,
                    *candidates.arrays,
                    candidates.counts,
                )
            yield

    def _select(self) -> Generator[None, None, None]:
        here, following, candidates = self._here, self._next, self._candidates
        arrange(
            candidates.count,
            candidates.keys,
            candidates.counts[: candidates.largest_key + 1],
            candidates.order,
        )
        following.count = place = 0
        while place < candidates.count and following.count < self.width:
            end = min(candidates.count, place + 2 * _STATES_A_CALL)
            following.count = select(
                place,
                end,
                following.count,
                self.width,
                *_arrays_of(self._way),
                *here.arrays,
                candidates.order,
                candidates.hashes,
                candidates.parents,
                candidates.arcs,
                self._closed,
                *following.arrays,
                following.parent,
                following.cell,
            )
            place = end
            yield
        steps = slice(following.count)
        self._steps.append((following.parent[steps].copy(), following.cell[steps].copy()))
        self._here, self._next = following, here

    def _way_back(self) -> Walk:
        _, state, arc, _ = map(int, self._candidates.goal)
        walk = [int(self._way.arcs.cell[arc])]
        for parents, cells in reversed(self._steps):
            walk.append(int(cells[state]))
            state = int(parents[state])
        return [*walk, self._way.source.index(BLANK)][::-1]


class _Layer:
    """The states of one layer, as the kernels want them."""

    def __init__(self, way: Way, width: int) -> None:
        groups = len(way.sets.base)
        self.count = 0
        self.words = np.empty(WORDS * width, np.uint64)
        self.index = np.empty(groups * width, np.uint32)
        self.value = np.empty(groups * width, np.uint8)
        self.parent = np.empty(width, np.uint32)
        self.cell = np.empty(width, np.uint8)
        self.arrays = (self.words, self.index, self.value)

    def start(self, way: Way) -> None:
        """Holds the source alone."""
        self.count = 1
        blank = way.source.index(BLANK)
        self.words[:WORDS] = pack(way.source)
        self.words[2] |= np.uint64(blank << BLANK_BIT | blank << CAME_BIT)
        index = way.sets.initial(way.source)
        self.index[: len(index)] = index
        self.value[: len(index)] = way.sets.table[index]


class _Candidates:
    """The children that may enter the next layer."""

    def __init__(self, way: Way, width: int) -> None:
        most_children = int(np.diff(way.arcs.offset).max())
        self.capacity = _CANDIDATES_A_STATE * width + 2 * most_children
        self.count = 0
        self.hashes = np.empty(self.capacity, np.uint64)
        self.parents = np.empty(self.capacity, np.uint32)
        self.arcs = np.empty(self.capacity, np.uint16)
        self.keys = np.empty(self.capacity, np.uint32)
        self.arrays = (self.hashes, self.parents, self.arcs, self.keys)
        self.order = np.empty(self.capacity, np.uint32)
        self.ranks = _ranks(way)
        self.counts = np.zeros(_number_of_keys(way), np.uint32)
        self.goal = np.zeros(4, np.int64)
        self.target = pack(way.target)

    def empty(self) -> None:
        """Forgets all candidates."""
        self.count = 0
        self.goal[:] = 0

    @property
    def largest_key(self) -> int:
        """The largest key that a candidate has."""
        return int(self.keys[: self.count].max(initial=0))

    @property
    def least_guide(self) -> int:
        """The guide of the best candidate."""
        return int(self.keys[: self.count].min(initial=_EVERY_KEY)) // (TIES * self.ranks)


def _ranks(way: Way) -> int:
    return _RANKS if way.arcs.penalty.any() else 1


def _number_of_keys(way: Way) -> int:
    return (255 * len(way.sets.base) + 1) * TIES * _ranks(way)


def _arrays_of(way: Way) -> _EightArrays:
    arcs, sets = way.arcs, way.sets
    return (
        *(arcs.offset, arcs.cell, arcs.swing, arcs.penalty),
        *(sets.table, sets.group, sets.weight, sets.first),
    )
