"""A beam whose children are made by operators, judged by lookups, in several threads."""

from abc import abstractmethod
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.beam.run import BeamRun, Layer
from plansolve.solvers.search.beam.selection_kernel import Candidates

__all__ = ["FAR", "SCORE_BITS", "BeamLimits", "OperatorBeamRun"]

FAR = 255
"""Stands for a distance that is not known, and for any larger than a lookup tells."""

SCORE_BITS = 16
"""Scores are rounded down to so many bits, where distances are long."""

_CHILDREN_A_CALL = 20_000
"""Children that are made between two looks at the clock, times the number of lookups over 100."""

_FULL = 1.5
"""Candidates with worse scores are left out as soon as so many times the width are better."""

_PATIENCE = 49


class BeamLimits(NamedTuple):
    """Which children become candidates: no lookup above `allowed`, and a score less than `cut`."""

    allowed: int
    cut: int


class OperatorBeamRun(BeamRun[Layer]):
    """A beam of so many `branches` at most from each state, and so many different `scores`."""

    def __init__(
        self,
        width: int,
        layers: tuple[Layer, Layer],
        closed: NDArray[np.uint64],
        *,
        branches: int,
        scores: int,
        threads: int,
    ) -> None:
        self._branches, self._scores, self._threads = branches, scores, threads
        candidates = Candidates.room(width * branches, scores)
        super().__init__(width, layers, candidates, closed, patience=_PATIENCE)

    def run(self, incumbent: Incumbent, step: int = 1) -> Iterator[None]:
        with ThreadPoolExecutor(self._threads) as self._pool:
            yield from super().run(incumbent, step)

    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        size, threads = self._size, self._threads
        self._stored = 0
        # What is left for a child after its own move, if its plan is to be a better one.
        allowed = min(self._allowed(incumbent, step), FAR - 1)
        if allowed < 0:
            return None
        branches = self._branches
        states = max(1, min(_CHILDREN_A_CALL // branches, -(-size // threads)))
        counts = np.zeros((threads, self._scores), np.uint32)
        found = np.full((threads, 3), FAR, np.int64)
        limits = BeamLimits(allowed, self._scores)
        for begin in range(0, size, states * threads):

            def part(
                thread: int,
                begin: int = begin,
                stored: int = self._stored,
                limits: BeamLimits = limits,
            ) -> tuple[int, int, int]:
                first = min(begin + thread * states, size)
                last, stored = min(first + states, size), stored + thread * states * branches
                mine = self._candidates._replace(counts=counts[thread])
                return stored, *self._children(first, last, stored, limits, mine, found[thread])

            for start, end, children in self._pool.map(part, range(threads)):
                self._close_gap(start, end)
                self.children += children
            nearest = found[found[:, 0].argmin()]
            if nearest[0] < FAR:
                return int(nearest[1]), int(nearest[2])
            # Candidates that cannot come into the next layer any more are left out.
            enough = counts.sum(0).cumsum() >= _FULL * self.width
            if enough.any():
                limits = BeamLimits(allowed, int(enough.argmax()) + 1)
            yield
        return None

    @abstractmethod
    def _children(
        self,
        first: int,
        last: int,
        stored: int,
        limits: BeamLimits,
        candidates: Candidates,
        found: Any,
    ) -> tuple[int, int]:
        """Put the children of the states first .. last - 1 after the `stored` candidates.

        One whose way to the goal is known becomes found = (moves of that way, parent, operator),
        where there was no nearer one. Return the number of candidates and of children.
        """

    def _close_gap(self, start: int, end: int) -> None:
        """Moves the candidates from `start` to `end` behind those that are stored."""
        stored, after = self._stored, self._stored + end - start
        if start != stored:
            for array in self._candidates[:4]:
                array[stored:after] = array[start:end]
        self._stored = after
