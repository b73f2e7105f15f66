"""IDA* on blank graphs with the best heuristic that the board's size allows."""

from collections.abc import Generator, Iterator

from plansolve.bounds.bound import Bound
from plansolve.bounds.distance import TileDistances
from plansolve.bounds.registry import admissible_bound
from plansolve.model.problem import Problem
from plansolve.model.puzzle import FEW_CELLS, WORD_CELLS
from plansolve.patterns.additive import AdditiveSets, goal_tables
from plansolve.patterns.partition import default_size
from plansolve.solvers.protocol import Budget, Incumbent, Report
from plansolve.solvers.search.automaton import EVERY_PLAN, MOST_SEQUENCES, ONE_PLAN, Keep
from plansolve.solvers.search.background import run_in_background
from plansolve.solvers.search.idastar.blank_tree import (
    BlankTree,
    BoundTree,
    PatternTree,
    walk_automaton,
)
from plansolve.solvers.search.idastar.idastar import (
    all_plans,
    count_plans,
    fewest_penalty,
    idastar,
)

__all__ = [
    "blank_all_plans",
    "blank_count_plans",
    "blank_idastar",
    "blank_least_penalty",
    "blank_tree",
]

_NAME = "idastar"
# Patterns of two tiles see little more than single ones, and cost much more at each node.
_SMALLEST_PATTERN = 3
_MOST_CELLS = 10_000


def blank_idastar(problem: Problem, incumbent: Incumbent, budget: Budget) -> Iterator[Report]:
    """IDA* until a plan is found; the problem must have a blank graph.

    Like the other searches of this module it ends at once where the tables do not fit into the
    memory. It alone takes the bound of the options: the others follow any engine, whose bound IDA*
    may not be able to take.
    """
    name = budget.options.bound
    tree = yield from _tree(
        problem, budget, bound=None if name is None else admissible_bound(name, problem)
    )
    if tree is not None:
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


def blank_tree(
    problem: Problem,
    heuristic: AdditiveSets | Bound,
    budget: Budget,
    keep: Keep = ONE_PLAN,
    *,
    with_penalties: bool = False,
    length: int = 10,
    most_sequences: int = MOST_SEQUENCES,
) -> BlankTree | None:
    """The tree with pattern databases or with a bound.

    The sum of tile distances works on boards of any size, but None is returned where its tables are
    too large for the memory. `length` and `most_sequences` say from which walks the pruning
    automaton is made.
    """
    too_large = problem.puzzle.cells > _MOST_CELLS or BoundTree.nbytes(problem) > budget.memory // 2
    if too_large and isinstance(heuristic, Bound):
        return None
    automaton = walk_automaton(problem, keep, length, most_sequences, budget.memory)
    if isinstance(heuristic, AdditiveSets):
        return PatternTree(problem, heuristic, automaton, with_penalties)
    return BoundTree(problem, heuristic, automaton, with_penalties)


def _tree(
    problem: Problem,
    budget: Budget,
    keep: Keep = ONE_PLAN,
    *,
    with_penalties: bool = False,
    bound: Bound | None = None,
) -> Generator[Report, None, BlankTree | None]:
    """The tree with a bound, else with the best heuristic that there is.

    These are pattern databases, but for boards too small to need any or too large to have any.
    """
    cells = problem.puzzle.cells
    heuristic: AdditiveSets | Bound = bound or TileDistances()
    if (
        bound is None
        and FEW_CELLS < cells <= WORD_CELLS
        and default_size(cells) >= _SMALLEST_PATTERN
    ):
        heuristic = yield from run_in_background(lambda tell: goal_tables(problem, tell), _NAME)
    return blank_tree(problem, heuristic, budget, keep, with_penalties=with_penalties)
