"""A beam of one width on a blank graph, guided by additive pattern databases."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from plansolve.model.puzzle import BLANK, State
from plansolve.patterns.additive import AdditiveSets
from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.beam import pattern_beam_kernel as kernel
from plansolve.solvers.search.beam.run import BYTES_OF_STEP, BeamRun
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
)
from plansolve.solvers.search.packed_board_kernel import WORDS, Arcs, pack

__all__ = ["PatternBeamRun", "Way", "bytes_of_beam"]

_STATES_A_CALL = 1 << 16
_CANDIDATES_A_STATE = 8
_CLOSED_A_STATE = 16
_BUCKET = 8
_RANKS = 32
_PATIENCE_A_CELL = 8
_EVERY_KEY = (1 << 32) - 1


@dataclass(frozen=True)
class Way:
    """What a beam goes along: from `source` to `target`, guided by bounds on the way to go."""

    arcs: Arcs
    sets: AdditiveSets
    source: State
    target: State

    @property
    def ranks(self) -> int:
        """How many sums of penalties the keys of candidates tell apart."""
        return _RANKS if self.arcs.penalty.any() else 1

    @property
    def keys(self) -> int:
        """The number of keys that a candidate may have."""
        return (255 * len(self.sets.base) + 1) * kernel.TIES * self.ranks

    def walk(self, moves: list[int]) -> list[int]:
        """The cells that the blank goes through along these arcs, from the source."""
        return [self.source.index(BLANK), *self.arcs.cell[moves].tolist()]


def bytes_of_beam(way: Way, width: int, layers: int) -> int:
    """About how much memory a beam takes that finds its plan in so many layers."""
    state = 8 * WORDS + 5 * len(way.sets.base)
    a_state = 2 * state + _CANDIDATES_A_STATE * BYTES_OF_CANDIDATE + 8 * 2 * _CLOSED_A_STATE + 4
    return width * (a_state + BYTES_OF_STEP * (layers + 1)) + 4 * way.keys


class PatternBeamRun(BeamRun[kernel.PatternBeamLayer]):
    """A beam along a way; `memory` bounds the bytes of the steps that it remembers."""

    def __init__(self, way: Way, width: int, memory: int) -> None:
        self._way = way
        sets, groups = way.sets, len(way.sets.base)
        self._guide = kernel.PatternGuide(way.arcs, sets, pack(way.target))
        layers = [
            kernel.PatternBeamLayer(
                np.empty(WORDS * width, np.uint64),
                np.empty(groups * width, np.uint32),
                np.empty(groups * width, np.uint8),
            )
            for _ in range(2)
        ]
        most_children = int(np.diff(way.arcs.offset).max())
        super().__init__(
            width,
            (layers[0], layers[1]),
            Candidates.room(_CANDIDATES_A_STATE * width + 2 * most_children, way.keys),
            bucket_table(_BUCKET << (2 * width).bit_length(), _BUCKET),
            patience=_PATIENCE_A_CELL * len(way.source),
            unit=kernel.TIES * way.ranks,
            most_layers=memory // (BYTES_OF_STEP * width),
        )
        blank, index = way.source.index(BLANK), sets.initial(way.source)
        start = self._here
        start.words[:WORDS] = pack(way.source)
        start.words[2] |= np.uint64(blank << kernel.BLANK_BIT | blank << kernel.CAME_BIT)
        start.indices[:groups] = index
        start.value[:groups] = sets.table[index]

    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        candidates = self._candidates
        capacity = len(candidates.hash)
        penalties = self._here.words[2 : WORDS * self._size : WORDS] >> np.uint64(
            kernel.PENALTY_BIT
        )
        least_penalty = int(penalties.min())
        found = np.zeros(4, np.int64)
        state, stored, cut = 0, 0, _EVERY_KEY
        while state < self._size:
            allowed = self._allowed(incumbent, step)
            limits = kernel.PatternLimits(allowed, cut, self._way.ranks, least_penalty)
            end, before = min(self._size, state + _STATES_A_CALL), stored
            state, stored = kernel.expand(
                state, end, stored, limits, self._guide, self._here, candidates, found
            )
            self.children += stored - before
            if state < end:
                stored, cut = kernel.squeeze(capacity // 2, stored, candidates)
            yield
        self._stored = stored
        return (int(found[1]), int(found[2])) if found[0] else None

    def _make(self, begin: int, end: int) -> None:
        kernel.make(begin, end, self._guide, self._here, self._candidates, self._chosen, self._next)
