"""Blank graphs for kernels, in both directions of time, and plans from walks of the blank."""

from collections.abc import Sequence
from itertools import pairwise

from plansolve.model.problem import Problem
from plansolve.model.puzzle import Plan
from plansolve.model.structure import BlankGraph
from plansolve.solvers.search.packed_board_kernel import Arcs, pack_arcs

__all__ = ["arcs_back", "arcs_onward", "blank_graph", "named"]


def blank_graph(problem: Problem) -> BlankGraph:
    """The problem's blank graph; the caller has made sure that it has one."""
    graph = problem.structure.blank_graph
    assert graph is not None
    return graph


def arcs_onward(problem: Problem) -> Arcs:
    """The arcs of the blank, with the penalties of the moves that a plan will name."""
    penalty = _penalties(problem)
    return pack_arcs(blank_graph(problem).successors, lambda b, d: penalty.get((b, d), 0))


def arcs_back(problem: Problem) -> Arcs:
    """The arcs that take back a move: from d to b with the penalty of the move from b to d."""
    penalty = _penalties(problem)
    return pack_arcs(blank_graph(problem).predecessors, lambda d, b: penalty.get((b, d), 0))


def named(problem: Problem, walk: Sequence[int]) -> Plan:
    """The plan that takes the blank through the cells of `walk`."""
    names = blank_graph(problem).names
    return tuple(names[b][d] for b, d in pairwise(walk))


def _penalties(problem: Problem) -> dict[tuple[int, int], int]:
    """The penalties, other than 0, of the moves from one cell of the blank to another."""
    by_name = {(op.blank, op.name): op.penalty for op in problem.puzzle.operators if op.penalty}
    names = blank_graph(problem).names
    return {
        (b, d): by_name[b, name]
        for b, targets in enumerate(names)
        for d, name in targets.items()
        if (b, name) in by_name
    }
