"""Beam search on blank graphs up to 32 cells, guided by additive pattern databases.

Breadth-first search that keeps, of each layer, the states with the smallest sum of bounds, as many
as the beam is wide; what cannot lead to a plan shorter than the best one known is dropped. It is
run at rising widths, from the start to the goal and, where time allows for the tables of the
start, from the goal back to the start: the two beams often differ in what they find.
"""

import time
from collections.abc import Generator, Iterator
from dataclasses import replace

from plansolve.analysis.grid import grid_of
from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.patterns.additive import goal_tables, start_sets
from plansolve.patterns.partition import default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.beam.ladder import Direction, Ladder
from plansolve.solvers.search.beam.pattern_beam_run import PatternBeamRun, Way, bytes_of_beam
from plansolve.solvers.search.packed_board_kernel import MOST_CELLS, arcs_back, arcs_onward

__all__ = ["blank_beam", "pattern_beam"]

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
    """The beams that suit a blank graph: on grids the one for them first, which needs no tables.

    On grids of up to 25 cells, the one with tables takes over after a second; on larger ones it
    would not get as far. End at once on boards of more than 32 cells that are no grids.
    """
    cells = problem.puzzle.cells
    if cells > _FEW_CELLS and grid_of(problem.structure.blank_graph):
        from plansolve.solvers.search.grid_beam.grid_beam import grid_beam

        if cells > _MOST_CELLS_OF_GRIDS:
            yield from grid_beam(problem, incumbent, budget)
            return
        seconds = min(_SECONDS_WITHOUT_TABLES, _seconds_left(budget))
        first = replace(budget, deadline=time.monotonic() + seconds)
        yield from grid_beam(problem, incumbent, first)
    if cells <= MOST_CELLS:
        yield from pattern_beam(problem, incumbent, budget)


def pattern_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Yield ever better plans of beams of rising width; end where the next does not fit.

    The problem must have a blank graph of at most 32 cells. The widths are 1000, 10,000 ... as far
    as the memory goes; with a deadline the last one is as large as can be expected to end in time.
    """
    assert problem.puzzle.cells <= MOST_CELLS
    if problem.start == problem.goal:
        yield Report(by=_BY, plan=())
        return
    ladder = Ladder(problem, incumbent, budget, least=_FIRST_WIDTH)
    directions = [(yield from _onward(problem, incumbent, budget))]
    width = _FIRST_WIDTH
    while not incumbent.is_closed:
        if width == _WIDTH_WITH_BOTH_WAYS and _seconds_left(budget) > _SECONDS_FOR_BOTH_WAYS:
            directions.append((yield from _back(problem, incumbent, budget)))
            yield from ladder.climb(directions[-1], width // 10)
        climbed = False
        for direction in directions:
            climbed |= yield from ladder.climb(direction, width)
        if not climbed:
            return
        width *= 10


def _direction(problem: Problem, way: Way, incumbent: Incumbent, budget: Budget) -> Direction:
    """Beams along a way, onward or back."""
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
    way = Way(arcs_onward(problem.blank_graph), sets, problem.start, problem.goal)
    return _direction(problem, way, incumbent, budget)


def _back(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Generator[Report, None, Direction]:
    size = default_size(problem.puzzle.cells)
    if _seconds_left(budget) < _SECONDS_FOR_LARGE_TABLES:
        size = max(1, size - 1)
    sets = yield from run_in_background(lambda tell: start_sets(problem, size=size, tell=tell), _BY)
    way = Way(arcs_back(problem.blank_graph), sets, problem.goal, problem.start)
    return _direction(problem, way, incumbent, budget)


def _seconds_left(budget: Budget) -> float:
    return float("inf") if budget.deadline is None else budget.deadline - time.monotonic()
