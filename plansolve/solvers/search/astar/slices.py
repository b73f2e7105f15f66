"""What A* and ARA* have in common between two slices of their kernels."""

from plansolve.solvers.limits import CutShort
from plansolve.solvers.protocol import NO_PLAN
from plansolve.solvers.result import StopReason
from plansolve.solvers.search.astar.space import NodeSpace
from plansolve.solvers.search.astar.tables import Tables
from plansolve.text import counted

__all__ = ["CELLS_A_SLICE", "expansions_a_slice", "limit_below", "memory_is_full"]

CELLS_A_SLICE = 6_000_000
"""Cells that a slice writes: it takes a tenth of a second or a few."""


def expansions_a_slice(tables: Tables, cells: int) -> int:
    """The expansions that write about so many cells."""
    return max(1, cells // (tables.cells * max(tables.branching, 1)))


def limit_below(upper: int, parity: int | None) -> int:
    """The f from which on a node leads to no plan of less than `upper` moves.

    Where all plans are odd or all are even, f one below the best plan is of no use either.
    """
    return upper - (parity is not None and (upper - parity) % 2 == 0 and upper < NO_PLAN)


def memory_is_full(by: str, space: NodeSpace) -> CutShort:
    """What ends a search whose next nodes have no room."""
    return CutShort(
        StopReason.MEMORY, f"{by} has its memory full with {counted(space.stored, 'board')}"
    )
