"""A beam of one width over arrangements, guided by many small pattern databases."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from plansolve.patterns.permutation import PermutationLookups
from plansolve.patterns.permutation_build import NO_WAY
from plansolve.patterns.permutation_rules import Arrangement, PermutationRules
from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.automaton import PruningAutomaton
from plansolve.solvers.search.beam import permutation_beam_kernel as kernel
from plansolve.solvers.search.beam.near_goal import BUCKET, NearGoal, hash_of
from plansolve.solvers.search.beam.run import BYTES_OF_STEP, BeamRun
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
    find,
)

__all__ = ["Ground", "PermutationBeamRun", "bytes_of_beam"]

_CHILDREN_A_CALL = 20_000
"""Children that are made between two looks at the clock, times the number of lookups over 100."""

_CLOSED_A_STATE = 64

_FULL = 1.5
"""Candidates with worse scores are left out as soon as so many times the width are better."""

_SCORE_BITS = 16
"""Scores are rounded down to so many bits, where distances are long."""

_PATIENCE = 49


class Ground:
    """What all beams of one puzzle share; `scores` is the number of scores."""

    def __init__(
        self,
        rules: PermutationRules,
        lookups: PermutationLookups,
        automaton: PruningAutomaton,
        near: NearGoal,
    ) -> None:
        self.rules, self.near = rules, near
        self.root = int(automaton.roots[0])
        largest = int(lookups.table[lookups.table != NO_WAY].max(initial=0))
        most = lookups.count * largest * largest
        shift = max(0, most.bit_length() - _SCORE_BITS)
        self.scores = (most >> shift) + 1
        assert lookups.contribution.dtype == lookups.base.dtype == np.int32
        self.guide = kernel.PermutationGuide(
            near.moves,
            lookups.table,
            lookups.contribution.view(np.uint64),
            lookups.base.view(np.uint64),
            automaton.offset,
            automaton.move,
            automaton.next,
            near.known,
            near.depth,
            lookups.count,
            shift,
        )


def bytes_of_beam(ground: Ground, width: int, layers: int) -> int:
    """The memory of a beam of that width that takes so many layers."""
    children = len(ground.rules.sources) * BYTES_OF_CANDIDATE + 4
    slots = 8 * 2 * _CLOSED_A_STATE
    return width * (2 * (ground.rules.cells + 12) + children + slots + BYTES_OF_STEP * layers)


class PermutationBeamRun(BeamRun[kernel.PermutationBeamLayer]):
    """A beam from `start`, whose children are made by several threads."""

    def __init__(self, ground: Ground, start: Arrangement, width: int, threads: int) -> None:
        self._ground, self._start, self._threads = ground, start, threads
        cells, most = ground.rules.cells, width * len(ground.rules.sources)
        layers = [
            kernel.PermutationBeamLayer(
                np.empty(width * cells, np.uint8),
                np.empty(width, np.uint64),
                np.empty(width, np.uint32),
            )
            for _ in range(2)
        ]
        closed = bucket_table(_CLOSED_A_STATE * width, BUCKET)
        super().__init__(
            width,
            (layers[0], layers[1]),
            Candidates.room(most, ground.scores),
            closed,
            patience=_PATIENCE,
        )
        value = np.uint64(hash_of(ground.near.moves, start))
        closed[find(closed, value)] = value
        self._here.board[:cells], self._here.zobrist[0] = start, value
        self._here.node[0] = ground.root

    def run(self, incumbent: Incumbent, step: int = 1) -> Iterator[None]:
        with ThreadPoolExecutor(self._threads) as self._pool:
            yield from super().run(incumbent, step)

    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        ground, size, threads = self._ground, self._size, self._threads
        self._stored = 0
        # What is left for a child after its own move, if its plan is to be a better one.
        allowed = min(self._allowed(incumbent, step), NO_WAY - 1)
        if allowed < 0:
            return None
        branches = len(ground.rules.sources)
        states = max(1, min(_CHILDREN_A_CALL // branches, -(-size // threads)))
        counts = np.zeros((threads, ground.scores), np.uint32)
        found = np.full((threads, 3), NO_WAY, np.int64)
        limits = kernel.PermutationLimits(allowed, ground.scores)
        for begin in range(0, size, states * threads):

            def part(
                thread: int,
                begin: int = begin,
                stored: int = self._stored,
                limits: kernel.PermutationLimits = limits,
            ) -> tuple[int, int, int]:
                first = min(begin + thread * states, size)
                last, stored = min(first + states, size), stored + thread * states * branches
                mine = self._candidates._replace(counts=counts[thread])
                return stored, *kernel.expand(
                    first, last, stored, limits, ground.guide, self._here, mine, found[thread]
                )

            for start, end, children in self._pool.map(part, range(threads)):
                self._close_gap(start, end)
                self.children += children
            nearest = found[found[:, 0].argmin()]
            if nearest[0] < NO_WAY:
                return int(nearest[1]), int(nearest[2])
            # Candidates that cannot come into the next layer any more are left out.
            enough = counts.sum(0).cumsum() >= _FULL * self.width
            if enough.any():
                limits = kernel.PermutationLimits(allowed, int(enough.argmax()) + 1)
            yield
        return None

    def _close_gap(self, start: int, end: int) -> None:
        """Moves the candidates from `start` to `end` behind those that are stored."""
        stored, after = self._stored, self._stored + end - start
        if start != stored:
            for array in self._candidates[:4]:
                array[stored:after] = array[start:end]
        self._stored = after

    def _make(self, begin: int, end: int) -> None:
        guide, chosen = self._ground.guide, self._chosen
        kernel.make(begin, end, guide, self._here, self._candidates, chosen, self._next)

    def _completed(self, moves: list[int]) -> list[int] | None:
        """The moves to a child near the goal, and on to the goal; None where a hash has erred."""
        arrangement = self._start
        for move in moves:
            arrangement = self._ground.rules.after(arrangement, move)
        rest = self._ground.near.descent(arrangement)
        return None if rest is None else moves + rest
