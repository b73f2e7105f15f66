"""Beam search on blank graphs up to 32 cells, guided by additive pattern databases.

Breadth-first search that keeps, of each layer, the states with the smallest sum of bounds, as many
as the beam is wide; what cannot lead to a plan shorter than the best one known is dropped. It is
run at rising widths, from the start to the goal and, if time allows for the tables of the
start, from the goal back to the start: the two beams often differ in what they find.
"""

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from plansolve.analysis.grid import grid_of
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, State
from plansolve.patterns.additive_kernel import AdditiveSets
from plansolve.patterns.goal_tables import goal_tables, start_sets
from plansolve.patterns.partition import default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam import pattern_beam_kernel as kernel
from plansolve.solvers.search.beam.beam import BYTES_OF_STEP, BeamRun, Direction, Ladder
from plansolve.solvers.search.beam.selection_kernel import (
    BYTES_OF_CANDIDATE,
    Candidates,
    bucket_table,
)

_STATES_A_CALL = 1 << 16
_CANDIDATES_A_STATE = 8
_CLOSED_A_STATE = 16
_BUCKET = 8
_RANKS = 32
_PATIENCE_A_CELL = 8
_EVERY_KEY = (1 << 32) - 1


@dataclass(frozen=True)
class Way:
    """The way of a beam from `source` to `target`, guided by bounds on what is left."""

    arcs: kernel.Arcs
    sets: AdditiveSets
    source: State
    target: State

    @property
    def ranks(self) -> int:
        """Return how many sums of penalties the keys of candidates tell apart."""
        return _RANKS if self.arcs.penalty.any() else 1

    @property
    def keys(self) -> int:
        """The number of keys that a candidate may have."""
        return (255 * len(self.sets.base) + 1) * kernel.TIES * self.ranks

    def walk(self, moves: list[int]) -> list[int]:
        """Return the cells that the blank goes through along these arcs, from the source."""
        return [self.source.index(BLANK), *self.arcs.cell[moves].tolist()]


def bytes_of_beam(way: Way, width: int, layers: int) -> int:
    """Return about how many bytes a beam takes that finds its plan in `layers` layers."""
    state = 8 * kernel.WORDS + 5 * len(way.sets.base)
    a_state = 2 * state + _CANDIDATES_A_STATE * BYTES_OF_CANDIDATE + 8 * 2 * _CLOSED_A_STATE + 4
    return width * (a_state + BYTES_OF_STEP * (layers + 1)) + 4 * way.keys


class PatternBeamRun(BeamRun[kernel.PatternBeamLayer]):
    """A beam along a way; `memory` bounds the bytes of the steps that it remembers."""

    def __init__(self, way: Way, width: int, memory: int) -> None:
        self._way = way
        sets, groups = way.sets, len(way.sets.base)
        self._guide = kernel.PatternGuide(way.arcs, sets, kernel.pack(way.target))
        layers = [
            kernel.PatternBeamLayer(
                np.empty(kernel.WORDS * width, np.uint64),
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
        start.words[: kernel.WORDS] = kernel.pack(way.source)
        start.words[2] |= np.uint64(blank << kernel.BLANK_BIT | blank << kernel.CAME_BIT)
        start.indices[:groups] = index
        start.value[:groups] = sets.table[index]

    def _expand(
        self, incumbent: Incumbent, step: int
    ) -> Generator[None, None, tuple[int, int] | None]:
        candidates = self._candidates
        capacity = len(candidates.hash)
        penalties = self._here.words[2 : kernel.WORDS * self._size : kernel.WORDS] >> np.uint64(
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


_BY = "beam with pattern databases"
_FIRST_WIDTH = 1000
# Up to here tables are there at once.
_FEW_CELLS = 16
# Up to here they say more about a board than its rows and columns do. With ten seconds for each,
# plans of 5x5 boards are 1.3 moves shorter than by the beam for grids alone, those of 2x12 boards
# 3; on 4x8 they are 5 longer.
_MOST_CELLS_OF_GRIDS = 25
_SECONDS_WITHOUT_TABLES = 1.0
_WIDTH_WITH_BOTH_WAYS = 100_000
_SECONDS_FOR_BOTH_WAYS = 4.0
_SECONDS_FOR_LARGE_TABLES = 120.0


def blank_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Return the beams that suit a blank graph: on grids first the grid beam, without tables.

    On grids of up to 25 cells, the one with tables takes over after a second; on larger ones it
    would not get as far. End at once on boards of more than 32 cells that are no grids.
    """
    cells = problem.puzzle.cells
    if cells > _FEW_CELLS and grid_of(problem.structure.blank_graph):
        from plansolve.solvers.search.grid_beam.grid_beam import grid_beam

        if cells > _MOST_CELLS_OF_GRIDS:
            yield from grid_beam(problem, incumbent, budget)
            return
        seconds = min(_SECONDS_WITHOUT_TABLES, budget.seconds_left)
        first = replace(budget, deadline=time.monotonic() + seconds)
        yield from grid_beam(problem, incumbent, first)
    if cells <= kernel.MOST_CELLS:
        yield from pattern_beam(problem, incumbent, budget)


def pattern_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end if the next does not fit.

    The problem must have a blank graph of at most 32 cells. The widths are 1000, 10,000 ... as far
    as the memory goes; with a deadline the last one is as large as can be expected to end in time.
    """
    assert problem.puzzle.cells <= kernel.MOST_CELLS
    if problem.start == problem.goal:
        yield Report(by=_BY, plan=())
        return
    ladder = Ladder(problem, incumbent, budget, least=_FIRST_WIDTH)
    directions = [(yield from _onward(problem, incumbent, budget))]
    width = _FIRST_WIDTH
    while not incumbent.is_closed:
        if width == _WIDTH_WITH_BOTH_WAYS and budget.seconds_left > _SECONDS_FOR_BOTH_WAYS:
            directions.append((yield from _back(problem, incumbent, budget)))
            yield from ladder.climb(directions[-1], width // 10)
        climbed = False
        for direction in directions:
            climbed |= yield from ladder.climb(direction, width)
        if not climbed:
            return
        width *= 10


def _direction(problem: Problem, way: Way, incumbent: Incumbent, budget: Budget) -> Direction:
    """Return the direction of a beam along a way, onward or back."""
    is_onward = way.target == problem.goal
    tables = way.sets.table.nbytes

    def bytes_of(width: int) -> int:
        layers = min(incumbent.upper_bound, 4 * way.sets.value(way.source) + 40)
        return bytes_of_beam(way, width, layers) + tables

    def plan(moves: list[int]) -> Plan:
        walk = way.walk(moves)
        return problem.blank_graph.plan(walk if is_onward else walk[::-1])

    return Direction(
        f"{_BY}, {'onward' if is_onward else 'back from the goal'}",
        bytes_of,
        lambda width: PatternBeamRun(way, width, budget.memory - tables),
        plan,
    )


def _onward(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, Direction]:
    sets = yield from run_in_background(lambda tell: goal_tables(problem, tell), _BY)
    yield Report(by="pattern databases", lower_bound=sets.value(problem.start))
    way = Way(kernel.arcs_onward(problem.blank_graph), sets, problem.start, problem.goal)
    return _direction(problem, way, incumbent, budget)


def _back(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, Direction]:
    size = default_size(problem.puzzle.cells)
    if budget.seconds_left < _SECONDS_FOR_LARGE_TABLES:
        size = max(1, size - 1)
    sets = yield from run_in_background(lambda tell: start_sets(problem, size=size, tell=tell), _BY)
    way = Way(kernel.arcs_back(problem.blank_graph), sets, problem.goal, problem.start)
    return _direction(problem, way, incumbent, budget)
