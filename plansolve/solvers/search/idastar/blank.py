"""IDA* on blank graphs with the best lower bound that the board's size allows."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial

from plansolve.bounds.distance import TileDistances
from plansolve.formats.identity import problem_key, problem_text
from plansolve.model.problem import Problem
from plansolve.patterns.additive import goal_tables, goal_tables_size
from plansolve.patterns.partition import goal_chooser, is_worth_tables
from plansolve.patterns.priced import dear_arcs, priced_effort, priced_sets
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN, Keep
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.blank_tree import BlankTree, PatternTree, walk_automaton
from plansolve.solvers.search.idastar.bound_tree import BoundTree, bound_tree
from plansolve.solvers.search.idastar.bounded import bounded_idastar
from plansolve.solvers.search.idastar.idastar import (
    PricedTree,
    all_plans,
    count_plans,
    fewest_penalty,
    idastar,
)
from plansolve.solvers.search.idastar.larger import LargerTables, RecordedSizes
from plansolve.solvers.search.idastar.recipe import Recipe
from plansolve.solvers.search.idastar.team_round import prepare
from plansolve.solvers.units.team import open_team
from plansolve.storage.store import Store, Tell

__all__ = [
    "blank_all_plans",
    "blank_count_plans",
    "blank_idastar",
    "blank_least_penalty",
]

_NAME = "idastar"

_NODES_A_SECOND = 10_000_000
"""Of one thread that looks at penalties."""


def blank_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* until a plan is found; the problem must have a blank graph.

    Like the other searches of this module it ends at once where the tables do not fit into the
    memory.
    """
    if not is_worth_tables(problem.puzzle.cells):
        yield from bounded_idastar(problem, incumbent, budget)
        return
    with open_team(budget, f"{problem_key(problem)} {_NAME}") as team:
        usual = partial(goal_tables_size, problem)
        size = usual() if team is None else RecordedSizes(team).first(usual)
        recipe = BlankRecipe(problem_text(problem), size, budget.memory)
        tree = yield from run_in_background(partial(recipe.tree, threads=budget.threads), _NAME)
        assert isinstance(tree, PatternTree)
        prepare(tree, team)
        larger = _larger_tables(recipe, tree, budget)
        yield from idastar(tree, incumbent, budget, larger=larger, team=team)


def blank_least_penalty(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Shortest plans of less and less penalty; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, with_penalties=True)
    if tree is not None:
        length, below = incumbent.lower_bound, incumbent.penalty
        priced = _priced_tree(tree, budget)
        yield from fewest_penalty(tree, length, budget, below=below, priced=priced)


def blank_all_plans(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Every shortest plan; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, EVERY_PLAN)
    if tree is not None:
        yield from all_plans(tree, incumbent.lower_bound, budget)


def blank_count_plans(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """How many shortest plans there are; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, EVERY_PLAN)
    if tree is not None:
        yield from count_plans(tree, incumbent.lower_bound, budget)


def _tree(
    problem: Problem,
    budget: Budget,
    keep: Keep = ONE_PLAN,
    *,
    with_penalties: bool = False,
) -> Generator[Report, None, BlankTree | BoundTree | None]:
    """The tree with the best lower bound that there is; None where its tables are too large.

    These are pattern databases, but for boards too small to need any or too large to have any.
    """
    if not is_worth_tables(problem.puzzle.cells):
        return bound_tree(problem, TileDistances(), budget, keep, with_penalties=with_penalties)
    sets = yield from run_in_background(lambda tell: goal_tables(problem, tell), _NAME)
    automaton = walk_automaton(problem, keep, memory=budget.memory)
    return PatternTree(problem, sets, automaton, with_penalties)


def _priced_tree(tree: BlankTree | BoundTree, budget: Budget) -> PricedTree | None:
    """How to make the same tree with priced tables; None where they are none or too large."""
    if not isinstance(tree, PatternTree) or not dear_arcs(tree.problem):
        return None
    problem, automaton, sets = tree.problem, tree.automaton, tree.plain_sets
    effort = priced_effort(problem, threads=budget.threads)
    if effort is None or effort.memory + 2 * tree.table_bytes > budget.memory:
        return None

    def make(tell: Tell) -> PatternTree:
        priced = priced_sets(problem, tell, threads=budget.threads)
        return PatternTree(problem, sets, automaton, with_penalties=True, priced=priced)

    return PricedTree(int(effort.seconds * _NODES_A_SECOND * budget.threads), make)


@dataclass(frozen=True)
class BlankRecipe(Recipe):
    """The tree of a blank's walks with pattern databases, which leads to one shortest plan."""

    def make(self, tell: Tell, threads: int) -> PatternTree:
        """Make the tree; its tables are found in the user's store, or built."""
        problem = self.problem
        sets = goal_tables(problem, tell, size=self.size, threads=threads)
        tree = PatternTree(problem, sets, walk_automaton(problem, ONE_PLAN, memory=self.memory))
        tree.recipe = self
        return tree


def _larger_tables(recipe: BlankRecipe, tree: PatternTree, budget: Budget) -> LargerTables:
    """Tables of one tile more than the usual ones, unless they are too large."""
    chooser = goal_chooser(tree.problem)

    def planned() -> tuple[int, float] | None:
        larger = chooser.larger(Store(), budget.threads)
        if larger is None or larger.memory + tree.table_bytes > budget.memory:
            return None
        return larger.size, larger.seconds

    larger = recipe.of_size(chooser.usual + 1)
    return LargerTables(planned, partial(larger.tree, threads=budget.threads))
