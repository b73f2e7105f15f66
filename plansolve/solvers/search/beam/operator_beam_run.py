"""A beam of one width whose children are made by operators, in several threads."""

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.analysis.duplicate_sequences import EVERY_PLAN
from plansolve.model.problem import Problem
from plansolve.patterns.permutation import PermutationLookups
from plansolve.patterns.placement import PlacementLookups
from plansolve.patterns.rules import PermutationRules
from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.automaton import (
    MOST_BYTES,
    MOST_OPERATOR_SEQUENCES,
    PruningAutomaton,
    operator_automaton,
    puzzle_automaton,
    vertex_of,
)
from plansolve.solvers.search.beam import operator_beam_kernel as kernel
from plansolve.solvers.search.beam.beam import BYTES_OF_STEP, BeamRun
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
    find,
)
from plansolve.solvers.search.node_tables import move_tables, need_table, starts

_FAR = 255
"""Stands for a child that is not the goal, and for any distance larger than a lookup tells."""

_SCORE_BITS = 16
"""Scores are rounded down to so many bits, where distances are long."""

_CHILDREN_A_CALL = 20_000
"""Children that are made between two looks at the clock, times the number of lookups over 100."""

_FULL = 1.5
"""Candidates with worse scores are left out as soon as so many times the width are better."""

_PATIENCE = 49
_LAYERS = 60
_CLOSED_A_STATE, _BUCKET = 64, 64
"""Buckets are so large, and so empty, that none is ever full."""

_PERMUTATIONS, _OPERATORS = 3, 4
"""The longest duplicate sequences that are left out: of free operators, and of others."""


class BeamLimits(NamedTuple):
    """Limits of candidates: no lookup above `allowed`, and a score less than `cut`."""

    allowed: int
    cut: int


class Ground:
    """The operators and the lookups that all beams of one puzzle share."""

    def __init__(
        self, moves: kernel.BeamMoves, lookups: PermutationLookups | PlacementLookups
    ) -> None:
        arrangements = placements = None
        if isinstance(lookups, PermutationLookups):
            assert lookups.contribution.dtype == lookups.base.dtype == np.int32
            contribution, base = lookups.contribution.view(np.uint64), lookups.base.view(np.uint64)
            table, added = lookups.table, [1] * lookups.count
            arrangements = kernel.PackedLookups(table, contribution, base, lookups.count)
        else:
            table, added = lookups.tables.table, np.diff(lookups.first.astype(np.int64)).tolist()
            placements = kernel.AddedLookups(lookups.tables, lookups.first)
        largest = int(table[table != kernel.NO_WAY].max(initial=0))
        most = sum((largest * lookups) ** 2 for lookups in added)
        shift = max(0, most.bit_length() - _SCORE_BITS)
        self.cells, self.scores = len(moves.goal), (most >> shift) + 1
        self.branches = int(np.diff(moves.offset.astype(np.int64)).max(initial=1))
        self.guide = kernel.Guide(moves, arrangements, placements, shift)

    def bytes_of_beam(self, width: int) -> int:
        """Return the memory of a beam of that width."""
        children = self.branches * BYTES_OF_CANDIDATE + 4
        slots = 8 * 2 * _CLOSED_A_STATE
        return width * (2 * (self.cells + 12) + children + slots + BYTES_OF_STEP * _LAYERS)


def permutation_moves(rules: PermutationRules) -> kernel.BeamMoves:
    """Return the moves of arrangements, whose states all begin at root 0."""
    automaton = operator_automaton(rules.destinations, length=_PERMUTATIONS, keep=EVERY_PLAN)
    moved = [[pair for pair in enumerate(source) if pair[0] != pair[1]] for source in rules.sources]
    pairs = [pair for own in moved for pair in own]
    return _moves(
        range(rules.cells),
        starts(map(len, moved)),
        np.array([cell for cell, _ in pairs], np.uint16),
        np.array([origin for _, origin in pairs], np.uint16),
        np.full(len(moved), rules.cells, np.uint16),
        automaton,
    )


def operator_moves(problem: Problem) -> tuple[kernel.BeamMoves, int]:
    """Return the moves of a puzzle of any kind, and the root of the problem's start."""
    puzzle = problem.puzzle
    automaton = puzzle_automaton(
        puzzle,
        length=_OPERATORS,
        keep=EVERY_PLAN,
        most_sequences=MOST_OPERATOR_SEQUENCES,
        most_bytes=MOST_BYTES,
    )
    root = int(automaton.roots[vertex_of(puzzle, problem.start)])
    return _moves(problem.goal, *move_tables(puzzle), need_table(puzzle), automaton), root


def _moves(
    goal: Sequence[int],
    first: NDArray[np.uint32],
    to_cell: NDArray[np.uint16],
    from_cell: NDArray[np.uint16],
    need: NDArray[np.uint16],
    automaton: PruningAutomaton,
) -> kernel.BeamMoves:
    changed = [frozenset(to_cell[a:b].tolist()) for a, b in pairwise(first.tolist())]
    groups = {cells: number for number, cells in enumerate(dict.fromkeys(changed))}
    # No content is more than 255, nor more cells.
    return kernel.BeamMoves(
        np.array(goal, np.int32),
        first,
        to_cell,
        from_cell,
        need,
        np.array([groups[cells] for cells in changed], np.uint32),
        np.random.default_rng(1).integers(1, 1 << 63, 256 * len(goal), np.uint64),
        automaton.offset,
        automaton.move,
        automaton.next,
    )


class OperatorBeamRun(BeamRun[kernel.OperatorLayer]):
    """A beam from `start`, and a root of the automaton, whose children several threads make."""

    def __init__(
        self, ground: Ground, start: Sequence[int], root: int, width: int, threads: int
    ) -> None:
        self._ground, self._threads = ground, threads
        cells = ground.cells
        layers = [
            kernel.OperatorLayer(
                np.empty(width * cells, np.uint8),
                np.empty(width, np.uint64),
                np.empty(width, np.uint32),
            )
            for _ in range(2)
        ]
        closed = bucket_table(_CLOSED_A_STATE * width, _BUCKET)
        candidates = Candidates.room(width * ground.branches, ground.scores)
        super().__init__(width, (layers[0], layers[1]), candidates, closed, patience=_PATIENCE)
        # The keys are XORed into the hash, so that any value serves for the start.
        value = np.uint64(1)
        closed[find(closed, value)] = value
        self._here.board[:cells], self._here.zobrist[0] = start, value
        self._here.node[0] = root

    def run(self, incumbent: Incumbent, step: int = 1) -> Iterator[None]:
        with ThreadPoolExecutor(self._threads) as self._pool:
            yield from super().run(incumbent, step)

    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        size, threads, ground = self._size, self._threads, self._ground
        self._stored = 0
        # The moves left for a child after its own move, if its plan is to be better.
        allowed = min(self._allowed(incumbent, step), _FAR - 1)
        if allowed < 0:
            return None
        states = max(1, min(_CHILDREN_A_CALL // ground.branches, -(-size // threads)))
        counts = np.zeros((threads, ground.scores), np.uint32)
        found = np.full((threads, 3), _FAR, np.int64)
        limits = BeamLimits(allowed, ground.scores)
        for begin in range(0, size, states * threads):

            def part(
                thread: int,
                begin: int = begin,
                stored: int = self._stored,
                limits: BeamLimits = limits,
            ) -> tuple[int, int, int]:
                first, stored = begin + thread * states, stored + thread * states * ground.branches
                first, last = min(first, size), min(first + states, size)
                mine, own = self._candidates._replace(counts=counts[thread]), found[thread]
                end, children = kernel.expand(
                    first, last, stored, limits, ground.guide, self._here, mine, own
                )
                return stored, end, children

            for start, end, children in self._pool.map(part, range(threads)):
                self._close_gap(start, end)
                self.children += children
            nearest = found[found[:, 0].argmin()]
            if nearest[0] < _FAR:
                return int(nearest[1]), int(nearest[2])
            # Candidates that cannot come into the next layer any more are left out.
            enough = counts.sum(0).cumsum() >= _FULL * self.width
            if enough.any():
                limits = BeamLimits(allowed, int(enough.argmax()) + 1)
            yield
        return None

    def _close_gap(self, start: int, end: int) -> None:
        """Move the candidates from `start` to `end` behind those that are stored."""
        stored, after = self._stored, self._stored + end - start
        if start != stored:
            for array in self._candidates[:4]:
                array[stored:after] = array[start:end]
        self._stored = after

    def _make(self, begin: int, end: int) -> None:
        moves, chosen = self._ground.guide.moves, self._chosen
        kernel.make(begin, end, moves, self._here, self._candidates, chosen, self._next)
