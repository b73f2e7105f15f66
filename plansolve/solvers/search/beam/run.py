"""The frame of every beam: layers, the closed table, and the way back through the layers.

    layer = {start}
    while there is no plan and the layer is not empty:
        candidates = the children of the layer that may still lead to a better plan
        sort the candidates by key
        layer = the first `width` candidates that were in no layer before

This is beam search (Bisiani 1987) with a closed table.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from plansolve.solvers.protocol import Incumbent
from plansolve.solvers.search.beam.selection_kernel import Candidates, select, sort

__all__ = ["BYTES_OF_STEP", "BeamRun"]

BYTES_OF_STEP = 4 + 2
"""What a selected state leaves behind for the way back: its parent and its move."""

_CANDIDATES_A_CALL = 1 << 17

Layer = TypeVar("Layer")


class BeamRun(ABC, Generic[Layer]):
    """Breadth-first search that keeps the `width` best states of each layer.

    `moves` are the arcs or operators of the plan, once one is found. `states` and `children` count
    the work, `seconds` the time. A beam has lost its way after `patience` layers in a row without a
    better key than any before, where keys of one `unit` are alike; it ends after `most_layers`.
    """

    def __init__(
        self,
        width: int,
        layers: tuple[Layer, Layer],
        candidates: Candidates,
        closed: NDArray[np.uint64],
        *,
        patience: int,
        unit: int = 1,
        most_layers: int = 1 << 30,
    ) -> None:
        self.width = width
        self.moves: list[int] | None = None
        self.states = self.children = 0
        self.seconds = 0.0
        self._here, self._next = layers
        self._size, self._stored = 1, 0
        self._candidates, self._closed = candidates, closed
        self._chosen = np.empty(width, np.uint32)
        self._patience, self._unit, self._most_layers = patience, unit, most_layers
        self._steps: list[tuple[NDArray[np.uint32], NDArray[np.uint16]]] = []

    def run(self, incumbent: Incumbent, step: int = 1) -> Iterator[None]:
        """Go from layer to layer; yield several times a second.

        Only plans that are at least `step` moves shorter than the incumbent's are wanted.
        """
        began = time.monotonic()
        best, stalled = 1 << 62, 0
        while self._size and stalled < self._patience and len(self._steps) <= self._most_layers:
            found = yield from self._expand(incumbent, step)
            self.states += self._size
            self.seconds = time.monotonic() - began
            if found is not None:
                self.moves = self._completed(self._way_to(*found))
                return
            keys = self._candidates.key[: self._stored]
            least = int(keys.min(initial=0xFFFFFFFF)) // self._unit
            best, stalled = (least, 0) if least < best else (best, stalled + 1)
            yield from self._select()

    def _allowed(self, incumbent: Incumbent, step: int) -> int:
        """The most moves from a child of this layer to the target, if its plan is to be wanted."""
        return incumbent.upper_bound - step - (len(self._steps) + 1)

    @abstractmethod
    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        """Store candidates, the children of this layer; yield now and then.

        Return the parent and the move of a child whose way to the target is known, if there is
        one.
        """

    @abstractmethod
    def _make(self, begin: int, end: int) -> None:
        """Make the states begin .. end - 1 of the next layer from the chosen candidates."""

    def _completed(self, moves: list[int]) -> list[int] | None:
        """The plan that begins with the moves to the child that `_expand` has returned."""
        return moves

    def _select(self) -> Iterator[None]:
        candidates, stored = self._candidates, self._stored
        sort(stored, candidates)
        begin = taken = 0
        while begin < stored and taken < self.width:
            end = min(stored, begin + _CANDIDATES_A_CALL)
            before = taken
            taken = select(begin, end, taken, self.width, candidates, self._closed, self._chosen)
            self._make(before, taken)
            begin = end
            yield
        chosen = self._chosen[:taken]
        self._steps.append((candidates.parent[chosen], candidates.move[chosen]))
        self._here, self._next = self._next, self._here
        self._size = taken

    def _way_to(self, parent: int, move: int) -> list[int]:
        """The moves from the start to a child of this layer."""
        moves = [move]
        for parents, made in reversed(self._steps):
            moves.append(int(made[parent]))
            parent = int(parents[parent])
        return moves[::-1]
