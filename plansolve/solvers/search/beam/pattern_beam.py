"""Beam search on blank graphs up to 32 cells, guided by additive pattern databases.

Breadth-first search that keeps, of each layer, the states with the smallest sum of bounds, as many
as the beam is wide; what cannot lead to a plan shorter than the best one known is dropped. It is
run at rising widths, from the start to the goal and, where time allows for the tables of the
start, from the goal back to the start: the two beams often differ in what they find.
"""

import time
from collections.abc import Generator, Iterator

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.additive import start_sets
from plansolve.patterns.goal_tables import goal_tables
from plansolve.patterns.partition import default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam.pattern_beam_run import BeamRun, Way, bytes_of_beam
from plansolve.solvers.search.blank_arcs import arcs_back, arcs_onward
from plansolve.solvers.search.packed_board_kernel import MOST_CELLS

__all__ = ["pattern_beam"]

_BY = "beam with pattern databases"
_FIRST_WIDTH = 1000
_WIDTH_WITH_BOTH_WAYS = 100_000
_SECONDS_FOR_BOTH_WAYS = 4.0
_SECONDS_FOR_LARGE_TABLES = 120.0
_SLOWDOWN = 1.3
"""How much longer a state may take in a wider beam, whose memory is spread wider."""
_WORTH_WHILE = 2
"""A beam must be so many times wider than the last one in its direction."""


def pattern_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yields ever better plans of beams of rising width; ends where the next does not fit.

    The problem must have a blank graph of at most 32 cells. The widths are 1000, 10,000 ... as far
    as the memory goes; with a deadline the last one is as large as can be expected to end in time.
    """
    assert problem.puzzle.cells <= MOST_CELLS
    if problem.start == problem.goal:
        yield Report(by=_BY, plan=())
        return
    ladders = [(yield from _onward(problem, incumbent, budget))]
    width = _FIRST_WIDTH
    while not incumbent.is_closed:
        if width == _WIDTH_WITH_BOTH_WAYS and _has_time_for_both(budget):
            ladders.append((yield from _back(problem, incumbent, budget)))
            yield from ladders[-1].climb(width // 10)
        climbed = False
        for ladder in ladders:
            climbed |= yield from ladder.climb(width)
        if not climbed:
            return
        width *= 10


class _Ladder:
    """Beams of rising width in one direction."""

    def __init__(
        self, problem: Problem, way: Way, is_onward: bool, incumbent: Incumbent, budget: Budget
    ) -> None:
        self._problem, self._way, self._is_onward = problem, way, is_onward
        self._incumbent, self._budget = incumbent, budget
        self._memory = budget.memory - way.sets.table.nbytes
        parity = problem.structure.plan_parity(problem.start)
        self._step = 1 if parity is None else 2
        self._last: BeamRun | None = None
        self._states = self._children = 0

    def climb(self, width: int) -> Generator[Report, None, bool]:
        """Runs the beam of that width, or of the largest one that fits; whether any does."""
        width = self._fitting(width)
        if width < _FIRST_WIDTH or (self._last and width < _WORTH_WHILE * self._last.width):
            return False
        beam = self._last = BeamRun(self._way, width, self._memory)
        for _ in beam.run(self._incumbent, self._step):
            yield self._report(beam)
            if self._incumbent.is_closed:
                break
        yield self._report(beam, self._plan(beam))
        self._states += beam.states
        self._children += beam.children
        return True

    def _fitting(self, width: int) -> int:
        layers = min(self._incumbent.upper_bound, 4 * self._way.sets.value(self._way.source) + 40)
        while width >= _FIRST_WIDTH and bytes_of_beam(self._way, width, layers) > self._memory:
            width -= max(width // 8, 1)
        if self._last and self._last.width > _FIRST_WIDTH and self._budget.deadline is not None:
            left = self._budget.deadline - time.monotonic()
            pace = _SLOWDOWN * max(self._last.seconds, 1e-3) / self._last.width
            width = min(width, int(left / pace))
        return width

    def _plan(self, beam: BeamRun) -> Plan | None:
        if beam.walk is None:
            return None
        return self._problem.blank_graph.plan(beam.walk if self._is_onward else beam.walk[::-1])

    def _report(self, beam: BeamRun, plan: Plan | None = None) -> Report:
        direction = "onward" if self._is_onward else "back from the goal"
        counts = {
            "states": self._states + beam.states,
            "children": self._children + beam.children,
            "width": beam.width,
            "direction": direction,
        }
        return Report(by=f"{_BY}, {direction}", plan=plan, counts=counts)


def _onward(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, _Ladder]:
    sets = yield from run_in_background(lambda tell: goal_tables(problem, tell), _BY)
    yield Report(by="pattern databases", lower_bound=sets.value(problem.start))
    way = Way(arcs_onward(problem.blank_graph), sets, problem.start, problem.goal)
    return _Ladder(problem, way, True, incumbent, budget)


def _back(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, _Ladder]:
    size = default_size(problem.puzzle.cells)
    if _seconds_left(budget) < _SECONDS_FOR_LARGE_TABLES:
        size = max(1, size - 1)
    sets = yield from run_in_background(lambda tell: start_sets(problem, size=size, tell=tell), _BY)
    way = Way(arcs_back(problem.blank_graph), sets, problem.goal, problem.start)
    return _Ladder(problem, way, False, incumbent, budget)


def _has_time_for_both(budget: Budget) -> bool:
    return _seconds_left(budget) > _SECONDS_FOR_BOTH_WAYS


def _seconds_left(budget: Budget) -> float:
    return float("inf") if budget.deadline is None else budget.deadline - time.monotonic()
