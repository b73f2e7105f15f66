"""Blank graphs for kernels, in both directions of time."""

from plansolve.model.structure import BlankGraph
from plansolve.solvers.search.packed_board_kernel import Arcs, pack_arcs

__all__ = ["arcs_back", "arcs_onward"]


def arcs_onward(graph: BlankGraph) -> Arcs:
    """The arcs of the blank, with the penalties of the moves that a plan will name."""
    return pack_arcs(graph.successors, lambda b, d: graph.penalties[b][d])


def arcs_back(graph: BlankGraph) -> Arcs:
    """The arcs that take back a move: from d to b with the penalty of the move from b to d."""
    return pack_arcs(graph.predecessors, lambda d, b: graph.penalties[b][d])
