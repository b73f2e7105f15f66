"""IDA* for puzzles whose moves only permute the cells, with the largest of many pattern lookups."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

from plansolve.bounds.registry import best_lower_bound
from plansolve.formats.identity import problem_key, problem_text
from plansolve.model.problem import Problem
from plansolve.patterns.choose import Chooser, PermutationChooser, ReachChooser, permutation_chooser
from plansolve.patterns.permutation import PermutationLookups
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN, Keep
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.idastar import all_plans, count_plans, idastar, settled
from plansolve.solvers.search.idastar.larger import LargerTables, RecordedSizes
from plansolve.solvers.search.idastar.permutation_tree import PermutationRecipe, PermutationTree
from plansolve.solvers.search.idastar.team_round import prepare
from plansolve.solvers.search.idastar.tree import SearchTree
from plansolve.solvers.units.team import open_team
from plansolve.storage.store import Store, Tell

__all__ = ["permutation_all_plans", "permutation_count_plans", "permutation_idastar"]

_NAME = "idastar"


def permutation_idastar(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """IDA* until a plan is found, or a table tells that there is none.

    No move of the problem may depend on where a blank is. `lookups` are made for its rules; None
    stands for those of `PermutationChooser`.
    """
    if report := settled(problem):
        yield report
        return
    with open_team(budget, f"{problem_key(problem)} {_NAME}") as team:
        size = None
        if team is not None and lookups is None:
            size = RecordedSizes(team).first(lambda: _usual_size(problem, budget))
        tree = yield from _tree(problem, budget, lookups, size=size)
        tree.initial_bound = max(tree.initial_bound, best_lower_bound(problem).value)
        prepare(tree, team)
        larger = _larger_tables(problem, budget) if lookups is None else None
        yield from idastar(tree, incumbent, budget, larger=larger, team=team)


def permutation_all_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, lookups, EVERY_PLAN)
    yield from all_plans(tree, incumbent.lower_bound, budget)


def permutation_count_plans(
    problem: Problem,
    incumbent: Incumbent,
    budget: Budget,
    lookups: PermutationLookups | None = None,
) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, lookups, EVERY_PLAN)
    yield from count_plans(tree, incumbent.lower_bound, budget)


def _tree(
    problem: Problem,
    budget: Budget,
    lookups: PermutationLookups | None,
    keep: Keep = ONE_PLAN,
    *,
    size: int | None = None,
) -> Generator[Report, None, PermutationTree]:
    """The tree with these lookups, or with those of tables that are built if they have to be.

    With a `size` of the patterns others can make the tree too.
    """
    if lookups is None:
        size = _usual_size(problem, budget) if size is None else size
        recipe = _recipe(problem, budget, size)
        made = yield from run_in_background(partial(recipe.tree, threads=budget.threads), _NAME)
        assert isinstance(made, PermutationTree)
        if keep == ONE_PLAN:
            return made
        lookups = made.lookups
    return PermutationTree(problem, lookups, keep)


def _recipe(problem: Problem, budget: Budget, size: int) -> PermutationRecipe:
    return PermutationRecipe(problem_text(problem), size, budget.memory // 2)


def _usual_size(problem: Problem, budget: Budget) -> int:
    return _chooser(problem, budget).built(Store())


def _chooser(problem: Problem, budget: Budget) -> PermutationChooser:
    return permutation_chooser(problem.puzzle, budget.memory // 2)


def _larger_tables(problem: Problem, budget: Budget) -> LargerTables:
    """Tables of one tile more than the usual ones, unless they are in use or too large.

    After them follow reach sets of yet one more tile, also those that are kept: for short proofs
    it is not worth while to load them.
    """
    chooser = _chooser(problem, budget)
    reach = ReachChooser(chooser, budget.memory // 2)
    return replace(_planned(problem, budget, chooser), following=_planned(problem, budget, reach))


def _planned(problem: Problem, budget: Budget, chooser: Chooser) -> LargerTables:
    """The larger tables of a kind, if there are some."""

    # Asked before rounds, and once more to build them.
    @cache
    def planned() -> tuple[int, float] | None:
        larger = chooser.larger(Store(), budget.threads)
        return None if larger is None else (larger.size, larger.seconds)

    def make(tell: Tell) -> SearchTree[Any]:
        found = planned()
        assert found is not None
        return _recipe(problem, budget, found[0]).tree(tell, budget.threads)

    return LargerTables(planned, make)
