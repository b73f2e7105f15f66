"""The pattern databases towards a problem's goal, loaded once in a process."""

from collections.abc import Callable
from typing import TypeAlias

from plansolve.model.problem import Problem
from plansolve.model.puzzle import State
from plansolve.patterns.additive import AdditiveSets, goal_sets
from plansolve.storage.store import Store

__all__ = ["goal_tables"]

_Key: TypeAlias = tuple[tuple[tuple[int, ...], ...], State]

# A process works on boards of one puzzle for as long as it lives, as a rule: one entry is enough.
_loaded: dict[_Key, AdditiveSets] = {}


def goal_tables(problem: Problem, tell: Callable[[str], None]) -> AdditiveSets:
    """The tables for the puzzle and its goal; the problem must have a blank graph."""
    graph = problem.blank_graph
    key = graph.successors, problem.goal
    if key not in _loaded:
        sets = goal_sets(problem, store=Store(), tell=tell)
        _loaded.clear()
        _loaded[key] = sets
    return _loaded[key]
