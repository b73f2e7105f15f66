"""The frame of every beam, and beams of rising width, as far as the time and the memory go.

    layer = {start}
    while there is no plan and the layer is not empty:
        candidates = the children of the layer that may still lead to a better plan
        sort the candidates by key
        layer = the first `width` candidates that were in no layer before

This is beam search (Bisiani 1987) with a closed table. `Ladder` runs beams of rising width, in one
direction or in two.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.beam.selection_kernel import Candidates, select, sort

BYTES_OF_STEP = 4 + 2
"""The parent and the move that a selected state leaves behind for the way back."""

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
                self.moves = self._way_to(*found)
                return
            keys = self._candidates.key[: self._stored]
            least = int(keys.min(initial=0xFFFFFFFF)) // self._unit
            best, stalled = (least, 0) if least < best else (best, stalled + 1)
            yield from self._select()

    def _allowed(self, incumbent: Incumbent, step: int) -> int:
        """Return the most moves from a child of this layer to the target that still improve."""
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
        """Return the moves from the start to a child of this layer."""
        moves = [move]
        for parents, made in reversed(self._steps):
            moves.append(int(made[parent]))
            parent = int(parents[parent])
        return moves[::-1]


_SLOWDOWN = 1.3
"""The factor by which a state may take longer in a wider beam, whose memory is spread wider."""

_WORTH_WHILE = 1.5
"""A beam must be so many times wider than the last one in its direction."""


@dataclass(frozen=True, eq=False)
class Direction:
    """The common part of beams of different width.

    `name` tells people what they are, `bytes_of` about how much memory one of a width takes,
    `beam` makes it, and `plan` tells the plan that its moves stand for.
    """

    name: str
    bytes_of: Callable[[int], int]
    beam: Callable[[int], BeamRun[Any]]
    plan: Callable[[list[int]], Plan]


class Ladder:
    """Runs beams one after another; none is narrower than `least`."""

    def __init__(
        self, problem: Problem, incumbent: Incumbent, budget: Budget, *, least: int = 1
    ) -> None:
        self._incumbent, self._budget = incumbent, budget
        self._least = least
        self._step = 1 if problem.structure.plan_parity(problem.start) is None else 2
        self._last: dict[Direction, tuple[int, float]] = {}
        self._states = self._children = 0

    def climb(
        self, direction: Direction, wanted: int, shares: int = 1
    ) -> Generator[Report, None, bool]:
        """Run a beam of that width, or of the largest one that fits; return whether any does.

        So many directions share the time that is left, if that is enough for all of them.
        """
        if self._incumbent.is_closed:
            return False
        if direction not in self._last:
            # A beam of one state has the kernels compiled before the clock counts.
            for _ in islice(direction.beam(1).run(Incumbent(), self._step), 2):
                pass
        width = self._fitting(direction, wanted, shares)
        if not width:
            return False
        beam = direction.beam(width)
        for _ in beam.run(self._incumbent, self._step):
            yield self._report(direction, beam)
            if self._incumbent.is_closed:
                break
        plan = None if beam.moves is None else direction.plan(beam.moves)
        yield self._report(direction, beam, plan)
        if plan is not None:
            self._incumbent.lower_upper_bound(len(plan))
        self._states += beam.states
        self._children += beam.children
        self._last[direction] = width, max(beam.seconds, 1e-3)
        return True

    def _fitting(self, direction: Direction, wanted: int, shares: int) -> int:
        """Return the width of the next beam, at most `wanted`; 0 if none is worthwhile."""
        width, least = wanted, self._least
        while width >= least and direction.bytes_of(width) > self._budget.memory:
            width -= max(width // 8, 1)
        if direction in self._last:
            last, seconds = self._last[direction]
            least = max(least, int(_WORTH_WHILE * last))
            if self._budget.deadline is not None:
                fits = int(self._budget.seconds_left * last / (_SLOWDOWN * seconds))
                width = min(width, fits // shares if fits // shares >= least else fits)
        return width if width >= least else 0

    def _report(self, direction: Direction, beam: BeamRun[Any], plan: Plan | None = None) -> Report:
        counts = {
            "states": self._states + beam.states,
            "children": self._children + beam.children,
            "width": beam.width,
        }
        return Report(direction.name, plan, counts=counts)
