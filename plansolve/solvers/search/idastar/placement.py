"""IDA* for puzzles of any kind, with the largest of several lookups of placements, or of sums."""

from collections.abc import Generator, Iterator
from functools import cached_property, partial
from typing import Any

from plansolve.bounds.distance import TileDistances
from plansolve.formats.identity import problem_key, problem_text
from plansolve.model.problem import Problem
from plansolve.patterns.placement_rules import PlacementRules, placement_rules
from plansolve.patterns.placement_tables import table_choice
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.bound_tree import bound_tree
from plansolve.solvers.search.idastar.bounded import bounded_idastar
from plansolve.solvers.search.idastar.idastar import all_plans, count_plans, idastar, settled
from plansolve.solvers.search.idastar.larger import LargerTables, RecordedSizes
from plansolve.solvers.search.idastar.placement_tree import PlacementRecipe, PlacementTree
from plansolve.solvers.search.idastar.team_round import prepare
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.solvers.units.team import open_team
from plansolve.storage.store import Store, Tell

__all__ = ["placement_all_plans", "placement_count_plans", "placement_idastar"]

_NAME = "idastar"


def placement_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* until a plan is found, or a table tells that there is none.

    Boards without tables, such as those of more than 64 cells, are judged by tile distances, and so
    are those whose gaps are too many for tables.
    """
    rules = placement_rules(problem.puzzle)
    if rules is None or rules.relaxed:
        yield from bounded_idastar(problem, incumbent, budget)
        return
    if report := settled(problem):
        yield report
        return
    tables = _PlacementTrees(problem, rules, budget)
    with open_team(budget, f"{problem_key(problem)} {_NAME}") as team:
        size = tables.size if team is None else RecordedSizes(team).first(lambda: tables.size)
        tree = yield from tables.tree(size)
        prepare(tree, team)
        yield from idastar(tree, incumbent, budget, larger=tables.larger, team=team)


def placement_all_plans(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    tree = yield from _tree_of_every_plan(problem, budget)
    if tree is not None:
        yield from all_plans(tree, incumbent.lower_bound, budget)


def placement_count_plans(
    problem: Problem, incumbent: Incumbent, budget: Budget
) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound."""
    tree = yield from _tree_of_every_plan(problem, budget)
    if tree is not None:
        yield from count_plans(tree, incumbent.lower_bound, budget)


def _tree_of_every_plan(
    problem: Problem, budget: Budget
) -> Generator[Report, None, SearchTree[Any] | None]:
    rules = placement_rules(problem.puzzle)
    if rules is None:
        return bound_tree(problem, TileDistances(), budget, EVERY_PLAN)
    tables = _PlacementTrees(problem, rules, budget)
    lookups = (yield from tables.tree(tables.size)).lookups
    return PlacementTree(problem, lookups, budget.memory, EVERY_PLAN)


class _PlacementTrees:
    """The trees of one problem, by the size of the patterns."""

    def __init__(self, problem: Problem, rules: PlacementRules, budget: Budget) -> None:
        self._text, self._memory, self._threads = (
            problem_text(problem),
            budget.memory // 2,
            budget.threads,
        )
        self._choice = table_choice(problem.puzzle, rules, self._memory)

    @cached_property
    def size(self) -> int:
        """The size to begin with."""
        return self._choice.built(Store())

    def tree(self, size: int) -> Generator[Report, None, PlacementTree]:
        """Make the tree of that size while reports are made."""
        make = partial(self._recipe(size).tree, threads=self._threads)
        tree = yield from run_in_background(make, _NAME)
        assert isinstance(tree, PlacementTree)
        return tree

    @property
    def larger(self) -> LargerTables:
        """Tables of one piece more than the usual ones, unless they are in use or too large."""
        return LargerTables(lambda: self._planned, self._make_larger)

    @cached_property
    def _planned(self) -> tuple[int, float] | None:
        larger = self._choice.larger(Store(), self._threads)
        return None if larger is None else (larger.size, larger.seconds)

    def _make_larger(self, tell: Tell) -> SearchTree[Any]:
        assert self._planned is not None
        return self._recipe(self._planned[0]).tree(tell, self._threads)

    def _recipe(self, size: int) -> PlacementRecipe:
        return PlacementRecipe(self._text, size, self._memory)
