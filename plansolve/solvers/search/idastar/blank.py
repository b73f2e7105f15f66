"""IDA* on blank graphs with the best lower bound that the board's size allows."""

from collections.abc import Generator, Iterator

from plansolve.bounds.distance import TileDistances
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS
from plansolve.patterns.additive import goal_sets, goal_tables, larger_sets
from plansolve.patterns.partition import default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, ONE_PLAN, Keep
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.blank_tree import BlankTree, PatternTree, walk_automaton
from plansolve.solvers.search.idastar.bound_tree import BoundTree, bound_tree
from plansolve.solvers.search.idastar.idastar import (
    all_plans,
    count_plans,
    fewest_penalty,
    idastar,
)
from plansolve.solvers.search.idastar.larger import LargerTables
from plansolve.storage.store import Store, Tell

__all__ = [
    "blank_all_plans",
    "blank_count_plans",
    "blank_idastar",
    "blank_least_penalty",
]

_NAME = "idastar"
# Patterns of two tiles see little more than single ones, and cost much more at each node.
_SMALLEST_PATTERN = 3


def blank_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* until a plan is found; the problem must have a blank graph.

    Like the other searches of this module it ends at once where the tables do not fit into the
    memory.
    """
    tree = yield from _tree(problem, budget)
    if isinstance(tree, PatternTree):
        yield from idastar(tree, incumbent, budget, larger=_larger_tables(problem, tree, budget))
    elif tree is not None:
        yield from idastar(tree, incumbent, budget)


def blank_least_penalty(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """Shortest plans of less and less penalty; their length is the incumbent's bound."""
    tree = yield from _tree(problem, budget, with_penalties=True)
    if tree is not None:
        below = incumbent.penalty
        yield from fewest_penalty(tree, incumbent.lower_bound, budget, below=below)


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
    problem: Problem, budget: Budget, keep: Keep = ONE_PLAN, *, with_penalties: bool = False
) -> Generator[Report, None, BlankTree | BoundTree | None]:
    """The tree with the best lower bound that there is; None where its tables are too large.

    These are pattern databases, but for boards too small to need any or too large to have any.
    """
    cells = problem.puzzle.cells
    if not FEW_CELLS < cells <= WORD_CELLS or default_size(cells) < _SMALLEST_PATTERN:
        return bound_tree(problem, TileDistances(), budget, keep, with_penalties=with_penalties)
    sets = yield from run_in_background(lambda tell: goal_tables(problem, tell), _NAME)
    automaton = walk_automaton(problem, keep, memory=budget.memory)
    return PatternTree(problem, sets, automaton, with_penalties)


def _larger_tables(problem: Problem, tree: PatternTree, budget: Budget) -> LargerTables:
    """Tables of one tile more than the usual ones, unless they are in use or too large."""

    def effort() -> float | None:
        larger, in_use = larger_sets(problem, threads=budget.threads), tree.table_bytes
        fits = larger is not None and larger.memory + in_use <= budget.memory
        return larger.seconds if larger is not None and fits else None

    def make(tell: Tell) -> PatternTree:
        size = default_size(problem.puzzle.cells) + 1
        sets = goal_sets(problem, size=size, store=Store(), tell=tell, threads=budget.threads)
        return PatternTree(problem, sets, tree.automaton)

    return LargerTables(effort, make)
