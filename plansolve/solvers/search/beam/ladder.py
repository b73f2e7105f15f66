"""Beams of rising width, in one direction or in two, as far as the time and the memory go."""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.beam.run import BeamRun

__all__ = ["Direction", "Ladder"]

_SLOWDOWN = 1.3
"""How much longer a state may take in a wider beam, whose memory is spread wider."""

_WORTH_WHILE = 1.5
"""A beam must be so many times wider than the last one in its direction."""


@dataclass(frozen=True, eq=False)
class Direction:
    """What beams of different width have in common.

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

        So many directions share the time that is left, where that is enough for all of them.
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
        """The width of the next beam where `wanted` is wanted; 0 where none is worth while."""
        width, least = wanted, self._least
        while width >= least and direction.bytes_of(width) > self._budget.memory:
            width -= max(width // 8, 1)
        if direction in self._last:
            last, seconds = self._last[direction]
            least = max(least, int(_WORTH_WHILE * last))
            if self._budget.deadline is not None:
                left = self._budget.deadline - time.monotonic()
                fits = int(left * last / (_SLOWDOWN * seconds))
                width = min(width, fits // shares if fits // shares >= least else fits)
        return width if width >= least else 0

    def _report(self, direction: Direction, beam: BeamRun[Any], plan: Plan | None = None) -> Report:
        counts = {
            "states": self._states + beam.states,
            "children": self._children + beam.children,
            "width": beam.width,
        }
        return Report(direction.name, plan, counts=counts)
