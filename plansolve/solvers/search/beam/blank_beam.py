"""Short plans on blank graphs by the beam search that suits the board's size."""

from collections.abc import Iterator

from plansolve.analysis.grid import grid_of
from plansolve.model.problem import Problem
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.packed_board_kernel import MOST_CELLS

__all__ = ["blank_beam"]


# Up to here tables say more about a board than its rows and columns do, and are soon built.
_FEW_CELLS = 16


def blank_beam(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """A beam that solves grids in stages, and one guided by pattern databases for the rest.

    Ends at once on large boards that are no grids.
    """
    cells = problem.puzzle.cells
    if cells > _FEW_CELLS and grid_of(problem.structure.blank_graph):
        from plansolve.solvers.search.grid_beam.grid_beam import grid_beam

        yield from grid_beam(problem, incumbent, budget)
    elif cells <= MOST_CELLS:
        from plansolve.solvers.search.beam.pattern_beam import pattern_beam

        yield from pattern_beam(problem, incumbent, budget)
