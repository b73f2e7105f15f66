"""A beam of one width over arrangements, guided by many small pattern databases."""

from typing import Any

import numpy as np

from plansolve.patterns.permutation import PermutationLookups
from plansolve.patterns.permutation_rules import Arrangement, PermutationRules
from plansolve.patterns.table import NO_WAY
from plansolve.solvers.search.automaton import PruningAutomaton
from plansolve.solvers.search.beam import permutation_beam_kernel as kernel
from plansolve.solvers.search.beam.near_goal import BUCKET, NearGoal, hash_of
from plansolve.solvers.search.beam.operator_beam_run import SCORE_BITS, BeamLimits, OperatorBeamRun
from plansolve.solvers.search.beam.run import BYTES_OF_STEP
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
    find,
)

__all__ = ["Ground", "PermutationBeamRun", "bytes_of_beam"]

_CLOSED_A_STATE = 64


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
        shift = max(0, most.bit_length() - SCORE_BITS)
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


class PermutationBeamRun(OperatorBeamRun[kernel.PermutationBeamLayer]):
    """A beam from `start`, whose children are made by several threads."""

    def __init__(self, ground: Ground, start: Arrangement, width: int, threads: int) -> None:
        self._ground, self._start = ground, start
        cells = ground.rules.cells
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
            closed,
            branches=len(ground.rules.sources),
            scores=ground.scores,
            threads=threads,
        )
        value = np.uint64(hash_of(ground.near.moves, start))
        closed[find(closed, value)] = value
        self._here.board[:cells], self._here.zobrist[0] = start, value
        self._here.node[0] = ground.root

    def _children(
        self, first: int, last: int, stored: int, limits: BeamLimits, mine: Candidates, found: Any
    ) -> tuple[int, int]:
        guide = self._ground.guide
        return kernel.expand(first, last, stored, limits, guide, self._here, mine, found)

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
