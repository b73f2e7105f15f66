"""Additive pattern databases in which a move with a penalty counts twice.

A plan of m moves, d of them dear, has m + d of these steps. Each table holds the least number of
steps with which the moves of its own tiles bring them home. As a move moves one tile these numbers
add up (Korf and Felner 2002), and their sum is a lower bound on m + d. So where no more than d
dear moves are allowed, more than sum - d moves are not needed to leave a board alone: a search for
plans of little penalty has a bound that knows how few are left.
"""

from collections.abc import Sequence
from functools import lru_cache

from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.patterns.additive import AdditiveSets, assembled
from plansolve.patterns.additive_build import build_tables
from plansolve.patterns.choose import Needs
from plansolve.patterns.partition import goal_chooser
from plansolve.storage.store import Tell

_MOST_BYTES = 1 << 30


def dear_arcs(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Where the blank can go from each cell by a move of more than the least penalty.

    Empty where all moves have the same penalty.
    """
    penalties = problem.blank_graph.penalties
    least = min((min(row.values()) for row in penalties if row), default=0)
    dear = tuple(tuple(cell for cell, price in row.items() if price > least) for row in penalties)
    return dear if any(dear) else ()


def priced_effort(problem: Problem, *, threads: int) -> Needs | None:
    """What the tables of `priced_sets` need; None where they would exceed a gigabyte."""
    chooser = goal_chooser(problem, dear_arcs(problem))
    needs = chooser.needs(chooser.usual, threads)
    return needs if needs.nbytes <= _MOST_BYTES else None


def priced_sets(problem: Problem, tell: Tell, *, threads: int | None = None) -> AdditiveSets:
    """Lower bounds on the moves to the goal plus the dear ones among them; kept in memory.

    The problem must have a blank graph with dear arcs.
    """
    arcs, dear = problem.blank_graph.successors, dear_arcs(problem)
    loaded = _loaded(arcs, dear, problem.goal)
    if not loaded:
        chooser = goal_chooser(problem, dear)
        shared = chooser.tables(chooser.partitions(chooser.usual))
        table = build_tables(arcs, shared.tables, tell, threads=threads, dear=dear)
        loaded.append(assembled(problem.goal, shared, table))
    return loaded[0]


@lru_cache(maxsize=1)
def _loaded(
    arcs: Sequence[Sequence[int]], dear: Sequence[Sequence[int]], goal: State
) -> list[AdditiveSets]:
    """The place for one problem's sets: a worker asks for the boards of one puzzle, as a rule."""
    return []
