"""One beam of a given width over arrangements: its tables, its layers and the way back."""

import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from plansolve.patterns.permutation import NO_WAY, PermutationLanes
from plansolve.patterns.permutation_rules import Arrangement, PermutationRules
from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.automaton import PruningAutomaton
from plansolve.solvers.search.beam import permutation_beam_kernel as kernel

__all__ = ["BeamRun", "Ground", "NearGoal", "bytes_of_beam"]

_SLICE = 20_000
"""Children that are made between two looks at the clock, times the number of lanes over 100."""

_CLOSED_SLOTS = 64
"""Slots of the closed table for each board that a layer can hold."""

_FULL = 1.5
"""Candidates with worse scores are left out as soon as so many times the width are better."""

_BYTES_OF_CANDIDATE = 22

_SCORE_BITS = 16
"""Scores are rounded down to so many bits, where distances are long."""

_PATIENCE = 50
"""A beam has lost its way after so many layers without a better score than any before."""


class Ground:
    """What all beams of one puzzle share: operators, lanes and hash keys as the kernels take them.

    The keys are random, but the same in every process.
    """

    def __init__(
        self, rules: PermutationRules, lanes: PermutationLanes, automaton: PruningAutomaton
    ) -> None:
        self.rules, self.lanes, self.automaton = rules, lanes, automaton
        moved = [
            [(cell, origin) for cell, origin in enumerate(source) if cell != origin]
            for source in rules.sources
        ]
        support = [frozenset(cell for cell, _ in pairs) for pairs in moved]
        numbers = {cells: i for i, cells in enumerate(dict.fromkeys(support))}
        self.group = np.array([numbers[cells] for cells in support], np.uint32)
        self.first = np.array([0, *accumulate(map(len, moved))], np.uint32)
        self.to_cell = np.array([cell for pairs in moved for cell, _ in pairs], np.uint16)
        self.from_cell = np.array([origin for pairs in moved for _, origin in pairs], np.uint16)
        self.key = np.random.default_rng(1).integers(
            1, 1 << 63, rules.cells * rules.cells, np.uint64
        )
        self.contribution = lanes.contribution.view(np.uint64)
        self.base = lanes.base.view(np.uint64)
        largest = int(lanes.table[lanes.table != NO_WAY].max(initial=0))
        most = lanes.lanes * largest * largest
        self.shift = max(0, most.bit_length() - _SCORE_BITS)
        self.scores = (most >> self.shift) + 1

    @property
    def moves(self) -> tuple[NDArray[np.uint32], NDArray[np.uint16], NDArray[np.uint16]]:
        """The cells that operators fill, and from where."""
        return self.first, self.to_cell, self.from_cell

    def hash_of(self, arrangement: Sequence[int]) -> int:
        """The hash of an arrangement."""
        zobrist = np.zeros(1, np.uint64)
        board = np.array(arrangement, np.uint8)
        kernel.hashes_of(1, self.rules.cells, self.key, board, zobrist)
        return int(zobrist[0])


class NearGoal:
    """The distances of the boards nearest to the goal, by their hashes.

    All boards up to `depth` moves are in it, as far as at most `most` of them allow; where these
    are all boards that there are, `is_whole`.
    """

    def __init__(self, ground: Ground, most: int) -> None:
        self._ground = ground
        self.slots = np.zeros(1 << (2 * most - 1).bit_length(), np.uint64)
        self.distances = np.zeros(self.slots.size, np.uint8)
        self.depth = 0
        self.is_whole = False
        self._most = most

    @property
    def bytes(self) -> int:
        """The memory of the set."""
        return self.slots.nbytes + self.distances.nbytes

    def build(self) -> None:
        """Fills the set level by level."""
        ground, cells = self._ground, self._ground.rules.cells
        board = np.arange(cells, dtype=np.uint8)
        zobrist = np.array([ground.hash_of(range(cells))], np.uint64)
        self.slots[kernel.probe(self.slots, zobrist[0])] = zobrist[0]
        known, growth = 1, 1.0
        while known + growth * zobrist.size < self._most:
            last = zobrist.size
            room = min(self._most - known, last * len(ground.rules.sources))
            board_after = np.empty(room * cells, np.uint8)
            zobrist_after = np.empty(room, np.uint64)
            stored = 0
            for begin in range(0, last, _SLICE):
                stored = kernel.near_goal(
                    begin, min(begin + _SLICE, last), stored, self.depth + 1, cells, ground.key,
                    *ground.moves, board, zobrist, board_after, zobrist_after,
                    self.slots, self.distances,
                )  # fmt: skip
            known += stored
            if known == self._most:
                return
            self.depth += 1
            self.is_whole = not stored
            if self.is_whole:
                return
            growth = stored / last
            board, zobrist = board_after[: stored * cells], zobrist_after[:stored]

    def distance(self, arrangement: Sequence[int]) -> int | None:
        """The number of moves to the goal, or None where it is not known."""
        value = np.uint64(self._ground.hash_of(arrangement))
        at = int(kernel.probe(self.slots, value))
        if at == self.slots.size or self.slots[at] != value:
            return None
        return int(self.distances[at])

    def descent(self, arrangement: Arrangement) -> list[int] | None:
        """The operators of a shortest way to the goal; None where hashes have led astray."""
        rules, moves = self._ground.rules, list[int]()
        left = self.distance(arrangement)
        while left:
            for move in range(len(rules.sources)):
                after = rules.after(arrangement, move)
                if self.distance(after) == left - 1:
                    moves.append(move)
                    arrangement, left = after, left - 1
                    break
            else:
                return None
        return moves if arrangement == tuple(range(rules.cells)) else None


@dataclass
class _Layer:
    """The arrangements after the same number of moves, as the kernel has them."""

    board: NDArray[np.uint8]
    zobrist: NDArray[np.uint64]
    node: NDArray[np.uint32]
    size: int = 0

    @classmethod
    def of(cls, width: int, cells: int) -> "_Layer":
        """Room for `width` arrangements."""
        return cls(
            np.empty(width * cells, np.uint8),
            np.empty(width, np.uint64),
            np.empty(width, np.uint32),
        )


def bytes_of_beam(ground: Ground, width: int, layers: int) -> int:
    """The memory of a beam of that width that takes so many layers."""
    children = len(ground.rules.sources) * _BYTES_OF_CANDIDATE + 4
    slots = 8 * 2 * _CLOSED_SLOTS
    return width * (2 * (ground.rules.cells + 12) + children + slots + 6 * layers)


class BeamRun:
    """Breadth-first search from an arrangement that keeps the `width` best of each layer."""

    def __init__(self, ground: Ground, near: NearGoal, width: int, threads: int) -> None:
        self._ground, self._near, self.width, self._threads = ground, near, width, threads
        self.children = 0
        self.seconds = 1e-3
        self.moves: list[int] | None = None
        self._best_score, self._best_layer = ground.scores, 0
        self._cells = ground.rules.cells
        most = width * len(ground.rules.sources)
        self._here, self._after = _Layer.of(width, self._cells), _Layer.of(width, self._cells)
        self._hashes = np.empty(most, np.uint64)
        self._parents = np.empty(most, np.uint32)
        self._operators = np.empty(most, np.uint16)
        self._scores = np.empty(most, np.uint32)
        self._order = np.empty(most, np.uint32)
        self._chosen = np.empty(width, np.uint32)
        self._closed = np.zeros(1 << (_CLOSED_SLOTS * width - 1).bit_length(), np.uint64)
        self._ways: list[tuple[NDArray[np.uint32], NDArray[np.uint16]]] = []

    def run(self, arrangement: Arrangement, incumbent: Incumbent) -> Iterator[None]:
        """Searches; yields now and then. Afterwards `moves` are those of the plan, if there is one.

        Ends without a plan where none can be shorter than the incumbent's.
        """
        began = time.monotonic()
        here = self._here
        here.board[: self._cells] = arrangement
        here.zobrist[0] = self._ground.hash_of(arrangement)
        here.node[0] = self._ground.automaton.roots[0]
        here.size = 1
        self._closed[kernel.probe(self._closed, here.zobrist[0])] = here.zobrist[0]
        with ThreadPoolExecutor(self._threads) as pool:
            while self._here.size and len(self._ways) < self._best_layer + _PATIENCE:
                # What is left for a child after its own move, if its plan is to be a better one.
                allowed = min(incumbent.upper_bound - 2 - len(self._ways), NO_WAY - 1)
                if allowed < 0:
                    return
                found = yield from self._layer(pool, allowed)
                self.seconds = max(time.monotonic() - began, 1e-3)
                if found is not None:
                    self.moves = self._traced(arrangement, *found)
                    return

    def _layer(
        self, pool: ThreadPoolExecutor, allowed: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        """Makes the next layer; returns (parent, operator) of a child near the goal instead."""
        ground, here = self._ground, self._here
        branches = len(ground.rules.sources)
        step = max(1, min(_SLICE // branches, -(-here.size // self._threads)))
        counts = np.zeros((self._threads, ground.scores), np.uint64)
        found = np.full((self._threads, 3), NO_WAY, np.int64)
        stored, cut = 0, ground.scores
        for begin in range(0, here.size, step * self._threads):

            def part(
                thread: int, begin: int = begin, stored: int = stored, cut: int = cut
            ) -> tuple[int, int]:
                first = min(begin + thread * step, here.size)
                return self._expand(
                    first, min(first + step, here.size), stored + thread * step * branches, cut,
                    allowed, counts[thread], found[thread],
                )  # fmt: skip

            ends = list(pool.map(part, range(self._threads)))
            starts = range(stored, stored + self._threads * step * branches, step * branches)
            for start, (end, children) in zip(starts, ends, strict=True):
                stored = self._moved(start, end, stored)
                self.children += children
            nearest = found[found[:, 0].argmin()]
            if nearest[0] < NO_WAY:
                return int(nearest[1]), int(nearest[2])
            # Candidates that cannot come into the next layer any more are left out.
            enough = counts.sum(0).cumsum() >= _FULL * self.width
            cut = int(enough.argmax()) + 1 if enough.any() else ground.scores
            yield
        best = int(counts.any(0).argmax())
        if best < self._best_score:
            self._best_score, self._best_layer = best, len(self._ways)
        self._select(stored, counts.sum(0))
        return None

    def _expand(
        self,
        begin: int,
        end: int,
        stored: int,
        cut: int,
        allowed: int,
        counts: NDArray[np.uint64],
        found: NDArray[np.int64],
    ) -> tuple[int, int]:
        ground, here = self._ground, self._here
        lanes, automaton = ground.lanes, ground.automaton
        result: tuple[int, int] = kernel.expand(
            begin, end, stored, cut, allowed, self._near.depth, ground.shift,
            self._cells, lanes.lanes, lanes.width // 2,
            lanes.table, ground.contribution, ground.base, ground.key,
            *ground.moves, ground.group,
            automaton.offset, automaton.move, automaton.next,
            here.board, here.zobrist, here.node, self._near.slots, self._near.distances,
            self._hashes, self._parents, self._operators, self._scores, counts, found,
        )  # fmt: skip
        return result

    def _moved(self, start: int, end: int, stored: int) -> int:
        """Closes the gap between the stored candidates and those from `start` to `end`."""
        after = stored + end - start
        if start != stored:
            for array in (self._hashes, self._parents, self._operators, self._scores):
                array[stored:after] = array[start:end]
        return after

    def _select(self, stored: int, counts: NDArray[np.uint64]) -> None:
        ground, automaton = self._ground, self._ground.automaton
        taken = kernel.select(
            stored, self.width, self._scores, self._hashes, counts, self._order, self._closed,
            self._chosen,
        )  # fmt: skip
        parents, operators = np.empty(taken, np.uint32), np.empty(taken, np.uint16)
        here, after = self._here, self._after
        kernel.arrange(
            taken, self._cells, *ground.moves, automaton.offset, automaton.move, automaton.next,
            here.board, here.node, self._hashes, self._parents, self._operators, self._chosen,
            after.board, after.zobrist, after.node, parents, operators,
        )  # fmt: skip
        after.size = taken
        self._ways.append((parents, operators))
        self._here, self._after = after, here

    def _traced(self, arrangement: Arrangement, parent: int, operator: int) -> list[int] | None:
        """The way to a child near the goal, and on to the goal; None where a hash has erred."""
        moves = [operator]
        for parents, operators in reversed(self._ways):
            moves.append(int(operators[parent]))
            parent = int(parents[parent])
        moves.reverse()
        for move in moves:
            arrangement = self._ground.rules.after(arrangement, move)
        rest = self._near.descent(arrangement)
        return None if rest is None else moves + rest
